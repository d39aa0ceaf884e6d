// One run of a plan: the values that it computes, who still reads them, and where their bytes are.
#pragma once

#include "engine/run/executable/executable.hpp"
#include "engine/run/library/gpu_library.hpp"
#include "runtime/memory/arena.hpp"

#include <optional>

namespace sinter::runtime {
class launch_batch;
}

namespace sinter::plan {

class replayed_run;

/// What the steps of a run share. `node` and `value` take the numbers of the subgraph.
class plan_run {
public:
    plan_run(const executable& code, subgraph& work, executor how);
    plan_run(const plan_run&) = delete;
    plan_run& operator=(const plan_run&) = delete;

    const executable& code;
    subgraph& work;
    const executor how;
    replayed_run* replay = nullptr;  // collects launches; null: they are submitted at once
    bool looked_up = false;          // kernels that were missing then run without code
    uint64_t compiled_then = 0;  // kernels that the process had compiled when they were looked up

    Node& node(int n) const { return *work.nodes[static_cast<std::size_t>(n)]; }
    Version& value(int v) const { return *work.values[static_cast<std::size_t>(v)]; }
    /// Returns the launches that are collected, or null if they are submitted at once.
    runtime::launch_batch* batch() const;
    bool on_cpu() const { return work.device == runtime::main_memory; }
    bool is_temporary(int v) const { return v >= code.data.values; }
    /// Returns the offset of an operand in its value, or where its indices begin.
    int64_t offset_of(const operand_binding& b) const {
        return is_temporary(b.value) ? b.offset : b.offset + work.offsets.of(b.value);
    }

    /// Returns whether the host waits for tests of values on a GPU: it does if launches block, and
    /// if the plan writes memory that outside code reads, which is written rightly or not at all.
    tests_of_values tests() const;
    /// Gives the values of a kernel the tests of those that they are computed from.
    void inherit_tests(const kernel_step& k) const;

    // ---- failed values

    /// Returns true if a value that the subgraph reads has failed.
    bool any_failed() const;
    /// Returns the error of a failed source of the kernel's nodes, or null.
    std::exception_ptr failed_source(const kernel_step& k) const;
    static std::exception_ptr failed_source(const Node& n);

    // ---- readers

    /// Returns true if a value is referenced by anything but reads that end with this plan. `mine`:
    /// references that belong to the caller.
    bool held(const Version& v, int number, uint32_t mine = 0) const;
    /// Returns true if the value is needed after step `s`.
    bool needed(const plan_step& s, const Version& v, uint32_t mine) const;
    static bool last_read(const plan_step& s, int v);
    /// Returns true if the plan's last node changes a part of this value. Until then no other
    /// result may take its memory, though nothing may read it any more.
    bool is_base(const Version& v) const { return base_edges(v) != 0; }
    /// Ends the reads of a step: frees the memory of values that nothing will read any more.
    void end(const plan_step& s);
    /// Marks the nodes that stay pending as such.
    void mark_survivors();

    // ---- memory

    runtime::buffer_ptr make_temporary(int v) const;
    void keep_temporary(int v, runtime::buffer_ptr b) { buffer_of_temporary(v) = std::move(b); }
    /// Returns the buffer of a value that is computed; null if it is an index.
    runtime::buffer* buffer_of(int v) const;

private:
    bool read_later(const plan_step& s, int v) const;
    int number_of(const Version& v) const;
    uint32_t base_edges(const Version& v) const;
    void mark(const plan_step& s, bool read);
    void find_survivors();
    runtime::buffer_ptr& buffer_of_temporary(int v) {
        return temporaries_[static_cast<std::size_t>(v - code.data.values)];
    }

    mutable std::optional<tests_of_values> tests_;  // once asked for
    runtime::arena_vector<runtime::buffer_ptr> temporaries_;
    runtime::arena_vector<uint32_t> dead_edges_;
    runtime::arena_vector<uint8_t> to_read_;  // per value: this or a later step reads it
    runtime::arena_vector<int> survivors_;    // fused away, but still referenced
};

}  // namespace sinter::plan
