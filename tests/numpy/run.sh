#!/usr/bin/env bash
# Runs share.py with a Python that has NumPy: SINTER_PYTHON, or the system's.
#   run.sh BRIDGE.so
set -euo pipefail
for python in ${SINTER_PYTHON:+"$SINTER_PYTHON"} python3 /usr/bin/python3; do
    if command -v "$python" >/dev/null && "$python" -c 'import numpy' 2>/dev/null; then
        exec "$python" "$(dirname "$0")/share.py" "$1"
    fi
done
echo "[SKIP] no Python with NumPy (python3-numpy): sharing memory with it was not tested"
