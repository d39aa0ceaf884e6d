#include "jit/cache/miss.hpp"

#include "jit/cache/device_key.hpp"
#include "jit/kernel_ir/opcodes.hpp"
#include "jit/kernel_ir/print.hpp"
#include "runtime/base/fail.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <vector>

namespace sinter::code_cache {
namespace {

using kernel_ir::kernel;

/// The differences of two kernels, as text.
class difference {
public:
    template <class T>
    void field(const std::string& name, const T& wanted, const T& stored) {
        if (wanted != stored) add(name + " " + text(wanted) + ", stored is " + text(stored));
    }
    void add(std::string what) { all_.push_back(std::move(what)); }
    std::size_t count() const { return all_.size(); }

    std::string first(std::size_t most) const {
        std::string joined;
        for (std::size_t i = 0; i < std::min(most, all_.size()); ++i)
            joined += (i ? "; " : "") + all_[i];
        if (all_.size() > most) joined += "; and " + std::to_string(all_.size() - most) + " more";
        return joined;
    }

private:
    static std::string text(const std::string& s) { return s; }
    static std::string text(const char* s) { return s; }
    template <class T>
    static std::string text(const T& number) {
        return std::to_string(number);
    }
    std::vector<std::string> all_;
};

std::string name_of(kernel_ir::row_form form) {
    constexpr const char* names[] = {"any", "one chunk", "up to 32", "up to 16", "runs", "few"};
    return names[static_cast<int>(form)];
}

void compare_operands(const kernel& wanted, const kernel& stored, difference& d) {
    d.field("number of operands", wanted.operands.size(), stored.operands.size());
    const std::size_t both = std::min(wanted.operands.size(), stored.operands.size());
    for (std::size_t i = 0; i < both; ++i) {
        const kernel_ir::operand &a = wanted.operands[i], &b = stored.operands[i];
        const std::string operand = "operand " + std::to_string(i) + ": ";
        d.field(operand + "role", std::string(kernel_ir::name_of(a.use)),
                std::string(kernel_ir::name_of(b.use)));
        d.field(operand + "dtype", std::string(kernel_ir::name_of(a.type)),
                std::string(kernel_ir::name_of(b.type)));
        d.field(operand + "stride class", std::string(kernel_ir::name_of(a.lane)),
                std::string(kernel_ir::name_of(b.lane)));
    }
}

void compare_bodies(const kernel& wanted, const kernel& stored, difference& d) {
    d.field("number of instructions", wanted.body.size(), stored.body.size());
    const std::size_t both = std::min(wanted.body.size(), stored.body.size());
    for (std::size_t i = 0; i < both; ++i) {
        const auto id = static_cast<kernel_ir::value_id>(i);
        d.field("instruction", kernel_ir::print(wanted.body[i], id),
                kernel_ir::print(stored.body[i], id));
    }
}

/// A kernel, and of a GPU's the shape of its launch.
struct parsed_key {
    kernel ir;
    std::optional<codegen::loop_shape> shape;
};

void compare_shapes(const codegen::loop_shape& wanted, const codegen::loop_shape& stored,
                    difference& d) {
    std::vector<uint64_t> values;
    each_field(stored, [&](const char*, const auto& v) { values.push_back(uint64_t{v}); });
    auto at = values.begin();
    each_field(wanted, [&](const char* name, const auto& v) { d.field(name, uint64_t{v}, *at++); });
}

difference compare(const parsed_key& wanted_key, const parsed_key& stored_key) {
    const kernel &wanted = wanted_key.ir, &stored = stored_key.ir;
    difference d;
    compare_operands(wanted, stored, d);
    d.field("lanes along", std::string(wanted.along == kernel_ir::lanes::row ? "rows" : "elements"),
            std::string(stored.along == kernel_ir::lanes::row ? "rows" : "elements"));
    d.field("form of rows", name_of(wanted.form), name_of(stored.form));
    d.field("length of rows", wanted.extent, stored.extent);
    d.field("number of scalars", wanted.scalars.size(), stored.scalars.size());
    if (wanted.scalars != stored.scalars && wanted.scalars.size() == stored.scalars.size())
        d.add("types of scalars");
    if (wanted.known != stored.known) d.add("known scalars");
    compare_bodies(wanted, stored, d);
    if (wanted_key.shape && stored_key.shape)
        compare_shapes(*wanted_key.shape, *stored_key.shape, d);
    return d;
}

/// Returns nothing for the text of handwritten kernels and for what this library cannot read.
std::optional<parsed_key> parse(byte_view key) {
    try {
        if (std::optional<device_subject> s = read_device_key(key))
            return parsed_key{std::move(s->ir), s->shape};
        return parsed_key{kernel_ir::deserialize(key.data(), key.size()), std::nullopt};
    } catch (const InternalError&) {
        return std::nullopt;
    }
}

/// The stored kernel that is most like a wanted one.
class nearest {
public:
    explicit nearest(const wanted_code& wanted) : wanted_(wanted), mine_(parse(wanted.key)) {}

    void see(const std::string& file, const artefact& a) {
        const std::optional<parsed_key> theirs = parse(a.key);
        if (!mine_ || !theirs || mine_->shape.has_value() != theirs->shape.has_value()) return;
        difference d = compare(*mine_, *theirs);
        d.field("target", std::string(wanted_.target), std::string(a.target));
        if (d.count() == 0) {
            d.field("kernel ABI", wanted_.is.abi, a.is.abi);
            if (wanted_.is.semantics != a.is.semantics)
                d.add("its operations have other formulas or numerics than in this library");
            if (d.count() == 0)
                d.add("its producer is \"" + std::string(a.producer) + "\", not \"" +
                      std::string(wanted_.producer) + "\"");
        }
        if (least_ && d.count() >= *least_) return;
        least_ = d.count();
        text_ = file + ": " + d.first(3);
    }
    const std::string& text() const { return text_; }

private:
    const wanted_code& wanted_;
    std::optional<parsed_key> mine_;
    std::optional<std::size_t> least_;
    std::string text_;
};

}  // namespace

std::string name_of_key(byte_view key) {
    char text[24];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash_of(key).high));
    return text;
}

std::string nearest_kernel(code_places& places, const wanted_code& wanted) {
    nearest n(wanted);
    places.for_each([&](const std::string& file, const artefact& a) { n.see(file, a); });
    return n.text();
}

std::string nearest_kernel(std::span<const stored_code> among, const wanted_code& wanted) {
    nearest n(wanted);
    for (const auto& [file, code] : among) n.see(file, code);
    return n.text();
}

void refuse_miss(const std::string& kernel, const std::string& nearest, const std::string& line) {
    runtime::fail(
        "cache", "a kernel is in no cache, and SINTER_CACHE=require forbids to compile it",
        "kernel " + kernel + (line.empty() ? "" : " from " + line) +
            (nearest.empty() ? "; no kernel is stored that could be compared"
                             : "; nearest is " + nearest),
        "a stored kernel",
        "running the program once with SINTER_CACHE=use, which stores what it compiles" +
            std::string(line.empty() ? ", or SINTER_LINES=on, which names the line" : ""));
}

}  // namespace sinter::code_cache
