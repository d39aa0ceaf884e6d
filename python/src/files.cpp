// Files: NumPy's, PyTorch's and safetensors.
#include "bound.hpp"

void add_files(nb::module_& module) {
    module.def(
        "load_npy",
        [](const std::string& path) { return unlocked([&] { return load_npy(path); }); }, "path"_a);
    module.def(
        "save_npy",
        [](const Tensor& t, const std::string& path) { unlocked([&] { save_npy(t, path); }); },
        "tensor"_a, "path"_a);
    module.def(
        "load_npz",
        [](const std::string& path) { return unlocked([&] { return load_npz(path); }); }, "path"_a,
        "Returns the arrays of the file by name.");
    module.def(
        "save_npz",
        [](const std::string& path, const std::map<std::string, Tensor>& arrays, bool compressed) {
            unlocked([&] { save_npz(path, arrays, compressed); });
        },
        "path"_a, "arrays"_a, "compressed"_a = false);
    module.def(
        "load_pt", [](const std::string& path) { return unlocked([&] { return load_pt(path); }); },
        "path"_a,
        "Returns the tensors of a file of torch.save by name. Nothing of the file is executed.");
    module.def(
        "save_pt",
        [](const std::string& path, const std::map<std::string, Tensor>& tensors) {
            unlocked([&] { save_pt(path, tensors); });
        },
        "path"_a, "tensors"_a);
    module.def(
        "save_pt",
        [](const std::string& path, const Tensor& t) { unlocked([&] { save_pt(path, t); }); },
        "path"_a, "tensor"_a);
    module.def(
        "load_safetensors",
        [](const std::string& path) { return unlocked([&] { return load_safetensors(path); }); },
        "path"_a, "Returns the tensors of the file by name.");
    module.def(
        "save_safetensors",
        [](const std::string& path, const std::map<std::string, Tensor>& tensors,
           const std::map<std::string, std::string>& metadata) {
            unlocked([&] { save_safetensors(path, tensors, metadata); });
        },
        "path"_a, "tensors"_a, "metadata"_a = std::map<std::string, std::string>());
}
