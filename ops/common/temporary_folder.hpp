// A folder for files that nobody needs later.
#pragma once

#include "runtime/base/fail.hpp"

#include <sinter/error.hpp>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

namespace sinter::ops {

/// A folder that is gone, with what is in it, when this is destroyed.
class temporary_folder {
public:
    /// Throws Error, as operation `op`, if it cannot be made.
    temporary_folder(const char* op, const std::string& name)
        : path_((std::filesystem::temp_directory_path() / (name + "-XXXXXX")).string()) {
        if (!mkdtemp(path_.data()))
            runtime::fail(op, "a temporary folder cannot be made",
                          path_ + ": " + std::strerror(errno), "a folder that can be written",
                          "another TMPDIR");
    }
    ~temporary_folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

}  // namespace sinter::ops
