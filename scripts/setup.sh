#!/bin/sh
# setup.sh PYTHON VENV UV REQUIREMENTS: an environment with the locked packages and this project, editable.
set -eu
python=$1 venv=$2 uv=$3 requirements=$4

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "Daybreak needs Python 3.11 or newer; $python is older. Name another one: make PYTHON=python3.12 …" >&2
    exit 1
}
if [ -n "$uv" ]; then
    [ -x "$venv/bin/python" ] || "$uv" venv --quiet --python "$python" "$venv"
    "$uv" pip install --quiet --python "$venv/bin/python" -r "$requirements" --editable .
else
    [ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$requirements" --editable .
fi
