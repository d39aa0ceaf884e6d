#!/usr/bin/env bash
# Installs the build tree, then the Python package over it, in an environment of its own, and runs the tests
# of this folder and the examples of docs/python.md there.
#   run.sh CMAKE BUILD_FOLDER SOURCE_FOLDER
# SINTER_TEST_PYTHON names an interpreter that has NumPy and PyTorch: it is used for the tests then, and the
# same statements run in both libraries.
set -euo pipefail
cmake=$1 build=$2 source=$3

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
die() {
    echo "python test: $*" >&2
    exit 1
}

python3 -c 'import venv, ensurepip' 2>/dev/null || die "python3-venv is not installed"
python3 -m venv "$folder/venv"
export PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1
if ! "$folder/venv/bin/pip" download -q --retries 1 --timeout 20 --no-deps -d "$folder/reach" nanobind >"$folder/reach.log" 2>&1; then
    cat "$folder/reach.log"
    echo "[SKIP] no index of Python's packages can be reached: the Python package was not built"
    exit 0
fi

"$cmake" --install "$build" --prefix "$folder/prefix" >/dev/null
CMAKE_PREFIX_PATH="$folder/prefix" CMAKE_BUILD_PARALLEL_LEVEL=2 "$folder/venv/bin/pip" wheel -q --no-deps \
    -w "$folder/wheels" "$source/python" >"$folder/wheel.log" 2>&1 || {
    cat "$folder/wheel.log"
    die "the package does not build"
}
wheel=$(echo "$folder"/wheels/sinter-*.whl)
rm -rf "$folder/prefix"  # the wheel has what it needs
python3 - "$wheel" <<'END' || die "the wheel does not contain what it should"
import sys, zipfile
names = [entry.filename for entry in zipfile.ZipFile(sys.argv[1]).infolist() if ".dist-info/" not in entry.filename]
libraries = [name for name in names if "libsinter" in name or "sinter_llvm" in name]
print(*names, sep="\n")
assert len(libraries) == 2, libraries  # the library once, under its SONAME, and the compiler
assert all(name.startswith("sinter/") for name in names), names
END
python=${SINTER_TEST_PYTHON:-}
if [ -n "$python" ]; then
    mkdir "$folder/site"
    "$folder/venv/bin/pip" install -q --no-deps --target "$folder/site" "$wheel"
    export PYTHONPATH=$folder/site
else
    python=$folder/venv/bin/python
    "$python" -m pip install -q "$wheel[numpy]" >"$folder/install.log" 2>&1 || {
        cat "$folder/install.log"
        die "the wheel does not install"
    }
fi

export SINTER_CACHE_DIR=$folder/cache SINTER_SOURCE=$source
cd "$folder"
"$python" -m unittest discover -s "$source/tests/python" -t "$source/tests/python"
"$python" -c '
import doctest, sys
failed, run = doctest.testfile(sys.argv[1], module_relative=False)
print(f"{sys.argv[1]}: {run} examples, {failed} failed")
sys.exit(failed > 0)' "$source/docs/python.md"

if [ -z "${SINTER_TEST_PYTHON:-}" ]; then
    "$python" -m pip uninstall -q -y sinter
    left=$(find "$folder/venv" -path '*site-packages/sinter*' -not -name __pycache__)
    [ -z "$left" ] || die "the package leaves these files behind: $left"
fi
