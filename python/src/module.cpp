// The module sinter._core: what is written by hand, and what generate.py writes.
#include "bound.hpp"

#define DECLARE
#include "parts.inc"
#undef DECLARE

namespace {

/// The message without the line of C++ at its end: a traceback names Python's.
std::string message_of(const std::exception& error) {
    std::string text = error.what();
    const auto at = text.rfind("; at ");
    if (at != std::string::npos && text.find(".cpp:", at) != std::string::npos) text.resize(at);
    return text;
}

/// Errors of the library become Python's of the same name; the others RuntimeError, as in PyTorch.
void add_errors(nb::module_& module) {
    static nb::object* const lin_alg = new nb::object(
        nb::exception<sinter::LinAlgError>(module, "LinAlgError", PyExc_RuntimeError));
    static nb::object* const memory = new nb::object(
        nb::exception<sinter::OutOfMemoryError>(module, "OutOfMemoryError", PyExc_RuntimeError));
    nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
        try {
            std::rethrow_exception(thrown);
        } catch (const sinter::IndexError& error) {
            PyErr_SetString(PyExc_IndexError, message_of(error).c_str());
        } catch (const sinter::ValueError& error) {
            PyErr_SetString(PyExc_ValueError, message_of(error).c_str());
        } catch (const sinter::TypeError& error) {
            PyErr_SetString(PyExc_TypeError, message_of(error).c_str());
        } catch (const sinter::NotImplementedError& error) {
            PyErr_SetString(PyExc_NotImplementedError, message_of(error).c_str());
        } catch (const sinter::LinAlgError& error) {
            PyErr_SetString(lin_alg->ptr(), message_of(error).c_str());
        } catch (const sinter::OutOfMemoryError& error) {
            PyErr_SetString(memory->ptr(), message_of(error).c_str());
        } catch (const sinter::Error& error) {
            PyErr_SetString(PyExc_RuntimeError, message_of(error).c_str());
        }
    });
}

/// Returns the module of a name with dots, "" for the whole, and makes it where it is missing.
nb::module_ module_of(nb::module_& whole, std::string_view name) {
    nb::module_ found = whole;
    while (!name.empty()) {
        const auto dot = name.find('.');
        const std::string part(name.substr(0, dot));
        found = nb::hasattr(found, part.c_str()) ? nb::borrow<nb::module_>(found.attr(part.c_str()))
                                                 : found.def_submodule(part.c_str());
        name = dot == std::string_view::npos ? "" : name.substr(dot + 1);
    }
    return found;
}

}  // namespace

NB_MODULE(_core, module) {
    module.doc() =
        "Tensors that record expressions, and compute them fused and compiled when they are read.";
    module.attr("__version__") = std::to_string(SINTER_VERSION_MAJOR) + "." +
                                 std::to_string(SINTER_VERSION_MINOR) + "." +
                                 std::to_string(SINTER_VERSION_PATCH);
    nb::set_leak_warnings(false);  // dtypes and classes of results live as long as the process
    add_errors(module);
    add_dtypes(module);
    add_devices(module);
    add_states(module);
    nb::class_<Tensor> tensor(module, "Tensor", "A strided array whose value may be pending.");
    add_tensor(tensor);  // first: overloads are tried in this order
    add_functions(module, tensor);
    add_making(module, tensor);
    add_exchange(module, tensor);
    add_indexing(module, tensor);
    add_gradients(module, tensor);
    add_transformations(module);
    add_files(module);
#define ADD(part, of) add_part(module, tensor, of, &add_##part);
    const auto add_part = [](nb::module_& whole, nb::class_<Tensor>& of_class,
                             std::string_view name, auto add) {
        if constexpr (std::is_invocable_v<decltype(add), nb::module_&, nb::class_<Tensor>&>) {
            add(whole, of_class);
        } else {
            nb::module_ of = module_of(whole, name);
            add(whole, of);
        }
    };
#include "parts.inc"
}
