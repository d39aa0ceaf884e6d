// A subgraph as bytes that hold no address and no value: what a recording of a program's work is
// made of. Equal structures have equal bytes. A library of another build, with other places of
// operations in its tables or another planner, plans them again.
#pragma once

#include "engine/graph/infer.hpp"
#include "engine/plan/subgraph.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace sinter::plan {

/// Returns the bytes: all that structure_key has. Offsets of reads are those that the subgraph
/// leaves to them.
std::vector<uint8_t> write_work(const subgraph& w);

/// A program before its types are inferred, and what they depend on.
struct untyped_program {
    std::vector<uint16_t> words;
    std::vector<operand_type> leaves;
    std::vector<Scalar::kind> scalars;
    ScalarType default_dtype;
    bool fast;
};
/// Sets and restores the default dtype, and fast math of the thread.
const typed_program* infer(const untyped_program& p);

/// Returns true if the word after this one of a program is a dtype.
bool has_dtype(uint16_t word);

/// A subgraph that can be planned, and never run.
class restored_work {
public:
    /// `on`: the GPU that it is planned for, which need not be here, and must outlive this; null:
    /// the CPU. The bytes say of neither. Throws InternalError if the bytes are no subgraph, or
    /// have an operation that this library does not know. Sets and restores the default dtype and
    /// fast math of the thread, because the types of an expression depend on them.
    restored_work(const uint8_t* data, std::size_t size, const runtime::gpu* on = nullptr);
    ~restored_work();
    restored_work(const restored_work&) = delete;
    restored_work& operator=(const restored_work&) = delete;

    subgraph w;

private:
    struct parts;
    std::unique_ptr<parts> parts_;  // what the subgraph points to
};

}  // namespace sinter::plan
