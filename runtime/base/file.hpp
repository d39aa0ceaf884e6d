// Open files, and writing all of something to one.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <span>
#include <utility>

namespace sinter::runtime {

/// Closes its file, if it has one.
class open_file {
public:
    explicit open_file(int file) : file_(file) {}
    open_file(open_file&& other) noexcept : file_(other.take()) {}
    open_file& operator=(open_file&&) = delete;
    ~open_file() {
        if (file_ >= 0) close(file_);
    }
    int get() const { return file_; }
    int take() { return std::exchange(file_, -1); }
    explicit operator bool() const { return file_ >= 0; }

private:
    int file_;
};

/// Returns false if not all can be written; errno says why.
inline bool write_all(int file, std::span<const uint8_t> data) {
    while (!data.empty()) {
        const ssize_t n = write(file, data.data(), data.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        data = data.subspan(static_cast<std::size_t>(n));
    }
    return true;
}

}  // namespace sinter::runtime
