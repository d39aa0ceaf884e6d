#!/usr/bin/env bash
# What statements of 16 elements cost in instructions, counted by valgrind, so that the number is the
# same on a busy machine. Kernels are compiled for plain x86-64, as valgrind knows no AVX-512.
#
#   bench/instructions.sh PROGRAM            a table; PROGRAM: study_instructions
#   bench/instructions.sh PROGRAM --check    also fails if one takes 3 % more than bench/instructions.txt says
#   bench/instructions.sh PROGRAM --write    writes that file
set -euo pipefail
export LC_ALL=C
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
program=$1
action=${2:-}
limits=$root/bench/instructions.txt
times=500
tolerance=1.03
command -v valgrind >/dev/null || { echo "instructions.sh: no valgrind; apt install valgrind" >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SINTER_ISA=baseline SINTER_JIT=wait SINTER_CACHE=use SINTER_CACHE_DIR=$work/cache SINTER_NUM_THREADS=1
unset SINTER_CACHE_PACKS SINTER_LINES SINTER_CACHE_RECORD SINTER_DEBUG SINTER_TRACE SINTER_POOL SINTER_THREADS

# The kernels come from the folder when valgrind runs the program: it would compile slowly.
"$program" >"$work/times"

count() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=counted \
        "$program" "$1" "$times" 2>&1 >/dev/null | awk '$2 == "Collected" { print $4 }'
}

status=0
while read -r name parts nanoseconds; do
    collected=$(count "$name")
    [ -n "$collected" ] || { echo "instructions.sh: valgrind counted nothing for $name" >&2; exit 1; }
    echo "$name $((collected / times / parts)) $nanoseconds"
done <"$work/times" >"$work/counts"

printf '%-12s %12s %8s %10s\n' statement instructions ns limit
while read -r name instructions nanoseconds; do
    limit=$(awk -v name="$name" '$1 == name { print $2 }' "$limits" 2>/dev/null || true)
    printf '%-12s %12d %8.1f %10s\n' "$name" "$instructions" "$nanoseconds" "${limit:--}"
    if [ "$action" = --check ] && ! awk -v n="$instructions" -v l="${limit:-0}" -v t=$tolerance \
        'BEGIN { exit !(n <= l * t) }'; then
        echo "instructions.sh: $name takes $instructions instructions, more than ${limit:-no entry} and 3 %" >&2
        status=1
    fi
done <"$work/counts"
if [ "$action" = --write ]; then
    awk '{ print $1, $2 }' "$work/counts" >"$limits"
fi
exit $status
