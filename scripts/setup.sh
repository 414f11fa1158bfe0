#!/bin/sh
# setup.sh PYTHON VENV UV REQUIREMENTS: an environment with the locked packages and this project, editable.
set -eu
python=$1 venv=$2 uv=$3 requirements=$4

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "Daybreak needs Python 3.11 or newer; $python is older. Name another one: make PYTHON=python3.12 …" >&2
    exit 1
}
# uv brings its own list of whom to trust; behind a company's proxy the machine's is the one that holds.
fetch() {
    "$uv" pip install --quiet --python "$venv/bin/python" "$@" || {
        echo "once more, trusting whom this machine trusts (UV_SYSTEM_CERTS=1)" >&2
        UV_SYSTEM_CERTS=1 UV_NATIVE_TLS=1 "$uv" pip install --quiet --python "$venv/bin/python" "$@"
    }
}
# The lock by itself: where it has hashes, a folder, which has none, may not stand beside it.
alone=${requirements%.txt}-alone.txt
if [ -n "$uv" ]; then
    [ -x "$venv/bin/python" ] || "$uv" venv --quiet --python "$python" "$venv"
    fetch -r "$requirements"
    fetch --no-deps --editable .
else
    echo "Setting up $venv from $requirements with pip; a minute, the first time. (With uv: seconds.)" >&2
    [ -x "$venv/bin/python" ] || "$python" -m venv "$venv" || {
        echo "On Debian and Ubuntu: apt install python3-venv; or install uv." >&2
        exit 1
    }
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$requirements"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --editable .
fi
# What would ask for packages that nothing here needs comes without them; tests that lack it are skipped and say so.
if [ -f "$alone" ]; then
    if [ -n "$uv" ]; then
        fetch --no-deps -r "$alone"
    else
        "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps -r "$alone"
    fi || echo "could not install $alone: the tests with a real model will be skipped" >&2
fi
# pip's own compiled files are as large as pip, and nothing of ours reads them.
find "$venv" -path '*/site-packages/pip/*' -name __pycache__ -prune -exec rm -rf {} +
