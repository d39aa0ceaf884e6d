// Zip archives, read and written through libzip, which the first of them opens.
#pragma once

#include "ops/io/npy_format.hpp"

#include <zip.h>

#include <string>

namespace sinter::ops {

struct zip_functions;

/// The functions that read and write an archive, for errors.
struct archive_kind {
    const char* op;
    const char* file;     // for example "a readable .npz file"
    const char* again;    // how a damaged one is made again
    const char* without;  // what can be done without libzip
};

/// An entry that is read from its start.
class archive_entry : public npy_input {
public:
    archive_entry(const zip_functions& z, zip_file_t* file, std::size_t size);
    ~archive_entry() override;
    archive_entry(const archive_entry&) = delete;
    archive_entry& operator=(const archive_entry&) = delete;
    bool read(char* to, std::size_t n) override;
    std::size_t left() override { return left_; }
    /// Returns true if nothing follows. libzip verifies the checksum when an entry is read to its
    /// end.
    bool at_end();

private:
    const zip_functions& z_;
    zip_file_t* file_;
    std::size_t left_;
};

class archive_reader {
public:
    /// Throws Error if libzip or the file cannot be opened.
    archive_reader(const archive_kind& kind, const std::string& path);
    ~archive_reader();
    archive_reader(const archive_reader&) = delete;
    archive_reader& operator=(const archive_reader&) = delete;

    int64_t entries() const;
    /// Returns the number of an entry, or a negative number if there is none of this name.
    int64_t find(const std::string& name) const;
    std::string name(int64_t index) const;
    /// Returns true if the entry's bytes stand in the file as they are.
    bool is_stored(int64_t index) const;
    /// Calls `take(archive_entry&)`. Throws ValueError if the entry cannot be read, or is not what
    /// its checksum says, or is longer than what was taken. `where`: for errors.
    template <class F>
    void read(int64_t index, const std::string& where, F take) const {
        archive_entry in = open(index, where);
        take(in);
        if (!in.at_end()) refuse_rest(where);
    }
    const std::string& path() const { return path_; }

private:
    archive_entry open(int64_t index, const std::string& where) const;
    [[noreturn]] void refuse_rest(const std::string& where) const;
    zip_stat_t about(int64_t index) const;

    const archive_kind& kind_;
    const zip_functions& z_;
    std::string path_;
    zip_t* a_;
};

/// An archive that takes the place of a file when it is complete. Equal entries give equal bytes.
class archive_writer {
public:
    archive_writer(const archive_kind& kind, const std::string& path);
    ~archive_writer();
    archive_writer(const archive_writer&) = delete;
    archive_writer& operator=(const archive_writer&) = delete;

    /// An entry of two parts, whose bytes must live until `finish`.
    void add(const std::string& name, std::span<const char> start, std::span<const char> rest,
             bool compressed);
    void finish();

private:
    [[noreturn]] void refuse(const std::string& why) const;

    const archive_kind& kind_;
    const zip_functions& z_;
    std::string path_;
    zip_t* a_ = nullptr;
};

}  // namespace sinter::ops
