#include "ops/io/files.hpp"

#include "engine/run/flush.hpp"
#include "ops/common/devices.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>

namespace sinter::ops {

std::vector<Tensor> rows_to_save(const char* op, const std::vector<Tensor>& tensors) {
    std::vector<Tensor> rows;
    std::vector<Version*> wanted;
    for (const Tensor& t : tensors) {
        body(op, t);
        rows.push_back(on_host(t).contiguous());
        wanted.push_back(rows.back().unsafeGetTensorImpl()->storage->current.get());
    }
    flush(wanted, static_cast<int>(flush_reason::save));
    return rows;
}

std::vector<Tensor> rows_to_save(const char* op, const std::map<std::string, Tensor>& tensors) {
    std::vector<Tensor> in_order;
    for (const auto& [name, t] : tensors) in_order.push_back(t);
    return rows_to_save(op, in_order);
}

file_input::file_input(const char* op, const std::string& path) : in_(path, std::ios::binary) {
    // A folder also opens, but has no size.
    std::error_code error;
    size_ = left_ = std::filesystem::file_size(path, error);
    if (!in_ || error)
        runtime::fail(op, "the file cannot be opened",
                      std::filesystem::is_directory(path, error) ? path + ", a folder" : path,
                      "a readable file", "checking the path and its permissions");
}

bool file_input::read(char* to, std::size_t n) {
    left_ -= std::min(left_, n);
    return static_cast<bool>(in_.read(to, static_cast<std::streamsize>(n)));
}

void file_input::go_to(std::size_t place) {
    in_.seekg(static_cast<std::streamoff>(place));
    left_ = size_ - place;
}

replacement::replacement(const char* op, const std::string& path) : op_(op), path_(path) {
    static std::atomic<unsigned> count{0};
    partial_ = runtime::text(path, ".", getpid(), ".", count.fetch_add(1), ".tmp");
    out_.open(partial_, std::ios::binary);
}

replacement::~replacement() {
    std::error_code ignored;
    if (!done_) std::filesystem::remove(partial_, ignored);
}

void replacement::write(std::span<const char> bytes) {
    if (!bytes.empty()) out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

void replacement::finish() {
    out_.close();
    std::error_code error;
    if (out_) std::filesystem::rename(partial_, path_, error);
    done_ = out_ && !error;
    if (!done_)
        runtime::fail(op_, "the file cannot be written", path_, "a writable folder with free space",
                      "checking the folder's permissions and space");
}

}  // namespace sinter::ops
