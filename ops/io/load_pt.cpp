// Reads PyTorch's files: a zip archive whose entry data.pkl says which tensors there are, and whose
// entries data/0, data/1, ... are their memory. PyTorch: torch/serialization.py, torch/_utils.py.
#include "ops/io/archive.hpp"
#include "ops/io/files.hpp"
#include "ops/io/pickle.hpp"
#include "ops/io/wide_elements.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/pt.hpp>

#include <algorithm>
#include <optional>

namespace sinter::inline v1 {
namespace {

using ops::pickle_value;
using runtime::fail;
using runtime::text;
using kind = pickle_value::kind;

constexpr const char* without = "load_npy() and save_npy()";
constexpr ops::archive_kind pt_to_load{"load_pt",
                                       "a file that torch.save of PyTorch 1.6 or later wrote",
                                       "saving it again with torch.save", without};

constexpr std::size_t pickle_most = 64 << 20;  // bytes
constexpr std::size_t name_most = 4096;
constexpr std::size_t names_most = 64 << 20;

constexpr const char* rebuild_tensor = "torch._utils._rebuild_tensor_v2";
constexpr const char* rebuild_typed = "torch._utils._rebuild_tensor_v3";  // memory without a dtype
constexpr const char* rebuild_parameter = "torch._utils._rebuild_parameter";
constexpr const char* untyped = "torch.storage.UntypedStorage";

/// A type of elements in a file, and the dtype of the tensor that they are read as.
struct torch_type {
    const char* storage;  // the class of memory of such elements, or null
    const char* torch;    // the dtype
    ScalarType dtype;
    std::size_t bytes = elementSize(dtype);  // of an element in the file
};
const torch_type torch_types[] = {
#define SINTER_DTYPE(type, computed, name, number, kind, pair, npy, dlpack, cpp, error, python, \
                     ...)                                                                       \
    {"torch." #name "Storage", "torch." python, ScalarType::name},
#define SINTER_COMPLEX_DTYPE SINTER_DTYPE
#include <sinter/core/dtype.def>
    {nullptr, "torch.uint16", kInt, 2},
    {nullptr, "torch.uint32", kLong, 4},
    {nullptr, "torch.uint64", kLong, 8}};

const torch_type* find_type(const char* torch_type::* name, const std::string& wanted) {
    for (const torch_type& t : torch_types)
        if (t.*name && wanted == t.*name) return &t;
    return nullptr;
}

bool is_known(const std::string& global) {
    return global == rebuild_tensor || global == rebuild_typed || global == rebuild_parameter ||
           global == untyped || global == "collections.OrderedDict" ||
           find_type(&torch_type::storage, global) || find_type(&torch_type::torch, global);
}

// ---- reading
class pt_file {
public:
    explicit pt_file(const std::string& path);
    /// Returns the values of which tensors can be made, and others, by name.
    std::map<std::string, const pickle_value*> values() const;
    Tensor load(const std::string& name, const pickle_value& v);
    [[noreturn]] void refuse(const std::string& what, const std::string& got,
                             const std::string& expected,
                             const std::string& remedy = pt_to_load.again) const {
        fail<ValueError>("load_pt", what, archive_.path() + ": " + got, expected, remedy);
    }

private:
    std::string entry_text(const std::string& name, std::size_t most) const;
    std::string prefix() const;
    Tensor tensor(const std::string& name, const pickle_value& call);
    Tensor memory(const std::string& name, const pickle_value& v, const torch_type* type);
    const pickle_value& argument(const std::string& name, const pickle_value& call, std::size_t i,
                                 kind is) const;
    std::vector<int64_t> numbers(const std::string& name, const pickle_value& tuple) const;

    ops::archive_reader archive_;
    std::string prefix_;
    std::optional<ops::pickle> pickle_;
    std::map<std::pair<std::string, const torch_type*>, Tensor> memories_;  // by entry
};

/// Returns the folder within the archive, with a slash.
std::string pt_file::prefix() const {
    constexpr std::string_view ending = "/data.pkl";
    for (int64_t i = 0; i < archive_.entries(); ++i) {
        const std::string name = archive_.name(i);
        if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size() + 1);
    }
    refuse("the archive is no file of torch.save", "no entry data.pkl", "an entry data.pkl");
}

std::string pt_file::entry_text(const std::string& name, std::size_t most) const {
    const int64_t i = archive_.find(prefix_ + name);
    if (i < 0) return "";
    std::string bytes;
    archive_.read(i, archive_.path() + "(" + name + ")", [&](ops::archive_entry& in) {
        if (in.left() > most)
            refuse("an entry is too long", text(name, " of ", in.left(), " bytes"),
                   text("at most ", most, " bytes"));
        bytes.resize(in.left());
        if (!in.read(bytes.data(), bytes.size()))
            refuse("an entry cannot be read", name, text(bytes.size(), " bytes"));
    });
    return bytes;
}

pt_file::pt_file(const std::string& path) : archive_(pt_to_load, path), prefix_(prefix()) {
    if (const std::string order = entry_text("byteorder", 64); order != "" && order != "little")
        refuse("the elements have another byte order", order, "little");
    const std::string bytes = entry_text("data.pkl", pickle_most);
    pickle_.emplace("load_pt", path, bytes, is_known);
}

std::string key_of(const pickle_value& key) {
    return key.is == kind::text ? key.text : std::to_string(key.integer);
}

std::map<std::string, const pickle_value*> pt_file::values() const {
    struct open {
        std::string name;
        const pickle_value* value;
    };
    std::map<std::string, const pickle_value*> found;
    std::vector<open> left{{"", &pickle_->root()}};
    // A dict may be a part of many others, or of itself, so what is found is bounded.
    std::size_t count = 0, letters = 0;
    const auto add = [&](const std::string& outer, const std::string& key,
                         const pickle_value* value) {
        std::string name = outer.empty() ? key : outer + "." + key;
        letters += name.size();
        if (++count > ops::pickle::most_values || name.size() > name_most || letters > names_most)
            refuse("the file has too many values",
                   text("value ", count, ", whose name has ", name.size(), " bytes"),
                   text("at most ", ops::pickle::most_values, ", names of at most ", name_most,
                        " bytes, and ", names_most, " in all"));
        left.push_back({std::move(name), value});
    };
    while (!left.empty()) {
        const open o = std::move(left.back());
        left.pop_back();
        const auto& items = o.value->items;
        if (o.value->is == kind::dict) {
            for (std::size_t i = 0; i < items.size(); i += 2) {
                if (items[i]->is != kind::text && items[i]->is != kind::integer)
                    refuse("a key is neither text nor an integer", "a key in " + o.name,
                           "names of tensors");
                add(o.name, key_of(*items[i]), items[i + 1]);
            }
        } else if (o.value->is == kind::list || o.value->is == kind::tuple) {
            for (std::size_t i = 0; i < items.size(); ++i) add(o.name, std::to_string(i), items[i]);
        } else if (!found.emplace(o.name, o.value).second) {
            refuse("two values have one name", o.name, "different names");
        }
    }
    return found;
}

const pickle_value& pt_file::argument(const std::string& name, const pickle_value& call,
                                      std::size_t i, kind is) const {
    const auto& given = call.items[1]->items;
    if (i >= given.size() || given[i]->is != is)
        refuse("a tensor is not described as torch.save does it", name,
               text("another argument ", i, " of ", call.items[0]->text));
    return *given[i];
}

std::vector<int64_t> pt_file::numbers(const std::string& name, const pickle_value& tuple) const {
    std::vector<int64_t> n;
    for (const pickle_value* v : tuple.items) {
        if (v->is != kind::integer || v->integer < 0 || n.size() == 64)
            refuse("a tensor has impossible sizes or strides", name, "up to 64 numbers from 0 on");
        n.push_back(v->integer);
    }
    return n;
}

/// Returns the memory of an entry as a tensor of one dimension.
Tensor pt_file::memory(const std::string& name, const pickle_value& v, const torch_type* type) {
    const auto& id = v.items[0]->items;  // "storage", class, entry, device, number of elements
    const bool whole = v.items[0]->is == kind::tuple && id.size() == 5 && id[0]->is == kind::text &&
                       id[0]->text == "storage" && id[1]->is == kind::global &&
                       id[2]->is == kind::text && id[4]->is == kind::integer && id[4]->integer >= 0;
    if (!whole)
        refuse("a tensor's memory is not described as torch.save does it", name, "a storage");
    const bool counts_bytes = id[1]->text == untyped;
    if (!type) type = find_type(&torch_type::storage, id[1]->text);
    if (!type) refuse("no tensor has this element type", id[1]->text + " of " + name, "a dtype");
    const int64_t count = id[4]->integer / (counts_bytes ? static_cast<int64_t>(type->bytes) : 1);
    Tensor& made = memories_[{id[2]->text, type}];
    if (made.defined()) return made;
    const int64_t i = archive_.find(prefix_ + "data/" + id[2]->text);
    if (i < 0) refuse("the archive lacks a tensor's memory", "no data/" + id[2]->text, name);
    if (!archive_.is_stored(i))  // a few bytes could stand for any number of them
        refuse("a tensor's memory is compressed", "data/" + id[2]->text, "bytes as they are");
    Tensor result;
    archive_.read(i, archive_.path() + "(data/" + id[2]->text + ")", [&](ops::archive_entry& in) {
        std::size_t bytes = 0;  // of all elements; allocated only if the file has them
        if (__builtin_mul_overflow(count, type->bytes, &bytes) || in.left() != bytes)
            refuse("a tensor's memory has another size", text(in.left(), " bytes of ", name),
                   text(count, " elements of ", type->bytes, " bytes"));
        result = Tensor(make_empty(type->dtype, make_contiguous({count}), runtime::main_memory));
        char* to = ops::fresh(*result.unsafeGetTensorImpl());
        if (!in.read(to, bytes))
            refuse("a tensor's memory cannot be read", name, text(bytes, " bytes"));
        if (type->dtype == kBool) ops::normalize_bools(to, bytes);
        if (type->storage) return;
        if (const auto wide =
                ops::widen_unsigned(to, type->bytes, type->dtype, static_cast<std::size_t>(count)))
            refuse("an element does not fit the dtype",
                   text(*wide, " of ", name, " in uint64, which is read as Long"),
                   "at most 2^63 - 1", "converting the tensor before torch.save");
    });
    return made = result;
}

/// Returns true if all elements lie in so many.
bool fits(const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides, int64_t offset,
          int64_t count) {
    if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return offset <= count;
    int64_t last = offset;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        int64_t step = 0;
        if (__builtin_mul_overflow(sizes[d] - 1, strides[d], &step) ||
            __builtin_add_overflow(last, step, &last))
            return false;
    }
    return last < count;
}

Tensor pt_file::tensor(const std::string& name, const pickle_value& call) {
    const std::string& function = call.items[0]->text;
    if (function != rebuild_tensor && function != rebuild_typed)
        refuse("the file holds an object that is no tensor", name + " by " + function, "a tensor");
    const bool has_dtype = function == rebuild_typed;
    const torch_type* type = nullptr;
    if (has_dtype) {
        const std::string& dtype = argument(name, call, 6, kind::global).text;
        type = find_type(&torch_type::torch, dtype);
        if (!type) refuse("no tensor has this element type", dtype + " of " + name, "a dtype");
    }
    const Tensor all = memory(name, argument(name, call, 0, kind::persistent), type);
    const int64_t offset = argument(name, call, 1, kind::integer).integer;
    const auto sizes = numbers(name, argument(name, call, 2, kind::tuple));
    const auto strides = numbers(name, argument(name, call, 3, kind::tuple));
    const bool gradient = argument(name, call, 4, kind::boolean).integer != 0;
    if (sizes.size() != strides.size() || offset < 0 || !fits(sizes, strides, offset, all.numel()))
        refuse("a tensor reaches beyond its memory",
               text(name, " of sizes ", IntArrayRef(sizes), ", strides ", IntArrayRef(strides),
                    " and offset ", offset),
               text("the ", all.numel(), " elements of its memory"));
    Tensor t = all.as_strided(sizes, strides, offset);
    // Whether its elements are those of the memory with another sign.
    const std::size_t notes = has_dtype ? 7 : 6;
    if (call.items[1]->items.size() > notes) {
        const auto& marks = argument(name, call, notes, kind::dict).items;
        for (std::size_t i = 0; i < marks.size(); i += 2) {
            if (marks[i + 1]->is != kind::boolean || marks[i + 1]->integer == 0) continue;
            const std::string mark = key_of(*marks[i]);
            if (mark == "conj")
                t = t.conj();
            else if (mark == "neg")
                t = t.neg();
            else
                refuse("a tensor has an unknown mark", mark + " of " + name, "conj or neg");
        }
    }
    return gradient ? t.detach().requires_grad_() : t;
}

Tensor pt_file::load(const std::string& name, const pickle_value& v) {
    switch (v.is) {
        case kind::boolean: return scalar_tensor(v.integer != 0, kBool);
        case kind::integer: return scalar_tensor(v.integer, kLong);
        case kind::real: return scalar_tensor(v.real, kDouble);
        case kind::call: break;
        default: {
            const char* what = v.is == kind::text   ? "text"
                               : v.is == kind::none ? "None"
                                                    : "part of a tensor";
            refuse("a value is no tensor", text("'", name, "', which is ", what),
                   "tensors and numbers",
                   "load_pt(path, name) of a tensor, or saving the tensors alone");
        }
    }
    if (v.items[0]->text != rebuild_parameter) return tensor(name, v);
    const bool gradient = argument(name, v, 1, kind::boolean).integer != 0;
    const Tensor t = tensor(name, argument(name, v, 0, kind::call));
    return gradient ? t.detach().requires_grad_() : t;
}

}  // namespace

std::map<std::string, Tensor> load_pt(const std::string& path) {
    pt_file f(path);
    std::map<std::string, Tensor> tensors;
    for (const auto& [name, v] : f.values()) tensors[name] = f.load(name, *v);
    return tensors;
}

Tensor load_pt(const std::string& path, const std::string& name) {
    pt_file f(path);
    const auto values = f.values();
    const auto found = values.find(name);
    if (found == values.end())
        f.refuse("the file has no tensor of this name", "'" + name + "'",
                 "the name of one of its tensors",
                 "load_pt(path), which returns all of them by name");
    return f.load(name, *found->second);
}

}  // namespace sinter::inline v1
