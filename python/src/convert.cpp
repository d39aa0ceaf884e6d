#include "bound.hpp"

#include <unordered_map>

namespace {

/// An integer, also NumPy's; false for a bool, a float or another object.
bool read_int(nb::handle from, int64_t& to) {
    if (!PyLong_CheckExact(from.ptr()) && (PyBool_Check(from.ptr()) || !PyIndex_Check(from.ptr())))
        return false;
    if (nb::isinstance<Tensor>(from)) return false;  // a 0-d tensor is no size
    to = PyLong_AsLongLong(nb::steal(PyNumber_Index(from.ptr())).ptr());
    if (PyErr_Occurred()) {
        PyErr_Clear();
        return false;
    }
    return true;
}

}  // namespace

bool read_ints(nb::handle from, std::vector<int64_t>& list) {
    list.clear();
    if (int64_t one; read_int(from, one)) {
        list.push_back(one);
        return true;
    }
    if (!PyTuple_Check(from.ptr()) && !PyList_Check(from.ptr())) return false;
    const nb::object fast = nb::steal(PySequence_Fast(from.ptr(), ""));
    list.resize(static_cast<std::size_t>(PySequence_Fast_GET_SIZE(fast.ptr())));
    for (std::size_t i = 0; i < list.size(); ++i)
        if (!read_int(PySequence_Fast_GET_ITEM(fast.ptr(), static_cast<Py_ssize_t>(i)), list[i]))
            return false;
    return true;
}

ints::ints(const nb::args& arguments) {
    const bool is_list = arguments.size() == 1 && !PyIndex_Check(arguments[0].ptr());
    if (!read_ints(is_list ? nb::handle(arguments[0]) : nb::handle(arguments), list))
        throw sinter::TypeError("[size] sizes are not integers; got " +
                                std::string(nb::repr(arguments).c_str()) +
                                ", expected integers, or one list or tuple of them");
}

bool read_device(nb::handle from, device_name& to) {
    if (PyUnicode_Check(from.ptr())) {
        to = {nb::cast<std::string>(from), std::nullopt};
        return true;
    }
    if (!nb::isinstance<Device>(from)) return false;
    to = {"", *nb::inst_ptr<Device>(from)};
    return true;
}

TensorOptions options_of(std::optional<ScalarType> dtype, const std::optional<device_name>& device,
                         bool requires_grad) {
    TensorOptions options;
    if (dtype) options = options.dtype(*dtype);
    if (device) options = options.device(device->device());
    return requires_grad ? options.requires_grad(true) : options;
}

nn::functional::reduction_t reduction_of(const std::string& name) {
    if (name == "none") return kNone;
    if (name == "mean") return kMean;
    if (name == "sum") return kSum;
    if (name == "batchmean") return kBatchMean;
    throw sinter::ValueError("[nn.functional] there is no such reduction; got \"" + name +
                             "\", expected \"none\", \"mean\" or \"sum\"");
}

nn::functional::padding_t padding_of(const std::string& name) {
    if (name == "constant") return kConstant;
    if (name == "reflect") return kReflect;
    if (name == "replicate") return kReplicate;
    if (name == "circular") return kCircular;
    throw sinter::ValueError(
        "[nn.functional] there is no such padding; got \"" + name +
        "\", expected \"constant\", \"reflect\", \"replicate\" or \"circular\"");
}

nb::tuple tuple_of(const std::vector<Tensor>& tensors) {
    return nb::steal<nb::tuple>(PySequence_Tuple(nb::cast(tensors).ptr()));
}

std::vector<Tensor> tensors_of(const nb::args& arguments) {
    const bool is_list = arguments.size() == 1 && !nb::isinstance<Tensor>(arguments[0]);
    return nb::cast<std::vector<Tensor>>(is_list ? nb::object(arguments[0])
                                                 : nb::object(arguments));
}

nb::object result_class(const char* name, const char* fields) {
    // Kept until the process ends, as modules are. The interpreter's lock is held.
    static auto& classes = *new std::unordered_map<std::string, nb::object>;
    nb::object& known = classes[std::string(name) + " " + fields];
    if (!known)
        known = nb::module_::import_("collections")
                    .attr("namedtuple")(name, fields, "module"_a = "sinter.return_types");
    return known;
}

std::optional<Scalar> number_of(nb::handle from, bool convert) {
    PyObject* const value = from.ptr();
    if (PyBool_Check(value)) return Scalar(value == Py_True);
    if (PyFloat_Check(value)) return Scalar(PyFloat_AS_DOUBLE(value));
    if (PyLong_Check(value)) {
        int overflow = 0;
        const int64_t number = PyLong_AsLongLongAndOverflow(value, &overflow);
        return overflow == 0 ? std::optional(Scalar(number)) : std::nullopt;
    }
    if (PyComplex_Check(value))
        return Scalar(
            complex<double>(PyComplex_RealAsDouble(value), PyComplex_ImagAsDouble(value)));
    // NumPy's scalars have a dtype and no dimensions.
    if (!convert || nb::isinstance<Tensor>(from) || !nb::hasattr(from, "dtype") ||
        !nb::hasattr(from, "item"))
        return std::nullopt;
    try {
        const nb::object item = from.attr("item")();
        return item.is(from) ? std::nullopt : number_of(item, false);
    } catch (nb::python_error&) {
        return std::nullopt;
    }
}

nb::object python_number(const Scalar& value) {
    if (value.isBoolean()) return nb::bool_(value.toBool());
    if (value.isComplex()) {
        const complex<double> z = value.toComplexDouble();
        return nb::steal(PyComplex_FromDoubles(z.real(), z.imag()));
    }
    if (value.isFloatingPoint()) return nb::float_(value.toDouble());
    return nb::int_(value.toLong());
}
