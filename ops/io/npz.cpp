// Archives of arrays, read and written through libzip.
#include "engine/run/flush.hpp"
#include "ops/common/devices.hpp"
#include "ops/io/npy_format.hpp"

#include "runtime/base/fork.hpp"

#include <sinter/functions/npz.hpp>

#include <dlfcn.h>
#include <zip.h>

#include <atomic>
#include <filesystem>

namespace sinter::inline v1 {
namespace {

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

struct library {
#define SINTER_MEMBER(name) decltype(&::name) name = nullptr;
    SINTER_ZIP_FUNCTIONS(SINTER_MEMBER)
#undef SINTER_MEMBER
    bool there = false;
};

library open_library() {
    library l;
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

const library& zip(const char* op) {
    static constinit std::atomic<const library*> made{nullptr};
    const library& l =
        runtime::made_once(made, [] { return new library(open_library()); });  // never closed
    if (!l.there)
        fail(op, "libzip was not found", "no libzip.so.4", "libzip",
             "apt-get install libzip4, or load_npy() and save_npy()");
    return l;
}

constexpr const char* save_again = "saving it again with numpy.savez";

std::string reason(const library& z, int code) {
    zip_error_t error;
    z.zip_error_init_with_code(&error, code);
    std::string text = z.zip_error_strerror(&error);
    z.zip_error_fini(&error);
    return text;
}

// ---- reading
class archive {
public:
    explicit archive(const std::string& path) : z_(zip("load_npz")), path_(path) {
        int code = 0;
        a_ = z_.zip_open(path.c_str(), ZIP_RDONLY, &code);
        if (!a_)
            fail("load_npz", "the archive cannot be opened", path + ": " + reason(z_, code),
                 "a readable .npz file", "checking the path and its permissions");
    }
    ~archive() { z_.zip_discard(a_); }
    archive(const archive&) = delete;
    archive& operator=(const archive&) = delete;

    zip_int64_t entries() const { return z_.zip_get_num_entries(a_, 0); }
    zip_int64_t find(const std::string& name) const {
        return z_.zip_name_locate(a_, (name + ".npy").c_str(), 0);
    }
    /// Returns NumPy's name of the array, and the size of the entry.
    std::pair<std::string, std::size_t> about(zip_int64_t index) const {
        zip_stat_t s;
        if (z_.zip_stat_index(a_, static_cast<zip_uint64_t>(index), 0, &s) != 0 ||
            !(s.valid & ZIP_STAT_NAME) || !(s.valid & ZIP_STAT_SIZE))
            fail<ValueError>("load_npz", "the archive is damaged",
                             path_ + ": " + z_.zip_strerror(a_), "entries with names and sizes",
                             save_again);
        std::string name = s.name;
        constexpr std::string_view ending = ".npy";
        if (name.size() < ending.size() || !name.ends_with(ending))
            fail<ValueError>("load_npz", "an entry is not an array", path_ + ": " + name,
                             "names that end in .npy", save_again);
        name.resize(name.size() - ending.size());
        return {name, static_cast<std::size_t>(s.size)};
    }
    Tensor load(zip_int64_t index) const;

private:
    const library& z_;
    std::string path_;
    zip_t* a_;
};

class entry_input : public ops::npy_input {
public:
    entry_input(const library& z, zip_file_t* file, std::size_t size)
        : z_(z), file_(file), left_(size) {}
    ~entry_input() override { z_.zip_fclose(file_); }
    entry_input(const entry_input&) = delete;
    entry_input& operator=(const entry_input&) = delete;
    bool read(char* to, std::size_t n) override {
        while (n > 0) {
            const zip_int64_t got = z_.zip_fread(file_, to, n);
            if (got <= 0) return false;
            to += got;
            n -= static_cast<std::size_t>(got);
            left_ -= std::min(left_, static_cast<std::size_t>(got));
        }
        return true;
    }
    std::size_t left() override { return left_; }
    /// Returns true if nothing follows. libzip verifies the checksum when an entry is read to its
    /// end.
    bool at_end() {
        char more;
        return z_.zip_fread(file_, &more, 1) == 0;
    }

private:
    const library& z_;
    zip_file_t* file_;
    std::size_t left_;
};

Tensor archive::load(zip_int64_t index) const {
    const auto [name, size] = about(index);
    const std::string where = path_ + "(" + name + ")";
    zip_file_t* file = z_.zip_fopen_index(a_, static_cast<zip_uint64_t>(index), 0);
    if (!file)
        fail<ValueError>("load_npz", "the entry cannot be read", where + ": " + z_.zip_strerror(a_),
                         "a stored or deflated entry", save_again);
    entry_input in(z_, file, size);
    Tensor t = ops::read_npy("load_npz", where, in);
    if (!in.at_end())
        fail<ValueError>("load_npz", "the entry is damaged", where,
                         "a valid checksum, and no bytes after the elements", save_again);
    return t;
}

// ---- writing
class archive_writer {
public:
    explicit archive_writer(const std::string& path) : z_(zip("save_npz")), path_(path) {
        int code = 0;
        a_ = z_.zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
        if (!a_) refuse(reason(z_, code));
    }
    ~archive_writer() {
        if (a_) z_.zip_discard(a_);
    }
    archive_writer(const archive_writer&) = delete;
    archive_writer& operator=(const archive_writer&) = delete;

    /// The bytes must live until `finish`.
    void add(const std::string& name, std::span<const char> start, std::span<const char> elements,
             bool compressed) {
        const zip_buffer_fragment_t parts[] = {{bytes_of(start), start.size()},
                                               {bytes_of(elements), elements.size()}};
        zip_source_t* source =
            z_.zip_source_buffer_fragment(a_, parts, elements.empty() ? 1 : 2, 0);
        if (!source) refuse(z_.zip_strerror(a_));
        const zip_int64_t index =
            z_.zip_file_add(a_, (name + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8);
        if (index < 0) {
            z_.zip_source_free(source);
            refuse(z_.zip_strerror(a_));
        }
        const auto i = static_cast<zip_uint64_t>(index);
        constexpr zip_uint16_t first_day = 1 << 5 | 1;  // of 1980: files record no time
        if (z_.zip_set_file_compression(a_, i, compressed ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0) !=
                0 ||
            z_.zip_file_set_dostime(a_, i, 0, first_day, 0) != 0)
            refuse(z_.zip_strerror(a_));
    }
    void finish() {
        if (z_.zip_close(a_) != 0) refuse(z_.zip_strerror(a_));
        a_ = nullptr;
    }

private:
    static zip_uint8_t* bytes_of(std::span<const char> bytes) {
        return reinterpret_cast<zip_uint8_t*>(const_cast<char*>(bytes.data()));
    }
    [[noreturn]] void refuse(const std::string& why) {
        fail("save_npz", "the file cannot be written", path_ + ": " + why,
             "a writable folder with free space", "checking the folder's permissions and space");
    }

    const library& z_;
    std::string path_;
    zip_t* a_ = nullptr;
};

}  // namespace

std::map<std::string, Tensor> load_npz(const std::string& path) {
    const archive a(path);
    std::map<std::string, Tensor> arrays;
    for (zip_int64_t i = 0; i < a.entries(); ++i) arrays[a.about(i).first] = a.load(i);
    return arrays;
}

Tensor load_npz(const std::string& path, const std::string& name) {
    const archive a(path);
    const zip_int64_t index = a.find(name);
    if (index < 0)
        fail<ValueError>("load_npz", "the archive has no array of this name", path + ": " + name,
                         "the name of one of its arrays",
                         "load_npz(path), which returns all of them by name");
    return a.load(index);
}

void save_npz(const std::string& path, const std::map<std::string, Tensor>& arrays,
              bool compressed) {
    if (arrays.empty())  // libzip writes no file without entries
        fail<ValueError>("save_npz", "the map of arrays is empty", "no arrays", "one array or more",
                         "an array without elements, as in empty({0})");
    std::vector<Tensor> rows;
    std::vector<std::string> starts;  // reserved, since the writer refers to their bytes
    for (const auto& [name, t] : arrays) {
        ops::body("save_npz", t);
        rows.push_back(ops::on_host(t).contiguous());
    }
    std::vector<Version*> wanted;  // in one flush, since they may share subgraphs
    for (const Tensor& t : rows) wanted.push_back(t.unsafeGetTensorImpl()->storage->current.get());
    flush(wanted, static_cast<int>(flush_reason::save));
    starts.reserve(rows.size());
    archive_writer out(path);
    std::size_t i = 0;
    for (const auto& [name, t] : arrays) {
        const TensorImpl& row = *rows[i].unsafeGetTensorImpl();
        starts.push_back(ops::npy_preamble(row));
        out.add(name, starts.back(), ops::npy_elements(row), compressed);
        ++i;
    }
    out.finish();
}

}  // namespace sinter::inline v1
