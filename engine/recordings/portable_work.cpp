#include "engine/recordings/portable_work.hpp"

#include "engine/graph/infer.hpp"
#include "engine/graph/results.hpp"
#include "jit/kernel_ir/byte_stream.hpp"

#include <sinter/dtype.hpp>
#include <sinter/mode.hpp>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <iterator>
#include <string>

namespace sinter::plan {
namespace {

using kernel_ir::byte_reader, kernel_ir::byte_writer;

// Raise this when the layout below, or a number of an enumeration that it holds, changes.
// Version 1 did not tell gradients, nor what is saved for them.
constexpr uint8_t format_version = 2;
static_assert(static_cast<int>(node_kind::library) == 2 && static_cast<int>(last_dtype) == 16 &&
              static_cast<int>(Scalar::kind::complex) == 3 &&
              static_cast<int>(operand_type::rank::dimensioned) == 2);

// ---- writing

void put(byte_writer& out, const geometry& g, int64_t first) {
    out.put(static_cast<uint8_t>(g.ndim));
    out.put(g.offset - first);
    for (int i = 0; i < 2 * g.ndim; ++i) out.put(g.sizes()[i]);  // and strides
}

/// A program, with operations by name.
void put(byte_writer& out, const typed_program& t) {
    const program& p = *t.source;
    out.put_enum(t.default_dtype);
    out.put(static_cast<uint8_t>(t.fast));
    out.put_size(p.words.size());
    for (std::size_t i = 0; i < p.words.size(); ++i) {
        const uint16_t word = p.words[i];
        out.put(static_cast<uint8_t>(word < token_first));
        if (word < token_first)
            out.put_name(op::rows[word].name);
        else
            out.put(word);
        if (has_dtype(word)) out.put_enum(static_cast<ScalarType>(p.words[++i]));
    }
    out.put_size(t.leaves.size());
    for (const operand_type& l : t.leaves) {
        out.put_enum(l.dtype);
        out.put_enum(l.which);
    }
    out.put_size(t.scalars.size());
    for (const Scalar::kind k : t.scalars) out.put_enum(k);
}

void put_operation(byte_writer& out, const Node& n) {
    switch (n.kind) {
        case node_kind::pointwise: return put(out, *n.code);
        case node_kind::library:
            out.put_name(n.library->name);
            out.put(static_cast<uint8_t>(n.library->product));
            return out.put(static_cast<uint8_t>(computed_by(n).vendor));
        case node_kind::reduce: break;
    }
    out.put_name(op::reductions[static_cast<std::size_t>(n.reduction)].name);
    out.put_enum(n.in);
    out.put(n.reduced);
}

// ---- reading

/// Two of the same kind have the same type, whatever their values.
Scalar any_of(Scalar::kind k) {
    switch (k) {
        case Scalar::kind::integral: return int64_t{1};
        case Scalar::kind::floating: return 1.0;
        case Scalar::kind::boolean: return true;
        case Scalar::kind::complex: break;
    }
    return complex<double>(1, 1);
}

/// Returns true if all elements have offsets that can be computed with.
bool has_addresses(const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides,
                   int64_t offset) {
    constexpr int64_t most = int64_t{1} << 60;
    const auto small = [](int64_t n) { return n >= -most && n <= most; };
    int64_t reach = 0, elements = 1;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        int64_t of_dim = 0;
        if (!small(strides[d]) || __builtin_mul_overflow(strides[d], sizes[d], &of_dim) ||
            !small(of_dim) || !small(reach += std::abs(of_dim)) ||
            __builtin_mul_overflow(elements, std::max<int64_t>(sizes[d], 1), &elements))
            return false;
    }
    return small(offset) && small(elements);
}

geometry_ptr get_geometry(byte_reader& in, int64_t first = 0) {
    const auto ndim = in.get<uint8_t>();
    if (ndim > 64) in.malformed("a tensor has too many dimensions");
    const auto offset = in.get<int64_t>();
    std::vector<int64_t> sizes(ndim), strides(ndim);
    for (int64_t& s : sizes) s = in.get<int64_t>();
    for (int64_t& s : strides) s = in.get<int64_t>();
    if (std::any_of(sizes.begin(), sizes.end(), [](int64_t s) { return s < 0; }))
        in.malformed("a size is negative");
    if (!has_addresses(sizes, strides, offset)) in.malformed("a layout is too large");
    return make_geometry(sizes, strides, offset + first);
}

template <class Table>
std::size_t find_name(const byte_reader& in, const Table& table, std::string_view name) {
    for (std::size_t i = 0; i < std::size(table); ++i)
        if (table[i].name == name) return i;
    in.malformed("this library has no operation of a name in them");
}

/// Reads what `put` wrote, and infers its types as they were.
const typed_program* get_program(byte_reader& in) {
    untyped_program p;
    p.default_dtype = in.get_enum(last_dtype);
    // libtorch lets a program choose an integer, which the types of results then ignore.
    if (!isFloatingType(p.default_dtype) && !isIntegralType(p.default_dtype, true) &&
        !isComplexType(p.default_dtype))
        in.malformed("a default dtype is none");
    p.fast = in.get_flag();
    std::vector<uint16_t>& words = p.words;
    words.resize(in.get_size(2));
    std::size_t leaves = 0, scalars = 0;
    int depth = 0;  // of the stack of values
    for (std::size_t i = 0; i < words.size(); ++i) {
        uint16_t& word = words[i];
        const bool named = in.get_flag();
        word = named ? static_cast<uint16_t>(find_name(in, op::rows, in.get_name()))
                     : in.get<uint16_t>();
        if (named) {
            depth -= op::rows[word].arity - 1;
        } else if (word == token_leaf || word == token_scalar) {
            (word == token_leaf ? leaves : scalars) += 1;
            ++depth;
        } else if (word == token_join) {
            --depth;
        } else if (word != token_cast && word != token_real && word != token_imag) {
            in.malformed("a program has an unknown word");
        }
        if (depth < 1) in.malformed("a program lacks an operand");
        if (!has_dtype(word)) continue;
        if (++i == words.size()) in.malformed("a program lacks a dtype");
        words[i] = static_cast<uint16_t>(in.get_enum(last_dtype));
    }
    if (depth != 1) in.malformed("a program has several results");
    p.leaves.resize(in.get_size(2));
    for (operand_type& l : p.leaves) {
        l.dtype = in.get_enum(last_dtype);
        l.which = in.get_enum(operand_type::rank::dimensioned);
    }
    for (std::size_t n = in.get_size(1); n > 0; --n)
        p.scalars.push_back(in.get_enum(Scalar::kind::complex));
    if (p.leaves.size() != leaves || p.scalars.size() != scalars)
        in.malformed("a program's operands are not those of its words");
    return infer(p);
}

}  // namespace

bool has_dtype(uint16_t word) {
    if (word >= token_first) return word == token_cast || word == token_join;
    return op::rows[word].rule == dtype_rule::random;
}

const typed_program* infer(const untyped_program& p) {
    struct default_dtype {
        ScalarType before = get_default_dtype();
        ~default_dtype() { set_default_dtype(before); }
    } const dtype;
    set_default_dtype(p.default_dtype);
    const FastMathGuard fast(p.fast);
    std::vector<leaf> operands(p.leaves.size());
    std::vector<Scalar> numbers;
    const int64_t some[] = {2};
    const geometry_ptr of_rank[] = {make_contiguous({}), make_contiguous(some)};
    for (std::size_t l = 0; l < operands.size(); ++l) {
        operands[l].dtype = p.leaves[l].dtype;
        operands[l].shape = of_rank[p.leaves[l].which == operand_type::rank::dimensioned];
    }
    for (const Scalar::kind k : p.scalars) numbers.push_back(any_of(k));
    bool uniform = false;
    const program_ref ref{p.words.data(), static_cast<uint16_t>(p.words.size()),
                          static_cast<uint16_t>(operands.size()),
                          static_cast<uint16_t>(numbers.size()),
                          program_digest(p.words.data(), p.words.size())};
    return sinter::infer(intern(ref), operands, numbers, &uniform);
}

std::vector<uint8_t> write_work(const subgraph& w) {
    byte_writer out;
    out.put(format_version);
    out.put(static_cast<uint8_t>(w.eager));
    out.put_size(w.nodes.size());
    out.put_size(w.values.size() - w.nodes.size());
    for (std::size_t v = w.nodes.size(); v < w.values.size(); ++v) out.put_enum(w.values[v]->dtype);
    for (std::size_t i = 0; i < w.nodes.size(); ++i) {
        const Node& n = *w.nodes[i];
        out.put_enum(n.kind);
        out.put_enum(n.dtype);
        out.put(static_cast<uint8_t>(w.wanted[i]));
        out.put(static_cast<uint8_t>(n.partial()));
        out.put(static_cast<uint8_t>(n.backward));
        out.put(static_cast<uint8_t>(w.saved[i]));
        put(out, *n.shape, w.offsets.of(static_cast<int>(i)));
        put_operation(out, n);
        out.put_size(n.sources.size());
        for (const Edge& e : n.sources) {
            out.put(static_cast<int32_t>(subgraph::value_of(e)));
            out.put_enum(e.dtype);
            put(out, *e.shape, w.offsets.of(subgraph::value_of(e)));
        }
        if (!n.partial()) continue;
        out.put(static_cast<int32_t>(subgraph::value_of(n.base())));
        out.put(static_cast<uint8_t>(n.base().value->unwritten));
    }
    return out.take();
}

struct restored_work::parts {
    std::deque<std::string> names;
    std::deque<kernel_op> library;
    std::vector<intrusive_ptr<Version>> versions;
    std::vector<std::unique_ptr<Node>> nodes;

    intrusive_ptr<Version> version(ScalarType dtype) {
        versions.push_back(make_intrusive<Version>());
        versions.back()->dtype = dtype;
        return versions.back();
    }
    /// An operation of which planning knows all that it asks.
    const kernel_op* operation(std::string_view name, bool product, bool vendor) {
        names.emplace_back(name);
        kernel_op& o = library.emplace_back(kernel_op{});
        o.name = names.back().c_str();
        o.product = product;
        o.vendor = vendor;
        return &o;
    }
};

restored_work::restored_work(const uint8_t* data, std::size_t size, const runtime::gpu* on)
    : parts_(std::make_unique<parts>()) {
    w.absent = on;
    if (on) w.device = 0;
    byte_reader in(data, size, "recording", "the work of a program");
    const auto version = in.get<uint8_t>();
    if (version != format_version && version != 1) in.malformed("they have another format version");
    const auto newer_flag = [&] { return version > 1 && in.get_flag(); };
    w.eager = in.get_flag();
    const std::size_t nodes = in.get_size(16), ready = in.get_size(1);
    for (std::size_t i = 0; i < nodes; ++i) w.values.push_back(parts_->version({}).get());
    for (std::size_t i = 0; i < ready; ++i)
        w.values.push_back(parts_->version(in.get_enum(last_dtype)).get());
    w.offsets.of_value.assign(w.values.size(), 0);
    const auto value = [&](std::size_t reader) {
        const auto v = in.get<int32_t>();
        if (v >= static_cast<int32_t>(w.values.size()) || v < -1 ||
            (v >= static_cast<int32_t>(reader) && v < static_cast<int32_t>(nodes)))
            in.malformed("an operation reads a later one");
        return v;
    };
    for (std::size_t i = 0; i < nodes; ++i) {
        const auto kind = in.get_enum(node_kind::library);
        const auto dtype = in.get_enum(last_dtype);
        w.wanted.push_back(in.get_flag());
        w.kept.push_back(0);
        const bool partial = in.get_flag(), backward = newer_flag();
        w.saved.push_back(newer_flag());
        geometry_ptr shape = get_geometry(in);
        const typed_program* code = nullptr;
        const kernel_op* library = nullptr;
        op::reduction reduction{};
        ScalarType computed = ScalarType::Undefined;
        uint64_t reduced = 0;
        if (kind == node_kind::pointwise) {
            code = get_program(in);
        } else if (kind == node_kind::library) {
            const std::string_view name = in.get_name();
            const bool product = in.get_flag();
            library = parts_->operation(name, product, in.get_flag());
        } else {
            reduction = static_cast<op::reduction>(find_name(in, op::reductions, in.get_name()));
            computed = in.get_enum(last_dtype);
            reduced = in.get<uint64_t>();
        }
        const std::size_t sources = in.get_size(14);
        if (code ? sources != code->leaves.size() : kind == node_kind::reduce && sources != 1)
            in.malformed("an operation has another number of operands");
        const std::size_t scalars = code ? code->scalars.size() + code->constants.size() : 0;
        std::unique_ptr<Node> n = Node::bare(sources, scalars, partial);
        for (std::size_t e = 0; e < sources + partial; ++e) ::new (n->sources.data() + e) Edge;
        Node& node = *n;
        parts_->nodes.push_back(std::move(n));
        w.nodes.push_back(&node);
        node.kind = kind;
        node.dtype = dtype;
        node.backward = backward;
        node.shape = std::move(shape);
        node.result = w.values[i];
        node.result->dtype = dtype;
        node.result->numel = node.shape->numel;
        if (code) {
            node.code = code;
            std::copy(code->constants.begin(), code->constants.end(),
                      node.scalars.begin() + static_cast<std::ptrdiff_t>(code->scalars.size()));
        } else if (library) {
            node.library = library;
            node.attributes = nullptr;
        } else {
            node.reduction = reduction;
            node.in = computed;
            node.reduced = reduced;
        }
        for (Edge& e : node.sources) {
            e.number = value(i);
            e.dtype = in.get_enum(last_dtype);
            e.shape = get_geometry(in);
            e.reader = &node;
            if (e.number >= 0) e.value = share(w.values[static_cast<std::size_t>(e.number)]);
        }
        if (!partial) continue;
        Edge& base = node.base();
        base.number = value(i);
        base.reader = &node;
        base.value = base.number < 0 ? parts_->version(dtype)
                                     : share(w.values[static_cast<std::size_t>(base.number)]);
        base.value->unwritten = in.get_flag();
    }
    if (in.left() != 0) in.malformed("more bytes follow the work");
}

restored_work::~restored_work() = default;

}  // namespace sinter::plan
