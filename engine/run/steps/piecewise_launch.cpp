#include "engine/run/steps/piecewise_launch.hpp"

#include "runtime/memory/stack_array.hpp"

#include <algorithm>

namespace sinter::plan {

piecewise_launch::piecewise_launch(const piecewise& p, const runtime::launch_request& whole)
    : p_(p), whole_(whole) {
    for (const runtime::launch_operand& o : whole.operands)
        for (const piecewise::dim& d : p.dims) strides_.push_back(o.strides[d.from] * d.step);
}

void piecewise_launch::run(int64_t row, int64_t rows, int64_t col, int64_t cols) const {
    run_at(row, rows, col, cols, whole_.operands[static_cast<std::size_t>(p_.operand)].base);
}

void piecewise_launch::make_rows(int64_t row, int64_t rows, char* to) const {
    // Passes the address at which row 0 of the matrix would be.
    run_at(
        row, rows, 0, 0,
        reinterpret_cast<char*>(reinterpret_cast<uint64_t>(to) -
                                static_cast<uint64_t>(row) * static_cast<uint64_t>(p_.row_bytes)));
}

void piecewise_launch::run_at(int64_t row, int64_t rows, int64_t col, int64_t cols,
                              char* matrix) const {
    const std::size_t rank = p_.dims.size(), operands = whole_.operands.size();
    runtime::stack_array<int64_t, 8> begin(rank), extents(rank);
    runtime::stack_array<runtime::launch_operand, 16> at(operands);
    for (std::size_t d = 0; d < rank; ++d) {
        const bool part = p_.dims[d].column && p_.dims[d].extent > 1 && !p_.whole_rows && cols > 0;
        begin[d] = part ? col : 0;
        extents[d] = part ? cols : p_.dims[d].extent;
    }
    // Splits the rows into boxes: full inner dimensions, a range of one, a single index of the
    // outer.
    for (const int64_t end = row + rows; row < end;) {
        int64_t taken = 1;
        bool whole = true;
        for (int i : p_.inner) {
            const auto d = static_cast<std::size_t>(i);
            const piecewise::dim& dim = p_.dims[d];
            const int64_t index = row / dim.unit % dim.extent;
            begin[d] = index;
            extents[d] = whole ? std::min(dim.extent - index, (end - row) / dim.unit) : 1;
            if (whole) taken = extents[d] * dim.unit;
            whole = whole && extents[d] == dim.extent;
        }
        for (std::size_t k = 0; k < operands; ++k) {
            const int64_t* strides = strides_.data() + k * rank;
            const bool is_matrix = static_cast<int>(k) == p_.operand;
            auto address = reinterpret_cast<uint64_t>(is_matrix ? matrix : whole_.operands[k].base);
            for (std::size_t d = 0; d < rank; ++d)
                address += static_cast<uint64_t>(begin[d]) * static_cast<uint64_t>(strides[d]);
            at[k] = whole_.operands[k];
            at[k].base = reinterpret_cast<char*>(address);
            at[k].strides = strides;
        }
        runtime::launch_request part = whole_;
        part.rank = static_cast<int>(rank);
        part.extents = extents.data();
        part.operands = {at.data(), operands};
        runtime::launch_part(part);
        row += taken;
    }
}

}  // namespace sinter::plan
