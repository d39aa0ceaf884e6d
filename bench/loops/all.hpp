// All hand-written loops that gain by other math, for hand.cpp and hand_fast.cpp.
#pragma once

#include "bench/loops/broadcasts.hpp"
#include "bench/loops/contractions.hpp"
#include "bench/loops/layouts.hpp"
#include "bench/loops/pointwise.hpp"
#include "bench/loops/products.hpp"
#include "bench/loops/reductions.hpp"
#include "bench/loops/rows.hpp"
#include "bench/loops/statements.hpp"

namespace bench {

template <class Math>
std::vector<loop_row> all_loops() {
    std::vector<loop_row> all;
    add_pointwise<Math>(all);
    add_reductions<Math>(all);
    add_rows<Math>(all);
    add_broadcasts<Math>(all);
    add_layouts<Math>(all);
    add_products<Math>(all);
    add_contractions<Math>(all);
    add_statements<Math>(all);
    return all;
}

}  // namespace bench
