// `sinter.tensor(...)`: tensors of numbers in nested lists.
#include "bound.hpp"

namespace {

constexpr std::size_t most_dimensions = 64;

/// The numbers of nested lists in row-major order, and what they have in common.
struct numbers {
    std::vector<int64_t> sizes;
    std::vector<complex<double>> values;
    std::vector<int64_t> integers;  // the same, exact, while all are integers
    bool any_complex = false, any_floating = false, all_bool = true;
    ScalarType widest = ScalarType::Undefined;  // of tensors among them
};

bool is_list(nb::handle value) { return PyList_Check(value.ptr()) || PyTuple_Check(value.ptr()); }

[[noreturn]] void ragged(std::size_t depth, int64_t got, int64_t expected) {
    throw sinter::ValueError("[tensor] lists have different lengths in dimension " +
                             std::to_string(depth) + "; got " + std::to_string(got) +
                             ", expected " + std::to_string(expected) +
                             "; try lists of equal length");
}

void add_number(numbers& all, const Scalar& value) {
    all.any_complex = all.any_complex || value.isComplex();
    all.any_floating = all.any_floating || value.isFloatingPoint();
    all.all_bool = all.all_bool && value.isBoolean();
    all.values.push_back(value.toComplexDouble());
    all.integers.push_back(value.isIntegral(true) ? value.toLong() : 0);
}

/// Reads a list of `depth` lists around it. The depth is bounded by the number of dimensions.
void read(numbers& all, nb::handle value, std::size_t depth) {
    if (!is_list(value)) {
        if (depth != all.sizes.size()) ragged(depth, 0, all.sizes[depth]);
        if (nb::isinstance<Tensor>(value)) {
            const auto& t = nb::cast<const Tensor&>(value);
            all.widest = all.widest == ScalarType::Undefined
                             ? t.scalar_type()
                             : promote_types(all.widest, t.scalar_type());
            return add_number(all, unlocked([&] { return t.item(); }));
        }
        const std::optional<Scalar> number = number_of(value, true);
        if (!number)
            throw sinter::TypeError("[tensor] an element is no number; got " +
                                    std::string(nb::repr(value).c_str()) +
                                    ", expected a bool, an int of 64 bits, a float or a complex");
        return add_number(all, *number);
    }
    const auto length = static_cast<int64_t>(nb::len(value));
    if (depth >= all.sizes.size()) ragged(depth, length, 0);
    if (length != all.sizes[depth]) ragged(depth, length, all.sizes[depth]);
    for (const nb::handle item : nb::borrow<nb::sequence>(value)) read(all, item, depth + 1);
}

/// Throws ValueError if an integer dtype does not hold one of the numbers.
void check_range(const numbers& all, ScalarType type) {
    const auto check = [&](auto convert) {
        for (std::size_t i = 0; i < all.values.size(); ++i)
            convert(all.any_floating ? Scalar(all.values[i].real()) : Scalar(all.integers[i]));
    };
    switch (type) {
#define SINTER_DTYPE(type, computed, name, ...) \
    case ScalarType::name: return check([](const Scalar& s) { (void)s.to<type>(); });
#include <sinter/core/dtype.def>
        default: return;
    }
}

Tensor made(const numbers& all, std::optional<ScalarType> dtype) {
    const ScalarType type = dtype ? *dtype
                            : all.widest != ScalarType::Undefined && !all.values.empty()
                                ? all.widest
                            : all.values.empty() ? get_default_dtype_as_scalartype()
                            : all.any_complex    ? toComplexType(get_default_dtype_as_scalartype())
                            : all.any_floating   ? get_default_dtype_as_scalartype()
                            : all.all_bool       ? kBool
                                                 : kLong;
    if (all.any_complex && !isComplexType(type))
        throw sinter::TypeError("[tensor] a complex number does not fit the dtype; got dtype " +
                                repr(type) + ", expected a complex dtype");
    if (isIntegralType(type)) check_range(all, type);
    const bool exact = !all.any_complex && !all.any_floating;
    const void* const data =
        exact ? static_cast<const void*>(all.integers.data()) : all.values.data();
    const Tensor source = from_blob(data, all.sizes, exact ? kLong : kComplexDouble);
    Tensor real = exact || isComplexType(type) ? source : sinter::real(source);
    return real.to(type, false, true).eval();  // a copy, before the numbers are gone
}

}  // namespace

Tensor tensor_of(nb::handle values, std::optional<ScalarType> dtype) {
    if (nb::isinstance<Tensor>(values)) {
        const Tensor copy = nb::cast<const Tensor&>(values).detach().clone();
        return dtype ? copy.to(*dtype) : copy;
    }
    if (nb::hasattr(values, "__array_interface__")) {
        const Tensor copy = over_array(values).clone();
        return (dtype ? copy.to(*dtype) : copy).eval();
    }
    numbers all;
    nb::object first = nb::borrow(values);
    while (is_list(first)) {
        if (all.sizes.size() == most_dimensions)
            throw sinter::ValueError(
                "[tensor] lists are nested too deeply; expected at most 64 dimensions");
        all.sizes.push_back(static_cast<int64_t>(nb::len(first)));
        if (all.sizes.back() == 0) break;
        first = first[0];
    }
    read(all, values, 0);
    return made(all, dtype);
}

void add_making(nb::module_& module, nb::class_<Tensor>& tensor) {
    const auto make = [](nb::handle data, std::optional<ScalarType> dtype,
                         const std::optional<device_name>& device, bool requires_grad) {
        Tensor t = tensor_of(data, dtype);
        if (device) t = t.to(device->device());
        return requires_grad ? t.requires_grad_() : t;
    };
    module.def(
        "tensor", make, "data"_a.none(), nb::kw_only(), "dtype"_a = nb::none(),
        "device"_a = nb::none(), "requires_grad"_a = false,
        "Returns a tensor with a copy of the data: a number, nested lists, a tensor or an array.\n"
        "Without a dtype, bools become bool, ints int64, floats the default dtype.");
    tensor.def(
        "new_tensor",
        [](const Tensor& t, nb::handle data, std::optional<ScalarType> dtype,
           const std::optional<device_name>& device, bool requires_grad) {
            const Tensor made = tensor_of(data, dtype ? *dtype : t.scalar_type())
                                    .to(device ? device->device() : t.device());
            return requires_grad ? made.requires_grad_() : made;
        },
        "data"_a, nb::kw_only(), "dtype"_a = nb::none(), "device"_a = nb::none(),
        "requires_grad"_a = false);
}
