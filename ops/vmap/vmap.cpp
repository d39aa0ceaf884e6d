// func::vmap: include/sinter/func.hpp.
#include "ops/common/op_checks.hpp"
#include "ops/vmap/batched.hpp"

#include <sinter/func.hpp>
#include <sinter/generator.hpp>
#include <sinter/grad_mode.hpp>
#include <sinter/mode.hpp>

#include <algorithm>

namespace sinter::inline v1::func::detail {
namespace {

using autograd::variable_list;
using sliced_function = std::function<variable_list(const variable_list&)>;

/// The inputs of a call, of which those with a dimension are sliced.
struct mapped_inputs {
    variable_list tensors;                // with the sliced dimension in front
    std::vector<optional<int64_t>> dims;  // 0 or none
    int64_t size = 0;
};

mapped_inputs in_front(const variable_list& inputs, const std::vector<optional<int64_t>>& dims) {
    mapped_inputs all{inputs, dims};
    std::vector<int64_t> sizes;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!dims[i]) continue;
        const int64_t d = ops::wrap_dim("vmap", *dims[i], inputs[i].dim());
        if (inputs[i].dim() == 0)
            runtime::fail<IndexError>("vmap", "a tensor without dimensions has no slices",
                                      "a 0-d tensor", "at least 1 dimension",
                                      "nullopt as its dimension, so that it is not sliced");
        all.tensors[i] = inputs[i].movedim(d, 0);
        all.dims[i] = 0;
        sizes.push_back(inputs[i].size(d));
    }
    if (sizes.empty())
        runtime::fail<ValueError>("vmap", "no argument is sliced",
                                  runtime::text(inputs.size(), " tensors without a dimension"),
                                  "a dimension for at least one", "0 as a dimension in in_dims");
    if (std::any_of(sizes.begin(), sizes.end(), [&](int64_t n) { return n != sizes[0]; }))
        runtime::fail<ValueError>(
            "vmap", "Expected all tensors to have the same size in the mapped dimension",
            runtime::text("sizes ", IntArrayRef(sizes)), "equal sizes",
            "nullopt as the dimension of what is not to be sliced");
    all.size = sizes[0];
    return all;
}

bool is_tracked(const variable_list& all) {
    return GradMode::is_enabled() && std::any_of(all.begin(), all.end(), [](const Tensor& t) {
               return t.defined() && t.requires_grad();
           });
}

void require_defined(const variable_list& results) {
    for (const Tensor& t : results) ops::body("vmap", t);
}

/// Returns the results for all slices by operations with one more dimension. Returns nothing if f
/// reads a value, or if its results have gradients, which these operations would not have.
optional<variable_list> done_at_once(const mapped_inputs& inputs, const sliced_function& f) {
    const auto unread = std::make_exception_ptr(ops::no_value_yet(
        "[vmap] a value that depends on a slice was read outside of the function that got it; got "
        "a "
        "tensor without a value, expected one that the function returned; try returning it from "
        "the function"));
    std::vector<ops::mapped_tensor> mapped;
    variable_list slices = inputs.tensors;
    for (std::size_t i = 0; i < slices.size(); ++i) {
        if (!inputs.dims[i]) continue;
        const TensorImpl& t = ops::body("vmap", slices[i]);
        ops::placeholder p =
            ops::make_placeholder(t.shape->sizes_ref().slice(1), t.dtype, t.device, unread);
        slices[i] = p.tensor;
        mapped.push_back({std::move(p), inputs.tensors[i]});
    }
    try {
        const variable_list results = f(slices);
        require_defined(results);
        if (is_tracked(results)) return nullopt;
        return ops::over_batch(results, mapped, inputs.size);
    } catch (const ops::no_value_yet&) {
        return nullopt;
    }
}

/// Returns the same by a call for each slice.
variable_list done_one_by_one(const mapped_inputs& inputs, const sliced_function& f,
                              const Tensor& random_state) {
    std::vector<std::vector<Tensor>> rows;
    // Without slices, a call tells the sizes of the results.
    for (int64_t i = 0; i < std::max<int64_t>(inputs.size, 1); ++i) {
        variable_list slices = inputs.tensors;
        for (std::size_t k = 0; k < slices.size(); ++k)
            if (inputs.dims[k])
                slices[k] = inputs.size == 0
                                ? zeros(slices[k].sizes().slice(1), slices[k].detach().options())
                                : slices[k].select(0, i).clone(MemoryFormat::Contiguous);
        set_rng_state(random_state);
        const variable_list results = f(slices);
        require_defined(results);
        rows.resize(results.size());
        for (std::size_t r = 0; r < results.size(); ++r) rows[r].push_back(results[r]);
    }
    variable_list all;
    for (const std::vector<Tensor>& r : rows) all.push_back(stack(r).narrow(0, 0, inputs.size));
    return all;
}

}  // namespace

optional<int64_t> dim_of_argument(const vmap_dims& dims, std::size_t argument,
                                  std::size_t arguments) {
    if (dims.all) return dims.each[0];
    if (dims.each.size() != arguments)
        runtime::fail<ValueError>("vmap", "in_dims has not one dimension for each argument",
                                  runtime::text(dims.each.size(), " for ", arguments, " arguments"),
                                  runtime::text(arguments), "nullopt for what is not sliced");
    return dims.each[argument];
}

variable_list map_slices(const variable_list& inputs, const std::vector<optional<int64_t>>& in_dims,
                         const vmap_dims& out_dims, const sliced_function& f) {
    const mapped_inputs all = in_front(inputs, in_dims);
    const Tensor random_state = get_rng_state();
    optional<variable_list> found;
    if (get_mode() == Mode::lazy && !is_tracked(inputs)) found = done_at_once(all, f);
    variable_list results = found ? std::move(*found) : done_one_by_one(all, f, random_state);
    if (!out_dims.all && out_dims.each.size() != results.size())
        runtime::fail<ValueError>(
            "vmap", "out_dims has not one dimension for each result",
            runtime::text(out_dims.each.size(), " for ", results.size(), " results"),
            runtime::text(results.size()), "one number for all");
    for (std::size_t i = 0; i < results.size(); ++i) {
        const optional<int64_t> to = out_dims.each[out_dims.all ? 0 : i];
        if (!to)
            runtime::fail<ValueError>("vmap", "a result has no dimension for the slices", "nullopt",
                                      "a number", "0");
        results[i] = results[i].movedim(0, *to);
    }
    return results;
}

}  // namespace sinter::inline v1::func::detail
