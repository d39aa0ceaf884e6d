#!/usr/bin/env bash
# Compares the library's symbols with symbols.txt, without those that programs have of their own:
# inline functions and instances of templates.
#   run.sh LIBRARY [--write]
set -euo pipefail
export LC_ALL=C
library=$1
list=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/symbols.txt

symbols() {
    nm -D --defined-only "$library" | awk -v kinds="$1" 'index(kinds, $2) { print $3 }'
}
readable() {
    c++filt | sed -e 's/std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >/std::string/g' \
        -e 's/, std::allocator<[^<>]*> >/>/g' -e 's/sinter::v1:://g' | sort -u
}

foreign=$(symbols TDBRVWu | grep -v '^_Z[A-Z0-9a-z_]*N[A-Z]*6sinter' || true)
if [ -n "$foreign" ]; then
    echo "exports test: these symbols are not Sinter's: $foreign" >&2
    exit 1
fi
if [ "${2:-}" = --write ]; then
    symbols TDBR | readable >"$list"
    exit
fi
if ! difference=$(diff "$list" <(symbols TDBR | readable)); then
    echo "exports test: the library exports other symbols (<: gone, >: new):" >&2
    echo "$difference" >&2
    echo "See tests/exports/CMakeLists.txt." >&2
    exit 1
fi
echo "$(wc -l <"$list") exported symbols"
