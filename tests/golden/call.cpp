#include "tests/golden/call.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace sinter::golden {
namespace {

struct dtype_name {
    const char* name;
    ScalarType type;
};
constexpr dtype_name dtypes[] = {{"u8", kByte},   {"i8", kChar},          {"i16", kShort},
                                 {"i32", kInt},   {"i64", kLong},         {"f16", kHalf},
                                 {"f32", kFloat}, {"f64", kDouble},       {"bf16", kBFloat16},
                                 {"bool", kBool}, {"c64", kComplexFloat}, {"c128", kComplexDouble}};

const ScalarType* find_dtype(std::string_view name) {
    for (const dtype_name& d : dtypes)
        if (name == d.name) return &d.type;
    return nullptr;
}

[[noreturn]] void bad(const std::string& what) { throw std::runtime_error("cannot read " + what); }

int64_t integer(const std::string& s) {
    char* end = nullptr;
    const int64_t n = std::strtoll(s.c_str(), &end, 10);
    if (s.empty() || *end) bad(s);
    return n;
}

double floating(const std::string& s) {
    char* end = nullptr;
    const double x = std::strtod(s.c_str(), &end);
    if (s.empty() || *end) bad(s);
    return x;
}

std::vector<std::string> split(const std::string& s, char at) {
    std::vector<std::string> parts;
    if (s.empty()) return parts;
    std::size_t from = 0;
    for (std::size_t to; (to = s.find(at, from)) != std::string::npos; from = to + 1)
        parts.push_back(s.substr(from, to - from));
    parts.push_back(s.substr(from));
    return parts;
}

std::vector<int64_t> integers(const std::string& s) {
    std::vector<int64_t> r;
    for (const std::string& part : split(s, ',')) r.push_back(integer(part));
    return r;
}

/// Returns the text between two characters; `rest` is what follows.
std::string between(const std::string& s, char open, char close, std::string& rest) {
    const std::size_t a = s.find(open), b = s.find(close);
    if (a == std::string::npos || b == std::string::npos) bad(s);
    rest = s.substr(b + 1);
    return s.substr(a + 1, b - a - 1);
}

uint64_t parse_element(const std::string& s, ScalarType type);

/// Parses `3f8,0*4,nan`: words with repeat counts.
std::vector<uint64_t> parse_elements(const std::vector<std::string>& list, ScalarType type) {
    std::vector<uint64_t> bits;
    for (const std::string& s : list) {
        const std::size_t star = s.find('*');
        const int64_t times = star == std::string::npos ? 1 : integer(s.substr(star + 1));
        bits.insert(bits.end(), static_cast<std::size_t>(times),
                    parse_element(s.substr(0, star), type));
    }
    return bits;
}

/// Parses `i(3,1)+2=7,-1.5,2.0` or `v=3f8,4`, which follow the sizes.
void parse_placed(const std::string& s, recipe& r) {
    const std::size_t at = s.find('=');
    if (at == std::string::npos) bad(s);
    r.kind = s[0];
    if (at > 1) {
        std::string offset;
        r.strides = integers(between(s.substr(1, at - 1), '(', ')', offset));
        r.offset = integer(offset.substr(1));
    } else {
        r.strides.assign(r.sizes.size(), 1);
        for (std::size_t d = r.sizes.size(); d-- > 1;)
            r.strides[d - 1] = r.strides[d] * std::max<int64_t>(r.sizes[d], 1);
    }
    const std::vector<std::string> parts = split(s.substr(at + 1), ',');
    if (r.kind == 'v') {
        r.bits = parse_elements(parts, toRealValueType(r.dtype));
        return;
    }
    r.seed = integer(parts.at(0));
    r.low = floating(parts.at(1));
    r.high = floating(parts.at(2));
}

recipe parse_recipe(const std::string& s, ScalarType type) {
    recipe r;
    std::string rest;
    r.dtype = type;
    r.sizes = integers(between(s, '[', ']', rest));
    if (rest.find('=') != std::string::npos) {
        parse_placed(rest, r);
        return r;
    }
    const char* p = rest.c_str();
    char* end = nullptr;
    r.kind = *p++;
    r.seed = std::strtoll(p, &end, 10);
    if (*end == '.') r.parameter = std::strtoll(end + 1, &end, 10);
    if (*end) r.layout = *end++;
    if (*end) bad(s);
    return r;
}

using words = std::vector<std::string>;

argument parse_argument(const words& w, std::size_t& at) {
    argument a;
    const std::string& s = w.at(at++);
    const std::size_t bracket = s.find('[');
    if (s == "{") {
        a.which = argument::kind::list;
        while (w.at(at) != "}") a.items.push_back(parse_argument(w, at));
        ++at;
    } else if (s == "None") {
        a.which = argument::kind::none;
    } else if (s == "...") {
        a.which = argument::kind::ellipsis;
    } else if (s.front() == '"') {
        a.which = argument::kind::text;
        a.text = s.substr(1, s.size() - 2);
    } else if (const ScalarType* t = find_dtype(s)) {
        a.which = argument::kind::dtype;
        a.type = *t;
    } else if (bracket != std::string::npos && find_dtype(s.substr(0, bracket))) {
        a.which = argument::kind::operand;
        a.how = parse_recipe(s, *find_dtype(s.substr(0, bracket)));
    } else if (s == "true" || s == "false") {
        a.which = argument::kind::number;
        a.number = s == "true";
    } else if (s.front() == '(') {
        std::string rest;
        const words parts = split(between(s, '(', ')', rest), ',');
        a.which = argument::kind::number;
        a.number = complex<double>(floating(parts.at(0)), floating(parts.at(1)));
    } else if (s.find(':') != std::string::npos) {
        a.which = argument::kind::slice;
        const words parts = split(s, ':');
        for (std::size_t i = 0; i < parts.size(); ++i)
            if (!parts[i].empty()) a.parts[i] = integer(parts[i]);
    } else {
        a.which = argument::kind::number;
        a.number = s.find_first_of(".einf") != std::string::npos ? Scalar(floating(s)) : integer(s);
    }
    return a;
}

bool is_float(ScalarType t) { return isFloatingType(t); }

int bits_of(ScalarType t) { return static_cast<int>(elementSize(t)) * 8; }

/// Floats are hexadecimal bits without trailing zeros. Everything else is decimal.
uint64_t parse_element(const std::string& s, ScalarType type) {
    const int width = bits_of(type);
    if (!is_float(type)) {
        const auto n = static_cast<uint64_t>(
            s[0] == '-' ? integer(s) : static_cast<int64_t>(std::strtoull(s.c_str(), nullptr, 10)));
        return width == 64 ? n : n & ((uint64_t{1} << width) - 1);
    }
    if (s == "nan") {
        switch (type) {
            case kHalf: return 0x7e00;
            case kBFloat16: return 0x7fc0;
            case kFloat: return 0x7fc00000;
            default: return 0x7ff8000000000000;
        }
    }
    std::string full = s;
    full.resize(static_cast<std::size_t>(width) / 4, '0');
    char* end = nullptr;
    const uint64_t bits = std::strtoull(full.c_str(), &end, 16);
    if (*end || full.size() < s.size()) bad(s);
    return bits;
}

/// Parses `f32[2,3] 3f8 nan*2 0 ...`; with `(3,1)+0` after the sizes it is a view.
expected_tensor parse_result(const words& w, std::size_t& at) {
    expected_tensor e;
    const std::string& s = w.at(at++);
    const ScalarType* type = find_dtype(s.substr(0, s.find('[')));
    if (!type) bad(s);
    e.dtype = *type;
    std::string rest;
    e.sizes = integers(between(s, '[', ']', rest));
    if (const std::size_t slash = rest.find('/'); slash != std::string::npos) {
        e.step = integer(rest.substr(slash + 1));
        rest.resize(slash);
    }
    if (!rest.empty()) {
        e.is_view = true;
        std::string offset;
        e.strides = integers(between(rest, '(', ')', offset));
        e.offset = integer(offset.substr(1));
    }
    words elements;
    for (; at < w.size() && w[at] != ";"; ++at) elements.push_back(w[at]);
    e.bits = parse_elements(elements, toRealValueType(e.dtype));
    return e;
}

std::string written_scalar(const Scalar& s) {
    std::ostringstream out;
    if (s.isFloatingPoint() && std::isnan(s.toDouble())) return "NAN";
    if (s.isFloatingPoint() && std::isinf(s.toDouble()))
        return s.toDouble() < 0 ? "-INFINITY" : "INFINITY";
    out.precision(17);
    if (s.isComplex()) {
        out << "complex<double>" << s;
        return out.str();
    }
    out << s;
    const std::string text = out.str();
    const bool plain = text.find_first_of(".e") == std::string::npos;
    return s.isFloatingPoint() && plain ? text + ".0" : text;
}

std::string written_argument(const argument& a) {
    switch (a.which) {
        case argument::kind::none: return "nullopt";
        case argument::kind::number: return written_scalar(a.number);
        case argument::kind::text: return '"' + a.text + '"';
        case argument::kind::dtype: return std::string("k") + toString(a.type);
        case argument::kind::operand: return written(a.how);
        case argument::kind::ellipsis: return "Ellipsis";
        case argument::kind::slice: {
            std::string s = "Slice(";
            for (int i = 0; i < 3; ++i)
                s += (i ? ", " : "") + (a.parts[i] ? std::to_string(*a.parts[i]) : "None");
            return s + ")";
        }
        case argument::kind::list: break;
    }
    std::string s = "{";
    for (std::size_t i = 0; i < a.items.size(); ++i)
        s += (i ? ", " : "") + written_argument(a.items[i]);
    return s + "}";
}

void prepare_all(std::vector<argument>& items) {
    for (argument& a : items) {
        if (a.which == argument::kind::operand) a.tensor = make(a.how);
        prepare_all(a.items);
    }
}

}  // namespace

void arguments::prepare() { prepare_all(items_); }

const argument& arguments::at(std::size_t i) const {
    static const argument none;
    return i < items_.size() ? items_[i] : none;
}

optional<int64_t> arguments::on(std::size_t i) const {
    if (is_none(i)) return nullopt;
    return n(i);
}

optional<Scalar> arguments::os(std::size_t i) const {
    if (is_none(i)) return nullopt;
    return s(i);
}

optional<ScalarType> arguments::dtype(std::size_t i) const {
    if (is_none(i)) return nullopt;
    return at(i).type;
}

TensorOptions arguments::options(std::size_t i) const {
    return is_none(i) ? TensorOptions() : TensorOptions(at(i).type);
}

std::vector<int64_t> arguments::list(std::size_t i) const {
    if (at(i).which == argument::kind::number) return {n(i)};
    std::vector<int64_t> r;
    for (const argument& a : at(i).items) r.push_back(a.number.toLong());
    return r;
}

std::vector<int64_t> arguments::list_at(std::size_t i, std::size_t k) const {
    std::vector<int64_t> r;
    for (const argument& a : at(i).items.at(k).items) r.push_back(a.number.toLong());
    return r;
}

std::vector<Scalar> arguments::scalars(std::size_t i) const {
    std::vector<Scalar> r;
    for (const argument& a : at(i).items) r.push_back(a.number);
    return r;
}

std::vector<Tensor> arguments::tensors(std::size_t i) const {
    std::vector<Tensor> r;
    for (const argument& a : at(i).items) r.push_back(a.tensor);
    return r;
}

std::vector<TensorIndex> arguments::indices(std::size_t i) const {
    std::vector<TensorIndex> r;
    for (const argument& a : at(i).items) switch (a.which) {
            case argument::kind::none: r.emplace_back(None); break;
            case argument::kind::ellipsis: r.emplace_back(Ellipsis); break;
            case argument::kind::slice:
                r.emplace_back(Slice(a.parts[0], a.parts[1], a.parts[2]));
                break;
            case argument::kind::operand: r.emplace_back(a.tensor); break;
            default:
                if (a.number.isBoolean())
                    r.emplace_back(a.number.toBool());
                else
                    r.emplace_back(a.number.toLong());
        }
    return r;
}

std::string arguments::written(const std::string& name) const {
    std::string s = name + "(";
    for (std::size_t i = 0; i < items_.size(); ++i)
        s += (i ? ", " : "") + written_argument(items_[i]);
    return s + ")";
}

golden_call parse(const std::string& line) {
    words w;
    std::istringstream in(line);
    for (std::string word; in >> word;) w.push_back(word);
    golden_call c;
    std::size_t at = 0;
    c.name = w.at(at++);
    std::vector<argument> items;
    while (w.at(at) != "->") items.push_back(parse_argument(w, at));
    c.args = arguments(std::move(items));
    ++at;
    if (at == w.size()) return c;
    if (w[at][0] == '!') {
        c.error = w[at].substr(1);
        return c;
    }
    if (w[at][0] == '~') {
        char* end = nullptr;
        c.bound = std::strtod(w[at].c_str() + 1, &end);
        if (*end == ',') c.relative = std::strtod(end + 1, nullptr);
        ++at;
    }
    for (;;) {
        c.results.push_back(parse_result(w, at));
        if (at == w.size()) return c;
        ++at;  // the semicolon
    }
}

uint64_t bits_at(const void* memory, int64_t i, ScalarType dtype) {
    const std::size_t size = elementSize(dtype);
    uint64_t bits = 0;
    std::memcpy(&bits, static_cast<const char*>(memory) + static_cast<std::size_t>(i) * size, size);
    return bits;
}

}  // namespace sinter::golden
