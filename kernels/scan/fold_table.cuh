// THE TABLE of scans that fold a row with one accumulator, on the CPU and on GPUs. One more is one
// more row.
//
//   X(name, identity, combine)   combine: of the accumulators `a` and, after it, `b`
#pragma once

#define SINTER_FOLD_SCANS(X) \
    X(cumsum, 0, a + b)      \
    X(cumprod, 1, a* b)
