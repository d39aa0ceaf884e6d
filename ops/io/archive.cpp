#include "ops/io/archive.hpp"

#include "runtime/base/fork.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>

namespace sinter::ops {

using runtime::fail;

/// The functions of the library that are used.
// clang-format off: its result here is not stable
#define SINTER_ZIP_FUNCTIONS(X)                                                     \
    X(zip_open) X(zip_close) X(zip_discard) X(zip_strerror)                         \
    X(zip_get_num_entries) X(zip_stat_index) X(zip_name_locate)                     \
    X(zip_fopen_index) X(zip_fread) X(zip_fclose)                                   \
    X(zip_source_buffer_fragment) X(zip_source_free) X(zip_file_add)                \
    X(zip_set_file_compression) X(zip_file_set_dostime)                             \
    X(zip_error_init_with_code) X(zip_error_strerror) X(zip_error_fini)
// clang-format on

struct zip_functions {
#define SINTER_MEMBER(name) decltype(&::name) name = nullptr;
    SINTER_ZIP_FUNCTIONS(SINTER_MEMBER)
#undef SINTER_MEMBER
    bool there = false;
};

namespace {

zip_functions open_library() {
    zip_functions l;
    void* handle = nullptr;
    for (const char* name : {"libzip.so.4", "libzip.so.5", "libzip.so"})
        if (!handle) handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return l;
    l.there = true;
#define SINTER_LOAD(name)                                               \
    l.name = reinterpret_cast<decltype(&::name)>(dlsym(handle, #name)); \
    l.there = l.there && l.name;
    SINTER_ZIP_FUNCTIONS(SINTER_LOAD)
#undef SINTER_LOAD
    return l;
}

const zip_functions& zip(const archive_kind& kind) {
    static constinit std::atomic<const zip_functions*> made{nullptr};
    const zip_functions& l =
        runtime::made_once(made, [] { return new zip_functions(open_library()); });  // never closed
    if (!l.there)
        fail(kind.op, "libzip was not found", "no libzip.so.4", "libzip",
             runtime::text("apt-get install libzip4, or ", kind.without));
    return l;
}

std::string reason(const zip_functions& z, int code) {
    zip_error_t error;
    z.zip_error_init_with_code(&error, code);
    std::string text = z.zip_error_strerror(&error);
    z.zip_error_fini(&error);
    return text;
}

}  // namespace

// ---- reading
archive_entry::archive_entry(const zip_functions& z, zip_file_t* file, std::size_t size)
    : z_(z), file_(file), left_(size) {}

archive_entry::~archive_entry() { z_.zip_fclose(file_); }

bool archive_entry::read(char* to, std::size_t n) {
    while (n > 0) {
        const zip_int64_t got = z_.zip_fread(file_, to, n);
        if (got <= 0) return false;
        to += got;
        n -= static_cast<std::size_t>(got);
        left_ -= std::min(left_, static_cast<std::size_t>(got));
    }
    return true;
}

bool archive_entry::at_end() {
    char more;
    return z_.zip_fread(file_, &more, 1) == 0;
}

archive_reader::archive_reader(const archive_kind& kind, const std::string& path)
    : kind_(kind), z_(zip(kind)), path_(path) {
    int code = 0;
    a_ = z_.zip_open(path.c_str(), ZIP_RDONLY, &code);
    if (!a_)
        fail(kind.op, "the archive cannot be opened", path + ": " + reason(z_, code), kind.file,
             "checking the path and its permissions");
}

archive_reader::~archive_reader() { z_.zip_discard(a_); }

int64_t archive_reader::entries() const { return z_.zip_get_num_entries(a_, 0); }

int64_t archive_reader::find(const std::string& name) const {
    return z_.zip_name_locate(a_, name.c_str(), 0);
}

zip_stat_t archive_reader::about(int64_t index) const {
    zip_stat_t s;
    if (z_.zip_stat_index(a_, static_cast<zip_uint64_t>(index), 0, &s) != 0 ||
        !(s.valid & ZIP_STAT_NAME) || !(s.valid & ZIP_STAT_SIZE))
        fail<ValueError>(kind_.op, "the archive is damaged", path_ + ": " + z_.zip_strerror(a_),
                         "entries with names and sizes", kind_.again);
    return s;
}

std::string archive_reader::name(int64_t index) const { return about(index).name; }

bool archive_reader::is_stored(int64_t index) const {
    const zip_stat_t s = about(index);
    return s.valid & ZIP_STAT_COMP_METHOD && s.comp_method == ZIP_CM_STORE;
}

archive_entry archive_reader::open(int64_t index, const std::string& where) const {
    const zip_stat_t s = about(index);
    zip_file_t* file = z_.zip_fopen_index(a_, static_cast<zip_uint64_t>(index), 0);
    if (!file)
        fail<ValueError>(kind_.op, "the entry cannot be read", where + ": " + z_.zip_strerror(a_),
                         "a stored or deflated entry", kind_.again);
    return {z_, file, static_cast<std::size_t>(s.size)};
}

void archive_reader::refuse_rest(const std::string& where) const {
    fail<ValueError>(kind_.op, "the entry is damaged", where,
                     "a valid checksum, and no bytes after the elements", kind_.again);
}

// ---- writing
archive_writer::archive_writer(const archive_kind& kind, const std::string& path)
    : kind_(kind), z_(zip(kind)), path_(path) {
    int code = 0;
    a_ = z_.zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
    if (!a_) refuse(reason(z_, code));
}

archive_writer::~archive_writer() {
    if (a_) z_.zip_discard(a_);
}

void archive_writer::add(const std::string& name, std::span<const char> start,
                         std::span<const char> rest, bool compressed) {
    zip_buffer_fragment_t parts[2];
    zip_uint64_t count = 0;
    for (const std::span<const char> bytes : {start, rest})
        if (!bytes.empty())
            parts[count++] = {reinterpret_cast<zip_uint8_t*>(const_cast<char*>(bytes.data())),
                              bytes.size()};
    zip_source_t* source = z_.zip_source_buffer_fragment(a_, parts, count, 0);
    if (!source) refuse(z_.zip_strerror(a_));
    const zip_int64_t index = z_.zip_file_add(a_, name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
        z_.zip_source_free(source);
        refuse(z_.zip_strerror(a_));
    }
    const auto i = static_cast<zip_uint64_t>(index);
    constexpr zip_uint16_t first_day = 1 << 5 | 1;  // of 1980: files record no time
    if (z_.zip_set_file_compression(a_, i, compressed ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0) != 0 ||
        z_.zip_file_set_dostime(a_, i, 0, first_day, 0) != 0)
        refuse(z_.zip_strerror(a_));
}

void archive_writer::finish() {
    if (z_.zip_close(a_) != 0) refuse(z_.zip_strerror(a_));
    a_ = nullptr;
}

void archive_writer::refuse(const std::string& why) const {
    fail(kind_.op, "the file cannot be written", path_ + ": " + why,
         "a writable folder with free space", "checking the folder's permissions and space");
}

}  // namespace sinter::ops
