// The class Tensor: what Python asks of a number or a sequence, values, conversions.
#include "bound.hpp"

namespace {

/// Returns an operand that is an array of NumPy as a tensor; else leaves the operator to the
/// operand.
Tensor operand_of(nb::handle array) {
    if (!nb::hasattr(array, "__array_interface__")) throw nb::next_overload();
    return over_array(array);
}

// The function or method of a row for two operands, of which one may be a number.
#define ROW(name) [](const auto& a, const auto& b) -> Tensor { return sinter::name(a, b); }
#define WRITES(name) [](const Tensor& a, const auto& b) { a.name(b); }

/// An operator whose left operand is the tensor.
template <class F>
void add_binary(nb::class_<Tensor>& tensor, const std::string& name, F f) {
    const std::string python = "__" + name + "__";
    tensor
        .def(
            python.c_str(), [f](const Tensor& a, const Tensor& b) { return f(a, b); },
            nb::is_operator())
        .def(
            python.c_str(), [f](const Tensor& a, const Scalar& b) { return f(a, b); },
            nb::is_operator())
        .def(
            python.c_str(), [f](const Tensor& a, nb::handle b) { return f(a, operand_of(b)); },
            nb::is_operator());
}

/// An operator with the tensor on either side.
template <class F>
void add_reflected(nb::class_<Tensor>& tensor, const std::string& name, F f) {
    add_binary(tensor, name, f);
    add_binary(tensor, "r" + name, [f](const Tensor& b, const auto& a) { return f(a, b); });
}

/// An operator that writes the tensor; it stays the same object.
template <class F>
void add_writing(nb::class_<Tensor>& tensor, const std::string& name, F f) {
    const auto add = [&](auto operand) {
        tensor.def(("__i" + name + "__").c_str(),
                   [f](Tensor& a, const decltype(operand)& b) -> Tensor& {
                       f(a, b);
                       return a;
                   },
                   nb::is_operator(), nb::rv_policy::reference);
    };
    add(Tensor());
    add(Scalar());
}

void add_operators(nb::class_<Tensor>& t) {
    add_reflected(t, "add", ROW(add));
    add_reflected(t, "sub", ROW(sub));
    add_reflected(t, "mul", ROW(mul));
    add_reflected(t, "truediv", ROW(div));
    add_reflected(t, "mod", ROW(remainder));
    add_reflected(t, "floordiv", ROW(floor_divide));
    add_reflected(t, "pow", ROW(pow));
    add_reflected(t, "and", ROW(bitwise_and));
    add_reflected(t, "or", ROW(bitwise_or));
    add_reflected(t, "xor", ROW(bitwise_xor));
    add_reflected(t, "lshift", ROW(bitwise_left_shift));
    add_reflected(t, "rshift", ROW(bitwise_right_shift));
    add_binary(t, "eq", ROW(eq));
    add_binary(t, "ne", ROW(ne));
    add_binary(t, "lt", ROW(lt));
    add_binary(t, "le", ROW(le));
    add_binary(t, "gt", ROW(gt));
    add_binary(t, "ge", ROW(ge));
    add_writing(t, "add", WRITES(add_));
    add_writing(t, "sub", WRITES(sub_));
    add_writing(t, "mul", WRITES(mul_));
    add_writing(t, "truediv", WRITES(div_));
    add_writing(t, "mod", WRITES(remainder_));
    add_writing(t, "floordiv", WRITES(floor_divide_));
    add_writing(t, "pow", WRITES(pow_));
    add_writing(t, "and", WRITES(bitwise_and_));
    add_writing(t, "or", WRITES(bitwise_or_));
    add_writing(t, "xor", WRITES(bitwise_xor_));
    add_writing(t, "lshift", WRITES(bitwise_left_shift_));
    add_writing(t, "rshift", WRITES(bitwise_right_shift_));
    t.def("__neg__", [](const Tensor& a) -> Tensor { return sinter::neg(a); })
        .def("__pos__", [](const Tensor& a) { return a; })
        .def("__abs__", [](const Tensor& a) -> Tensor { return sinter::abs(a); })
        .def("__invert__", [](const Tensor& a) -> Tensor { return sinter::bitwise_not(a); })
        .def(
            "__matmul__", [](const Tensor& a, const Tensor& b) { return matmul(a, b); },
            nb::is_operator())
        .def("__hash__", [](const Tensor& a) { return reinterpret_cast<std::uintptr_t>(&a); });
}

Scalar value_of(const Tensor& t) {
    return unlocked([&] { return t.item(); });
}

nb::object nested(const Tensor& t) {
    if (t.dim() == 0) return python_number(t.item());
    nb::list list;
    for (const Tensor& part : t.unbind(0)) list.append(nested(part));
    return list;
}

std::string text_of(const Tensor& t) {
    if (!t.defined()) return "tensor(undefined)";
    std::string text = unlocked([&] { return repr(t); });
    // repr() writes what PyTorch does; a dtype can be copied from here into a program of Sinter.
    const std::string theirs = "dtype=torch.";
    if (const auto at = text.rfind(theirs); at != std::string::npos)
        text.replace(at, theirs.size(), "dtype=sinter.");
    return text;
}

void add_values(nb::class_<Tensor>& tensor) {
    tensor
        .def(
            "item", [](const Tensor& t) { return python_number(value_of(t)); },
            "Returns the only element as a number. Computes it. Raises RuntimeError unless there "
            "is one.")
        .def(
            "tolist",
            [](const Tensor& t) {
                const Tensor here = unlocked([&] { return t.to(kCPU).contiguous().eval(); });
                return nested(here);
            },
            "Returns the elements as numbers in nested lists; of a 0-d tensor its number. Computes "
            "them.")
        .def(
            "eval",
            [](Tensor& t) -> Tensor& {
                unlocked([&] { t.eval(); });
                return t;
            },
            nb::rv_policy::reference, "Computes the tensor, and returns it.")
        .def(
            "data_ptr",
            [](const Tensor& t) {
                return reinterpret_cast<std::uintptr_t>(unlocked([&] { return t.data_ptr(); }));
            },
            "Returns the address of the first element. Computes the tensor; its memory becomes "
            "external (docs/laziness.md).")
        .def("__bool__", [](const Tensor& t) { return unlocked([&] { return t.is_nonzero(); }); })
        .def("__int__", [](const Tensor& t) { return nb::int_(value_of(t).toLong()); })
        .def("__float__", [](const Tensor& t) { return value_of(t).toDouble(); })
        .def("__complex__",
             [](const Tensor& t) { return python_number(Scalar(value_of(t).toComplexDouble())); })
        .def("__index__",
             [](const Tensor& t) {
                 if (!isIntegralType(t.scalar_type(), true) || t.numel() != 1)
                     throw nb::type_error(
                         "only integer tensors of a single element can be converted to an index");
                 return nb::int_(value_of(t).toLong());
             })
        .def("__len__",
             [](const Tensor& t) {
                 if (t.dim() == 0) throw nb::type_error("len() of a 0-d tensor");
                 return t.size(0);
             })
        .def("__iter__",
             [](const Tensor& t) {
                 if (t.dim() == 0) throw nb::type_error("iteration over a 0-d tensor");
                 return nb::iter(tuple_of(t.unbind(0)));
             })
        .def("__contains__",
             [](const Tensor& t, const Scalar& value) {
                 return value_of((t == value).any()).toBool();
             })
        .def("__repr__", &text_of)
        .def("__format__",
             [](const Tensor& t, const nb::str& how) {
                 const nb::object of =
                     t.dim() == 0 ? python_number(value_of(t)) : nb::cast(text_of(t));
                 return nb::steal<nb::str>(PyObject_Format(of.ptr(), how.ptr()));
             })
        .def("__copy__", [](const Tensor& t) { return t; })
        .def("__deepcopy__", [](const Tensor& t, nb::handle) { return t.clone(); });
}

void add_shapes(nb::class_<Tensor>& tensor) {
    tensor.def_prop_ro(
              "shape", [](const Tensor& t) { return t.sizes(); }, "The sizes, as a tuple.")
        .def_prop_ro(
            "imag", [](const Tensor& t) { return imag(t); }, "The imaginary parts, a view.")
        .def_prop_ro(
            "ndim", [](const Tensor& t) { return t.dim(); }, "The number of dimensions.")
        .def(
            "size", [](const Tensor& t) { return t.sizes(); },
            "Returns the sizes, as a tuple, or one of them.")
        .def(
            "size", [](const Tensor& t, int64_t dim) { return t.size(dim); }, "dim"_a)
        .def(
            "stride", [](const Tensor& t) { return t.strides(); },
            "Returns the strides in elements, as a tuple, or one of them.")
        .def(
            "stride", [](const Tensor& t, int64_t dim) { return t.stride(dim); }, "dim"_a)
        .def("view", [](const Tensor& t, ScalarType dtype) { return t.view(dtype); }, "dtype"_a);
}

void add_conversions(nb::class_<Tensor>& tensor) {
    tensor
        .def(
            "to",
            [](const Tensor& t, ScalarType dtype, bool non_blocking, bool copy,
               std::optional<MemoryFormat> format) {
                return t.to(dtype, non_blocking, copy, format);
            },
            "dtype"_a, "non_blocking"_a = false, "copy"_a = false, nb::kw_only(),
            "memory_format"_a = nb::none(),
            "Returns the tensor with this dtype, on this device: itself if it is so already.")
        .def(
            "to",
            [](const Tensor& t, const std::optional<device_name>& device,
               std::optional<ScalarType> dtype, bool non_blocking, bool copy,
               std::optional<MemoryFormat> format) {
                return t.to(device ? device->device() : t.device(), dtype.value_or(t.scalar_type()),
                            non_blocking, copy, format);
            },
            "device"_a = nb::none(), "dtype"_a = nb::none(), "non_blocking"_a = false,
            "copy"_a = false, nb::kw_only(), "memory_format"_a = nb::none())
        .def(
            "to",
            [](const Tensor& t, const Tensor& other, bool non_blocking, bool copy) {
                return t.to(other, non_blocking, copy);
            },
            "other"_a, "non_blocking"_a = false, "copy"_a = false)
        .def("type", [](const Tensor& t, ScalarType dtype) { return t.to(dtype); }, "dtype"_a);
    for (const auto& [name, type] : {std::pair{"bool", kBool},
                                     {"byte", kByte},
                                     {"char", kChar},
                                     {"short", kShort},
                                     {"int", kInt},
                                     {"long", kLong},
                                     {"half", kHalf},
                                     {"bfloat16", kBFloat16},
                                     {"float", kFloat},
                                     {"double", kDouble},
                                     {"cfloat", kComplexFloat},
                                     {"cdouble", kComplexDouble}})
        tensor.def(name, [type](const Tensor& t) { return t.to(type); });
}

}  // namespace

void add_tensor(nb::class_<Tensor>& tensor) {
    tensor.attr("__module__") = "sinter";
    add_operators(tensor);
    add_values(tensor);
    add_shapes(tensor);
    add_conversions(tensor);
    // NumPy's scalars and arrays leave operators with a tensor to the tensor.
    tensor.attr("__array_priority__") = 1000;
}
