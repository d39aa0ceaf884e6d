// `x[...]` and `x[...] = value`.
#include "bound.hpp"

namespace {

std::optional<int64_t> bound_of(PyObject* bound) {
    if (bound == Py_None) return std::nullopt;
    const int64_t value = PyNumber_AsSsize_t(bound, nullptr);  // clipped, as Python's lists do
    if (PyErr_Occurred()) throw nb::python_error();
    return value;
}

TensorIndex index_of(nb::handle item) {
    PyObject* const p = item.ptr();
    if (p == Py_None) return TensorIndex(nullopt);
    if (p == Py_Ellipsis) return TensorIndex(Ellipsis);
    if (PyBool_Check(p)) return TensorIndex(p == Py_True);
    if (nb::isinstance<Tensor>(item)) return TensorIndex(nb::cast<const Tensor&>(item));
    if (PySlice_Check(p)) {
        const auto* const slice = reinterpret_cast<PySliceObject*>(p);
        return TensorIndex(
            Slice(bound_of(slice->start), bound_of(slice->stop), bound_of(slice->step)));
    }
    if (PyList_Check(p) || PyTuple_Check(p)) {
        const Tensor list = tensor_of(item, std::nullopt);
        return TensorIndex(list.numel() == 0 ? list.to(kLong) : list);
    }
    if (PyIndex_Check(p) && !nb::hasattr(item, "shape")) {
        const int64_t value = PyNumber_AsSsize_t(p, PyExc_IndexError);
        if (PyErr_Occurred()) throw nb::python_error();
        return TensorIndex(value);
    }
    if (nb::hasattr(item, "__array_interface__")) return TensorIndex(over_array(item).clone());
    throw sinter::TypeError("[index] there is no such index; got " +
                            std::string(nb::repr(item.type()).c_str()) +
                            ", expected integers, slices, None, ..., bools, lists or tensors");
}

std::vector<TensorIndex> indices_of(nb::handle items) {
    std::vector<TensorIndex> indices;
    if (PyTuple_Check(items.ptr()))
        for (const nb::handle item : nb::borrow<nb::tuple>(items))
            indices.push_back(index_of(item));
    else
        indices.push_back(index_of(items));
    if (indices.empty()) indices.emplace_back(Ellipsis);  // x[()] is the whole
    return indices;
}

}  // namespace

void add_indexing(nb::module_& module, nb::class_<Tensor>& tensor) {
    tensor
        .def(
            "__getitem__",
            [](const Tensor& t, nb::handle items) {
                const std::vector<TensorIndex> indices = indices_of(items);
                // A mask is read, to know the size of the result.
                return unlocked([&] { return t.index(ArrayRef<TensorIndex>(indices)); });
            },
            nb::arg().none())
        .def(
            "__setitem__",
            [](const Tensor& t, nb::handle items, const Tensor& value) {
                t.index_put_(ArrayRef<TensorIndex>(indices_of(items)), value);
            },
            nb::arg().none(), nb::arg())
        .def(
            "__setitem__",
            [](const Tensor& t, nb::handle items, const Scalar& value) {
                t.index_put_(ArrayRef<TensorIndex>(indices_of(items)), value);
            },
            nb::arg().none(), nb::arg())
        .def(
            "__setitem__",
            [](const Tensor& t, nb::handle items, nb::handle values) {
                t.index_put_(ArrayRef<TensorIndex>(indices_of(items)),
                             tensor_of(values, t.scalar_type()));
            },
            nb::arg().none(), nb::arg());
    const auto put = [](Tensor& t, const std::vector<Tensor>& indices, const Tensor& values,
                        bool accumulate) -> Tensor& {
        const std::vector<TensorIndex> all(indices.begin(), indices.end());
        t.index_put_(ArrayRef<TensorIndex>(all), values, accumulate);
        return t;
    };
    tensor.def("index_put_", put, "indices"_a, "values"_a, "accumulate"_a = false,
               nb::rv_policy::reference,
               "Writes values at places given by a tensor of indices for each dimension; "
               "`accumulate` adds them.");
    const auto put_copy = [put](const Tensor& t, const std::vector<Tensor>& indices,
                                const Tensor& values, bool accumulate) {
        Tensor copy = t.clone();
        return put(copy, indices, values, accumulate);
    };
    tensor.def("index_put", put_copy, "indices"_a, "values"_a, "accumulate"_a = false);
    module.def("index_put", put_copy, "input"_a, "indices"_a, "values"_a, "accumulate"_a = false);
}
