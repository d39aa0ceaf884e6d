// `sinter.func`: functions that return derivatives of functions of Python.
#include "bound.hpp"

#include <sinter/func.hpp>

namespace {

/// One argument, or several: `argnums` of PyTorch.
struct chosen_arguments {
    std::vector<int64_t> numbers;
    bool one;
};

chosen_arguments chosen_of(nb::handle argnums) {
    ints list;
    if (!read_ints(argnums, list.list))
        throw sinter::TypeError("[func] argnums are no numbers of arguments; got " +
                                std::string(nb::repr(argnums).c_str()) +
                                ", expected an int or a tuple of ints");
    return {list.list, PyLong_Check(argnums.ptr()) != 0};
}

/// Returns the tensor at this place among the arguments. Throws IndexError or TypeError if there is
/// none.
Tensor argument(const nb::args& arguments, int64_t number) {
    const auto count = static_cast<int64_t>(arguments.size());
    if (number < -count || number >= count)
        throw sinter::IndexError("[func] there is no such argument; got argnums " +
                                 std::to_string(number) + ", expected " + std::to_string(-count) +
                                 " to " + std::to_string(count - 1));
    const nb::handle given =
        arguments[static_cast<std::size_t>(number < 0 ? number + count : number)];
    if (!nb::isinstance<Tensor>(given))
        throw sinter::TypeError("[func] an argument that is differentiated is no tensor; got " +
                                std::string(nb::repr(given.type()).c_str()));
    return nb::cast<Tensor>(given);
}

/// Calls f with tensors in the places of some arguments.
nb::object call_with(const nb::callable& f, const nb::args& arguments, const nb::kwargs& named,
                     const std::vector<int64_t>& places, const std::vector<Tensor>& tensors) {
    nb::list all(arguments);
    for (std::size_t i = 0; i < places.size(); ++i)
        all[places[i] < 0 ? places[i] + static_cast<int64_t>(arguments.size()) : places[i]] =
            nb::cast(tensors[i]);
    return f(*nb::tuple(all), **named);
}

Tensor tensor_result(const nb::object& result) {
    if (!nb::isinstance<Tensor>(result))
        throw sinter::TypeError("[func] the function returned no tensor; got " +
                                std::string(nb::repr(result.type()).c_str()));
    return nb::cast<Tensor>(result);
}

/// The other arguments that are tensors: a transformation asks whether they require gradients.
std::vector<Tensor> tensors_among(const nb::args& arguments) {
    std::vector<Tensor> found;
    for (const nb::handle a : arguments)
        if (nb::isinstance<Tensor>(a)) found.push_back(nb::cast<Tensor>(a));
    return found;
}

nb::object grad_and_value_of(const nb::callable& f, nb::handle argnums, bool with_value) {
    return nb::cpp_function([f, chosen = chosen_of(argnums), with_value](
                                const nb::args& arguments, const nb::kwargs& named) -> nb::object {
        std::vector<Tensor> inputs;
        for (const int64_t number : chosen.numbers) inputs.push_back(argument(arguments, number));
        const auto [gradients, value] = func::grad_and_value(
            [&](const std::vector<Tensor>& variables, const std::vector<Tensor>&) {
                return tensor_result(call_with(f, arguments, named, chosen.numbers, variables));
            })(inputs, tensors_among(arguments));
        const nb::object shown =
            chosen.one ? nb::cast(gradients[0]) : nb::object(tuple_of(gradients));
        return with_value ? nb::object(nb::make_tuple(shown, value)) : shown;
    });
}

/// A transformation of a function of one tensor.
template <class Transform>
auto of_one_tensor(Transform transform) {
    return [transform](const nb::callable& f, int64_t argnums) {
        return nb::cpp_function([=](const nb::args& arguments, const nb::kwargs& named) -> Tensor {
            return transform([&](const Tensor& x) {
                return tensor_result(call_with(f, arguments, named, {argnums}, {x}));
            })(argument(arguments, argnums));
        });
    };
}

func::vmap_dims dims_of(nb::handle dims) {
    if (nb::isinstance<nb::int_>(dims)) return nb::cast<int64_t>(dims);
    func::vmap_dims found = 0;
    found.all = false;
    found.each = nb::cast<std::vector<std::optional<int64_t>>>(dims);
    return found;
}

nb::object vmap_of(const nb::callable& f, nb::handle in_dims, nb::handle out_dims) {
    return nb::cpp_function([f, in = dims_of(in_dims), out = dims_of(out_dims)](
                                const nb::args& arguments, const nb::kwargs& named) -> nb::object {
        std::vector<Tensor> inputs;
        std::vector<int64_t> places;
        std::vector<optional<int64_t>> dims;
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            if (!nb::isinstance<Tensor>(arguments[i])) continue;
            inputs.push_back(nb::cast<Tensor>(arguments[i]));
            places.push_back(static_cast<int64_t>(i));
            dims.push_back(func::detail::dim_of_argument(in, i, arguments.size()));
        }
        bool one = false;
        const std::vector<Tensor> stacked =
            func::detail::map_slices(inputs, dims, out, [&](const std::vector<Tensor>& slices) {
                const nb::object result = call_with(f, arguments, named, places, slices);
                one = nb::isinstance<Tensor>(result);
                return one ? std::vector<Tensor>{nb::cast<Tensor>(result)}
                           : nb::cast<std::vector<Tensor>>(result);
            });
        return one ? nb::cast(stacked[0]) : nb::object(tuple_of(stacked));
    });
}

}  // namespace

void add_transformations(nb::module_& module) {
    nb::module_ m = module.def_submodule("func", "Functions that return derivatives of functions.");
    m.def(
        "grad",
        [](const nb::callable& f, nb::handle argnums) {
            return grad_and_value_of(f, argnums, false);
        },
        "func"_a, "argnums"_a = 0,
        "Returns a function that returns the gradient of `func`, whose result has one element.");
    m.def(
        "grad_and_value",
        [](const nb::callable& f, nb::handle argnums) {
            return grad_and_value_of(f, argnums, true);
        },
        "func"_a, "argnums"_a = 0,
        "Returns a function that returns the gradient and the value of `func`.");
    m.def("jacrev", of_one_tensor([](auto f) { return func::jacrev(f); }), "func"_a,
          "argnums"_a = 0, "Returns a function that returns the Jacobian of `func`, row by row.");
    m.def("jacfwd", of_one_tensor([](auto f) { return func::jacfwd(f); }), "func"_a,
          "argnums"_a = 0,
          "Returns a function that returns the Jacobian of `func`, in one pass forwards.");
    m.def("hessian", of_one_tensor([](auto f) { return func::hessian(f); }), "func"_a,
          "argnums"_a = 0, "Returns a function that returns the second derivatives of `func`.");
    m.def("vmap", &vmap_of, "func"_a, "in_dims"_a = 0, "out_dims"_a = 0,
          "Returns a function that calls `func` on slices of its arguments, and stacks what it "
          "returns.");
    module.attr("vmap") = m.attr("vmap");
}
