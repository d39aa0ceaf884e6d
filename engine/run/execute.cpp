#include "engine/run/execute.hpp"

#include "engine/graph/infer.hpp"
#include "engine/graph/pending.hpp"
#include "engine/measure/autotune.hpp"
#include "engine/plan/gemm_fusion.hpp"
#include "engine/plan/gpu_epilogue.hpp"
#include "engine/plan/layout.hpp"
#include "engine/run/cpu_fallback.hpp"
#include "engine/run/fast_path.hpp"
#include "engine/run/gpu/gpu_library.hpp"
#include "engine/run/gpu/gpu_replay.hpp"
#include "engine/run/library_node.hpp"
#include "engine/run/look_up.hpp"
#include "engine/run/piecewise_launch.hpp"
#include "engine/run/result_buffers.hpp"
#include "jit/interpret/interpret.hpp"
#include "jit/launch/gpu/launch.hpp"
#include "jit/launch/launch.hpp"
#include "jit/launch/scalar_bits.hpp"
#include "kernels/linalg/product.hpp"
#include "runtime/base/fault.hpp"
#include "runtime/report/stats.hpp"
#include "runtime/report/trace.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <chrono>
#include <optional>

namespace sinter::plan {
namespace {

uint64_t ns_since(std::chrono::steady_clock::time_point start) {
    const auto took = std::chrono::steady_clock::now() - start;
    return static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(took).count());
}

/// Returns a separate buffer to compute a result in; holds the base's bytes for a partial write.
runtime::buffer_ptr beside(const Version& v) {
    runtime::buffer_ptr b = runtime::make_buffer(v.nbytes(), v.device);
    if (v.producer->partial())
        runtime::copy_bytes(*b, *v.producer->base().value->buffer, v.nbytes());
    return b;
}

class runner {
public:
    runner(const executable& e, subgraph& w, executor how)
        : e_(e),
          p_(e.data),
          w_(w),
          how_(how),
          temporaries_(p_.temporaries.size()),
          dead_edges_(w.values.size()),
          to_read_(w.values.size()) {
        for (const plan_step& s : p_.steps) mark(s, true);
        find_survivors();
    }

    void run() {
        if (e_.replay && !any_failed())
            run_replayed();
        else
            run_steps();
        finish();
    }

private:
    void run_steps() {
        for (const plan_step& s : p_.steps) {
            if (s.library < 0)
                run_kernel(*s.kernel, s);
            else if (s.bias >= 0)
                run_with_bias(s);
            else if (s.before || s.kernel)
                run_joined(s);
            else
                run_library(s.library, s);
            if (!batch()) drop_temporaries(s);
            mark(s, false);
        }
    }

    // ---- launches that are submitted to a GPU stream together

    runtime::launch_batch* batch() { return together_ ? together_->batch() : nullptr; }

    /// Returns true if a value that the subgraph reads has failed.
    bool any_failed() const {
        for (std::size_t v = w_.nodes.size(); v < w_.values.size(); ++v)
            if (w_.values[v] && w_.values[v]->state == version_state::failed) return true;
        return false;
    }

    void run_replayed() {
        replayed_run run(e_, w_.device);
        together_ = &run;
        try {
            run_steps();
            run.put();
        } catch (...) {
            run.put_what_can_be();  // as if launches were submitted one by one
            throw;
        }
        run.finish();
    }

    Version& value(int v) { return *w_.values[static_cast<std::size_t>(v)]; }
    Node& node(int v) { return *w_.nodes[static_cast<std::size_t>(v)]; }

    /// Marks the values whose last read is in step `s` as still to be read, or not.
    void mark(const plan_step& s, bool read) {
        for (int v : s.last_reads)
            if (v < p_.values) to_read_[static_cast<std::size_t>(v)] = read;
    }

    /// Finds the nodes that stay pending afterwards (fused away, but still referenced). They keep
    /// reading their sources; all other reads end with this plan.
    void find_survivors() {
        runtime::arena_vector<uint8_t> stays(w_.nodes.size());
        for (int i : p_.inlined) stays[static_cast<std::size_t>(i)] = 1;
        for (std::size_t i = w_.nodes.size(); i-- > 0;) {
            if (stays[i]) stays[i] = w_.values[i]->references.load() > dead_edges_[i];
            if (stays[i]) {
                survivors_.push_back(static_cast<int>(i));
                continue;
            }
            Node& n = *w_.nodes[i];
            for (Edge& e : n.sources)
                if (e.value) ++dead_edges_[static_cast<std::size_t>(e.number)];
            if (n.partial() && n.base().number >= 0)
                ++dead_edges_[static_cast<std::size_t>(n.base().number)];
        }
    }

    /// Returns true if a value is referenced by anything but reads that end with this plan.
    bool held(const Version& v, int number, uint32_t mine = 0) const {
        const uint32_t dead =
            number >= 0 ? dead_edges_[static_cast<std::size_t>(number)] : base_edges(v);
        return v.references.load() > dead + mine + v.fallback;
    }

    /// Returns 1 if `v` is the base of the last node, the only one that may be a partial write. A
    /// base may be no numbered value of the subgraph.
    uint32_t base_edges(const Version& v) const {
        const Node& n = *w_.nodes.back();
        return n.partial() && n.base().value.get() == &v;
    }

    int number_of(const Version& v) const {
        const Node& n = *w_.nodes.back();
        if (n.partial() && n.base().value.get() == &v) return n.base().number;
        const auto at = std::find(w_.values.begin(), w_.values.end(), &v);
        return at == w_.values.end() ? -1 : static_cast<int>(at - w_.values.begin());
    }

    bool last_read(const plan_step& s, int v) const {
        return std::find(s.last_reads.begin(), s.last_reads.end(), v) != s.last_reads.end();
    }

    bool read_later(const plan_step& s, int v) const {
        return to_read_[static_cast<std::size_t>(v)] && !last_read(s, v);
    }

    std::exception_ptr failed_source(const kernel_step& k) {
        for (int i : k.nodes)
            if (std::exception_ptr error = failed_source(node(i))) return error;
        return nullptr;
    }

    static std::exception_ptr failed_source(const Node& n) {
        for (const Edge& e : n.sources)
            if (e.value && e.value->state == version_state::failed) return e.value->error;
        return nullptr;
    }

    void run_kernel(const kernel_step& k, const plan_step& s) {
        // A node may be several steps, as in eager mode on a GPU, and one of them may have failed.
        if (w_.nodes.size() == 1 && w_.values[0]->state == version_state::failed) return;
        if (failed_source(k)) {
            run_nodes(k);
            return;
        }
        runtime::arena_vector<runtime::buffer_ptr> placed(k.outputs.size());
        for (std::size_t o = 0; o < k.outputs.size(); ++o)
            placed[o] =
                other_part(k, o) ? placed[o - 1] : output_buffer(k, s, k.outputs[o], o, placed);
        const uint64_t status = launch(k, placed);
        if (status)
            fail_by_status(k, status);
        else
            publish_outputs(k, placed);
    }

    void publish_outputs(const kernel_step& k, std::span<runtime::buffer_ptr> placed) {
        for (std::size_t o = 0; o < k.outputs.size(); ++o) {
            if (other_part(k, o)) continue;
            const int v = k.operands[static_cast<std::size_t>(k.outputs[o])].value;
            if (v >= p_.values)
                temporaries_[static_cast<std::size_t>(v - p_.values)] = std::move(placed[o]);
            else if (k.guarded)
                settle_result(value(v), std::move(placed[o]));
            else if (batch())
                together_->made(value(v), std::move(placed[o]));
            else
                publish(value(v), std::move(placed[o]));
        }
    }

    void drop_temporaries(const plan_step& s) {
        for (int v : s.last_reads)
            if (v >= p_.values) temporaries_[static_cast<std::size_t>(v - p_.values)].reset();
    }

    /// Returns true if an output is the imaginary part; the real part is the output before it.
    static bool other_part(const kernel_step& k, std::size_t o) {
        const auto value = [&k](std::size_t i) {
            return k.operands[static_cast<std::size_t>(k.outputs[i])].value;
        };
        return o > 0 && value(o) == value(o - 1);
    }

    runtime::buffer_ptr make_temporary(int v) const {
        const temporary& t = p_.temporaries[static_cast<std::size_t>(v - p_.values)];
        return runtime::make_buffer(static_cast<std::size_t>(t.numel) * elementSize(t.dtype),
                                    w_.device);
    }

    runtime::buffer_ptr output_buffer(const kernel_step& k, const plan_step& s, int operand,
                                      std::size_t order,
                                      std::span<const runtime::buffer_ptr> placed) {
        const operand_binding& out = k.operands[static_cast<std::size_t>(operand)];
        if (out.value >= p_.values) return make_temporary(out.value);
        Version& v = value(out.value);
        // The copy of the base may overwrite memory that launches still in the batch read.
        if (batch() && v.producer->partial()) together_->put();
        // If a guard fails, the nodes are computed again one by one: the operands must survive, and
        // memory visible to outside code must stay unchanged.
        if (k.guarded) return beside(v);
        runtime::arena_vector<concurrent_read> reads;
        for (std::size_t i = 0; i < k.operands.size(); ++i) {
            const operand_binding& in = k.operands[i];
            if (k.ir.operands[i].use != kernel_ir::role::input || in.value >= p_.values) continue;
            Version& r = value(in.value);
            const bool one_unit =
                elementSize(k.ir.operands[i].type) ==
                elementSize(k.ir.operands[static_cast<std::size_t>(operand)].type);
            // Both parts of a complex element are read before either is written.
            const bool complex = isComplexType(v.dtype) && v.dtype == r.dtype;
            const bool same =
                k.streams && one_unit && in.strides == out.strides &&
                (complex ? in.offset / 2 == out.offset / 2 : in.offset == out.offset) &&
                elementSize(r.dtype) == elementSize(v.dtype);
            reads.push_back({&r, same || (one_unit && apart(k, in, out, v)),
                             last_read(s, in.value) && !held(r, in.value), same});
        }
        const auto needed = [this, &s](const Version& r, uint32_t mine) {
            const int i = number_of(r);
            return held(r, i, mine) || (i >= 0 && read_later(s, i));
        };
        runtime::buffer_ptr b = result_buffer(v, reads, needed, order == 0);
        for (std::size_t o = 0; o < order; ++o)
            if (placed[o] == b) return runtime::make_buffer(v.nbytes(), v.device);
        return b;
    }

    /// Returns true if a read touches no element that the step writes, if both are in one buffer.
    static bool apart(const kernel_step& k, const operand_binding& in, const operand_binding& out,
                      const Version& v) {
        if (!v.producer->partial() || isComplexType(v.producer->dtype)) return false;
        return !may_overlap(*make_geometry(k.extents, in.strides, in.offset),
                            *make_geometry(k.extents, out.strides, out.offset));
    }

    /// Returns null for an output that gets its address piece by piece.
    runtime::buffer* buffer_of(int v, const kernel_step& k,
                               std::span<const runtime::buffer_ptr> placed) {
        for (std::size_t o = 0; o < k.outputs.size(); ++o)
            if (k.operands[static_cast<std::size_t>(k.outputs[o])].value == v)
                return placed[o].get();
        if (v >= p_.values) return temporaries_[static_cast<std::size_t>(v - p_.values)].get();
        return value(v).buffer.get();
    }

    char* address(int v, const kernel_step& k, std::span<const runtime::buffer_ptr> placed) {
        const runtime::buffer* b = buffer_of(v, k, placed);
        if (b) runtime::before_host_reads(*b);
        return b ? static_cast<char*>(b->data) : nullptr;
    }

    /// A launch request and the arrays that it refers to.
    struct prepared_launch {
        runtime::arena_vector<int64_t> strides;
        runtime::arena_vector<runtime::launch_operand> operands;
        runtime::arena_vector<uint64_t> scalars;
        runtime::launch_request request;
    };

    uint64_t launch(const kernel_step& k, std::span<const runtime::buffer_ptr> placed) {
        prepared_launch l;
        prepare(k, placed, l);
        if (w_.device != runtime::main_memory) {
            runtime::arena_vector<runtime::gpu_operand> operands;
            for (std::size_t i = 0; i < k.operands.size(); ++i) {
                const bool index = k.ir.operands[i].use == kernel_ir::role::index;
                operands.push_back({index ? nullptr : buffer_of(k.operands[i].value, k, placed),
                                    l.operands[i].base, l.operands[i].strides,
                                    k.ir.operands[i].use == kernel_ir::role::output});
            }
            return runtime::launch_on_gpu(k, e_.of(k).on_gpu, w_.device, operands, l.scalars,
                                          batch());
        }
        find_code(k, l.request);
        const loaded_kernel& loaded = e_.of(k);
        const specialization::turn turn =
            loaded.own && l.request.fn
                ? loaded.own->next(l.scalars, l.request.fn, how_ == executor::compiled)
                : specialization::turn{l.request.fn};
        l.request.fn = turn.fn;
        const timed_run timed(*loaded.timing, k.bytes);
        if (turn.side < 0) return runtime::launch(l.request);
        const auto start = std::chrono::steady_clock::now();
        const uint64_t status = runtime::launch(l.request);
        loaded.own->record(turn.side, ns_since(start));
        return status;
    }

    void prepare(const kernel_step& k, std::span<const runtime::buffer_ptr> placed,
                 prepared_launch& l) {
        const std::size_t rank = k.extents.size();
        auto& [strides, operands, scalars, r] = l;
        strides.resize(k.operands.size() * rank);
        operands.reserve(k.operands.size());
        for (std::size_t i = 0; i < k.operands.size(); ++i) {
            const operand_binding& b = k.operands[i];
            const bool index = k.ir.operands[i].use == kernel_ir::role::index;
            const auto item = index ? 1 : static_cast<int64_t>(elementSize(k.ir.operands[i].type));
            for (std::size_t d = 0; d < rank; ++d) strides[i * rank + d] = b.strides[d] * item;
            if (fault("swap-strides") && i == 0 && rank > 1) std::swap(strides[0], strides[1]);
            char* base = index ? reinterpret_cast<char*>(b.offset)
                               : address(b.value, k, placed) + b.offset * item;
            operands.push_back({base, &strides[i * rank], item, b.spread});
        }
        scalars.reserve(k.scalars.size());
        for (const scalar_binding& b : k.scalars) {
            const Node& n = node(b.node);
            const Scalar& s =
                b.index < 0 ? Scalar(n.correction) : n.scalars[static_cast<std::size_t>(b.index)];
            scalars.push_back(runtime::scalar_bits(runtime::part_of(s, b.part), b.type));
        }
        const loaded_kernel& loaded = e_.of(k);
        r.reductions = loaded.reductions ? &*loaded.reductions : nullptr;
        r.along = k.ir.along;
        r.reduction = !k.streams;
        r.runs = k.ir.form == kernel_ir::row_form::runs;
        r.few = k.ir.form == kernel_ir::row_form::few;
        r.flat = k.flat;
        if (k.outputs.size() == 1) r.output = k.outputs[0];
        r.cost = k.cost;
        r.rank = static_cast<int>(rank);
        r.reduced = k.reduced;
        r.extents = k.extents.data();
        r.operands = operands;
        r.scalars = scalars;
    }

    /// Finds the code, interpreter or block kernel that runs a kernel on the CPU.
    void find_code(const kernel_step& step, runtime::launch_request& r) {
        loaded_kernel& k = e_.of(step);
        if (how_ == executor::interpret) {
            std::call_once(k.interpreter_made, [&] {
                k.interpreter = std::make_unique<kernel_ir::interpreter>(step.ir);
            });
            r.runner = k.interpreter.get();
        } else {
            r.fn = how_ == executor::blocks ? nullptr : code_of(k);
            if (!r.fn) {
                std::call_once(k.blocks_made, [&] { k.blocks = make_blocks(step); });
                r.runner = k.blocks.get();
                r.reductions = k.blocks->reductions();
                r.along = k.blocks->along();
            }
        }
    }

    static std::shared_ptr<const block::block_kernel> make_blocks(const kernel_step& k) {
        const std::size_t rank = k.extents.size();
        constexpr int64_t short_row = 64;  // for blocks along shorter rows call overhead dominates
        if (k.streams || k.ir.along == kernel_ir::lanes::row || k.reduced > 1 || rank < 2 ||
            k.extents[rank - 1] >= short_row || k.extents[rank - 2] < short_row)
            return std::make_shared<const block::block_kernel>(k.ir);
        kernel_ir::kernel by_row = k.ir;
        by_row.along = kernel_ir::lanes::row;
        by_row.form = kernel_ir::row_form::any;
        for (std::size_t i = 0; i < k.operands.size(); ++i)
            by_row.operands[i].lane =
                class_of(k.operands[i].strides[rank - 2], k.extents[rank - 2]);
        return std::make_shared<const block::block_kernel>(by_row);
    }

    /// Returns null while the kernel is being compiled.
    kernel_ir::kernel_fn code_of(const loaded_kernel& k) {
        if (const auto fn = k.fn.load(std::memory_order_acquire)) {
            runtime::count().cache_hits.add();
            return fn;
        }
        if (!looked_up_) look_up_all(e_, how_);
        looked_up_ = true;
        return k.fn.load(std::memory_order_acquire);
    }

    /// Fails the node of a step whose kernel raised `status`. Of several nodes, runs each by
    /// itself: only those that raise it fail, and their readers.
    void fail_by_status(const kernel_step& k, uint64_t status) {
        Node& n = node(k.nodes[0]);
        if (k.nodes.size() == 1)
            fail(*n.result, status_error(status, n));
        else
            run_nodes(k);
    }

    void run_nodes(const kernel_step& k) {
        const executor how = w_.device == runtime::main_memory ? executor::blocks : how_;
        for (int i : k.nodes) {
            Node& n = node(i);
            if (n.result->state != version_state::pending) continue;  // computed for another step
            if (const std::exception_ptr error = failed_source(n)) {
                fail(*n.result, error);
                continue;
            }
            const edge_numbers kept(n);
            subgraph one = w_.alone(static_cast<std::size_t>(i));
            const std::shared_ptr<executable> e = make_executable(one);
            runner(*e, one, how).run();
        }
    }

    /// Restores the value numbers of a node's edges, which `alone` changes.
    class edge_numbers {
    public:
        explicit edge_numbers(Node& n) : n_(n) {
            for (const Edge& e : n.sources) before_.push_back(e.number);
            if (n.partial()) before_.push_back(n.base().number);
        }
        ~edge_numbers() {
            std::size_t i = 0;
            for (Edge& e : n_.sources) e.number = before_[i++];
            if (n_.partial()) n_.base().number = before_[i];
        }
        edge_numbers(const edge_numbers&) = delete;

    private:
        Node& n_;
        runtime::arena_vector<int32_t> before_;
    };

    /// Resets the buffer of a version that did not become ready.
    struct unpublished {
        Version& v;
        ~unpublished() {
            if (v.state != version_state::ready) v.buffer.reset();
        }
    };

    /// Runs a product with its prologue and epilogue. Runs a kernel separately if fusing it would
    /// be visible outside.
    void run_joined(const plan_step& s) {
        const bool before = s.before && can_make(*s.before, s);
        if (s.before && !before) run_alone(*s.before);
        const bool behind = s.kernel && can_follow(*s.kernel, s);
        if (before || behind)
            run_pieces(s, before ? &*s.before : nullptr, behind ? &*s.kernel : nullptr);
        else
            run_library(s.library, s);
        if (s.kernel && !behind) run_kernel(*s.kernel, s);
    }

    void run_pieces(const plan_step& s, const kernel_step* before, const kernel_step* behind) {
        Node& n = node(s.library);
        Version& v = value(s.library);
        runtime::trace_span span("library", n.library->name);
        span.detail("elements", n.shape->numel);
        runtime::buffer_ptr result = runtime::make_buffer(v.nbytes());
        prepared_launch first, second;
        std::optional<piecewise_launch> maker, taker;
        blas::prologue source{nullptr, [](void* by, int64_t row, int64_t rows, char* to) {
                                  static_cast<piecewise_launch*>(by)->make_rows(row, rows, to);
                              }};
        blas::epilogue after_product{
            nullptr,
            [](void* by, int64_t row, int64_t rows, int64_t col, int64_t cols) {
                static_cast<piecewise_launch*>(by)->run(row, rows, col, cols);
            },
            behind && behind->pieces->whole_rows};
        if (before) {
            const runtime::buffer_ptr nowhere;  // each piece gets its address later
            prepare(*before, {&nowhere, 1}, first);
            find_code(*before, first.request);
            source.context = &maker.emplace(*before->pieces, first.request);
        }
        runtime::arena_vector<runtime::buffer_ptr> placed(behind ? behind->outputs.size() : 0);
        for (std::size_t o = 0; o < placed.size(); ++o)
            placed[o] =
                other_part(*behind, o) ? placed[o - 1] : buffer_beside(*behind, s, o, result);
        const unpublished undo{v};
        if (behind) {
            v.buffer = result;  // operand of the epilogue; not visible before it is published
            prepare(*behind, placed, second);
            find_code(*behind, second.request);
            after_product.context = &taker.emplace(*behind->pieces, second.request);
        }
        try {
            run_product_node(n, static_cast<char*>(result->data), source_bytes(n),
                             before ? &source : nullptr, behind ? &after_product : nullptr);
        } catch (const OutOfMemoryError&) {
            throw;
        } catch (const Error&) {
            fail(v, std::current_exception());
            if (behind) run_nodes(*behind);
            return;
        }
        if (before) runtime::count_launch(first.request);
        if (!behind) return settle_result(v, std::move(result));
        runtime::count_launch(second.request);
        runtime::count().epilogues.add();
        publish(v, std::move(result));
        publish_outputs(*behind, placed);
    }

    /// Runs a prologue kernel separately, because its result must be in memory. Other kernels of
    /// the step still read its operands, so it donates none.
    void run_alone(const kernel_step& k) {
        if (failed_source(k)) return run_nodes(k);
        Version& v = value(k.pieces->value);
        runtime::buffer_ptr result[] = {beside(v)};
        launch(k, result);
        settle_result(v, std::move(result[0]));
    }

    bool failed_operand(const plan_step& s) {
        for (const Edge& e : node(s.library).sources)
            if (e.value->state == version_state::failed) return true;
        return false;
    }

    /// Returns true if the kernel can run as prologue: only the product sees its result.
    bool can_make(const kernel_step& k, const plan_step& s) {
        const int v = k.pieces->value;
        return !failed_source(k) && !failed_operand(s) && !held(value(v), v);
    }

    /// Returns true if the kernel can run as epilogue: no value that it reads has failed, and
    /// neither its results nor the product are visible before they are published.
    bool can_follow(const kernel_step& k, const plan_step& s) {
        if (failed_source(k) || failed_operand(s) || !is_private(value(s.library))) return false;
        for (int o : k.outputs) {
            const int v = k.operands[static_cast<std::size_t>(o)].value;
            if (v < p_.values && !is_private(value(v))) return false;
        }
        return true;
    }

    static bool is_private(const Version& v) {
        if (v.producer->partial()) return false;
        std::lock_guard lock(home_lock());
        return !v.owner || !v.owner->address_known;
    }

    /// Returns memory for an output of an epilogue: the product's memory if nothing else needs it.
    /// Other operands are not donated, because an error would find them overwritten.
    runtime::buffer_ptr buffer_beside(const kernel_step& k, const plan_step& s, std::size_t order,
                                      const runtime::buffer_ptr& product) {
        const auto number = static_cast<std::size_t>(k.outputs[order]);
        const operand_binding& out = k.operands[number];
        if (out.value >= p_.values) return make_temporary(out.value);
        const Version &v = value(out.value), &from = value(k.pieces->value);
        const bool free = order == 0 && k.streams && last_read(s, k.pieces->value) &&
                          !held(from, k.pieces->value) && from.nbytes() == v.nbytes() &&
                          !isComplexType(v.dtype);
        if (free)
            for (std::size_t i = 0; i < k.operands.size(); ++i)
                if (k.operands[i].value == k.pieces->value &&
                    elementSize(k.ir.operands[i].type) == elementSize(v.dtype) &&
                    k.operands[i].offset == out.offset && k.operands[i].strides == out.strides) {
                    runtime::count().bytes_donated.add(v.nbytes());
                    return product;
                }
        return runtime::make_buffer(v.nbytes());
    }

    /// Runs a product on a GPU and adds its bias. Uses one library call if the library supports it
    /// and neither the product nor the memory of the sum is visible outside.
    void run_with_bias(const plan_step& s) {
        const kernel_step& k = *s.kernel;
        if (!add_bias(k, s)) {
            run_library(s.library, s);
            run_kernel(k, s);
        }
    }

    bool add_bias(const kernel_step& k, const plan_step& s) {
        const int out = k.operands[static_cast<std::size_t>(k.outputs[0])].value;
        const operand_binding& b = k.operands[static_cast<std::size_t>(s.bias)];
        Node& n = node(s.library);
        if (failed_source(k) || failed_operand(s) || held(*n.result, s.library) ||
            out >= p_.values || !is_private(value(out)))
            return false;
        runtime::buffer* const memory = buffer_of(b.value, k, {});
        if (!memory || (b.value < p_.values && value(b.value).device != w_.device)) return false;
        runtime::trace_span span("library", n.library->name);
        span.detail("elements", n.shape->numel);
        int operand = -1;
        const int64_t columns = n.shape->sizes()[n.shape->ndim - 1];
        const added_vector bias{*memory, b.offset, bias_stride(k, s.library, columns, operand)};
        try {
            if (const library_results sum = run_on_gpu(n, &bias))
                publish(value(out), sum.buffers()[0]);
            return value(out).state == version_state::ready;
        } catch (const OutOfMemoryError&) {
            throw;
        } catch (const Error&) {
            fail(*n.result, std::current_exception());
            run_nodes(k);
            return true;
        }
    }

    void run_library(int i, const plan_step& s) {
        Node& n = node(i);
        for (Edge& e : n.sources) {
            if (e.value->state == version_state::failed) {
                fail(*n.result, e.value->error);
                return;
            }
        }
        const auto needed = [this, &s](const Version& r, uint32_t mine) {
            const int v = number_of(r);
            return held(r, v, mine) || (v >= 0 && read_later(s, v));
        };
        run_library_node(n, needed);
    }

    void finish() {
        if (w_.nodes.size() == 1 && how_ != executor::interpret &&
            w_.device == runtime::main_memory)
            learn_fast_path(node(0), e_, how_);
        for (int i : survivors_) node(i).marked = true;
    }

    const executable& e_;
    const plan& p_;
    subgraph& w_;
    executor how_;
    runtime::arena_vector<runtime::buffer_ptr> temporaries_;
    runtime::arena_vector<uint32_t> dead_edges_;
    runtime::arena_vector<uint8_t> to_read_;  // per value: this or a later step reads it
    runtime::arena_vector<int> survivors_;
    replayed_run* together_ = nullptr;
    bool looked_up_ = false;  // looked up once per run: kernels missing then run without code
};

}  // namespace

namespace {

void run(const executable& e, subgraph& w, executor how) { runner(e, w, how).run(); }

/// Returns true if the kernels of the other plan are compiled. If one fails to compile, settles for
/// the fused plan.
bool get_apart(autotuner& c, executor how) {
    if (c.apart_ready()) return true;
    if (!c.worth_a_look()) return false;
    try {
        if (fault("no-apart")) throw InternalError("[plan] planted");
        look_up_all(c.apart(), how);
    } catch (const Error&) {
        c.settle(side::fused);
        return false;
    }
    if (!has_code(c.apart())) return false;
    c.set_apart_ready();
    return true;
}

/// Runs and times a turn. If the other plan throws, settles for the fused plan.
void run_timed(const executable& e, subgraph& w, executor how) {
    autotuner& c = *e.other;
    const side turn = c.next();
    const auto start = std::chrono::steady_clock::now();
    try {
        run(turn == side::apart ? c.apart() : e, w, how);
    } catch (...) {
        if (turn == side::apart) c.settle(side::fused);
        throw;
    }
    c.record(turn, ns_since(start));
}

}  // namespace

void execute(const executable& e, subgraph& w, executor how) {
    if (!e.other) return run(e, w, how);
    switch (e.other->now()) {
        case autotuner::state::fused: return run(e, w, how);
        case autotuner::state::apart: return run(e.other->apart(), w, how);
        case autotuner::state::measuring: break;
    }
    if (how >= executor::interpret || !has_code(e) || !get_apart(*e.other, how))
        return run(e, w, how);
    run_timed(e, w, how);
}

}  // namespace sinter::plan
