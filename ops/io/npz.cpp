// Archives of NumPy's arrays.
#include "ops/io/archive.hpp"
#include "ops/io/files.hpp"
#include "ops/io/npy_format.hpp"

#include <sinter/functions/npz.hpp>

namespace sinter::inline v1 {
namespace {

using runtime::fail;

constexpr ops::archive_kind npz_to_load{"load_npz", "a readable .npz file",
                                        "saving it again with numpy.savez",
                                        "load_npy() and save_npy()"};
constexpr ops::archive_kind npz_to_save{"save_npz", "", "", "load_npy() and save_npy()"};
constexpr std::string_view ending = ".npy";

/// Returns NumPy's name of an array.
std::string array_name(const ops::archive_reader& a, int64_t index) {
    std::string name = a.name(index);
    if (name.size() < ending.size() || !name.ends_with(ending))
        fail<ValueError>("load_npz", "an entry is not an array", a.path() + ": " + name,
                         "names that end in .npy", npz_to_load.again);
    name.resize(name.size() - ending.size());
    return name;
}

Tensor load(const ops::archive_reader& a, int64_t index, const std::string& name) {
    const std::string where = a.path() + "(" + name + ")";
    Tensor t;
    a.read(index, where, [&](ops::archive_entry& in) { t = ops::read_npy("load_npz", where, in); });
    return t;
}

}  // namespace

std::map<std::string, Tensor> load_npz(const std::string& path) {
    const ops::archive_reader a(npz_to_load, path);
    std::map<std::string, Tensor> arrays;
    for (int64_t i = 0; i < a.entries(); ++i) {
        const std::string name = array_name(a, i);
        arrays[name] = load(a, i, name);
    }
    return arrays;
}

Tensor load_npz(const std::string& path, const std::string& name) {
    const ops::archive_reader a(npz_to_load, path);
    const int64_t index = a.find(name + std::string(ending));
    if (index < 0)
        fail<ValueError>("load_npz", "the archive has no array of this name", path + ": " + name,
                         "the name of one of its arrays",
                         "load_npz(path), which returns all of them by name");
    return load(a, index, name);
}

void save_npz(const std::string& path, const std::map<std::string, Tensor>& arrays,
              bool compressed) {
    if (arrays.empty())  // libzip writes no file without entries
        fail<ValueError>("save_npz", "the map of arrays is empty", "no arrays", "one array or more",
                         "an array without elements, as in empty({0})");
    const std::vector<Tensor> rows = ops::rows_to_save("save_npz", arrays);
    std::vector<std::string> starts;  // reserved, since the writer refers to their bytes
    starts.reserve(rows.size());
    ops::archive_writer out(npz_to_save, path);
    std::size_t i = 0;
    for (const auto& [name, t] : arrays) {
        const TensorImpl& row = *rows[i++].unsafeGetTensorImpl();
        starts.push_back(ops::npy_preamble(row));
        out.add(name + std::string(ending), starts.back(), ops::npy_elements(row), compressed);
    }
    out.finish();
}

}  // namespace sinter::inline v1
