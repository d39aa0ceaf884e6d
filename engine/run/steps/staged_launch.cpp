#include "engine/run/steps/staged_launch.hpp"

#include "engine/plan/layout.hpp"
#include "engine/run/executable/gpu_replay.hpp"
#include "jit/codegen/c_like/gpu_compiler.hpp"
#include "jit/interpret/interpret.hpp"
#include "jit/launch/nested_range.hpp"
#include "runtime/base/fail.hpp"
#include "runtime/device/gpu.hpp"
#include "runtime/device/transfer.hpp"
#include "runtime/report/log.hpp"
#include "runtime/report/stats.hpp"
#include "runtime/strided/copy.hpp"

#include <string>
#include <utility>

namespace sinter::plan {
namespace {

using kernel_ir::role;

/// The kernel as the CPU runs it. A GPU walks a range of several dimensions in each operand; here
/// an operand in which they are not one is copied, before the launch or after it.
class staged_kernel {
public:
    staged_kernel(const kernel_step& k, const prepared_launch& l)
        : step_(k), ir_(k.ir), rank_(k.extents.size()), extents_(k.extents), request_(l.request) {
        for (std::size_t i = 0; i < k.operands.size(); ++i) {
            const int64_t* const strides = l.operands[i].strides;
            strides_.emplace_back(strides, strides + rank_);
            operands_.push_back(l.operands[i]);
        }
    }

    char*& base(std::size_t operand) { return operands_[operand].base; }

    uint64_t run() {
        if (!step_.streams) join_reduced();
        for (std::size_t i = 0; i < operands_.size(); ++i) {
            operands_[i].strides = strides_[i].data();
            const bool index = ir_.operands[i].use == role::index;
            const int64_t item = index ? 1 : size_of(i);
            ir_.operands[i].lane = class_of(strides_[i][rank_ - 1] / item, extents_[rank_ - 1]);
        }
        const block::block_kernel blocks(ir_);
        request_.fn = nullptr;
        request_.runner = &blocks;
        request_.reductions = blocks.reductions();
        request_.along = blocks.along();
        request_.output = -1;
        request_.rank = static_cast<int>(rank_);
        request_.reduced = 1;
        request_.extents = extents_.data();
        request_.operands = operands_;
        const uint64_t status = runtime::launch(request_);
        for (const copy_back& c : after_)
            runtime::copy_elements(c.type, step_.extents, c.to, c.to_strides, c.from,
                                   c.from_strides);
        return status;
    }

private:
    struct copy_back {
        ScalarType type;
        char* to;
        const char* from;
        std::vector<int64_t> to_strides, from_strides;
    };

    int64_t size_of(std::size_t i) const {
        return static_cast<int64_t>(elementSize(ir_.operands[i].type));
    }

    /// Returns memory for all elements of the space, and makes it the operand's.
    char* take_dense(std::size_t i, std::vector<int64_t>& dense) {
        int64_t n = 1;
        dense.resize(rank_);
        for (std::size_t d = rank_; d-- > 0; n *= extents_[d]) dense[d] = n;
        copies_.push_back(runtime::make_buffer(static_cast<std::size_t>(n * size_of(i))));
        char* const memory = static_cast<char*>(copies_.back()->data);
        for (std::size_t d = 0; d < rank_; ++d) strides_[i][d] = dense[d] * size_of(i);
        operands_[i].base = memory;
        return memory;
    }

    void make_dense(std::size_t i) {
        const bool index = ir_.operands[i].use == role::index;
        std::vector<int64_t> own = strides_[i], dense;
        char* const before = operands_[i].base;
        if (index) {
            const auto first = reinterpret_cast<int64_t>(before);
            auto* to = reinterpret_cast<int64_t*>(take_dense(i, dense));
            fill_indices(to, first, own);
            ir_.operands[i].use = role::input;
            for (kernel_ir::instr& n : ir_.body)
                if (n.op == kernel_ir::opcode::index && static_cast<std::size_t>(n.a) == i)
                    n.op = kernel_ir::opcode::load;
            return;
        }
        for (int64_t& s : own) s /= size_of(i);
        char* const memory = take_dense(i, dense);
        const ScalarType type = ir_.operands[i].type;
        if (ir_.operands[i].use == role::output)
            after_.push_back({type, before, memory, own, dense});
        else
            runtime::copy_elements(type, extents_, memory, dense, before, own);
    }

    void fill_indices(int64_t* to, int64_t first, const std::vector<int64_t>& steps) const {
        std::vector<int64_t> at(rank_, 0);
        int64_t n = 1;
        for (int64_t e : extents_) n *= e;
        for (int64_t i = 0; i < n; ++i) {
            int64_t value = first;
            for (std::size_t d = 0; d < rank_; ++d) value += at[d] * steps[d];
            to[i] = value;
            for (std::size_t d = rank_; d-- > 0 && ++at[d] == extents_[d];) at[d] = 0;
        }
    }

    /// Makes the reduced dimensions one.
    void join_reduced() {
        const auto reduced = static_cast<std::size_t>(step_.reduced), outer = rank_ - reduced;
        for (std::size_t i = 0; i < operands_.size(); ++i)
            if (!runtime::walks_as_one(step_.reduced, &extents_[outer], &strides_[i][outer]))
                make_dense(i);
        int64_t length = 1;
        for (std::size_t d = outer; d < rank_; ++d) length *= extents_[d];
        for (std::vector<int64_t>& s : strides_) {
            const int64_t step = reduced > 0 ? s.back() : 0;
            s.resize(outer);
            s.push_back(step);
        }
        extents_.resize(outer);
        extents_.push_back(length);
        rank_ = outer + 1;
    }

    const kernel_step& step_;
    kernel_ir::kernel ir_;
    std::size_t rank_;
    std::vector<int64_t> extents_;
    std::vector<std::vector<int64_t>> strides_;
    std::vector<runtime::launch_operand> operands_;
    std::vector<runtime::buffer_ptr> copies_;
    std::vector<copy_back> after_;
    runtime::launch_request request_;
};

/// Copies of buffers in main memory.
class host_copies {
public:
    runtime::buffer& of(const runtime::buffer& b) {
        for (const auto& [from, copy] : all_)
            if (from == &b) return *copy;
        all_.emplace_back(&b, runtime::make_buffer(b.bytes));
        runtime::copy_bytes(*all_.back().second, b, b.bytes);
        return *all_.back().second;
    }

private:
    std::vector<std::pair<const runtime::buffer*, runtime::buffer_ptr>> all_;
};

}  // namespace

uint64_t launch_staged(plan_run& r, const kernel_step& k,
                       std::span<const runtime::buffer_ptr> placed, const prepared_launch& l) {
    runtime::count().host_fallbacks.add();
    const codegen::gpu_compiler& compiler = codegen::compiler_of(r.work.gpu().api->vendor->id);
    runtime::warn_once(
        std::string("staged ") + compiler.package,
        runtime::text("[cache] a kernel for a GPU is in no cache and cannot be compiled; got ",
                      compiler.library().why_not_here(),
                      "; the CPU computes it, which copies the operands there and the result back; "
                      "try installing ",
                      compiler.package,
                      ", or a pack that has the kernel (docs/offline_kernels.md)"));
    if (r.replay) r.replay->put_early();  // earlier kernels of this run
    staged_kernel staged(k, l);
    host_copies copies;
    for (std::size_t i = 0; i < k.operands.size(); ++i) {
        if (k.ir.operands[i].use == role::index) continue;
        const runtime::buffer& b = *buffer_of(r, k.operands[i].value, k, placed);
        staged.base(i) = static_cast<char*>(copies.of(b).data) +
                         (l.operands[i].base - static_cast<char*>(b.data));
    }
    const uint64_t status = staged.run();
    for (const runtime::buffer_ptr& b : placed) runtime::copy_bytes(*b, copies.of(*b), b->bytes);
    return status;
}

}  // namespace sinter::plan
