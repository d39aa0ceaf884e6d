#!/usr/bin/env bash
# A program for libtorch, compiled unchanged against Sinter, prints what libtorch prints.
#   run.sh PROGRAM EXPECTED SOURCE COMPILER
# EXPECTED was written by libtorch 1.13, or by the newer one that the program says it needs. Where libtorch
# is installed, it runs here as well; LIBTORCH names its prefix if that is not /usr.
set -euo pipefail
program=$1 expected=$2 source=$3 compiler=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

SINTER_CACHE_DIR="$folder/cache" "$program" >"$folder/sinter.txt"
diff -u "$expected" "$folder/sinter.txt"

prefix=${LIBTORCH:-/usr}
header=$prefix/include/torch/csrc/api/include/torch/torch.h
if [ ! -f "$header" ]; then
    echo "[SKIP] no libtorch under $prefix: ${source##*/} was held against its recorded output alone"
    exit 0
fi
if grep -q 'A program for libtorch 2' "$source" && [ ! -f "$prefix/include/torch/headeronly/version.h" ]; then
    echo "[SKIP] the libtorch under $prefix is too old: ${source##*/} was held against its recorded output alone"
    exit 0
fi
export LD_LIBRARY_PATH="$prefix/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
# Newer ones need C++20, which older ones were not made for.
for standard in 17 20; do
    "$compiler" -std=c++$standard -w -I"$prefix/include" -I"${header%/torch/torch.h}" "$source" \
        -o "$folder/libtorch" -L"$prefix/lib" -L"$prefix/lib/x86_64-linux-gnu" \
        -ltorch -ltorch_cpu -lc10 -Wl,--allow-shlib-undefined 2>"$folder/log" && break
done
[ -x "$folder/libtorch" ] || { cat "$folder/log"; exit 1; }
"$folder/libtorch" >"$folder/libtorch.txt"
diff -u "$folder/libtorch.txt" "$folder/sinter.txt"
