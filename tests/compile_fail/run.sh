#!/usr/bin/env bash
# Compiles each file as it should be written and as it must not compile, and checks the reason given.
#   run.sh COMPILER SOURCE_DIR FILE...
set -u
compiler=$1 root=$2
shift 2
passed=0 failed=0
for file in "$@"; do
    name=$(basename "$file" .cpp)
    expected=$(sed -n '1s|^// expect: ||p' "$file")
    flags=(-std=c++20 -fsyntax-only -I"$root/include")
    if ! good=$("$compiler" "${flags[@]}" -DGOOD "$file" 2>&1); then
        echo "$name: the correct form does not compile:"
        echo "$good" | head -20
        failed=$((failed + 1))
    elif bad=$("$compiler" "${flags[@]}" "$file" 2>&1); then
        echo "$name: compiles, and must not"
        failed=$((failed + 1))
    elif ! grep -qE "$expected" <<<"$bad"; then
        echo "$name: expected /$expected/, got:"
        echo "$bad" | grep error | head -5
        failed=$((failed + 1))
    else
        passed=$((passed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
