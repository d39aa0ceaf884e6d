// Who may have written a file: compiled kernels are code, so a folder that others can write to is
// no place to load them from.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>

namespace sinter::code_cache {

/// Returns why others may have written the file: "PATH belongs to user 12". Empty if only this user
/// or root can have.
std::string why_not_trusted(const std::string& path, const struct stat& file);

/// Returns why others may put files into a folder, or another folder in its place: it or a folder
/// above it belongs to another user, or others can write to it. They can write to a folder with the
/// sticky bit that belongs to root, such as /tmp, but cannot replace what is in there. Empty if the
/// folder is trusted; nothing if it does not exist.
std::optional<std::string> why_not_trusted_folder(const std::string& folder);

/// Returns the same of one file, which links may lead to. It may lie in a folder with the sticky
/// bit, because nobody else can replace it there.
std::optional<std::string> why_not_trusted_file(const std::string& file);

}  // namespace sinter::code_cache
