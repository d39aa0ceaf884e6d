#include "jit/cache/trust.hpp"

#include <unistd.h>

#include <climits>
#include <cstdlib>

namespace sinter::code_cache {

std::string why_not_trusted(const std::string& path, const struct stat& file) {
    if (file.st_uid != geteuid() && file.st_uid != 0)
        return path + " belongs to user " + std::to_string(file.st_uid);
    const bool sticky = S_ISDIR(file.st_mode) && (file.st_mode & S_ISVTX) != 0 && file.st_uid == 0;
    if (sticky) return {};
    if (file.st_mode & S_IWOTH) return "everybody can write to " + path;
    if (file.st_mode & S_IWGRP)
        return "group " + std::to_string(file.st_gid) + " can write to " + path;
    return {};
}

namespace {

/// Asks a file or a folder, and all folders above it.
std::optional<std::string> ask_all(const std::string& given, mode_t type) {
    char real[PATH_MAX];
    if (!realpath(given.c_str(), real)) return std::nullopt;
    const std::string path = real;
    // Up to the root.
    for (std::size_t end = path.size(); end != std::string::npos;
         end = end > 1 ? path.rfind('/', end - 1) : std::string::npos) {
        const std::string part = end == 0 ? "/" : path.substr(0, end);
        struct stat s{};
        if (lstat(part.c_str(), &s) != 0) return std::nullopt;
        if (end == path.size() && (s.st_mode & S_IFMT) != type) return std::nullopt;
        const bool itself = end == path.size();
        if (std::string why = why_not_trusted(part, s); !why.empty()) return why;
        // Everybody may add files to a sticky folder.
        if (itself && (s.st_mode & (S_IWGRP | S_IWOTH))) return "everybody can write to " + part;
    }
    return std::string();
}

}  // namespace

std::optional<std::string> why_not_trusted_folder(const std::string& folder) {
    return ask_all(folder, S_IFDIR);
}

std::optional<std::string> why_not_trusted_file(const std::string& file) {
    return ask_all(file, S_IFREG);
}

}  // namespace sinter::code_cache
