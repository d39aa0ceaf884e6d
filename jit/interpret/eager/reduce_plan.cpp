#include "jit/interpret/eager/reduce_plan.hpp"

#include "runtime/memory/pool.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <string>

namespace sinter::eager {

namespace {

using kernel_ir::reduce_chunk;
using kernel_ir::reduce_lanes;

/// Bytes of columns in a strip: wide enough for the hardware prefetcher, and the lanes still fit in
/// the second-level cache (bench/reduce_order.md).
constexpr int64_t strip_bytes = 2048;

int64_t magnitude(int64_t stride) { return stride < 0 ? -stride : stride; }

}  // namespace

state_form make_state_form(op::reduction row, ScalarType accumulator) {
    const auto size = static_cast<int64_t>(block::block_size(accumulator));
    const bool arg = op::info(row).kind == op::reduction_kind::arg;
    return {block::find_reduce(row, accumulator), size, arg ? 8 : size};
}

reduce_plan::reduce_plan(op::reduction row, ScalarType in, std::span<const int64_t> shape,
                         std::span<const bool> reduced, const operand& out,
                         const operand& in_operand, double correction_)
    : correction(correction_), in_data(in_operand.data), out_data(out.data) {
    if (shape.size() > max_dims) {
        throw NotImplementedError("[eager] too many dimensions; got " +
                                  std::to_string(shape.size()) + ", expected at most " +
                                  std::to_string(max_dims) + "; try reshape");
    }
    const ScalarType accumulator = block::accumulator_type(row, in);
    const ScalarType result = block::result_type(row, in);
    static_cast<state_form&>(*this) = make_state_form(row, accumulator);
    if (!fns) {
        throw InternalError(std::string("[eager] no reduction; got ") + op::info(row).name +
                            " of " + toString(in));
    }
    in_size = static_cast<int64_t>(elementSize(in_operand.type));
    const bool one_step = in_operand.type == in || in == accumulator;
    load = block::find_load(in_operand.type, one_step ? accumulator : in);
    widen = one_step ? nullptr : block::find_load(block::form_type(in), accumulator);
    widen_stride = static_cast<int64_t>(block::block_size(in));
    dense =
        in_operand.type == accumulator && in == accumulator && !kernel_ir::is_narrow(accumulator);
    store = block::find_store(result, out.type);

    // ---- reduced dimensions, in logical order
    groups = 1;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        const int64_t n = shape[d], s = in_operand.strides[d];
        if (reduced[d]) {
            count *= n;
            if (n == 1) continue;
            const int last = reduced_rank - 1;
            if (last >= 0 && reduced_stride[last] == s * n) {
                reduced_size[last] *= n;
                reduced_stride[last] = s;
            } else {
                reduced_size[reduced_rank] = n;
                reduced_stride[reduced_rank++] = s;
            }
            continue;
        }
        groups *= n;
    }
    if (reduced_rank == 0) {
        reduced_size[0] = 1;
        reduced_stride[0] = static_cast<int64_t>(in_size);
        reduced_rank = 1;
    }
    chunks = kernel_ir::chunk_count(count);

    // ---- kept dimensions, smallest stride of the operand first
    for (std::size_t d = shape.size(); d-- > 0;) {
        if (reduced[d] || shape[d] == 1) continue;
        int at = kept_rank;
        const int64_t s = in_operand.strides[d];
        for (; at > 0 && magnitude(s) < magnitude(kept_in[at - 1]); --at) {
            kept_size[at] = kept_size[at - 1];
            kept_in[at] = kept_in[at - 1];
            kept_out[at] = kept_out[at - 1];
        }
        kept_size[at] = shape[d];
        kept_in[at] = s;
        kept_out[at] = out.strides[d];
        ++kept_rank;
    }
    int last = 0;
    for (int d = 1; d < kept_rank; ++d) {
        if (kept_in[d] == kept_in[last] * kept_size[last] &&
            kept_out[d] == kept_out[last] * kept_size[last]) {
            kept_size[last] *= kept_size[d];
            continue;
        }
        ++last;
        kept_size[last] = kept_size[d];
        kept_in[last] = kept_in[d];
        kept_out[last] = kept_out[d];
    }
    if (kept_rank == 0) {
        kept_size[0] = 1;
        kept_in[0] = kept_out[0] = 0;
    }
    kept_rank = kept_rank == 0 ? 1 : last + 1;
    in_step = kept_in[0];
    out_step = kept_out[0];

    // ---- columns
    const bool contiguous_columns = in_step == in_size;
    const bool contiguous_elements = reduced_stride[reduced_rank - 1] == in_size;
    if (count < 2 * reduce_lanes) {
        by_row = kept_size[0] >= 4;
    } else {
        by_row = contiguous_columns && !contiguous_elements && kept_size[0] >= 16;
    }
    if (!by_row) {
        width = std::clamp<int64_t>(reduce_chunk / std::max<int64_t>(count, 1), 1, 64);
    } else if (contiguous_columns && dense) {
        width = strip_bytes / state_size;
    } else {
        width = count <= reduce_lanes ? 256 : 64;  // rows are converted into a buffer
    }
    width = std::min({width, max_width, std::max<int64_t>(kept_size[0], 1)});
    groups_a_run = (kept_size[0] + width - 1) / width;
    if (groups > 0) groups = groups / kept_size[0] * groups_a_run;
}

reduce_plan::group reduce_plan::group_at(int64_t i) const {
    const int64_t column = i % groups_a_run * width;
    group g{in_data + column * in_step, out_data + column * out_step,
            std::min(width, kept_size[0] - column)};
    i /= groups_a_run;
    for (int d = 1; d < kept_rank; ++d) {
        const int64_t at = i % kept_size[d];
        i /= kept_size[d];
        g.in += at * kept_in[d];
        g.out += at * kept_out[d];
    }
    return g;
}

int64_t reduce_plan::offset(int64_t j, int64_t* run) const {
    int64_t offset = 0;
    *run = reduced_size[reduced_rank - 1] - j % reduced_size[reduced_rank - 1];
    for (int d = reduced_rank - 1; d >= 0; --d) {
        offset += j % reduced_size[d] * reduced_stride[d];
        j /= reduced_size[d];
    }
    return offset;
}

// ---- chunks

chunk_reader::chunk_reader(const reduce_plan& p) : p_(p) {
    const int64_t rows = std::min(p.count, reduce_plan::rows_at_once);
    const int64_t block = (p.by_row ? (p.dense && p.in_step == p.in_size ? 0 : rows * p.width)
                                    : std::min(p.count, reduce_chunk)) *
                          p.state_size;
    const int64_t narrow = p.widen ? reduce_chunk * p.widen_stride : 0;
    const int64_t lanes = p.by_row ? std::min(p.count, reduce_lanes) * p.width * p.state_size : 0;
    const auto padded = [](int64_t bytes) { return (bytes + 63) / 64 * 64; };
    bytes_ = static_cast<std::size_t>(padded(block) + padded(narrow) + padded(lanes) + 64);
    memory_ = static_cast<char*>(runtime::allocate_uncounted(bytes_));
    block_ = memory_;
    narrow_ = block_ + padded(block);
    lanes_ = narrow_ + padded(narrow);
}

chunk_reader::~chunk_reader() { runtime::release_uncounted(memory_, bytes_); }

void chunk_reader::convert(char* to, const char* from, int64_t stride, int64_t n) {
    if (!p_.widen) return p_.load(to, from, stride, n);
    p_.load(narrow_, from, stride, n);
    p_.widen(to, narrow_, p_.widen_stride, n);
}

void chunk_reader::reduce(const reduce_plan::group& g, int64_t c, void* a, void* b) {
    if (p_.by_row) return rows(g, c, a, b);
    for (int64_t i = 0; i < g.width; ++i) {
        one_column(g.in + i * p_.in_step, c, static_cast<char*>(a) + i * p_.state_size,
                   static_cast<char*>(b) + i * p_.b_size);
    }
}

void chunk_reader::one_column(const char* in, int64_t c, void* a, void* b) {
    const int64_t n = p_.chunk_size(c), first = c * reduce_chunk;
    const int64_t stride = p_.reduced_stride[p_.reduced_rank - 1];
    int64_t run;
    const char* from = in + p_.offset(first, &run);
    if (p_.dense && stride == p_.in_size && run >= n) {
        return p_.fns->chunk(a, b, from, n, first);
    }
    for (int64_t done = 0; done < n;) {
        const int64_t m = std::min(run, n - done);
        convert(block_ + done * p_.state_size, from, stride, m);
        done += m;
        if (done < n) from = in + p_.offset(first + done, &run);
    }
    p_.fns->chunk(a, b, block_, n, first);
}

void chunk_reader::rows(const reduce_plan::group& g, int64_t c, void* a, void* b) {
    const int64_t n = p_.chunk_size(c), first = c * reduce_chunk;
    const int64_t stride = p_.reduced_stride[p_.reduced_rank - 1];
    const bool in_place = p_.dense && p_.in_step == p_.in_size;
    const void* row[reduce_plan::rows_at_once];
    for (int pass = 0; pass < p_.fns->passes; ++pass) {
        for (int64_t j = 0; j < n; j += reduce_plan::rows_at_once) {
            const int64_t count = std::min(n - j, reduce_plan::rows_at_once);
            int64_t run = 0;
            const char* from = nullptr;
            for (int64_t k = 0; k < count; ++k, --run, from += stride) {
                if (run == 0) from = g.in + p_.offset(first + j + k, &run);
                row[k] = from;
                if (in_place) continue;
                char* to = block_ + k * p_.width * p_.state_size;
                convert(to, from, p_.in_step, g.width);
                row[k] = to;
            }
            p_.fns->rows(a, b, lanes_, row, j, count, g.width, first, pass);
        }
        p_.fns->fold(a, b, lanes_, n, g.width, pass);
    }
}

}  // namespace sinter::eager
