#!/bin/sh
# browser.sh: Chromium and a Chinese font, which the tests of the pages need, from Debian's packages where these can be had.
set -u
missing=""
command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 || missing="chromium"
fc-list ":lang=zh" 2>/dev/null | grep -q . || missing="$missing fontconfig fonts-wqy-microhei"
[ -n "$missing" ] || exit 0

admin=""
[ "$(id -u)" = 0 ] || admin="sudo -n"
if ! command -v apt-get >/dev/null 2>&1; then
    echo "no apt-get: install $missing yourself, or the tests in a browser are skipped" >&2
    exit 0
fi
echo "installing $missing" >&2
export DEBIAN_FRONTEND=noninteractive
$admin apt-get update -qq >/dev/null 2>&1
# shellcheck disable=SC2086  # a list of words
$admin apt-get install -y -qq --no-install-recommends $missing >/dev/null 2>&1 ||
    echo "could not install $missing: the tests in a browser will be skipped" >&2
