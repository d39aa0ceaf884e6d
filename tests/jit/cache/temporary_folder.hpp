// A temporary folder for one test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace sinter::testing {

class temporary_folder {
public:
    temporary_folder() {
        path_ = (std::filesystem::temp_directory_path() / "sinter-cache-XXXXXX").string();
        if (!mkdtemp(path_.data())) throw std::runtime_error("mkdtemp");
    }
    ~temporary_folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;

    const std::string& path() const { return path_; }
    std::string operator/(const std::string& name) const { return path_ + "/" + name; }

private:
    std::string path_;
};

}  // namespace sinter::testing
