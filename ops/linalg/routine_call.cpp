#include "ops/linalg/routine_call.hpp"

#include "engine/graph/deferred.hpp"
#include "engine/graph/device_check.hpp"
#include "engine/graph/results.hpp"
#include "engine/run/flush.hpp"
#include "engine/run/library/cpu_fallback.hpp"
#include "engine/run/library/gpu_library.hpp"
#include "engine/run/record.hpp"
#include "jit/cache/device_kernels.hpp"
#include "kernels/gpu/moves.hpp"
#include "ops/autograd/function.hpp"
#include "ops/autograd/names.hpp"
#include "ops/common/devices.hpp"
#include "runtime/base/fork.hpp"
#include "runtime/report/stats.hpp"
#include "runtime/report/trace.hpp"
#include "runtime/strided/copy.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <string_view>

namespace sinter::ops {
namespace {

std::vector<int64_t> joined_sizes(IntArrayRef batch, IntArrayRef item) {
    std::vector<int64_t> sizes = batch.vec();
    sizes.insert(sizes.end(), item.begin(), item.end());
    return sizes;
}

/// Returns true if LAPACK takes the items in their memory layout: the columns of a matrix are dense
/// and do not overlap.
bool takes(const geometry& g, int item_dims) {
    const int at = g.ndim - item_dims;
    const int64_t *sizes = g.sizes() + at, *strides = g.strides() + at;
    if (item_dims == 0) return true;
    if (sizes[0] > 1 && strides[0] != 1) return false;
    return item_dims == 1 || sizes[1] <= 1 || strides[1] >= std::max<int64_t>(sizes[0], 1);
}

/// Returns `t` in a layout that LAPACK takes, broadcast over the batch by strides of 0.
Tensor readable(const Tensor& t, IntArrayRef batch, int item_dims) {
    const TensorImpl& impl = *t.unsafeGetTensorImpl();
    const geometry& g = *impl.shape;
    const Tensor whole =
        takes(g, item_dims)
            ? t
            : sequence()
                  .read(read(impl))
                  .pending(impl.dtype, item_dims == 2 ? by_columns(g.sizes_ref())
                                                      : make_contiguous(g.sizes_ref()));
    const auto dims = static_cast<std::size_t>(item_dims);
    return whole.expand(joined_sizes(batch, {g.sizes() + g.ndim - item_dims, dims}));
}

struct routine_op : kernel_op {
    const lapack::routine& routine;
    explicit routine_op(const lapack::routine& r)
        : kernel_op({.name = r.name,
                     .run = run_routine_node,
                     .vendor = true,
                     .complex = true,
                     .on_gpu = r.on_gpu ? put_routine_node : nullptr}),
          routine(r) {}
    static void run_routine_node(const op_call& call);
    static bool put_routine_node(const op_call& call, runtime::gpu_stream& stream);
};

/// Returns the blocks of a node's call. Calls copy(input, result) for each operand that the routine
/// changes.
template <class F>
std::vector<lapack::block> blocks_of(const op_call& call, const F& copy) {
    const op_result only{call.output, &call.shape, call.dtype};
    const std::span<const op_result> results =
        call.results.empty() ? std::span(&only, 1) : call.results;
    const auto changed =
        static_cast<std::size_t>(static_cast<const routine_op&>(call.op).routine.changes);
    std::vector<lapack::block> blocks;
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (i < changed) copy(call.inputs[i], results[i]);
        blocks.push_back({results[i].data, results[i].shape, results[i].dtype});
    }
    for (const op_input& in : call.inputs.subspan(changed))
        blocks.push_back({const_cast<char*>(in.data), in.shape, in.dtype});
    return blocks;
}

const char* first_of(const op_input& in) {
    return in.data + in.shape->offset * static_cast<int64_t>(elementSize(in.dtype));
}

void routine_op::run_routine_node(const op_call& call) {
    const std::vector<lapack::block> blocks =
        blocks_of(call, [](const op_input& in, const op_result& to) {
            runtime::copy_elements(in.dtype, to.shape->sizes_ref(), to.data,
                                   to.shape->strides_ref(), first_of(in), in.shape->strides_ref());
        });
    static_cast<const routine_op&>(call.op).routine.run({call.op.name, blocks, call.attributes});
}

bool routine_op::put_routine_node(const op_call& call, runtime::gpu_stream& stream) {
    const std::vector<lapack::block> blocks = blocks_of(call, [&](const op_input& in,
                                                                  const op_result& to) {
        gpu_kernels::put_moved(stream, in.dtype, to.shape->sizes_ref().vec(),
                               {to.data, to.shape->strides_ref().vec()},
                               {const_cast<char*>(first_of(in)), in.shape->strides_ref().vec()});
    });
    const lapack::routine& r = static_cast<const routine_op&>(call.op).routine;
    return r.on_gpu({call.op.name, blocks, call.attributes}, stream);
}

/// Returns the node operation of a routine.
const kernel_op& node_op(const lapack::routine& r) {
    static constinit std::atomic<const std::vector<routine_op>*> made{nullptr};
    const std::vector<routine_op>& all = runtime::made_once(made, [] {
        return new std::vector<routine_op>{
            routine_op(lapack::getrf), routine_op(lapack::getrs), routine_op(lapack::getri),
            routine_op(lapack::potrf), routine_op(lapack::potri), routine_op(lapack::potrs),
            routine_op(lapack::sytrf), routine_op(lapack::sytrs), routine_op(lapack::trsm),
            routine_op(lapack::geqrf), routine_op(lapack::orgqr), routine_op(lapack::ormqr),
            routine_op(lapack::gesdd), routine_op(lapack::geev),  routine_op(lapack::syevd),
            routine_op(lapack::gels)};
    });
    for (const routine_op& o : all)
        if (&o.routine == &r) return o;
    runtime::bug("linalg", runtime::text("the routine ", r.name, " has no kernel_op"));
}

}  // namespace

geometry_ptr by_columns(IntArrayRef sizes) {
    std::vector<int64_t> strides(sizes.size());
    const std::size_t n = sizes.size();
    int64_t step = 1;
    for (std::size_t d = n; d-- > 0;) {
        const std::size_t at = d + 2 < n ? d : (n - 1) - (d + 2 - n);  // the last two dimensions
                                                                       // are swapped: rows vary
                                                                       // fastest
        strides[at] = step;
        step *= std::max<int64_t>(sizes[at], 1);
    }
    return make_geometry(sizes, strides, 0);
}

geometry_ptr routine_call::result::shape() const {
    return by_columns ? ops::by_columns(sizes) : make_contiguous(sizes);
}

routine_call::routine_call(const char* op, const lapack::routine& r, IntArrayRef batch)
    : op_(op), routine_(r), batch_(batch.vec()) {}

routine_call& routine_call::changes(const tensor_base& values, IntArrayRef item) {
    changed_.push_back(values.self());
    return makes(values.scalar_type(), item);
}

routine_call& routine_call::makes(ScalarType dtype, IntArrayRef item) {
    for (int64_t size : item) lapack::narrow(op_, size);
    results_.push_back({dtype, joined_sizes(batch_, item), item.size() == 2});
    return *this;
}

routine_call& routine_call::reads(const tensor_base& t, int item_dims) {
    read_.push_back(readable(t.self(), batch_, item_dims));
    return *this;
}

/// The state of a call that runs at once: its results, with the changed ones computed, and its
/// operands.
struct routine_call::prepared {
    std::vector<Tensor> results;
    std::vector<leaf> inputs;
    std::vector<lapack::block> blocks;
};

namespace {

/// Returns the tensor on a device. A column-major matrix stays column-major.
Tensor brought(const Tensor& t, runtime::device_index device) {
    const TensorImpl& from = body("to", t);
    const int n = from.shape->ndim;
    if (from.device == device || n < 2 || from.shape->strides()[n - 2] != 1)
        return moved(t, device);
    return moved(t.mT().contiguous(), device).mT();
}

}  // namespace

routine_call::prepared routine_call::prepare(runtime::device_index device) const {
    prepared p;
    std::vector<Version*> wanted;
    const creation_scope here(device);
    for (std::size_t i = 0; i < changed_.size(); ++i) {
        const Tensor operand = moved(changed_[i], device);
        const leaf values = read(body(op_, operand));
        p.results.push_back(
            sequence().read(values).pending(results_[i].dtype, results_[i].shape()));
    }
    for (const Tensor& t : p.results)
        wanted.push_back(t.unsafeGetTensorImpl()->storage->current.get());
    for (const Tensor& t : read_) {
        const Tensor operand = brought(t, device);
        p.inputs.push_back(read(body(op_, operand)));
        wanted.push_back(p.inputs.back().value.get());
    }
    flush(wanted, static_cast<int>(flush_reason::library));
    for (const Version* v : wanted) wait_for_checks(*v);
    for (std::size_t i = changed_.size(); i < results_.size(); ++i)
        p.results.push_back(Tensor(make_empty(results_[i].dtype, results_[i].shape())));
    for (const Tensor& t : p.results) {
        const TensorImpl& r = *t.unsafeGetTensorImpl();
        p.blocks.push_back(
            {static_cast<char*>(r.storage->current->buffer->data), r.shape.get(), r.dtype});
    }
    for (const leaf& l : p.inputs)
        p.blocks.push_back({static_cast<char*>(l.value->buffer->data), l.shape.get(), l.dtype});
    return p;
}

runtime::device_index routine_call::place() const {
    const TensorImpl* first = nullptr;
    for (const std::vector<Tensor>* operands : {&changed_, &read_})
        for (const Tensor& t : *operands) {
            const TensorImpl& each = body(op_, t);
            if (!first) first = &each;
            if (each.device != first->device)
                refuse_apart(op_, {first->shape->sizes_ref(), first->device},
                             {each.shape->sizes_ref(), each.device});
        }
    return first ? first->device : runtime::main_memory;
}

bool routine_call::put(const prepared& p, runtime::device_index device) const {
    runtime::gpu_stream& stream = runtime::current_stream(runtime::gpu_at(device));
    plan::gpu_uses uses(stream);
    for (const Tensor& t : p.results)
        uses.writes(*t.unsafeGetTensorImpl()->storage->current->buffer);
    for (const leaf& l : p.inputs) uses.reads(*l.value->buffer);
    const attributes_ptr given = attributes();
    try {
        return routine_.on_gpu({op_, p.blocks, given.get()}, stream);
    } catch (const code_cache::no_device_code&) {
        return false;
    }
}

// The copies of operands would be recorded, but not what the routine makes of them. Functions with
// a gradient have rules of their own, and call this unrecorded.
template <class F>
std::vector<Tensor> routine_call::refusing_gradients(const F& compute) const {
    std::vector<const tensor_base*> operands;
    for (const std::vector<Tensor>* all : {&changed_, &read_})
        for (const Tensor& t : *all) operands.push_back(&t);
    if (!autograd::is_recorded(operands)) return compute();
    std::vector<Tensor> results;
    {
        NoGradGuard unrecorded;
        results = compute();
    }
    std::vector<Tensor*> outputs;
    for (Tensor& t : results) outputs.push_back(&t);
    autograd::set_rule(op_, operands, {}, outputs,
                       [op = op_](const autograd::rule_call&) -> autograd::variable_list {
                           autograd::refuse_missing(op);
                       });
    return results;
}

std::vector<Tensor> routine_call::now() const {
    return refusing_gradients([this] { return computed(); });
}
std::vector<Tensor> routine_call::later() const {
    return refusing_gradients([this] { return pending(); });
}

std::vector<Tensor> routine_call::computed() const {
    const runtime::device_index at = place();
    const runtime::trace_span span("library", routine_.name);
    if (at != runtime::main_memory && routine_.on_gpu) {
        prepared p = prepare(at);
        if (put(p, at)) {
            runtime::count().library_calls.add();
            return std::move(p.results);
        }
    }
    if (at != runtime::main_memory) plan::note_cpu_fallback(routine_.name);
    prepared p = prepare(runtime::main_memory);
    for (const leaf& l : p.inputs) runtime::before_host_reads(*l.value->buffer);
    runtime::count().library_calls.add();
    const attributes_ptr given = attributes();
    routine_.run({op_, p.blocks, given.get()});
    for (Tensor& t : p.results) t = moved(t, at);
    return std::move(p.results);
}

attributes_ptr routine_call::attributes(std::vector<result_info> results) const {
    if (make_attributes_) return make_attributes_(std::move(results));
    return make_attributes(no_attributes{}, std::move(results));
}

std::vector<Tensor> routine_call::pending() const {
    std::vector<leaf> inputs;
    for (std::size_t i = 0; i < changed_.size(); ++i) {
        const TensorImpl& t = body(op_, changed_[i]);
        inputs.push_back(read(t, expand_to(*t.shape, results_[i].sizes)));
    }
    for (const Tensor& t : read_) inputs.push_back(read(body(op_, t)));
    const kernel_op& op = node_op(routine_);
    if (results_.size() == 1) {
        const geometry_ptr shape = results_[0].shape();
        return {Tensor(make_pending(
            library_node(&op, inputs, results_[0].dtype, shape, attributes()), shape))};
    }
    std::vector<result_info> types;
    for (const result& r : results_) types.push_back({r.dtype, r.shape()});
    std::vector<Tensor> results;
    for (auto& t : make_pending_results(&op, inputs, attributes(std::move(types))))
        results.emplace_back(std::move(t));
    return results;
}

void check_info(const char* op, const lapack::routine& r, const Tensor& info,
                const source_line& line) {
    const Tensor flat = on_host(info).contiguous();
    const auto* values = flat.const_data_ptr<int32_t>();
    const int64_t count = flat.numel();
    for (int64_t i = 0; i < count; ++i) {
        if (values[i] == 0) continue;
        const lapack::meaning m = lapack::meaning_of(r, values[i]);
        const std::string which =
            info.dim() == 0 ? "" : runtime::text(" in matrix ", i, " of the batch");
        const std::string_view file = line.file_name();
        throw LinAlgError(runtime::text("[", op, "] ", m.happened, "; got ", m.got, which, " (",
                                        r.name, "), expected ", m.expected, "; try ", m.remedy,
                                        "; at ", file.substr(file.rfind('/') + 1), ":",
                                        line.line()));
    }
}

}  // namespace sinter::ops
