// dtypes: an object for each, so that `x.dtype is sinter.float32`.
#include "bound.hpp"

#include <array>

namespace {

struct dtype_object {
    ScalarType type;
};

/// By number of the ScalarType. Kept until the process ends, as the module is.
std::array<nb::object, 32>& dtypes() {
    static auto& objects = *new std::array<nb::object, 32>;
    return objects;
}

}  // namespace

std::optional<ScalarType> dtype_of(nb::handle value) {
    if (nb::isinstance<dtype_object>(value)) return nb::inst_ptr<dtype_object>(value)->type;
    PyObject* const type = value.ptr();
    if (type == reinterpret_cast<PyObject*>(&PyFloat_Type)) return kDouble;
    if (type == reinterpret_cast<PyObject*>(&PyLong_Type)) return kLong;
    if (type == reinterpret_cast<PyObject*>(&PyBool_Type)) return kBool;
    if (type == reinterpret_cast<PyObject*>(&PyComplex_Type)) return kComplexDouble;
    return std::nullopt;
}

nb::object python_dtype(ScalarType type) { return dtypes()[static_cast<std::size_t>(type)]; }

void add_dtypes(nb::module_& module) {
    nb::class_<dtype_object>(module, "dtype",
                             "The type of a tensor's elements: `sinter.float32` and its like.")
        .def("__repr__",
             [](const dtype_object& self) { return "sinter" + repr(self.type).substr(5); })
        .def("__reduce__", [](const dtype_object& self) { return repr(self.type).substr(6); })
        .def_prop_ro("itemsize", [](const dtype_object& self) { return elementSize(self.type); })
        .def_prop_ro("is_floating_point",
                     [](const dtype_object& self) { return isFloatingType(self.type); })
        .def_prop_ro("is_complex",
                     [](const dtype_object& self) { return isComplexType(self.type); })
        .def_prop_ro("is_signed", [](const dtype_object& self) { return isSignedType(self.type); });
    const auto add = [&](ScalarType type, const char* name) {
        nb::object& object = dtypes()[static_cast<std::size_t>(type)];
        object = nb::cast(dtype_object{type});
        module.attr(name) = object;
    };
#define SINTER_DTYPE(type, computed, name, number, kind, pair, npy, dlpack, cpp, error, python, \
                     ...)                                                                       \
    add(ScalarType::name, python);
#define SINTER_COMPLEX_DTYPE SINTER_DTYPE
#include <sinter/core/dtype.def>
    // PyTorch's other names.
    for (const auto& [name, of] : {std::pair{"half", "float16"},
                                   {"float", "float32"},
                                   {"double", "float64"},
                                   {"short", "int16"},
                                   {"int", "int32"},
                                   {"long", "int64"},
                                   {"cfloat", "complex64"},
                                   {"cdouble", "complex128"}})
        module.attr(name) = module.attr(of);
}
