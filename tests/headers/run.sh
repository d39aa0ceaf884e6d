#!/usr/bin/env bash
# Every public header compiles alone, without a warning of those that projects switch on; none of them includes a header of LLVM,
# BLAS, CUDA, HIP or Boost, and user programs see no formula.
#   run.sh SOURCE_FOLDER COMPILER
set -euo pipefail
cd "$1/include"
compiler=$2 status=0

check_alone() {
    "$2" -std=c++20 -Wall -Wextra -Wconversion -Wshadow -Wold-style-cast -Werror -fsyntax-only -I. -Itorch_compat -x c++ \
        - <<<"#include <$1>" || { echo "$1 does not compile alone"; exit 1; }
}
export -f check_alone
# sinter/hana.hpp is the one opt-in door to Boost.
find sinter -name '*.hpp' ! -path sinter/hana.hpp -print0 | sort -z |
    xargs -0 -n 1 -P "$(nproc)" bash -c 'check_alone "$2" "$1"' _ "$compiler" || status=1

# The names of libtorch's headers. Those that only include others are read together.
mapfile -t names < <(cd torch_compat && find . -name '*.h' -printf '%P\n' | sort)
alone=() together=
for name in "${names[@]}"; do
    if grep -qvE '^(//.*|#pragma once|#include <[A-Za-z_/.]+>|)$' "torch_compat/$name"; then
        alone+=("$name")
    else
        together+="#include <$name>"$'\n'
    fi
done
printf '%s\0' "${alone[@]}" |
    xargs -0 -n 1 -P "$(nproc)" bash -c 'check_alone "$2" "$1"' _ "$compiler" || status=1
"$compiler" -std=c++20 -Wall -Wextra -Wconversion -Wshadow -Wold-style-cast -Werror -fsyntax-only -I. -Itorch_compat -x c++ - <<<"$together" ||
    { echo "names of libtorch's headers do not compile"; status=1; }

# The other compiler sees those that programs include.
for other in g++ clang++-19; do
    if [ "$other" = "$(basename "$compiler")" ] || ! command -v "$other" >/dev/null; then continue; fi
    for name in sinter/sinter.hpp sinter/benchmark.hpp sinter/optim.hpp torch/torch.h; do
        check_alone "$name" "$other" || status=1
    done
done

umbrella=sinter/sinter.hpp
included=$("$compiler" -std=c++20 -M -I. "$umbrella" | tr -s ' \\' '\n')
if grep -iE '/(llvm|llvm-c|boost|cuda|hip|rocblas|openblas|sleef)[^/]*/|/(cblas|lapacke|cuda|nvrtc|hip_runtime)[^/]*\.h' <<<"$included"; then
    echo "$umbrella includes the headers above"
    status=1
fi
if grep -E '(^|/)sinter/math/' <<<"$included"; then
    echo "$umbrella includes the formulas above, which user flags would compile"
    status=1
fi
exit $status
