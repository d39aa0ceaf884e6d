#!/usr/bin/env bash
# Compiles each file as it should be written (-DGOOD), without a word from the compiler, and as it
# must not be: then the line after each `// error: PATTERN` has such an error, and no other line has
# one. `// warning: PATTERN` does the same for warnings. A `// note: PATTERN` is somewhere in what the
# compiler says.
#   run.sh COMPILER SOURCE_DIR FILE...
set -u
compiler=$1 root=$2
shift 2
flags=(-std=c++20 -fsyntax-only -I"$root/include" -I"$root/include/torch_compat")
# All of them, where clang would stop at twenty.
"$compiler" --version | grep -q clang && flags+=(-ferror-limit=0)
passed=0 failed=0

# check_lines NAME FILE KIND: what the compiler says with errors, or with warnings, is at the lines
# that the file names, and nowhere else.
check_lines() {
    local name=$1 file=$2 kind=$3 said number pattern line others expected_lines=()
    said=$(grep -E "(^|[^a-z])$kind: " <<<"$told")
    while IFS=: read -r number pattern; do
        line=$((number + 1))
        expected_lines+=("$line")
        pattern=${pattern#*// "$kind": }
        if grep -F "$file:$line:" <<<"$said" | grep -qE "$kind: .*($pattern)"; then
            passed=$((passed + 1))
        else
            echo "$name:$line: expected the $kind /$pattern/, got: $(grep -F "$file:$line:" <<<"$said")"
            failed=$((failed + 1))
        fi
    done < <(grep -nE "^ *// $kind: " "$file")
    others=$(grep -F "$file:" <<<"$said" |
        grep -vE ":($(IFS='|' && echo "${expected_lines[*]}")):[0-9]+: ")
    if [ -n "$others" ]; then
        echo "$name: ${kind}s that nobody expected:"
        echo "$others"
        failed=$((failed + 1))
    fi
}

for file in "$@"; do
    name=$(basename "$file" .cpp)
    if ! good=$("$compiler" "${flags[@]}" -DGOOD "$file" 2>&1) || [ -n "$good" ]; then
        echo "$name: the correct form does not compile, or not in silence:"
        echo "$good" | head -20
        failed=$((failed + 1))
        continue
    fi
    told=$("$compiler" "${flags[@]}" "$file" 2>&1)
    while IFS= read -r pattern; do
        if grep -qE "$pattern" <<<"$told"; then
            passed=$((passed + 1))
        else
            echo "$name: expected a note /$pattern/"
            failed=$((failed + 1))
        fi
    done < <(sed -nE 's|^ *// note: ||p' "$file")
    check_lines "$name" "$file" error
    check_lines "$name" "$file" warning
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
