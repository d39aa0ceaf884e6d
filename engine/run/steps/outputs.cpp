#include "engine/run/steps/outputs.hpp"

#include "engine/graph/pending.hpp"
#include "engine/plan/layout.hpp"
#include "engine/run/executable/gpu_replay.hpp"
#include "engine/run/results/result_buffers.hpp"
#include "runtime/report/stats.hpp"

namespace sinter::plan {
namespace {

int output_value(const kernel_step& k, std::size_t o) {
    return k.operands[static_cast<std::size_t>(k.outputs[o])].value;
}

/// Returns true if an output is the imaginary part; the real part is the output before it.
bool other_part(const kernel_step& k, std::size_t o) {
    return o > 0 && output_value(k, o) == output_value(k, o - 1);
}

/// Returns true if a read touches no element that the step writes, if both are in one buffer.
bool apart(const plan_run& r, const kernel_step& k, const operand_binding& in,
           const operand_binding& out, const Version& v) {
    if (!v.producer->partial() || isComplexType(v.producer->dtype)) return false;
    return !may_overlap(*make_geometry(k.extents, in.strides, r.offset_of(in)),
                        *make_geometry(k.extents, out.strides, r.offset_of(out)));
}

/// Returns the kernel's reads, as they concern the memory of the output at `operand`.
runtime::arena_vector<concurrent_read> reads_beside(const plan_run& r, const kernel_step& k,
                                                    const plan_step& s, std::size_t operand) {
    const operand_binding& out = k.operands[operand];
    const Version& v = r.value(out.value);
    const int64_t to = r.offset_of(out);
    runtime::arena_vector<concurrent_read> reads;
    for (std::size_t i = 0; i < k.operands.size(); ++i) {
        const operand_binding& in = k.operands[i];
        if (k.ir.operands[i].use != kernel_ir::role::input || r.is_temporary(in.value)) continue;
        Version& from = r.value(in.value);
        const bool one_unit =
            elementSize(k.ir.operands[i].type) == elementSize(k.ir.operands[operand].type);
        // Both parts of a complex element are read before either is written.
        const bool complex = isComplexType(v.dtype) && v.dtype == from.dtype;
        const int64_t at = r.offset_of(in);
        const bool same = k.streams && one_unit && in.strides == out.strides &&
                          (complex ? at / 2 == to / 2 : at == to) &&
                          elementSize(from.dtype) == elementSize(v.dtype);
        reads.push_back(
            {&from, same || (one_unit && apart(r, k, in, out, v)),
             plan_run::last_read(s, in.value) && !r.held(from, in.value) && !r.is_base(from),
             same});
    }
    return reads;
}

runtime::buffer_ptr output_buffer(plan_run& r, const kernel_step& k, const plan_step& s,
                                  std::size_t order, std::span<const runtime::buffer_ptr> placed) {
    const auto operand = static_cast<std::size_t>(k.outputs[order]);
    const int number = k.operands[operand].value;
    if (r.is_temporary(number)) return r.make_temporary(number);
    Version& v = r.value(number);
    // The copy of the base may overwrite memory that launches still in the batch read.
    if (r.batch() && v.producer->partial()) r.replay->put();
    // If a guard fails, the nodes are computed again one by one: the operands must survive, and
    // memory visible to outside code must stay unchanged.
    if (k.guarded) return separate_buffer(v);
    const auto needed = [&](const Version& read, uint32_t mine) { return r.needed(s, read, mine); };
    runtime::buffer_ptr b = result_buffer(v, reads_beside(r, k, s, operand), needed);
    for (std::size_t o = 0; o < order; ++o)
        if (placed[o] == b) return runtime::make_buffer(v.nbytes(), v.device);
    return b;
}

/// Returns true if the output at `operand` can take the memory of the product: nothing else needs
/// that, and each element is read where the output's is written.
bool takes_product(const plan_run& r, const kernel_step& k, const plan_step& s,
                   std::size_t operand) {
    const operand_binding& out = k.operands[operand];
    const int product = k.pieces->value;
    const Version &v = r.value(out.value), &from = r.value(product);
    if (!k.streams || !plan_run::last_read(s, product) || r.held(from, product) ||
        r.is_base(from) || from.nbytes() != v.nbytes() || isComplexType(v.dtype))
        return false;
    for (std::size_t i = 0; i < k.operands.size(); ++i)
        if (k.operands[i].value == product &&
            elementSize(k.ir.operands[i].type) == elementSize(v.dtype) &&
            r.offset_of(k.operands[i]) == r.offset_of(out) && k.operands[i].strides == out.strides)
            return true;
    return false;
}

}  // namespace

output_buffers place_outputs(plan_run& r, const kernel_step& k, const plan_step& s) {
    output_buffers placed(k.outputs.size());
    for (std::size_t o = 0; o < placed.size(); ++o)
        placed[o] = other_part(k, o) ? placed[o - 1] : output_buffer(r, k, s, o, placed);
    return placed;
}

output_buffers place_epilogue(const plan_run& r, const kernel_step& k, const plan_step& s,
                              const runtime::buffer_ptr& product) {
    output_buffers placed(k.outputs.size());
    for (std::size_t o = 0; o < placed.size(); ++o) {
        const int number = output_value(k, o);
        if (other_part(k, o)) {
            placed[o] = placed[o - 1];
        } else if (r.is_temporary(number)) {
            placed[o] = r.make_temporary(number);
        } else if (o == 0 && takes_product(r, k, s, static_cast<std::size_t>(k.outputs[0]))) {
            placed[o] = product;
            runtime::count().bytes_donated.add(r.value(number).nbytes());
        } else {
            placed[o] = runtime::make_buffer(r.value(number).nbytes());
        }
    }
    return placed;
}

runtime::buffer_ptr separate_buffer(const Version& v) {
    runtime::buffer_ptr b = runtime::make_buffer(v.nbytes(), v.device);
    if (!v.producer->partial()) return b;
    const Version& base = *v.producer->base().value;
    if (!base.unwritten) runtime::copy_bytes(*b, *base.buffer, v.nbytes());
    return b;
}

void publish_outputs(plan_run& r, const kernel_step& k, std::span<runtime::buffer_ptr> placed) {
    for (std::size_t o = 0; o < k.outputs.size(); ++o) {
        if (other_part(k, o)) continue;
        const int v = output_value(k, o);
        if (r.is_temporary(v))
            r.keep_temporary(v, std::move(placed[o]));
        else if (k.guarded)
            settle_result(r.value(v), std::move(placed[o]));
        else if (r.batch())
            r.replay->made(r.value(v), std::move(placed[o]));
        else
            publish(r.value(v), std::move(placed[o]));
    }
}

}  // namespace sinter::plan
