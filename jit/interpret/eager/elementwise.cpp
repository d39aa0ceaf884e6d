#include "jit/interpret/eager/eager.hpp"
#include "jit/interpret/eager/nest.hpp"
#include "jit/simd/block.hpp"
#include "runtime/base/fp_environment.hpp"
#include "runtime/threads/threads.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <atomic>
#include <string>

namespace sinter::eager {

namespace {

/// Returns the logical type in which a row takes its k-th operand.
ScalarType operand_type(op::id row, ScalarType in, std::size_t k) {
    switch (op::info(row).rule) {
        case dtype_rule::choice: return k == 0 ? kBool : in;
        case dtype_rule::random: return kLong;
        default: return in;
    }
}

/// The loads of a row's operands and the store of its result. Operand 0 is the output.
struct conversions {
    block::store_fn store;
    block::load_fn load[max_operands];
    bool dense[max_operands];    // elements in memory have the layout of a block
    int64_t size[max_operands];  // bytes per element of a block
};

/// The common data of all threads of one operation.
struct program : conversions {
    block::block_fn row;
    int arity;
    bool uniform[max_operands];  // one value for the whole operation, held in `value`
    alignas(8) char value[max_operands][8];
};

/// One thread's part, run block by block. If runs of the innermost loop are long, a block is a part
/// of one run, and dense operands are used in place. Short runs are gathered into a block.
class thread_part {
public:
    thread_part(const program& p, const nest& loops)
        : p_(p), loops_(loops), gathers_(loops.rank > 1 && loops.size[0] < block_elements / 4) {
        for (int k = 0; k <= p.arity; ++k) {
            const int64_t stride = loops.stride[k][0];
            in_place_[k] = !gathers_ && p.dense[k] && stride == p.size[k];
            const bool in_one = k > 0 && (p.uniform[k] || (!gathers_ && stride == 0));
            if (!in_place_[k] && !in_one) limit_ = block_elements;
        }
    }

    uint64_t run(int64_t begin, int64_t end) {
        uint64_t status = 0;
        walk at(loops_, begin);
        while (begin < end) {
            int64_t n = std::min(end - begin, limit_);
            if (gathers_) {
                gathered(at, n, status);
            } else {
                n = std::min(n, at.run());
                in_run(at, n, status);
                at.advance(n);
            }
            begin += n;
        }
        return status;
    }

private:
    void in_run(const walk& at, int64_t n, uint64_t& status) {
        const void* in[max_operands - 1];
        bool uniform[max_operands - 1];
        for (int k = 1; k <= p_.arity; ++k) {
            const int64_t stride = loops_.stride[k][0];
            uniform[k - 1] = p_.uniform[k] || stride == 0;
            if (p_.uniform[k]) {
                in[k - 1] = p_.value[k];
            } else if (in_place_[k]) {
                in[k - 1] = at.pointer(k);
            } else {
                p_.load[k](buffer_[k], at.pointer(k), stride, uniform[k - 1] ? 1 : n);
                in[k - 1] = buffer_[k];
            }
        }
        void* out = in_place_[0] ? static_cast<void*>(at.pointer(0)) : buffer_[0];
        p_.row(out, in, uniform, n, &status);
        if (!in_place_[0]) p_.store(at.pointer(0), loops_.stride[0][0], buffer_[0], n);
    }

    void gathered(walk& at, int64_t n, uint64_t& status) {
        const void* in[max_operands - 1];
        bool uniform[max_operands - 1];
        for (int k = 1; k <= p_.arity; ++k) {
            uniform[k - 1] = p_.uniform[k];
            in[k - 1] = p_.uniform[k] ? p_.value[k] : buffer_[k];
        }
        walk reading = at;
        for (int64_t done = 0; done < n;) {
            const int64_t m = std::min(n - done, reading.run());
            for (int k = 1; k <= p_.arity; ++k) {
                if (p_.uniform[k]) continue;
                p_.load[k](buffer_[k] + done * p_.size[k], reading.pointer(k), loops_.stride[k][0],
                           m);
            }
            reading.advance(m);
            done += m;
        }
        p_.row(buffer_[0], in, uniform, n, &status);
        for (int64_t done = 0; done < n;) {
            const int64_t m = std::min(n - done, at.run());
            p_.store(at.pointer(0), loops_.stride[0][0], buffer_[0] + done * p_.size[0], m);
            at.advance(m);
            done += m;
        }
    }

    const program& p_;
    const nest& loops_;
    bool gathers_;
    bool in_place_[max_operands];
    int64_t limit_ = INT64_MAX;
    alignas(64) char buffer_[max_operands][block_elements * 8];
};

/// The layout of an operand over the whole shape.
struct coverage {
    bool dense = true;  // row-major, without gaps
    bool one = true;    // a single element
};

int64_t cover(std::span<const int64_t> shape, const operand& x, coverage& c) {
    auto step = static_cast<int64_t>(elementSize(x.type));
    int64_t total = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
        if (shape[d] == 1) continue;
        c.dense = c.dense && x.strides[d] == step;
        c.one = c.one && x.strides[d] == 0;
        step *= shape[d];
        total *= shape[d];
    }
    return total;
}

conversions conversions_of(op::id row, ScalarType in, const operand& out,
                           std::span<const operand> ins, const coverage* covers) {
    const ScalarType result = block::result_type(row, in, out.type);
    conversions c;
    c.store = block::find_store(result, out.type);
    c.dense[0] = result == out.type && !kernel_ir::is_narrow(result);
    c.size[0] = static_cast<int64_t>(block::block_size(result));
    for (std::size_t k = 1; k <= ins.size(); ++k) {
        const operand& x = ins[k - 1];
        ScalarType wanted = operand_type(row, in, k - 1);
        const bool scalar = covers[k].one && !x.one_element_tensor;
        if (scalar && x.type == kFloat && block::form_type(wanted) == kFloat) wanted = kFloat;
        c.load[k] = block::find_load(x.type, wanted);
        c.dense[k] = x.type == wanted && !kernel_ir::is_narrow(wanted);
        c.size[k] = static_cast<int64_t>(block::block_size(wanted));
    }
    return c;
}

/// Runs an operation that is one run over memory with the layout of blocks.
uint64_t run_in_place(const program& p, char* out, std::span<const operand> ins, int64_t begin,
                      int64_t end) {
    const void* in[max_operands - 1];
    for (std::size_t k = 0; k < ins.size(); ++k) {
        in[k] = p.uniform[k + 1] ? static_cast<const void*>(p.value[k + 1])
                                 : ins[k].data + begin * p.size[k + 1];
    }
    uint64_t status = 0;
    p.row(out + begin * p.size[0], in, p.uniform + 1, end - begin, &status);
    return status;
}

/// Runs `part(begin, end)` over all elements, on several threads if there are enough elements.
template <class F>
uint64_t in_parallel(int64_t total, F part) {
    if (total < 2 * parallel_grain) {
        const runtime::fp_environment environment;
        return part(0, total);
    }
    std::atomic<uint64_t> status{0};
    runtime::parallel_for(0, total, parallel_grain, [&](int64_t begin, int64_t end) {
        const runtime::fp_environment environment;
        status.fetch_or(part(begin, end), std::memory_order_relaxed);
    });
    return status.load();
}

}  // namespace

uint64_t elementwise(op::id row, ScalarType in, std::span<const int64_t> shape, const operand& out,
                     std::span<const operand> ins) {
    const block::block_fn fn = block::find(row, in, out.type);
    if (!fn || ins.size() != op::info(row).arity) {
        throw InternalError(std::string("[eager] no block row; got ") + op::info(row).name +
                            " computed in " + toString(in));
    }
    coverage covers[max_operands] = {};
    const int64_t total = cover(shape, out, covers[0]);
    if (total == 0) return 0;
    for (std::size_t k = 0; k < ins.size(); ++k) cover(shape, ins[k], covers[k + 1]);

    program p;
    static_cast<conversions&>(p) = conversions_of(row, in, out, ins, covers);
    p.row = fn;
    p.arity = static_cast<int>(ins.size());
    bool in_place = covers[0].dense && p.dense[0];
    for (std::size_t k = 1; k <= ins.size(); ++k) {
        p.uniform[k] = covers[k].one;
        if (p.uniform[k]) {
            const runtime::fp_environment environment;
            p.load[k](p.value[k], ins[k - 1].data, 0, 1);
        }
        in_place = in_place && (p.uniform[k] || (covers[k].dense && p.dense[k]));
    }
    if (in_place) {
        return in_parallel(total, [&](int64_t begin, int64_t end) {
            return run_in_place(p, out.data, ins, begin, end);
        });
    }
    const operand* of[max_operands] = {&out};
    for (std::size_t k = 0; k < ins.size(); ++k) of[k + 1] = &ins[k];
    const nest loops(shape, {of, ins.size() + 1});
    return in_parallel(
        total, [&](int64_t begin, int64_t end) { return thread_part(p, loops).run(begin, end); });
}

}  // namespace sinter::eager
