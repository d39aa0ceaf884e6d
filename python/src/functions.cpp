// Functions whose signature in Python is not that of C++.
#include "bound.hpp"

namespace {

template <class A, class B>
void add_where(nb::module_& module) {
    module.def(
        "where",
        [](const Tensor& condition, const A& input, const B& other) -> Tensor {
            return sinter::where(condition, input, other);
        },
        "condition"_a, "input"_a, "other"_a,
        "Returns elements of `input` where the condition is true, else of `other`; sizes "
        "broadcast.");
}

}  // namespace

void add_functions(nb::module_& module, nb::class_<Tensor>& tensor) {
    add_where<Tensor, Tensor>(module);
    add_where<Tensor, Scalar>(module);
    add_where<Scalar, Tensor>(module);
    add_where<Scalar, Scalar>(module);
    module.def(
        "where",
        [](const Tensor& condition) {
            return tuple_of(unlocked([&] { return nonzero_numpy(condition); }));
        },
        "condition"_a);
    tensor
        .def(
            "where",
            [](const Tensor& t, const Tensor& condition, const Tensor& other) {
                return t.where(condition, other);
            },
            "condition"_a, "other"_a)
        .def(
            "where",
            [](const Tensor& t, const Tensor& condition, const Scalar& other) -> Tensor {
                return sinter::where(condition, t, other);
            },
            "condition"_a, "other"_a);
    module.def(
        "complex",
        [](const Tensor& real, const Tensor& imag) -> Tensor {
            return sinter::complex(real, imag);
        },
        "real"_a, "imag"_a, "Returns complex numbers of these parts.");
    module.def("_einsum", [](const std::string& equation, const std::vector<Tensor>& operands) {
        return einsum(equation, operands);
    });
    module.def("_tensordot", [](const Tensor& a, const Tensor& b, const ints& of_a,
                                const ints& of_b) { return tensordot(a, b, of_a, of_b); });
    module.def("numel", [](const Tensor& t) { return t.numel(); }, "input"_a);
    module.def(
        "is_tensor", [](nb::handle object) { return nb::isinstance<Tensor>(object); }, "obj"_a);
    module.def(
        "is_floating_point", [](const Tensor& t) { return t.is_floating_point(); }, "input"_a);
    module.def("is_complex", [](const Tensor& t) { return t.is_complex(); }, "input"_a);
    module.def(
        "is_nonzero", [](const Tensor& t) { return unlocked([&] { return t.is_nonzero(); }); },
        "input"_a);
    module.def("imag", [](const Tensor& t) { return imag(t); }, "input"_a);
    module.def(
        "result_type", [](const Tensor& a, const Tensor& b) { return result_type(a, b); },
        "tensor1"_a, "tensor2"_a);
    module.def(
        "result_type", [](const Tensor& a, const Scalar& b) { return result_type(a, b); },
        "tensor1"_a, "tensor2"_a);
    module.def(
        "result_type", [](const Scalar& a, const Tensor& b) { return result_type(a, b); },
        "tensor1"_a, "tensor2"_a);
    const auto nonzero_of = [](const Tensor& t, bool as_tuple) {
        return as_tuple ? nb::object(tuple_of(unlocked([&] { return nonzero_numpy(t); })))
                        : nb::cast(unlocked([&] { return nonzero(t); }));
    };
    module.def("nonzero", nonzero_of, "input"_a, nb::kw_only(), "as_tuple"_a = false,
               "Returns the indices of elements that are not 0: (number, dim), or a vector for "
               "each dimension.");
    tensor.def("nonzero", nonzero_of, nb::kw_only(), "as_tuple"_a = false);
}
