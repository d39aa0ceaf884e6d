#include "ops/io/npy_format.hpp"

#include "ops/io/wide_elements.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <tuple>

namespace sinter::ops {
namespace {

constexpr char magic[] = "\x93NUMPY";
constexpr std::size_t magic_size = 6;
constexpr std::size_t alignment = 64;        // of the first element in the file
constexpr std::size_t header_max = 1 << 20;  // a longer length is an error

/// The function and the name of the array, for errors.
struct place {
    const char* op;
    const std::string& name;
};

constexpr const char* convert_first = "astype() to a supported type before numpy.save";

[[noreturn]] void refuse(const place& p, const char* what, const std::string& got,
                         const std::string& expected,
                         const char* remedy = "saving the array again with numpy.save") {
    runtime::fail<ValueError>(p.op, what, p.name + ": " + got, expected, remedy);
}

struct type_name {
    const char* name;
    ScalarType dtype;
    int bytes = 0;  // size in the file, if an unsigned integer is read as a wider signed one
};
constexpr type_name type_names[] = {
#define SINTER_DTYPE(type, computed, name, number, kind, pair, npy, ...) {npy, ScalarType::name},
#define SINTER_COMPLEX_DTYPE SINTER_DTYPE
#include <sinter/core/dtype.def>
    {"u2", kInt, 2}, {"u4", kLong, 4}, {"u8", kLong, 8}};

/// The contents of the dictionary.
struct header {
    type_name type{nullptr, ScalarType::Undefined};
    bool fortran = false, swapped = false;
    std::vector<int64_t> shape;
};

/// Returns the text of the value of a key, up to the comma or brace that ends it.
std::string value_of(const place& p, const std::string& dictionary, const char* key) {
    std::size_t at = std::string::npos;
    for (const char quote : {'\'', '"'}) {
        at = dictionary.find(quote + std::string(key) + quote);
        if (at != std::string::npos) break;
    }
    if (at != std::string::npos) at = dictionary.find(':', at);
    if (at == std::string::npos)
        refuse(p, "the header lacks a key", runtime::text("no ", key),
               "descr, fortran_order and shape");
    at = dictionary.find_first_not_of(' ', at + 1);
    if (at == std::string::npos) return "";
    std::size_t end = dictionary.find_first_of(dictionary[at] == '(' ? ")" : ",}", at);
    if (end != std::string::npos && dictionary[end] == ')') ++end;
    std::string value = dictionary.substr(at, end - at);
    while (!value.empty() && value.back() == ' ') value.pop_back();
    return value;
}

/// Returns the dtype, and true if the bytes must be swapped.
std::pair<type_name, bool> parse_dtype(const place& p, const std::string& text) {
    if (text.find('O') != std::string::npos)
        refuse(p, "the elements are Python objects", text, "numbers or booleans", convert_first);
    const bool quoted =
        text.size() >= 5 && (text[0] == '\'' || text[0] == '"') && text.back() == text[0];
    if (quoted) {  // for example '<f4'
        const char order = text[1];
        for (const type_name& t : type_names) {
            if (text.compare(2, text.size() - 3, t.name) != 0) continue;
            const bool one_byte = elementSize(t.dtype) == 1;
            if (order == '<' || order == '=' || (order == '|' && (one_byte || t.name[0] == 'V')))
                return {t, false};
            if (order == '>') return {t, !one_byte};
        }
    }
    refuse(p, "the element type is not supported", text,
           "f2, f4, f8, c8, c16, i1, i2, i4, i8, u1, u2, u4, u8 or b1", convert_first);
}

std::vector<int64_t> parse_shape(const place& p, const std::string& text) {
    std::vector<int64_t> shape;
    const auto bad = [&] { refuse(p, "the shape cannot be read", text, "a tuple of sizes"); };
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

header parse(const place& p, const std::string& dictionary) {
    header h;
    std::tie(h.type, h.swapped) = parse_dtype(p, value_of(p, dictionary, "descr"));
    const std::string order = value_of(p, dictionary, "fortran_order");
    if (order != "True" && order != "False")
        refuse(p, "fortran_order cannot be read", order, "True or False");
    h.fortran = order == "True";
    h.shape = parse_shape(p, value_of(p, dictionary, "shape"));
    return h;
}

uint32_t little_endian(const unsigned char* bytes, int n) {
    uint32_t v = 0;
    for (int i = 0; i < n; ++i) v |= static_cast<uint32_t>(bytes[i]) << (8 * i);
    return v;
}

std::string read_dictionary(const place& p, npy_input& in) {
    char start[magic_size + 2];
    if (!in.read(start, sizeof start) || std::memcmp(start, magic, magic_size) != 0)
        refuse(p, "the file is not a .npy file", "other first bytes", "\\x93NUMPY");
    const int version = static_cast<unsigned char>(start[magic_size]);
    if (version < 1 || version > 3)
        refuse(p, "the format version is not supported", std::to_string(version), "1, 2 or 3");
    unsigned char length[4];
    const std::size_t length_size = version == 1 ? 2 : 4;
    std::string dictionary;
    bool whole = in.read(reinterpret_cast<char*>(length), length_size);
    if (whole) {
        const std::size_t n = little_endian(length, static_cast<int>(length_size));
        if (n > header_max)
            refuse(p, "the header is too long", runtime::text(n, " bytes"), "at most 1 MiB");
        dictionary.resize(n);
        whole = in.read(dictionary.data(), n);
    }
    if (!whole) refuse(p, "the file ends within the header", "too few bytes", "a whole header");
    return dictionary;
}

/// Returns a column-major layout: strides rise from the first dimension on.
geometry_ptr fortran_layout(const std::vector<int64_t>& shape) {
    const std::vector<int64_t> reversed(shape.rbegin(), shape.rend());
    const std::vector<int64_t> strides = make_contiguous(reversed)->strides_ref().vec();
    return make_geometry(shape, std::vector<int64_t>(strides.rbegin(), strides.rend()), 0);
}

std::string dictionary_of(const TensorImpl& t) {
    std::string type;
    for (const type_name& n : type_names)
        if (n.dtype == t.dtype && n.bytes == 0) type = n.name;
    const geometry& g = *t.shape;
    std::string shape;
    for (int d = 0; d < g.ndim; ++d) shape += (d > 0 ? ", " : "") + std::to_string(g.sizes()[d]);
    if (g.ndim == 1) shape += ',';
    return runtime::text("{'descr': '", type == "i1" || type == "u1" || type == "b1" ? '|' : '<',
                         type, "', 'fortran_order': False, 'shape': (", shape, "), }");
}

}  // namespace

std::string npy_preamble(const TensorImpl& t) {
    std::string dictionary = dictionary_of(t);
    const std::size_t fixed = magic_size + 2 + 2;
    const std::size_t whole =
        (fixed + dictionary.size() + 1 + alignment - 1) / alignment * alignment;
    dictionary.resize(whole - fixed - 1, ' ');
    dictionary += '\n';
    const auto n = dictionary.size();  // at most 64 dimensions, so version 1 is enough
    std::string out(magic, magic_size);
    out += {'\x01', '\x00', static_cast<char>(n & 0xff), static_cast<char>(n >> 8)};
    return out + dictionary;
}

std::span<const char> npy_elements(const TensorImpl& t) {
    const std::size_t item = elementSize(t.dtype);
    const char* data = values(t, flush_reason::save);
    if (t.shape->numel == 0) return {};
    return {data + t.shape->offset * static_cast<int64_t>(item),
            static_cast<std::size_t>(t.shape->numel) * item};
}

Tensor read_npy(const char* op, const std::string& name, npy_input& in) {
    const place p{op, name};
    const header h = parse(p, read_dictionary(p, in));
    geometry_ptr shape = h.fortran ? fortran_layout(h.shape) : make_contiguous(h.shape);
    const ScalarType dtype = h.type.dtype;
    const std::size_t item =
        h.type.bytes ? static_cast<std::size_t>(h.type.bytes) : elementSize(dtype);
    const std::size_t bytes = static_cast<std::size_t>(shape->numel) * item;
    if (in.left() < bytes)  // checked before the memory is allocated
        refuse(p, "the file ends within the elements",
               runtime::text(in.left(), " bytes for shape ", IntArrayRef(h.shape)),
               runtime::text(bytes, " bytes"));
    Tensor result(make_empty(dtype, shape, runtime::main_memory));
    char* to = fresh(*result.unsafeGetTensorImpl());
    if (!in.read(to, bytes))
        refuse(p, "the elements cannot be read", "a read error", runtime::text(bytes, " bytes"));
    if (const std::size_t part = h.type.bytes ? item : elementSize(toRealValueType(dtype));
        h.swapped)
        for (std::size_t i = 0; i < bytes; i += part) std::reverse(to + i, to + i + part);
    if (h.type.bytes)
        if (const auto wide =
                widen_unsigned(to, item, dtype, static_cast<std::size_t>(shape->numel)))
            refuse(p, "an element does not fit the dtype",
                   runtime::text(*wide, " in u8, which is read as Long"), "at most 2^63 - 1",
                   convert_first);
    if (dtype == kBool) normalize_bools(to, bytes);
    return result;
}

}  // namespace sinter::ops
