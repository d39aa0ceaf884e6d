// NumPy's .npy files, with one array each.
#include "ops/common/devices.hpp"
#include "ops/io/files.hpp"
#include "ops/io/npy_format.hpp"

#include <sinter/functions/functions.hpp>

namespace sinter::inline v1 {

Tensor load_npy(const std::string& path) {
    ops::file_input in("load_npy", path);
    return ops::read_npy("load_npy", path, in);
}

void save_npy(const tensor_base& tensor, const std::string& path) {
    ops::body("save_npy", tensor);
    const Tensor rows = ops::on_host(tensor).contiguous();
    const TensorImpl& t = *rows.unsafeGetTensorImpl();
    const std::span<const char> elements = ops::npy_elements(t);
    ops::replacement file("save_npy", path);
    file.write(ops::npy_preamble(t));
    file.write(elements);
    file.finish();
}

}  // namespace sinter::inline v1
