// What the bindings share: conversions between Python's values and the library's.
#pragma once

#include <sinter/sinter.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;
using namespace sinter;

/// A list of integers, as sizes and dimensions are: a sequence, or one integer.
struct ints {
    std::vector<int64_t> list;

    ints() = default;
    /// Of the arguments of a call. Throws TypeError unless all are integers, or one is a list.
    explicit ints(const nb::args& arguments);

    operator IntArrayRef() const { return list; }  // NOLINT: what functions take
};

/// A device by its name, or a device. The name is read by device(), which throws Error.
struct device_name {
    std::string name;
    std::optional<Device> known;

    Device device() const { return known ? *known : Device(name); }
};

inline OptionalIntArrayRef optional_list(const std::optional<ints>& list) {
    return list ? OptionalIntArrayRef(IntArrayRef(list->list)) : OptionalIntArrayRef();
}
inline std::optional<ArrayRef<double>> optional_numbers(
    const std::optional<std::vector<double>>& list) {
    return list ? std::optional(ArrayRef<double>(*list)) : std::nullopt;
}
inline std::optional<Device> optional_device(const std::optional<device_name>& name) {
    return name ? std::optional(name->device()) : std::nullopt;
}

TensorOptions options_of(std::optional<ScalarType> dtype, const std::optional<device_name>& device,
                         bool requires_grad);
nn::functional::reduction_t reduction_of(const std::string& name);
nn::functional::padding_t padding_of(const std::string& name);

/// Returns the tensors as a tuple, as split and its like return them.
nb::tuple tuple_of(const std::vector<Tensor>& tensors);

/// Returns the tensors of a call's arguments, or of a list that is the only one.
std::vector<Tensor> tensors_of(const nb::args& arguments);

/// Returns the class of named tuples with these fields, which are separated by spaces.
nb::object result_class(const char* name, const char* fields);

/// Returns results as a tuple whose fields, if it has some, have PyTorch's names.
template <class... T>
nb::object named(const char* name, const char* fields, const std::tuple<T...>& results) {
    nb::object tuple = nb::cast(std::tuple<std::remove_cvref_t<T>...>(results));
    return *fields ? result_class(name, fields)(*tuple) : tuple;
}

/// Returns the number that a Python object is: of a bool, an int, a float, a complex, or a scalar
/// of NumPy; nullopt of another object, and of an int that 64 bits do not hold.
std::optional<Scalar> number_of(nb::handle value, bool convert);
nb::object python_number(const Scalar& value);

/// Returns the dtype that an object names: a dtype, or bool, int, float or complex.
std::optional<ScalarType> dtype_of(nb::handle value);
nb::object python_dtype(ScalarType type);

/// For the type casters: false if the object is none.
bool read_ints(nb::handle value, std::vector<int64_t>& list);
bool read_device(nb::handle value, device_name& device);

namespace nanobind::detail {

template <>
struct type_caster<ints> {
    NB_TYPE_CASTER(ints, const_name("collections.abc.Sequence[int] | int"))
    bool from_python(handle from, uint32_t, cleanup_list*) noexcept {
        return read_ints(from, value.list);
    }
};

template <>
struct type_caster<device_name> {
    NB_TYPE_CASTER(device_name, const_name("device | str"))
    bool from_python(handle from, uint32_t, cleanup_list*) noexcept {
        return read_device(from, value);
    }
};

template <>
struct type_caster<Scalar> {
    NB_TYPE_CASTER(Scalar, const_name("bool | int | float | complex"))
    bool from_python(handle from, uint32_t flags, cleanup_list*) noexcept {
        const std::optional<Scalar> number = number_of(from, (flags & cast_flags::convert) != 0);
        if (number) value = *number;
        return number.has_value();
    }
    static handle from_cpp(const Scalar& from, rv_policy, cleanup_list*) noexcept {
        return python_number(from).release();
    }
};

template <>
struct type_caster<ScalarType> {
    NB_TYPE_CASTER(ScalarType, const_name("dtype"))
    bool from_python(handle from, uint32_t, cleanup_list*) noexcept {
        const std::optional<ScalarType> type = dtype_of(from);
        if (type) value = *type;
        return type.has_value();
    }
    static handle from_cpp(ScalarType from, rv_policy, cleanup_list*) noexcept {
        return python_dtype(from).release();
    }
};

template <>
struct type_caster<IntArrayRef> {
    using Value = IntArrayRef;
    static constexpr auto Name = const_name("tuple[int, ...]");
    static handle from_cpp(IntArrayRef from, rv_policy, cleanup_list*) noexcept {
        nb::object made = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(from.size())));
        for (std::size_t i = 0; i < from.size(); ++i)
            PyTuple_SET_ITEM(made.ptr(), static_cast<Py_ssize_t>(i), PyLong_FromLongLong(from[i]));
        return made.release();
    }
};

}  // namespace nanobind::detail

// The parts of the module that are written by hand.
void add_dtypes(nb::module_& module);
void add_devices(nb::module_& module);
void add_states(nb::module_& module);
void add_tensor(nb::class_<Tensor>& tensor);
void add_functions(nb::module_& module, nb::class_<Tensor>& tensor);
void add_indexing(nb::module_& module, nb::class_<Tensor>& tensor);
void add_making(nb::module_& module, nb::class_<Tensor>& tensor);
void add_exchange(nb::module_& module, nb::class_<Tensor>& tensor);
void add_gradients(nb::module_& module, nb::class_<Tensor>& tensor);
void add_transformations(nb::module_& module);
void add_files(nb::module_& module);

/// Returns a tensor with the elements of nested lists, numbers and tensors.
Tensor tensor_of(nb::handle values, std::optional<ScalarType> dtype);
/// Returns a tensor over the memory of an array of NumPy or another object with a buffer.
Tensor over_array(nb::handle array);

/// A text as a pointer: an array's type would differ with its length.
constexpr const char* text(const char* chars) { return chars; }

/// Runs a reading function without the interpreter's lock, so that other threads go on.
template <class F>
auto unlocked(const F& read) {
    nb::gil_scoped_release released;
    return read();
}
