// Memory shared with NumPy, and by DLPack with anything else, without copies.
#include "bound.hpp"
#include "later.hpp"

#include <sinter/dlpack.hpp>

#include <nanobind/ndarray.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string_view>
#include <thread>

namespace {

/// The dtypes of tensors, as DLPack and nanobind write them.
struct array_dtype {
    ScalarType of;
    nb::dlpack::dtype dtype;
};
constexpr array_dtype array_dtypes[] = {
#define SINTER_DTYPE(type, computed, name, number, kind, pair, npy, dlpack, ...) \
    {ScalarType::name, {kDL##dlpack, sizeof(type) * 8, 1}},
#define SINTER_COMPLEX_DTYPE SINTER_DTYPE
#include <sinter/core/dtype.def>
};

bool is_known(nb::dlpack::dtype type) {
    return std::any_of(std::begin(array_dtypes), std::end(array_dtypes),
                       [&](const array_dtype& known) { return known.dtype == type; });
}

nb::object to_numpy(const Tensor& given, bool force) {
    Tensor t = given;
    if (force) t = t.detach().to(kCPU);
    if (t.requires_grad())
        throw sinter::Error(
            "[numpy] the tensor requires a gradient, which arrays do not have; try "
            "x.detach().numpy()");
    if (t.scalar_type() == kBFloat16)
        throw sinter::TypeError(
            "[numpy] NumPy has no bfloat16; got a BFloat16 tensor; try x.float().numpy()");
    if (!t.is_cpu())
        throw sinter::TypeError("[numpy] the tensor is not in main memory; got device " +
                                nb::cast<std::string>(nb::str(nb::cast(t.device()))) +
                                ", expected cpu; try x.cpu().numpy()");
    void* const data = unlocked([&] { return t.data_ptr(); });
    const std::vector<std::size_t> sizes(t.sizes().begin(), t.sizes().end());
    const auto* const type =
        std::find_if(std::begin(array_dtypes), std::end(array_dtypes),
                     [&](const array_dtype& known) { return known.of == t.scalar_type(); });
    // The array keeps a handle of its own: `t` may get other memory by set_.
    const nb::object owner = nb::cast(t.detach());
    const nb::ndarray<nb::numpy> array(data, sizes.size(), sizes.data(), owner, t.strides().data(),
                                       type->dtype);
    return nb::cast(array, nb::rv_policy::reference);
}

/// Memory of somebody else that a tensor shares, until the tensor's storage is let go.
struct shared_memory {
    DLManagedTensorVersioned tensor{};
    std::vector<int64_t> sizes, strides;
    std::function<void()> release;
};

/// Returns a tensor over the memory, whose `tensor.dl_tensor` is complete.
Tensor over(shared_memory* memory) {
    memory->tensor.version = {1, 0};
    memory->tensor.manager_ctx = memory;
    memory->tensor.deleter = [](DLManagedTensorVersioned* self) {
        auto* const ended = static_cast<shared_memory*>(self->manager_ctx);
        run_locked([ended] {
            ended->release();
            delete ended;
        });
    };
    try {
        return fromDLPack(&memory->tensor);
    } catch (...) {
        memory->release();
        delete memory;
        throw;
    }
}

template <class Array>
Tensor over_elements(const Array& array, bool read_only) {
    if (!is_known(array.dtype()))
        throw sinter::TypeError(
            "[from_numpy] the array has a dtype that tensors cannot have; expected bool, uint8, "
            "int8 "
            "to int64, float16 to float64, complex64 or complex128; try array.astype(...)");
    auto memory = std::make_unique<shared_memory>();
    for (std::size_t i = 0; i < array.ndim(); ++i) {
        memory->sizes.push_back(static_cast<int64_t>(array.shape(i)));
        memory->strides.push_back(array.stride(i));
        if (memory->strides.back() < 0)
            throw sinter::ValueError(
                "[from_numpy] the array has a negative stride, which tensors cannot have; try "
                "array.copy()");
    }
    memory->tensor.flags = read_only ? DLPACK_FLAG_BITMASK_READ_ONLY : 0;
    DLTensor& t = memory->tensor.dl_tensor;
    t.data = const_cast<void*>(static_cast<const void*>(array.data()));
    t.device = {kDLCPU, 0};
    t.ndim = static_cast<int32_t>(array.ndim());
    t.dtype = {array.dtype().code, array.dtype().bits, array.dtype().lanes};
    t.shape = memory->sizes.data();
    t.strides = memory->strides.data();
    memory->release = [array] {};  // holds the array's buffer
    return over(memory.release());
}

template <class Managed>
Tensor over_capsule(nb::handle capsule, const char* name, const char* used) {
    auto* const source = static_cast<Managed*>(PyCapsule_GetPointer(capsule.ptr(), name));
    if (!source) throw nb::python_error();
    auto memory = std::make_unique<shared_memory>();
    if constexpr (requires { source->flags; }) {
        if (source->version.major != 1)
            throw sinter::Error(
                "[from_dlpack] the structure is of another version of DLPack; got " +
                std::to_string(source->version.major) + ", expected 1");
        memory->tensor.flags = source->flags;
    }
    memory->tensor.dl_tensor = source->dl_tensor;
    memory->release = [] {};
    Tensor made;
    shared_memory* const kept = memory.release();
    made = over(kept);  // throws: the capsule still owns the structure
    kept->release = [source] {
        if (source->deleter) source->deleter(source);
    };
    PyCapsule_SetName(capsule.ptr(), used);
    return made;
}

Tensor from_dlpack(nb::handle object) {
    nb::object capsule = nb::borrow(object);
    if (!PyCapsule_CheckExact(object.ptr())) {
        const nb::object make = nb::getattr(object, "__dlpack__", nb::none());
        if (make.is_none())
            throw sinter::TypeError("[from_dlpack] the object does not share its memory; got " +
                                    std::string(nb::repr(object.type()).c_str()) +
                                    ", expected one with __dlpack__");
        try {
            capsule = make("max_version"_a = nb::make_tuple(1, 0));
        } catch (nb::python_error& error) {
            if (!error.matches(PyExc_TypeError)) throw;
            capsule = make();  // from before the versions
        }
    }
    if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned"))
        return over_capsule<DLManagedTensorVersioned>(capsule, "dltensor_versioned",
                                                      "used_dltensor_versioned");
    return over_capsule<DLManagedTensor>(capsule, "dltensor", "used_dltensor");
}

template <class Managed>
nb::object capsule_of(Managed* managed, const char* name) {
    PyObject* const made = PyCapsule_New(managed, name, [](PyObject* capsule) {
        const char* const left = PyCapsule_GetName(capsule);
        if (std::string_view(left).substr(0, 4) == "used") return;
        auto* const unused = static_cast<Managed*>(PyCapsule_GetPointer(capsule, left));
        unused->deleter(unused);
    });
    if (!made) {
        managed->deleter(managed);
        throw nb::python_error();
    }
    return nb::steal(made);
}

nb::object to_dlpack(const Tensor& t, nb::handle stream,
                     std::optional<std::tuple<int, int>> max_version, nb::handle dl_device,
                     std::optional<bool> copy) {
    if (t.requires_grad())
        throw nb::buffer_error(
            "[__dlpack__] the tensor requires a gradient, which DLPack does not carry; try "
            "x.detach()");
    if (!dl_device.is_none() && !dl_device.equal(nb::cast(t).attr("__dlpack_device__")()))
        throw nb::buffer_error("[__dlpack__] the tensor is on another device; try x.to(device)");
    const Tensor source = copy.value_or(false) ? t.clone() : t;
    const std::optional<int64_t> on =
        stream.is_none() ? std::nullopt : std::optional(nb::cast<int64_t>(stream));
    if (max_version && std::get<0>(*max_version) >= 1)
        return capsule_of(unlocked([&] {
                              return on ? toDLPackVersioned(source, *on)
                                        : toDLPackVersioned(source);
                          }),
                          "dltensor_versioned");
    return capsule_of(unlocked([&] { return on ? toDLPack(source, *on) : toDLPack(source); }),
                      "dltensor");
}

nb::tuple dlpack_device(const Tensor& t) {
    if (t.is_cpu())
        return nb::make_tuple(static_cast<int>(t.is_pinned() ? kDLCUDAHost : kDLCPU), 0);
    DLManagedTensor* const made = unlocked([&] { return toDLPack(t.detach()); });
    const DLDevice device = made->dl_tensor.device;
    made->deleter(made);
    return nb::make_tuple(static_cast<int>(device.device_type), device.device_id);
}

}  // namespace

Tensor over_array(nb::handle array) {
    nb::ndarray<nb::device::cpu> writable;
    if (nb::try_cast(array, writable, false)) return over_elements(writable, false);
    nb::ndarray<nb::ro, nb::device::cpu> readable;
    if (nb::try_cast(array, readable, false)) return over_elements(readable, true);
    throw sinter::TypeError("[from_numpy] the object is no array of numbers in main memory; got " +
                            std::string(nb::repr(array.type()).c_str()) +
                            ", expected an array of bool, integers or floats");
}

void add_exchange(nb::module_& module, nb::class_<Tensor>& tensor) {
    // For the tests: what happens to memory that the library lets go of on a thread of its own.
    module.def("_run_locked_elsewhere", [](const nb::callable& call) {
        PyObject* const kept = nb::object(call).release().ptr();
        std::thread([kept] { run_locked([kept] { nb::steal(kept)(); }); }).join();
    });
    module.def("from_numpy", &over_array, "array"_a,
               "Returns a tensor over the array's memory, without a copy: both see each other's "
               "writes. Of a read-only\n"
               "array it is read-only.");
    module.def("from_dlpack", &from_dlpack, "object"_a,
               "Returns a tensor over the memory of a tensor of another library, without a copy.");
    tensor
        .def("numpy", &to_numpy, nb::kw_only(), "force"_a = false,
             "Returns an array over the tensor's memory, without a copy; `force` copies where that "
             "cannot be.\n"
             "Computes the tensor. Its memory becomes external (docs/laziness.md).")
        .def(
            "__array__",
            [](const Tensor& t, nb::handle dtype, std::optional<bool> copy) {
                nb::object array = to_numpy(t, false);
                if (!dtype.is_none() && !array.attr("dtype").equal(dtype)) {
                    if (copy && !*copy)
                        throw sinter::ValueError("[__array__] another dtype needs a copy");
                    return array.attr("astype")(dtype);
                }
                return copy.value_or(false) ? array.attr("copy")() : array;
            },
            "dtype"_a = nb::none(), "copy"_a = nb::none())
        .def("__dlpack__", &to_dlpack, nb::kw_only(), "stream"_a = nb::none(),
             "max_version"_a = nb::none(), "dl_device"_a = nb::none(), "copy"_a = nb::none())
        .def("__dlpack_device__", &dlpack_device);
}
