// NumPy's .npy files, with one array each.
#include "ops/common/devices.hpp"
#include "ops/io/npy_format.hpp"

#include <sinter/functions/functions.hpp>

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>

namespace sinter::inline v1 {
namespace {

/// A temporary file that replaces another once it is complete.
class replacement {
public:
    explicit replacement(const std::string& path) : path_(path) {
        static std::atomic<unsigned> count{0};
        partial_ = runtime::text(path, ".", getpid(), ".", count.fetch_add(1), ".tmp");
        out_.open(partial_, std::ios::binary);
    }
    ~replacement() {
        std::error_code ignored;
        if (!done_) std::filesystem::remove(partial_, ignored);
    }
    replacement(const replacement&) = delete;
    replacement& operator=(const replacement&) = delete;

    void write(const char* data, std::size_t n) {
        out_.write(data, static_cast<std::streamsize>(n));
    }
    void finish() {
        out_.close();
        std::error_code error;
        if (out_) std::filesystem::rename(partial_, path_, error);
        done_ = out_ && !error;
        if (!done_)
            runtime::fail("save_npy", "the file cannot be written", path_,
                          "a writable folder with free space",
                          "checking the folder's permissions and space");
    }

private:
    std::string path_, partial_;
    std::ofstream out_;
    bool done_ = false;
};

class file_input : public ops::npy_input {
public:
    explicit file_input(const std::string& path) : in_(path, std::ios::binary) {
        // A folder also opens, but has no size.
        std::error_code error;
        left_ = std::filesystem::file_size(path, error);
        if (!in_ || error)
            runtime::fail("load_npy", "the file cannot be opened",
                          std::filesystem::is_directory(path, error) ? path + ", a folder" : path,
                          "a readable file", "checking the path and its permissions");
    }
    bool read(char* to, std::size_t n) override {
        left_ -= std::min(left_, n);
        return static_cast<bool>(in_.read(to, static_cast<std::streamsize>(n)));
    }
    std::size_t left() override { return left_; }

private:
    std::ifstream in_;
    std::size_t left_ = 0;
};

}  // namespace

Tensor load_npy(const std::string& path) {
    file_input in(path);
    return ops::read_npy("load_npy", path, in);
}

void save_npy(const tensor_base& tensor, const std::string& path) {
    ops::body("save_npy", tensor);
    const Tensor rows = ops::on_host(tensor).contiguous();
    const TensorImpl& t = *rows.unsafeGetTensorImpl();
    const std::span<const char> elements = ops::npy_elements(t);
    const std::string start = ops::npy_preamble(t);
    replacement file(path);
    file.write(start.data(), start.size());
    if (!elements.empty()) file.write(elements.data(), elements.size());
    file.finish();
}

}  // namespace sinter::inline v1
