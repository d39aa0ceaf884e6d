#include "tests/golden/program_machine.hpp"

#include "tests/golden/call.hpp"
#include "tests/support/element_types.hpp"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace sinter::golden {
namespace {

struct dtype_name {
    const char* name;
    ScalarType type;
};
constexpr dtype_name dtypes[] = {
    {"u8", kByte},  {"i8", kChar},   {"i16", kShort},  {"i32", kInt},   {"i64", kLong},
    {"f16", kHalf}, {"f32", kFloat}, {"f64", kDouble}, {"bool", kBool}, {"bf16", kBFloat16}};

[[noreturn]] void bad(const std::string& what) { throw std::runtime_error("cannot read " + what); }

std::vector<std::string> words_of(const std::string& text) {
    std::vector<std::string> r;
    std::istringstream in(text);
    for (std::string word; in >> word;) r.push_back(word);
    return r;
}

uint32_t crc32(const std::vector<unsigned char>& bytes) {
    static const auto table = [] {
        std::array<uint32_t, 256> t{};
        for (uint32_t i = 0; i < 256; ++i) {
            uint32_t c = i;
            for (int k = 0; k < 8; ++k) c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
            t[i] = c;
        }
        return t;
    }();
    uint32_t c = 0xffffffffu;
    for (unsigned char b : bytes) c = table[(c ^ b) & 0xff] ^ (c >> 8);
    return ~c;
}

uint64_t one_nan(ScalarType type, uint64_t bits) {
    if (!testing::is_nan(type, bits)) return bits;
    switch (type) {
        case kHalf: return 0x7e00;
        case kBFloat16: return 0x7fc0;
        case kFloat: return 0x7fc00000;
        default: return 0x7ff8000000000000;
    }
}

}  // namespace

std::string digest(const Tensor& t, bool in_place) {
    const Tensor dense = in_place ? t : t.contiguous();
    const void* memory = dense.numel() == 0 ? nullptr : dense.const_data_ptr();
    const ScalarType type = t.scalar_type();
    const std::size_t size = elementSize(type);
    std::vector<unsigned char> bytes(static_cast<std::size_t>(t.numel()) * size);
    std::vector<int64_t> at(static_cast<std::size_t>(t.dim()), 0);
    for (std::size_t i = 0; i < bytes.size(); i += size) {
        int64_t place = 0;
        for (std::size_t d = 0; d < at.size(); ++d) place += at[d] * dense.strides()[d];
        const uint64_t bits = one_nan(type, bits_at(memory, place, type));
        std::memcpy(&bytes[i], &bits, size);
        for (std::size_t d = at.size(); d-- > 0;) {
            if (++at[d] < dense.sizes()[d]) break;
            at[d] = 0;
        }
    }
    std::string s;
    for (const dtype_name& d : dtypes)
        if (d.type == type) s = d.name;
    s += '[';
    for (int64_t d = 0; d < t.dim(); ++d) s += (d ? "," : "") + std::to_string(t.size(d));
    char text[20];
    std::snprintf(text, sizeof text, "] %08x", crc32(bytes));
    return s + text;
}

Tensor& program_machine::t(std::size_t i) {
    if (!is_tensor(i)) bad("the value " + words_.at(i));
    value& v = slots_[slot(i)];
    if (v.expression) {
        v.tensor = v.expression->take();
        v.expression.reset();
    }
    if (!v.tensor.defined()) bad("the value " + words_.at(i) + ": there is none");
    return v.tensor;
}

int64_t program_machine::n(std::size_t i) const {
    char* end = nullptr;
    const int64_t r = std::strtoll(words_.at(i).c_str(), &end, 10);
    if (*end) bad("the number " + words_.at(i));
    return r;
}

std::vector<int64_t> program_machine::list(std::size_t i) const {
    const std::string& s = words_.at(i);
    if (s.front() != '[' || s.back() != ']') bad("the list " + s);
    std::vector<int64_t> r;
    for (const char* p = s.c_str() + 1; *p != ']';) {
        char* end = nullptr;
        r.push_back(std::strtoll(p, &end, 10));
        if (end == p) bad("the list " + s);
        p = *end == ',' ? end + 1 : end;
    }
    return r;
}

Scalar program_machine::s(std::size_t i) const {
    const std::string& w = words_.at(i);
    if (w == "true" || w == "false") return w == "true";
    if (w.find_first_of(".in") == std::string::npos) return n(i);
    char* end = nullptr;
    const double x = std::strtod(w.c_str(), &end);
    if (*end) bad("the number " + w);
    return x;
}

ScalarType program_machine::dtype(std::size_t i) const {
    for (const dtype_name& d : dtypes)
        if (words_.at(i) == d.name) return d.type;
    bad("the dtype " + words_.at(i));
}

void program_machine::put_at(std::size_t which, const Tensor& value) {
    auto& v = slots_[static_cast<std::size_t>(names_.at(which)[0] - 'a')];
    v.expression.reset();
    v.tensor = value;
    if (how_.evaluate) v.tensor.eval();
}

Tensor program_machine::blob(ScalarType dtype, const std::vector<int64_t>& sizes,
                             const std::vector<int64_t>& strides, int64_t seed) {
    int64_t elements = 1;
    for (std::size_t d = 0; d < sizes.size(); ++d) elements += (sizes[d] - 1) * strides[d];
    elements = std::max<int64_t>(elements, 0);
    const std::size_t bytes = static_cast<std::size_t>(elements) * elementSize(dtype);
    auto& own = memory_.emplace_back(bytes / sizeof(std::max_align_t) + 1);
    const Tensor from = make({dtype, {elements}, 'm', seed});
    if (elements > 0) std::memcpy(own.data(), from.const_data_ptr(), bytes);
    return from_blob(own.data(), sizes, strides, dtype);
}

std::string program_machine::step(const std::string& statement) {
    words_ = words_of(statement);
    names_.clear();
    printed_.clear();
    if (words_.size() > 1 && words_[1] == "=") {
        std::istringstream in(words_[0]);
        for (std::string name; std::getline(in, name, ',');) names_.push_back(name);
        words_.erase(words_.begin(), words_.begin() + 2);
    }
    const statement_function f = find_statement(words_.at(0));
    if (!f) bad("the statement " + words_.at(0));
    const bool writes = words_[0].back() == '_';
    words_.erase(words_.begin());
    f(*this);
    if (writes && how_.evaluate) t(0).eval();
    return printed_;
}

std::vector<recorded_program> read_programs(const std::string& path) {
    std::ifstream in(path);
    if (!in) throw std::runtime_error("cannot open " + path);
    std::vector<recorded_program> programs;
    int number = 0;
    for (std::string line; std::getline(in, line);) {
        ++number;
        if (line.empty() || line[0] == '#') continue;
        if (line.starts_with("program "))
            programs.push_back({std::stoll(line.substr(8)), number + 1, {}});
        else if (programs.empty())
            bad(line);
        else
            programs.back().statements.push_back(line);
    }
    return programs;
}

std::string run(const recorded_program& p, const program_run& how) {
    const ModeGuard guard(how.mode);
    program_machine m(how);
    int line = p.line;
    for (const std::string& whole : p.statements) {
        const std::size_t arrow = whole.find(" -> ");
        const bool refused = whole[0] == '!';
        const std::string text = whole.substr(refused ? 2 : 0, arrow - (refused ? 2 : 0));
        const std::string place = std::to_string(line++) + ": " + text + "\n  ";
        try {
            const std::string got = m.step(text);
            if (refused) return place + "did not throw; PyTorch refuses it";
            const std::string expected = arrow == std::string::npos ? "" : whole.substr(arrow + 4);
            if (got != expected) return place + "gives " + got + ", PyTorch " + expected;
        } catch (const Error& e) {
            if (!refused) return place + "threw " + e.what();
        }
    }
    return {};
}

}  // namespace sinter::golden
