// NumPy's .npy files: a magic, a version, a Python dictionary as text, then the elements.
#include "jit/expr/front.hpp"

#include <sinter/functions.hpp>

#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace sinter::inline v1 {
namespace {

constexpr char magic[] = "\x93NUMPY";
constexpr std::size_t magic_size = 6;
constexpr std::size_t alignment = 64;        // of the first element in the file
constexpr std::size_t header_max = 1 << 20;  // a longer one is no header

[[noreturn]] void refuse(const std::string& path, const char* what, const std::string& got,
                         const char* expected) {
    front::fail<ValueError>("load_npy", what, path + ": " + got, expected,
                            "numpy.save of a plain array");
}

struct type_name {
    const char* name;
    ScalarType dtype;
};
// NumPy has no bfloat16; its extension packages write one as two opaque bytes, "V2".
constexpr type_name type_names[] = {
    {"f2", kHalf}, {"f4", kFloat}, {"f8", kDouble}, {"i1", kChar}, {"i2", kShort},
    {"i4", kInt},  {"i8", kLong},  {"u1", kByte},   {"b1", kBool}, {"V2", kBFloat16}};

/// What the dictionary says.
struct header {
    ScalarType dtype = ScalarType::Undefined;
    bool fortran = false;
    std::vector<int64_t> shape;
};

/// The text of the value of a key: up to the comma or brace that ends it.
std::string value_of(const std::string& path, const std::string& dictionary, const char* key) {
    std::size_t at = std::string::npos;
    for (const char quote : {'\'', '"'}) {
        at = dictionary.find(quote + std::string(key) + quote);
        if (at != std::string::npos) break;
    }
    if (at != std::string::npos) at = dictionary.find(':', at);
    if (at == std::string::npos)
        refuse(path, "the header lacks a key", key, "descr, fortran_order and shape");
    at = dictionary.find_first_not_of(' ', at + 1);
    if (at == std::string::npos) return "";
    std::size_t end = dictionary.find_first_of(dictionary[at] == '(' ? ")" : ",}", at);
    if (end != std::string::npos && dictionary[end] == ')') ++end;
    std::string value = dictionary.substr(at, end - at);
    while (!value.empty() && value.back() == ' ') value.pop_back();
    return value;
}

ScalarType parse_dtype(const std::string& path, const std::string& text) {
    const bool quoted =
        text.size() == 5 && (text[0] == '\'' || text[0] == '"') && text[4] == text[0];
    if (quoted) {  // as '<f4'
        const char order = text[1];
        for (const type_name& t : type_names)
            if (text.compare(2, 2, t.name) == 0 &&
                (order == '<' || order == '=' || (order == '|' && elementSize(t.dtype) == 1)))
                return t.dtype;
    }
    refuse(path, "the element type is not supported", text,
           "little-endian f2, f4, f8, i1, i2, i4, i8, u1 or b1");
}

std::vector<int64_t> parse_shape(const std::string& path, const std::string& text) {
    std::vector<int64_t> shape;
    const auto bad = [&] { refuse(path, "the shape cannot be read", text, "a tuple of sizes"); };
    if (text.size() < 2 || text.front() != '(' || text.back() != ')') bad();
    const char* at = text.data() + 1;
    const char* end = text.data() + text.size() - 1;
    for (;;) {
        while (at != end && *at == ' ') ++at;
        if (at == end) return shape;
        int64_t size = 0;
        const auto [stop, error] = std::from_chars(at, end, size);
        if (error != std::errc() || size < 0) bad();
        shape.push_back(size);
        at = stop;
        while (at != end && *at == ' ') ++at;
        if (at == end) return shape;
        if (*at != ',') bad();
        ++at;
    }
}

header parse(const std::string& path, const std::string& dictionary) {
    header h;
    h.dtype = parse_dtype(path, value_of(path, dictionary, "descr"));
    const std::string order = value_of(path, dictionary, "fortran_order");
    if (order != "True" && order != "False")
        refuse(path, "the order cannot be read", order, "True or False");
    h.fortran = order == "True";
    h.shape = parse_shape(path, value_of(path, dictionary, "shape"));
    return h;
}

uint32_t little_endian(const unsigned char* bytes, int n) {
    uint32_t v = 0;
    for (int i = 0; i < n; ++i) v |= static_cast<uint32_t>(bytes[i]) << (8 * i);
    return v;
}

std::string read_dictionary(const std::string& path, std::istream& in) {
    char start[magic_size + 2];
    if (!in.read(start, sizeof start) || std::memcmp(start, magic, magic_size) != 0)
        refuse(path, "the file does not start as .npy does", "other bytes", "\\x93NUMPY");
    const int version = static_cast<unsigned char>(start[magic_size]);
    if (version != 1 && version != 2)
        refuse(path, "the version is not supported", std::to_string(version), "1 or 2");
    unsigned char length[4];
    const int length_size = version == 1 ? 2 : 4;
    std::string dictionary;
    if (in.read(reinterpret_cast<char*>(length), length_size)) {
        const std::size_t n = little_endian(length, length_size);
        if (n > header_max)
            refuse(path, "the header is too long", std::to_string(n), "at most 1 MiB");
        dictionary.resize(n);
        in.read(dictionary.data(), static_cast<std::streamsize>(n));
    }
    if (!in) refuse(path, "the file ends in the header", "too few bytes", "a whole header");
    return dictionary;
}

/// Column-major: the strides rise from the first dimension on.
geometry_ptr fortran_layout(const std::vector<int64_t>& shape) {
    const std::vector<int64_t> reversed(shape.rbegin(), shape.rend());
    const std::vector<int64_t> strides = make_contiguous(reversed)->strides_ref().vec();
    return make_geometry(shape, std::vector<int64_t>(strides.rbegin(), strides.rend()), 0);
}

std::string dictionary_of(const TensorImpl& t) {
    std::string type;
    for (const type_name& n : type_names)
        if (n.dtype == t.dtype) type = n.name;
    const geometry& g = *t.shape;
    std::string shape;
    for (int d = 0; d < g.ndim; ++d) shape += (d > 0 ? ", " : "") + std::to_string(g.sizes()[d]);
    if (g.ndim == 1) shape += ",";
    return front::text("{'descr': '", type[1] == '1' ? '|' : '<', type,
                       "', 'fortran_order': False, 'shape': (", shape, "), }");
}

/// Magic, version, length and dictionary, padded so that the elements are aligned.
std::string preamble(const TensorImpl& t) {
    std::string dictionary = dictionary_of(t);
    const std::size_t fixed = magic_size + 2 + 2;
    const std::size_t whole =
        (fixed + dictionary.size() + 1 + alignment - 1) / alignment * alignment;
    dictionary.resize(whole - fixed - 1, ' ');
    dictionary += '\n';
    const auto n = dictionary.size();  // at most 64 dimensions: always version 1
    std::string out(magic, magic_size);
    out += {'\x01', '\x00', static_cast<char>(n & 0xff), static_cast<char>(n >> 8)};
    return out + dictionary;
}

/// A file that takes the place of another once it is complete.
class replacement {
public:
    explicit replacement(const std::string& path) : path_(path) {
        static std::atomic<unsigned> count{0};
        partial_ = front::text(path, ".", getpid(), ".", count.fetch_add(1), ".tmp");
        out_.open(partial_, std::ios::binary);
    }
    ~replacement() {
        std::error_code ignored;
        if (!done_) std::filesystem::remove(partial_, ignored);
    }
    replacement(const replacement&) = delete;
    replacement& operator=(const replacement&) = delete;

    void write(const char* data, std::size_t n) {
        out_.write(data, static_cast<std::streamsize>(n));
    }
    void finish() {
        out_.close();
        std::error_code error;
        if (out_) std::filesystem::rename(partial_, path_, error);
        done_ = out_ && !error;
        if (!done_)
            front::fail("save_npy", "the file cannot be written", path_,
                        "a writable folder with room", "another path");
    }

private:
    std::string path_, partial_;
    std::ofstream out_;
    bool done_ = false;
};

}  // namespace

Tensor load_npy(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in)
        front::fail("load_npy", "the file cannot be opened", path, "a readable file",
                    "another path");
    const header h = parse(path, read_dictionary(path, in));
    geometry_ptr shape = h.fortran ? fortran_layout(h.shape) : make_contiguous(h.shape);
    const std::size_t bytes = static_cast<std::size_t>(shape->numel) * elementSize(h.dtype);
    const auto here = static_cast<std::size_t>(in.tellg());
    const auto whole = std::filesystem::file_size(path);
    if (whole - here < bytes)  // before so much memory is asked for
        refuse(path, "the file ends in the elements",
               front::text(whole - here, " bytes for sizes ", IntArrayRef(h.shape)),
               "all elements");
    Tensor result(make_empty(h.dtype, shape));
    char* to = front::fresh(*result.unsafeGetTensorImpl());
    in.read(to, static_cast<std::streamsize>(bytes));
    if (!in) refuse(path, "the elements cannot be read", "a read error", "all elements");
    if (h.dtype == kBool)  // kernels rely on 0 and 1
        for (std::size_t i = 0; i < bytes; ++i) to[i] = to[i] != 0;
    return result;
}

void save_npy(const tensor_base& tensor, const std::string& path) {
    front::body("save_npy", tensor);
    const Tensor rows = tensor.contiguous();
    const TensorImpl& t = *rows.unsafeGetTensorImpl();
    const std::size_t item = elementSize(t.dtype);
    const char* data = front::values(t, flush_reason::save);
    replacement file(path);
    const std::string start = preamble(t);
    file.write(start.data(), start.size());
    if (t.shape->numel > 0)
        file.write(data + t.shape->offset * static_cast<int64_t>(item),
                   static_cast<std::size_t>(t.shape->numel) * item);
    file.finish();
}

}  // namespace sinter::inline v1
