#include "kernels/index/space_on_gpu.hpp"

#include "kernels/index/check.cuh"
#include "runtime/strided/geometry.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <exception>
#include <limits>

namespace sinter::embedded {
extern const char index_check[];  // check.cuh
}

namespace sinter::index_kernels {

namespace {

/// Returns the value of the first element out of range.
int64_t value_of(std::span<const uint64_t> words) {
    uint64_t value = 0;
    constexpr int piece = on_gpu::outside_piece;
    for (int p = 0; p < on_gpu::outside_words; ++p)
        value |= (~words[static_cast<std::size_t>(p)] & ((uint64_t{1} << piece) - 1)) << p * piece;
    return static_cast<int64_t>(value);
}

}  // namespace

range_test::range_test(runtime::gpu_stream& s, std::size_t indices)
    : check_(std::make_shared<runtime::deferred_check>(
          s, indices * static_cast<std::size_t>(on_gpu::outside_words))) {}

void range_test::put(const op_call& c, const layout& l, const geometry& indexed) const {
    const geometry_ptr shape =
        make_geometry(indexed.sizes_ref(), indexed.strides_ref(), indexed.offset);
    check_->put([op = c.op.name, l, shape](std::span<const uint64_t> words,
                                           const std::string& from) -> std::exception_ptr {
        constexpr std::size_t each = on_gpu::outside_words;
        try {
            for (std::size_t k = 0; k * each < words.size(); ++k)
                if (words[k * each] != 0)
                    throw_outside(op, l, *shape, k, value_of(words.subspan(k * each, each)), from);
        } catch (const Error&) {
            return std::current_exception();
        }
        return nullptr;
    });
    if (c.deferred) {
        c.deferred->push_back(check_);
    } else if (const std::exception_ptr error = runtime::first_error({&check_, 1})) {
        std::rethrow_exception(error);
    }
}

void check_range_on_gpu(const op_call& c, const layout& l, const geometry& indexed,
                        std::span<const op_input> indices) {
    runtime::gpu_stream& s = *c.stream;
    const range_test test(s, indices.size());
    constexpr std::size_t each = on_gpu::outside_words;
    std::vector<index_elements> all;
    for (const op_input& in : indices) {
        const index_elements& e = all.emplace_back(in);
        if (e.total == 0) continue;
        const std::size_t dims = std::max<std::size_t>(1, e.sizes.size());
        std::vector<int64_t> sizes = e.sizes, strides = e.strides;
        sizes.resize(dims, 1);
        strides.resize(dims, 0);
        const std::size_t k = all.size() - 1;
        const int64_t size = indexed.sizes()[l.placed[k]];
        const on_gpu::checked_index<on_gpu::any_length> a{.total = e.total,
                                                          .low = l.wraps ? -size : 0,
                                                          .high = size,
                                                          .data = e.data,
                                                          .outside = test.words() + k * each,
                                                          .sizes = sizes,
                                                          .strides = strides};
        static const gpu_kernels::kernel_source text{
            "index_check", embedded::index_check, {"sinter_check_index"}};
        gpu_kernels::macro_definitions words;
        words.number("DIMS", static_cast<int64_t>(dims));
        gpu_kernels::put(s, gpu_kernels::kernels_of(s.device(), text, words).front(),
                         gpu_kernels::grid_for(e.total), a);
    }
    test.put(c, l, indexed);
}

gpu_kernels::macro_definitions macros_of(const loops& l, bool wraps) {
    gpu_kernels::macro_definitions m;
    m.number("DIMS", static_cast<int64_t>(l.sizes().size()))
        .number("INDICES", static_cast<int64_t>(l.indices()))
        .number("WRAPS", wraps)
        .name("INDEX", l.total() > std::numeric_limits<int32_t>::max() ? "u64" : "u32");
    return m;
}

space_arguments arguments_of(const loops& l, uint64_t* outside) {
    space_arguments a{.total = l.total(),
                      .indexed = l.indexed(),
                      .other = l.other(),
                      .outside = outside,
                      .sizes = l.sizes(),
                      .indexed_strides = l.indexed_strides(),
                      .other_strides = l.other_strides(),
                      .places = {}};
    for (std::size_t k = 0; k < l.indices(); ++k)
        a.places.push_back(
            {l.index(k), l.places()[k].extent, l.places()[k].step, l.index_strides(k)});
    return a;
}

}  // namespace sinter::index_kernels
