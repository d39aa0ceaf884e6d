// A folder for the files of one test, and the bytes of files.
#pragma once

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace sinter::test {

struct temporary_folder {
    std::string path;
    temporary_folder()
        : path((std::filesystem::temp_directory_path() / "sinter_io_XXXXXX").string()) {
        REQUIRE(mkdtemp(path.data()) != nullptr);
    }
    ~temporary_folder() { std::filesystem::remove_all(path); }
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;
    std::string operator/(const char* name) const { return path + "/" + name; }
    std::size_t files() const {
        const std::filesystem::directory_iterator all(path);
        return static_cast<std::size_t>(std::distance(begin(all), end(all)));
    }
};

inline std::string bytes_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_bytes(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

/// Files that another library wrote: of a folder here, or of one that the environment names.
inline std::string foreign_files(const char* variable, const char* folder) {
    const char* const elsewhere = std::getenv(variable);
    return elsewhere ? elsewhere : folder;
}

}  // namespace sinter::test
