#!/bin/bash
# symbols.sh OBJECT...: objects of block rows compiled for v3 or v4. Fails if one defines a symbol that
# another object could share: the linker would keep one copy, perhaps with instructions that the CPU
# lacks. Allowed are names that carry the level: its namespace, or host<T, Isa>.
set -euo pipefail
bad=0
for object in "$@"; do
    case "$object" in
        *_v3.cpp.o | *_v3.o) level='block::v3::|math::host<[a-z ]*, 3>' ;;
        *_v4.cpp.o | *_v4.o) level='block::v4::|math::host<[a-z ]*, 4>' ;;
        *) continue ;;
    esac
    # T: code, W V w v u: what the linker merges. Data is the same everywhere: constant tables, status.
    shared=$(nm -C --defined-only "$object" | grep -E ' [TWVwvu] ' |
        grep -vE "$level|sinter::math::(host_status|table_values::)|__asan|__odr_asan" || true)
    if [ -n "$shared" ]; then
        echo "$object defines symbols that are not of its level:" >&2
        echo "$shared" >&2
        bad=1
    fi
done
[ "$bad" = 0 ] && echo "no shared symbols in $# objects"
exit "$bad"
