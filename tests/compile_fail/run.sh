#!/usr/bin/env bash
# Compiles each file as it should be written (-DGOOD), and as it must not compile: then the line after
# each `// error: PATTERN` has such an error, and no other line has one. A `// note: PATTERN` is
# somewhere in what the compiler says.
#   run.sh COMPILER SOURCE_DIR FILE...
set -u
compiler=$1 root=$2
shift 2
flags=(-std=c++20 -fsyntax-only -I"$root/include" -I"$root/include/torch_compat")
# All of them, where clang would stop at twenty.
"$compiler" --version | grep -q clang && flags+=(-ferror-limit=0)
passed=0 failed=0
for file in "$@"; do
    name=$(basename "$file" .cpp)
    if ! good=$("$compiler" "${flags[@]}" -DGOOD "$file" 2>&1); then
        echo "$name: the correct form does not compile:"
        echo "$good" | head -20
        failed=$((failed + 1))
        continue
    fi
    told=$("$compiler" "${flags[@]}" "$file" 2>&1)
    errors=$(grep -E '(^|[^a-z])error: ' <<<"$told")
    while IFS= read -r pattern; do
        if grep -qE "$pattern" <<<"$told"; then
            passed=$((passed + 1))
        else
            echo "$name: expected a note /$pattern/"
            failed=$((failed + 1))
        fi
    done < <(sed -nE 's|^ *// note: ||p' "$file")
    expected_lines=()
    while IFS=: read -r number pattern; do
        line=$((number + 1))
        expected_lines+=("$line")
        pattern=${pattern#*// error: }
        if grep -F "$file:$line:" <<<"$errors" | grep -qE "error: .*($pattern)"; then
            passed=$((passed + 1))
        else
            echo "$name:$line: expected /$pattern/, got: $(grep -F "$file:$line:" <<<"$errors")"
            failed=$((failed + 1))
        fi
    done < <(grep -nE '^ *// error: ' "$file")
    others=$(grep -F "$file:" <<<"$errors" |
        grep -vE ":($(IFS='|' && echo "${expected_lines[*]}")):[0-9]+: ")
    if [ -n "$others" ]; then
        echo "$name: errors that nobody expected:"
        echo "$others"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
