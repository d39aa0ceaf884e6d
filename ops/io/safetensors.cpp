// Safetensors files: 8 bytes with the length of the table, the table, then the elements without a
// gap. https://github.com/huggingface/safetensors, "Format".
#include "ops/io/files.hpp"
#include "ops/io/safetensors_header.hpp"
#include "ops/io/wide_elements.hpp"
#include "runtime/base/fork.hpp"

#include <sinter/functions/safetensors.hpp>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstring>

namespace sinter::inline v1 {
namespace {

using ops::stored_tensor;
using runtime::fail;
using runtime::text;

constexpr std::size_t length_size = 8;
constexpr std::size_t table_most = 100'000'000;  // the format's limit
constexpr const char* save_again = "saving the file again";

/// A type of elements in a file, and the dtype of the tensor that they are read as.
struct element_type {
    std::string name;
    ScalarType dtype;
    std::size_t bytes;  // of an element in the file
};

/// The format's name of a dtype, from NumPy's: F32 for f4.
std::string name_of(const char* npy, ScalarType dtype) {
    if (dtype == kBool) return "BOOL";
    const std::string bits = std::to_string(8 * elementSize(dtype));
    if (dtype == kBFloat16) return "BF" + bits;
    return static_cast<char>(std::toupper(npy[0])) + bits;
}

const std::vector<element_type>& element_types() {
    static constinit std::atomic<const std::vector<element_type>*> made{nullptr};
    return runtime::made_once(made, [] {
        std::vector<element_type> types;
        const auto add = [&](const char* npy, ScalarType dtype) {
            types.push_back({name_of(npy, dtype), dtype, elementSize(dtype)});
        };
#define SINTER_DTYPE(type, computed, name, number, kind, pair, npy, ...) add(npy, ScalarType::name);
#define SINTER_COMPLEX_DTYPE SINTER_DTYPE
#include <sinter/core/dtype.def>
        std::erase_if(types, [](const element_type& t) { return t.name == "C128"; });
        for (const auto& [name, dtype, bytes] :
             {element_type{"U16", kInt, 2}, {"U32", kLong, 4}, {"U64", kLong, 8}})
            types.push_back({name, dtype, bytes});
        return new std::vector<element_type>(std::move(types));
    });
}

std::string element_names() {
    std::string names;
    for (const element_type& t : element_types()) names += (names.empty() ? "" : ", ") + t.name;
    return names;
}

// ---- reading
class safetensors_file {
public:
    safetensors_file(const char* op, const std::string& path);
    Tensor load(const std::string& name, const stored_tensor& stored);
    const ops::safetensors_header& header() const { return header_; }
    [[noreturn]] void refuse(const std::string& what, const std::string& got,
                             const std::string& expected, const char* remedy = save_again) const {
        fail<ValueError>(op_, what, path_ + ": " + got, expected, remedy);
    }

private:
    const element_type& check(const std::string& name, const stored_tensor& stored) const;
    void check_places() const;

    const char* op_;
    std::string path_;
    ops::file_input in_;
    std::size_t begin_ = 0, size_ = 0;  // of all elements
    ops::safetensors_header header_;
};

safetensors_file::safetensors_file(const char* op, const std::string& path)
    : op_(op), path_(path), in_(op, path) {
    const std::size_t whole = in_.left();
    unsigned char bytes[length_size];
    uint64_t length = 0;
    if (!in_.read(reinterpret_cast<char*>(bytes), length_size))
        refuse("the file is no safetensors file", text(whole, " bytes"), "8 bytes or more");
    for (std::size_t i = 0; i < length_size; ++i) length |= uint64_t{bytes[i]} << 8 * i;
    if (length > std::min(whole - length_size, table_most))
        refuse("the file is no safetensors file, or ends too early",
               text("a table of ", length, " bytes in a file of ", whole),
               text("at most the file and ", table_most, " bytes"));
    std::string table(length, '\0');
    if (!in_.read(table.data(), table.size()))
        refuse("the table cannot be read", "a read error", text(length, " bytes"));
    if (table.empty() || table[0] != '{')
        refuse("the file is no safetensors file", "other first bytes of the table", "{");
    header_ = ops::parse_safetensors_header(op, path, table);
    begin_ = length_size + length;
    size_ = whole - begin_;
    check_places();
}

const element_type& safetensors_file::check(const std::string& name,
                                            const stored_tensor& stored) const {
    const auto& types = element_types();
    const auto type = std::find_if(types.begin(), types.end(),
                                   [&](const element_type& t) { return t.name == stored.dtype; });
    if (type == types.end())
        refuse("no tensor has this element type", stored.dtype + " of " + name, element_names(),
               "converting the tensor before the file is written");
    std::size_t bytes = type->bytes;
    for (const int64_t size : stored.shape)
        if (__builtin_mul_overflow(bytes, static_cast<std::size_t>(size), &bytes)) bytes = SIZE_MAX;
    if (stored.begin > stored.end || stored.end - stored.begin != bytes)
        refuse("the bytes of a tensor do not fit its sizes",
               text(name, " of ", stored.dtype, " ", IntArrayRef(stored.shape), " at ",
                    stored.begin, " to ", stored.end),
               text(bytes, " bytes"));
    return *type;
}

/// Requires that each byte belongs to one tensor.
void safetensors_file::check_places() const {
    std::vector<std::pair<const stored_tensor*, const std::string*>> order;
    for (const auto& [name, t] : header_.tensors) order.push_back({&t, &name});
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
        return std::pair(a.first->begin, a.first->end) < std::pair(b.first->begin, b.first->end);
    });
    std::size_t next = 0;
    for (const auto& [t, name] : order) {
        if (t->begin != next || t->end < t->begin)
            refuse("the tensors do not lie one behind the other",
                   text(*name, " at ", t->begin, " to ", t->end), text("a tensor at ", next));
        next = t->end;
    }
    if (next != size_)
        refuse("the file's length does not fit its tensors", text(size_, " bytes of elements"),
               text(next, " bytes"));
}

Tensor safetensors_file::load(const std::string& name, const stored_tensor& stored) {
    const element_type& type = check(name, stored);
    const std::size_t bytes = stored.end - stored.begin;
    Tensor result(make_empty(type.dtype, make_contiguous(stored.shape), runtime::main_memory));
    char* to = ops::fresh(*result.unsafeGetTensorImpl());
    in_.go_to(begin_ + stored.begin);
    if (!in_.read(to, bytes))
        refuse("the elements cannot be read", "a read error", text(bytes, " bytes of ", name));
    if (type.bytes != elementSize(type.dtype) || type.name == "U64")
        if (const auto wide = ops::widen_unsigned(to, type.bytes, type.dtype, bytes / type.bytes))
            refuse("an element does not fit the dtype",
                   text(*wide, " of ", name, " in U64, which is read as Long"), "at most 2^63 - 1",
                   "converting the tensor before the file is written");
    if (type.dtype == kBool) ops::normalize_bools(to, bytes);
    return result;
}

// ---- writing
std::string type_to_save(const std::string& name, ScalarType dtype) {
    for (const element_type& t : element_types())
        if (t.dtype == dtype) return t.name;
    fail<TypeError>("save_safetensors", "the format lacks the dtype",
                    text(toString(dtype), " of ", name), element_names(),
                    "to(kComplexFloat), or view_as_real()");
}

}  // namespace

std::map<std::string, Tensor> load_safetensors(const std::string& path) {
    safetensors_file f("load_safetensors", path);
    std::map<std::string, Tensor> tensors;
    for (const auto& [name, stored] : f.header().tensors) tensors[name] = f.load(name, stored);
    return tensors;
}

Tensor load_safetensors(const std::string& path, const std::string& name) {
    safetensors_file f("load_safetensors", path);
    const auto& stored = f.header().tensors;
    const auto found = stored.find(name);
    if (found == stored.end())
        f.refuse("the file has no tensor of this name", name, "the name of one of its tensors",
                 "load_safetensors(path), which returns all of them by name");
    return f.load(name, found->second);
}

std::map<std::string, std::string> load_safetensors_metadata(const std::string& path) {
    return safetensors_file("load_safetensors_metadata", path).header().metadata;
}

void save_safetensors(const std::string& path, const std::map<std::string, Tensor>& tensors,
                      const std::map<std::string, std::string>& metadata) {
    const char* const op = "save_safetensors";
    const std::vector<Tensor> rows = ops::rows_to_save(op, tensors);
    // The widest elements come first, so that each of them is aligned.
    struct item {
        const std::string* name;
        const TensorImpl* row;
    };
    std::vector<item> order;
    for (const auto& [name, t] : tensors) {
        if (name == ops::metadata_key)
            fail<ValueError>(op, "a tensor has a name that the format keeps for notes", name,
                             "another name", "renaming the tensor");
        order.push_back({&name, rows[order.size()].unsafeGetTensorImpl()});
    }
    std::stable_sort(order.begin(), order.end(), [](const item& a, const item& b) {
        return elementSize(a.row->dtype) > elementSize(b.row->dtype);
    });
    ops::safetensors_header header;
    header.metadata = metadata;
    std::size_t place = 0;
    for (const item& i : order) {
        stored_tensor& t = header.tensors[*i.name];
        t.dtype = type_to_save(*i.name, i.row->dtype);
        t.shape = i.row->shape->sizes_ref().vec();
        t.begin = place;
        place = t.end = place + ops::npy_elements(*i.row).size();
    }
    std::string table = ops::safetensors_header_text(op, header);
    table.resize((table.size() + length_size - 1) / length_size * length_size, ' ');
    char length[length_size];
    for (std::size_t i = 0; i < length_size; ++i)
        length[i] = static_cast<char>(table.size() >> 8 * i & 0xff);
    ops::replacement out(op, path);
    out.write(length);
    out.write(table);
    for (const item& i : order) out.write(ops::npy_elements(*i.row));
    out.finish();
}

}  // namespace sinter::inline v1
