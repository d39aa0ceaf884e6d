#!/usr/bin/env bash
# What the headers cost a program that is compiled with g++ -O0: including <sinter/sinter.hpp> alone,
# one more expression of 5 operations, one more of 30. Medians of processor time; the two expressions are the
# difference of a file with 11 distinct ones and a file with 1, over 10.
#
#   bench/compile_time.sh [REPEATS] [COMPILER]
set -euo pipefail
export LC_ALL=C  # a decimal point
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
repeats=${1:-7}
compiler=${2:-g++}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# emit FILE COUNT OPERATIONS: COUNT functions, each with one expression; no two have the same type,
# as each has other operators in another order.
emit() {
    awk -v count="$2" -v operations="$3" 'BEGIN {
        split("+ - * /", symbol, " ")
        split("a b c 2.5", operand, " ")
        print "#include <sinter/sinter.hpp>"
        print "using sinter::Tensor;"
        for (e = 1; e <= count; e++) {
            random = e * 7919
            text = "a"
            for (i = 1; i <= operations; i++) {
                random = (random * 1103 + 12345) % 65536
                text = "(" text " " symbol[int(random / 256) % 4 + 1] " " operand[random % 4 + 1] ")"
            }
            printf "Tensor f%d(const Tensor& a, const Tensor& b, const Tensor& c) { return %s; }\n", e, text
        }
        # Every file uses the same names, so that only expressions differ.
        print "void use(Tensor a, Tensor b, Tensor c) { (void)a; (void)b; (void)c; }"
    }' >"$work/$1.cpp"
}

# Milliseconds of one compilation: processor time, as other programs would lengthen the wall's.
compile() {
    local TIMEFORMAT='%3U %3S'
    { time "$compiler" -std=c++20 -O0 -I"$root/include" -c "$work/$1.cpp" -o "$work/$1.o"; } 2>&1 |
        awk '{ print 1000 * ($1 + $2) }'
}

median() {
    sort -n "$1" | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

files=(include one5 many5 one30 many30)
echo 'int nothing;' >"$work/empty.cpp"
emit include 0 0
emit one5 1 5
emit many5 11 5
emit one30 1 30
emit many30 11 30
for ((round = 0; round <= repeats; round++)); do # in turn; the first round only warms the disk cache
    for file in empty "${files[@]}"; do
        time=$(compile "$file")
        [ "$round" = 0 ] || echo "$time" >>"$work/$file.times"
    done
done

each() {
    awk -v many="$(median "$work/$1.times")" -v one="$(median "$work/$2.times")" \
        'BEGIN { printf "%.1f", (many - one) / 10 }'
}
echo "$("$compiler" --version | head -1), -O0, medians of $repeats"
printf '%-44s %8.1f ms\n' "an empty file" "$(median "$work/empty.times")"
printf '%-44s %8.1f ms  (budget 600)\n' "#include <sinter/sinter.hpp>" "$(median "$work/include.times")"
printf '%-44s %8s ms  (budget 15)\n' "one more expression of 5 operations" "$(each many5 one5)"
printf '%-44s %8s ms  (budget 60)\n' "one more expression of 30 operations" "$(each many30 one30)"
