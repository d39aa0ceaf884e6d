#include "kernels/gpu/moves.hpp"

#include "jit/cache/device_kernels.hpp"
#include "jit/cache/recorder.hpp"
#include "jit/kernel_ir/byte_stream.hpp"
#include "jit/launch/gpu/launch.hpp"
#include "jit/launch/gpu/rows.hpp"
#include "runtime/memory/arena.hpp"

#include <sinter/op/op.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <string_view>
#include <utility>

namespace sinter::gpu_kernels {
namespace {

using kernel_ir::domain;
using kernel_ir::instr;
using kernel_ir::opcode;
using kernel_ir::role;
using kernel_ir::value_id;

/// Appends instructions to a kernel's body. They compute one value per element unless told
/// otherwise.
struct body {
    kernel_ir::kernel k;

    int operand(role use, ScalarType type) {
        k.operands.push_back({use, type, kernel_ir::stride_class::other});
        return static_cast<int>(k.operands.size()) - 1;
    }
    value_id push(instr i) {
        i.mt = kernel_ir::compute_type(i.type);
        k.body.push_back(i);
        return static_cast<value_id>(k.body.size()) - 1;
    }
    value_id load(ScalarType type) {
        instr i;
        i.op = opcode::load;
        i.type = type;
        i.a = operand(role::input, type);
        return push(i);
    }
    value_id index() {
        instr i;
        i.op = opcode::index;
        i.type = kLong;
        i.a = operand(role::index, kLong);
        return push(i);
    }
    value_id scalar(ScalarType type) {
        instr i;
        i.op = opcode::scalar;
        i.type = type;
        i.a = static_cast<value_id>(k.scalars.size());
        i.dom = domain::row;
        k.scalars.push_back(kernel_ir::compute_type(type));
        return push(i);
    }
    value_id row(op::id which, ScalarType in, ScalarType type, value_id a,
                 value_id b = kernel_ir::none, value_id c = kernel_ir::none) {
        instr i;
        i.op = opcode::row;
        i.row = which;
        i.in = in;
        i.type = type;
        i.a = a;
        i.b = b;
        i.c = c;
        return push(i);
    }
    /// Returns a Bool value: true where the index is not negative.
    value_id kept() {
        const value_id at = index(), zero = scalar(kLong);
        return row(op::ge, kLong, kBool, at, zero);
    }
    void store(ScalarType type, value_id v, domain dom = domain::element) {
        instr i;
        i.op = opcode::store;
        i.type = type;
        i.a = operand(role::output, type);
        i.b = v;
        i.dom = dom;
        push(i);
    }
};

// Scalars are kernel arguments, so a constant 0 costs nothing.

kernel_ir::kernel move_kernel(ScalarType type) {
    body b;
    b.store(type, b.load(type));
    return std::move(b.k);
}

kernel_ir::kernel negate_kernel(ScalarType type) {
    body b;
    b.store(type, b.row(op::neg, type, type, b.load(type)));
    return std::move(b.k);
}

kernel_ir::kernel choose_kernel(ScalarType type) {
    body b;
    const value_id kept = b.kept();
    const value_id x = b.load(type), y = b.load(type);
    b.store(type, b.row(op::where, type, type, kept, x, y));
    return std::move(b.k);
}

kernel_ir::kernel finite_kernel(ScalarType type) {
    body b;
    const value_id kept = b.kept(), from = b.load(type), zero = b.scalar(type);
    const value_id x = b.row(op::where, type, type, kept, from, zero);
    const value_id finite = b.row(op::isfinite, type, kBool, x);
    const value_id yes = b.scalar(kInt), no = b.scalar(kInt);
    instr fold;
    fold.op = opcode::reduce;
    fold.row = static_cast<uint16_t>(op::reduction::amin);
    fold.in = fold.type = kInt;
    fold.a = b.row(op::where, kInt, kInt, finite, yes, no);
    fold.dom = domain::row;
    b.store(kInt, b.push(fold), domain::row);
    return std::move(b.k);
}

kernel_ir::kernel negative_kernel(ScalarType) {
    body b;
    const value_id from = b.load(kInt), to = b.load(kInt), zero = b.scalar(kInt);
    const value_id negative = b.row(op::lt, kInt, kBool, from, zero);
    b.store(kInt, b.row(op::where, kInt, kInt, negative, from, to));
    return std::move(b.k);
}

using maker = kernel_ir::kernel (*)(ScalarType);

/// In recordings they have these names.
struct named_maker {
    const char* name;
    maker make;
};
constexpr named_maker makers[] = {{"move", move_kernel},
                                  {"negate", negate_kernel},
                                  {"choose", choose_kernel},
                                  {"finite", finite_kernel},
                                  {"negative", negative_kernel}};

const char* name_of(maker make) {
    return std::find_if(std::begin(makers), std::end(makers),
                        [make](const named_maker& m) { return m.make == make; })
        ->name;
}

/// Alignment of an address beyond which no kernel's form depends on it.
constexpr uintptr_t most_aligned = 16;

struct made_kernel {
    kernel_ir::kernel ir;
    std::vector<uint8_t> key;
};

/// Returns the kernel for this maker and dtype. Each is built once per process.
const made_kernel& kernel_of(maker make, ScalarType type) {
    static auto& mutex = *new std::mutex;
    static auto& all = *new std::map<std::pair<maker, ScalarType>, made_kernel>;
    const std::lock_guard lock(mutex);
    made_kernel& k = all[{make, type}];
    if (k.key.empty()) {
        k.ir = make(type);
        kernel_ir::verify(k.ir);
        k.key = kernel_ir::serialize(k.ir);
    }
    return k;
}

/// The space, operands and scalars of one kernel launch.
struct launch {
    std::vector<int64_t> sizes;
    int reduced = 1;
    struct operand {
        char* first;
        std::vector<int64_t> strides;  // in bytes; in index steps for an index operand
        bool written = false;

        operand(char* at, std::vector<int64_t> steps, bool is_written = false)
            : first(at), strides(std::move(steps)), written(is_written) {}
    };
    std::vector<operand> operands;
    std::vector<uint64_t> scalars;

    void add(const gpu_elements& e, std::size_t item, bool written = false) {
        std::vector<int64_t> strides = e.strides;
        for (int64_t& s : strides) s *= static_cast<int64_t>(item);
        operands.push_back({e.first, std::move(strides), written});
    }

    /// Orders the dimensions that are not reduced by the strides of operand `by`, largest first,
    /// and drops those of size 1.
    void sort(std::size_t by) {
        const std::size_t rows = sizes.size() - static_cast<std::size_t>(reduced > 1 ? reduced : 0);
        std::vector<std::size_t> order(rows);
        std::iota(order.begin(), order.end(), std::size_t{0});
        const std::vector<int64_t>& strides = operands[by].strides;
        std::sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
            const int64_t of_x = std::abs(strides[x]), of_y = std::abs(strides[y]);
            return of_x != of_y ? of_x > of_y : x < y;
        });
        std::erase_if(order, [&](std::size_t d) { return sizes[d] == 1; });
        for (std::size_t d = rows; d < sizes.size(); ++d) order.push_back(d);
        const auto arranged = [&order](const std::vector<int64_t>& values) {
            std::vector<int64_t> result;
            for (std::size_t d : order) result.push_back(values[d]);
            return result;
        };
        for (operand& o : operands) o.strides = arranged(o.strides);
        sizes = arranged(sizes);
        if (!sizes.empty()) return;
        sizes.push_back(1);
        for (operand& o : operands) o.strides.push_back(0);
    }

    /// Returns the launch on a device.
    requested_launch on(const runtime::device_properties& device, maker make,
                        ScalarType type) const {
        const made_kernel& made = kernel_of(make, type);
        requested_launch r;
        runtime::launched_kernel& step = r.k;
        step.ir = made.ir;
        step.key = made.key;
        step.extents = sizes;
        step.reduced = reduced;
        step.streams = reduced == 1;
        std::vector<std::vector<int64_t>> by_element;
        for (std::size_t o = 0; o < operands.size(); ++o) {
            const operand& each = operands[o];
            r.strides.push_back(each.strides);
            r.first.push_back(each.first);
            by_element.push_back(each.strides);
            const kernel_ir::operand& is = step.ir.operands[o];
            if (is.use == role::index) continue;
            for (int64_t& stride : by_element.back())
                stride /= static_cast<int64_t>(elementSize(is.type));
        }
        if (reduced > 1) {
            std::vector<const int64_t*> strides;
            for (const auto& each : by_element) strides.push_back(each.data());
            step.rows = runtime::choose_rows(runtime::row_space_of(step, strides), device);
        }
        return r;
    }

    void put(runtime::gpu_stream& s, maker make, ScalarType type) {
        if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return;
        if (code_cache::records())
            code_cache::record(code_cache::record_kind::move, request(make, type));
        const requested_launch r = on(s.device().properties, make, type);
        std::vector<runtime::gpu_operand> with;
        for (std::size_t o = 0; o < operands.size(); ++o)
            with.push_back({nullptr, r.first[o], r.strides[o].data(), operands[o].written});
        const runtime::arena memory;  // of the launch, which may run outside a flush
        runtime::device_code code{nullptr};
        const auto device = static_cast<runtime::device_index>(s.device().index);
        if (!runtime::launch_on_gpu(r.k, code, device, with, scalars))
            code_cache::refuse_missing(s.device(), {});
    }

    /// Returns what a recording has of it. Of addresses it has their alignment.
    std::vector<uint8_t> request(maker make, ScalarType type) const {
        kernel_ir::byte_writer out;
        out.put_name(name_of(make));
        out.put_enum(type);
        out.put(static_cast<uint8_t>(reduced));
        out.put_size(sizes.size());
        for (const int64_t n : sizes) out.put(n);
        for (const operand& o : operands) {
            out.put(static_cast<uint8_t>(reinterpret_cast<uintptr_t>(o.first) % most_aligned));
            for (const int64_t n : o.strides) out.put(n);
        }
        return out.take();
    }
};

/// Returns an integer dtype as wide as the elements, or as half of a 16-byte element.
ScalarType words_of(ScalarType dtype) {
    switch (elementSize(dtype)) {
        case 1: return kByte;
        case 2: return kShort;
        case 4: return kInt;
        default: return kLong;
    }
}

/// Returns true if an element (16 bytes) moves as two words of 8 bytes.
bool is_split(ScalarType dtype) { return elementSize(dtype) == 16; }

gpu_elements in_words(const gpu_elements& e, bool split) {
    gpu_elements words = e;
    if (!split) return words;
    for (int64_t& s : words.strides) s *= 2;
    words.strides.push_back(1);
    return words;
}

std::vector<int64_t> with_last(std::vector<int64_t> values, bool more, int64_t last) {
    if (more) values.push_back(last);
    return values;
}

}  // namespace

requested_launch read_move(std::span<const uint8_t> bytes,
                           const runtime::device_properties& device) {
    kernel_ir::byte_reader in(bytes.data(), bytes.size(), "recording", "a request for a move");
    const std::string_view name = in.get_name();
    const auto* const m = std::find_if(std::begin(makers), std::end(makers),
                                       [name](const named_maker& n) { return n.name == name; });
    if (m == std::end(makers)) in.malformed("this library has no move of their name");
    const ScalarType type = in.get_enum(last_dtype);
    if (isComplexType(type) || type == ScalarType::Undefined)
        in.malformed("a move has no such dtype");
    launch l;
    l.reduced = in.get<uint8_t>();
    l.sizes.resize(in.get_size(sizeof(int64_t)));
    for (int64_t& n : l.sizes) n = in.get<int64_t>();
    if (l.sizes.empty() || static_cast<std::size_t>(l.reduced) > l.sizes.size() ||
        std::any_of(l.sizes.begin(), l.sizes.end(), [](int64_t n) { return n < 1; }))
        in.malformed("a space is empty");
    const std::size_t operands = kernel_of(m->make, type).ir.operands.size();
    for (std::size_t o = 0; o < operands; ++o) {
        const auto first = in.get<uint8_t>();
        launch::operand& each = l.operands.emplace_back(reinterpret_cast<char*>(uintptr_t{first}),
                                                        std::vector<int64_t>(l.sizes.size()));
        for (int64_t& n : each.strides) n = in.get<int64_t>();
    }
    if (in.left() != 0) in.malformed("more bytes follow the request");
    return l.on(device, m->make, type);
}

void write_usual_moves(ScalarType dtype, std::vector<std::vector<uint8_t>>& to) {
    constexpr int64_t side = 256;
    const auto add = [&](maker make, ScalarType type) {
        launch l;
        l.sizes = {side, side};
        l.reduced = make == finite_kernel ? 2 : 1;
        for (const kernel_ir::operand& o : kernel_of(make, type).ir.operands) {
            const auto item = static_cast<int64_t>(elementSize(o.type));
            const int64_t unit = o.use == role::index ? 1 : item;
            std::vector<int64_t> strides = {side * unit, unit};
            if (make == finite_kernel && o.use == role::output) strides = {0, 0};
            l.operands.emplace_back(nullptr, std::move(strides));
        }
        to.push_back(l.request(make, type));
    };
    add(move_kernel, words_of(dtype));
    add(choose_kernel, words_of(dtype));
    if (dtype == kInt) add(negative_kernel, kInt);
    if (!isFloatingType(dtype) && !isComplexType(dtype)) return;
    add(negate_kernel, toRealValueType(dtype));
    add(finite_kernel, toRealValueType(dtype));
}

void put_moved(runtime::gpu_stream& s, ScalarType dtype, const std::vector<int64_t>& sizes,
               const gpu_elements& to, const gpu_elements& from, bool conjugate) {
    if (!conjugate || !isComplexType(dtype)) {
        const bool split = is_split(dtype);
        const ScalarType word = words_of(dtype);
        launch l{with_last(sizes, split, 2), 1, {}, {}};
        l.add(in_words(from, split), elementSize(word));
        l.add(in_words(to, split), elementSize(word), true);
        l.sort(1);
        l.put(s, move_kernel, word);
        return;
    }
    const ScalarType real = toRealValueType(dtype);
    const std::size_t item = elementSize(real);
    for (const std::size_t part : {std::size_t{0}, item}) {
        launch l{sizes, 1, {}, {}};
        l.add({from.first + part, from.strides}, 2 * item);
        l.add({to.first + part, to.strides}, 2 * item, true);
        l.sort(1);
        l.put(s, part ? negate_kernel : move_kernel, real);
    }
}

void put_chosen(runtime::gpu_stream& s, ScalarType dtype, const std::vector<int64_t>& sizes,
                const std::vector<int64_t>& weights, const gpu_elements& to, const gpu_elements& x,
                const gpu_elements& y) {
    const bool split = is_split(dtype);
    const ScalarType word = words_of(dtype);
    const std::size_t item = elementSize(word);
    launch l{with_last(sizes, split, 2), 1, {}, {0}};
    l.operands.push_back({nullptr, with_last(weights, split, 0)});
    l.add(in_words(x, split), item);
    l.add(in_words(y, split), item);
    l.add(in_words(to, split), item, true);
    l.sort(3);
    l.put(s, choose_kernel, word);
}

void put_finite(runtime::gpu_stream& s, ScalarType dtype, const std::vector<int64_t>& sizes,
                int item_dims, const std::vector<int64_t>& weights, int otherwise,
                const gpu_elements& to, const gpu_elements& from) {
    const bool complex = isComplexType(dtype);
    const ScalarType real = toRealValueType(dtype);
    launch l{with_last(sizes, complex, 2), item_dims + (complex ? 1 : 0), {}, {}};
    l.scalars = {0, 0, 0, static_cast<uint32_t>(otherwise)};
    l.operands.push_back({nullptr, with_last(weights, complex, 0)});
    l.add(in_words(from, complex), elementSize(real));
    gpu_elements flags = to;
    flags.strides.resize(l.sizes.size(), 0);
    l.add(flags, sizeof(int), true);
    l.sort(2);
    l.put(s, finite_kernel, real);
}

void put_negative(runtime::gpu_stream& s, const std::vector<int64_t>& sizes, const gpu_elements& to,
                  const gpu_elements& from) {
    launch l{sizes, 1, {}, {0}};
    l.add(from, sizeof(int));
    l.add(to, sizeof(int));
    l.add(to, sizeof(int), true);
    l.sort(2);
    l.put(s, negative_kernel, kInt);
}

}  // namespace sinter::gpu_kernels
