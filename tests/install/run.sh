#!/usr/bin/env bash
# Installs the build tree, then builds and runs tests/install/app against the installation alone,
# with both in a temporary folder outside the source tree.
#   run.sh CMAKE BUILD_FOLDER SOURCE_FOLDER COMPILER
set -euo pipefail
cmake=$1 build=$2 source=$3 compiler=$4

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
die() {
    echo "install test: $*" >&2
    exit 1
}

"$cmake" --install "$build" --prefix "$folder/first" >/dev/null
# Moved after it was installed: nothing may remember where it was.
mv "$folder/first" "$folder/prefix"
if grep -rIlF -e "$source" -e "$folder/first" "$folder/prefix"; then
    die "these installed files name the source tree or the prefix they were installed to"
fi

mkdir "$folder/app"
cp "$source"/tests/install/app/* "$folder/app"
cd "$folder/app"
env -u CPATH -u LIBRARY_PATH "$cmake" -G Ninja -S . -B build -DCMAKE_CXX_COMPILER="$compiler" \
    -DCMAKE_PREFIX_PATH="$folder/prefix" >/dev/null
"$cmake" --build build >/dev/null
output=$(SINTER_CACHE_DIR="$folder/cache" ./build/app)
[ "$output" = "sum 66" ] || die "app printed '$output', expected 'sum 66'"

library=$(ldd build/app | awk '/libsinter/ {print $3}')
case $library in
    "$folder"/prefix/*) ;;
    *) die "app uses ${library:-no libsinter}, expected one under $folder/prefix" ;;
esac
if ldd build/app | grep -E 'LLVM|blas|lapack|cuda|amdhip'; then
    die "a program that links sinter loads these libraries at its start"
fi
if [ -f "$build/bin/sinter_llvm.so" ]; then
    [ -f "${library%/*}/sinter_llvm.so" ] || die "the plugin is not beside ${library##*/}"
fi
for page in README.md CHANGELOG.md LICENSE docs/functions.md docs/porting.md docs/tutorials/from_zero.md; do
    cmp "$source/$page" "$folder/prefix/share/doc/sinter/$page" || die "$page is not installed"
done

# The library in the program, which then loads none, and finds the compiler beside itself.
if [ -f "$folder/prefix/lib/libsinter.a" ]; then
    compiler_too=OFF
    [ ! -f "$build/bin/sinter_llvm.so" ] || compiler_too=ON
    "$cmake" -S . -B build -DAPP_STATIC=ON -DAPP_COMPILER=$compiler_too >/dev/null
    "$cmake" --build build --target app_static >/dev/null
    if ldd build/app_static | grep libsinter; then die "app_static loads the library"; fi
    [ $compiler_too = OFF ] || export SINTER_JIT=wait
    output=$(SINTER_CACHE_DIR="$folder/cache_static" ./build/app_static)
    unset SINTER_JIT
    [ "$output" = "sum 66" ] || die "app_static printed '$output', expected 'sum 66'"
    if [ $compiler_too = ON ]; then
        [ -n "$(ls "$folder/cache_static")" ] || die "app_static compiled no kernel"
        rm build/sinter_llvm.so
    fi
    output=$(SINTER_CACHE_DIR='' ./build/app_static 2>"$folder/said") || die "app_static does not run without a compiler"
    [ "$output" = "sum 66" ] || die "app_static without a compiler printed '$output', expected 'sum 66'"
else
    echo "[SKIP] no static library: SINTER_STATIC is off"
fi
if "$cmake" -S . -B build_wants -DCMAKE_PREFIX_PATH="$folder/prefix" -DCMAKE_CXX_COMPILER="$compiler" -G Ninja \
    -DAPP_WANTS=telepathy >"$folder/said" 2>&1; then
    die "find_package finds a component that there is not"
fi
grep -q telepathy "$folder/said" || die "find_package does not name the missing component: $(cat "$folder/said")"

# The kernels of that run in the program itself, which then needs neither the compiler nor a folder.
if [ -f "$build/bin/sinter_llvm.so" ] && [ -x "$build/bin/sinter" ]; then
    SINTER_CACHE_DIR="$folder/compiled" SINTER_JIT=wait ./build/app >/dev/null
    if SINTER_CACHE_DIR='' SINTER_CACHE=require ./build/app 2>/dev/null; then
        die "app without kernels runs with SINTER_CACHE=require"
    fi
    "$folder/prefix/bin/sinter" cache merge "$folder/compiled" -o app.spk >/dev/null
    "$cmake" -S . -B build -DAPP_PACK=app.spk >/dev/null
    "$cmake" --build build >/dev/null
    mv "${library%/*}/sinter_llvm.so" "$folder"
    output=$(SINTER_CACHE_DIR='' SINTER_CACHE=require ./build/app) || die "app does not run by its own kernels"
    [ "$output" = "sum 66" ] || die "app with its own kernels printed '$output', expected 'sum 66'"
    mv "$folder/sinter_llvm.so" "${library%/*}"
fi

# The example project, built with its recording, runs where no compiler is.
if [ -f "$build/bin/sinter_llvm.so" ] && [ -x "$build/bin/sinter" ]; then
    cp -r "$source/examples/own_kernels" "$folder"
    cd "$folder/own_kernels"
    env -u CPATH -u LIBRARY_PATH "$cmake" -G Ninja -S . -B build -DCMAKE_CXX_COMPILER="$compiler" \
        -DCMAKE_PREFIX_PATH="$folder/prefix" >/dev/null
    "$cmake" --build build >/dev/null
    mv "${library%/*}/sinter_llvm.so" "$folder"
    "${cmake%cmake}ctest" --test-dir build --output-on-failure >own.log 2>&1 || {
        cat own.log
        die "examples/own_kernels does not run by its own kernels"
    }
    mv "$folder/sinter_llvm.so" "${library%/*}"
    # Recorded again, it adds nothing: the recording is what this version computes.
    before=$(sha256sum kernels/smooth.srec)
    "$cmake" --build build --target smooth_record >/dev/null
    [ "$before" = "$(sha256sum kernels/smooth.srec)" ] ||
        die "examples/own_kernels/kernels/smooth.srec is older than what the program computes: record it again"
    cd "$folder/app"
fi

# What debuggers print.
for script in sinter_debug.py sinter_gdb.py sinter_lldb.py; do
    [ -f "$folder/prefix/share/sinter/$script" ] || die "$script is not installed"
done
if command -v gdb >/dev/null; then
    printers=$(gdb -nx -batch -iex "add-auto-load-safe-path $folder/prefix" \
        -ex "info pretty-printer" "$library" 2>&1)
    grep -q '^ *Tensor$' <<<"$printers" || die "gdb does not load the printers with the library: $printers"
else
    echo "[SKIP] no gdb: that it finds the installed printers was not tested"
fi

# The same programs without CMake.
if command -v pkg-config >/dev/null; then
    PKG_CONFIG_PATH=$(dirname "$(find "$folder/prefix" -name sinter.pc)")
    export PKG_CONFIG_PATH
    read -ra flags <<<"$(pkg-config --cflags --libs sinter-torch-compat)"
    "$compiler" -std=c++20 app.cpp ported.cpp "${flags[@]}" -Wl,-rpath,"${library%/*}" -o by_hand
    output=$(SINTER_CACHE_DIR="$folder/cache" ./by_hand)
    [ "$output" = "sum 66" ] || die "app by pkg-config printed '$output', expected 'sum 66'"
else
    echo "[SKIP] no pkg-config: its file is installed, but was not read"
fi
if [ -x "$build/bin/sinter" ]; then
    "$folder/prefix/bin/sinter" info >/dev/null || die "the installed program does not run"
fi
echo "$output"
