// Kernels as C-like text: one function each, many in one program, in any dialect of C++ for which
// there is a record of spellings. The text includes no header.
//
// A function takes one struct by value: the operands, the scalars (bit patterns), the status word
// and the extents. Rows and the elements of a row may have several dimensions each, so that one
// launch runs any space. A kernel of element values alone takes all of them as one space, in blocks
// of element_threads threads (form.hpp). A kernel with reductions goes by rows, as row_form
// says: who computes what is free, the order of reduce_order.hpp is not.
#pragma once

#include "jit/kernel_ir/call.hpp"
#include "jit/kernel_ir/kernel_ir.hpp"

#include <span>
#include <string>
#include <vector>

namespace sinter::codegen {

/// How a dialect spells what C++ has no portable word for. Arithmetic is written with operators:
/// the dialect is compiled without contraction, with IEEE division and with subnormals.
struct dialect {
    const char* name;

    // ---- qualifiers
    const char* kernel;    // of a kernel
    const char* bounded;   // of a kernel, (most threads of a block)
    const char* function;  // of what kernels call
    const char* inlined;   // of what should be part of them
    const char* table;     // of a constant array at file scope
    const char* shared;    // of a variable that the threads of a block share
    const char* launched;  // of an array of those whose size the launch says

    // ---- threads
    const char* block;
    const char* blocks;
    const char* local_thread;   // of the block
    const char* block_threads;  // in it
    bool threaded;              // else one thread is all there is, and runs all blocks
    const char* barrier;        // statement
    const char* or_word;        // (pointer to u64, u64), atomic

    // ---- functions on f32 and f64, correctly rounded
    const char* fma[2];
    const char* sqrt[2];
    const char* floor[2];
    const char* ceil[2];
    const char* trunc[2];
    const char* rint[2];  // to nearest even
    const char* abs[2];
    const char* divide[2];  // empty: the operator

    /// What a program begins with, of the folder prelude: whatever the spellings need declared;
    /// `load_pack<P>(address)` and `store_pack(address, p)` for accesses to memory as a whole;
    /// where there are threads, `lane_down(x, by, width)`, the value of the lane `by` further on
    /// among `width` neighbours, and `lane_first(x, width)`, that of their first; and shared.cuh.
    const char* prelude;
};

/// Who computes what in a kernel by rows. `lanes` of the order's 32 are a thread's, the threads
/// that have the others are a team, and a team takes one chunk at a time: `teams` share the chunks
/// of a row, and a block has `rows` at once.
struct row_form {
    uint8_t lanes = 1, teams = 8, rows = 1;
    uint8_t slots = 64;  // chunks that a block may have of a row; 1: their state stays in registers
    uint8_t steps = 1;   // elements that a thread loads for each of its lanes before it takes them
    uint8_t stored = 1;  // neighbours that a thread takes where elements are only stored
    bool packed = false;  // elements lie so that several adjacent ones are one access
    bool across = false;  // adjacent threads have adjacent rows instead of adjacent lanes
    bool parts = false;   // chunks go over several blocks: a launch for them, one for their merge
    bool kept = false;    // what several passes load is in the block's memory from the first on

    unsigned threads() const { return rows * teams * 32u / lanes; }
    static row_form one_thread() { return {.lanes = 32, .teams = 1}; }
    auto operator<=>(const row_form&) const = default;
};

/// Most threads of a block that merges parts.
inline constexpr unsigned merge_threads = 256;

/// What a function knows of the space that it runs over.
struct loop_shape {
    uint8_t row_dims = 1, element_dims = 1;
    bool wide = true;  // 64-bit indices; else the space has less than 2^31 elements
    row_form rows;     // of a kernel by rows

    // ---- of kernels of elements: form.hpp
    bool far = true;      // 64-bit offsets; else no operand reaches 2^31 bytes
    uint8_t vector = 1;   // neighbouring elements that a thread takes at once
    uint8_t items = 1;    // times that it does so, all of whose loads come first
    uint64_t whole = 0;   // bit o: operand o has these elements side by side, and aligned
    uint64_t turned = 0;  // bit o: operand o goes through a tile, dense along the next dimension

    auto operator<=>(const loop_shape&) const = default;
};

/// A kernel to be printed, for a space.
struct c_like_subject {
    const kernel_ir::kernel* k;
    loop_shape shape;
};

struct c_like_function {
    std::string name;
    bool by_rows = false;  // as row_form says; else any grid over the elements
    /// Of row_form::parts: all launches in their order, `name` the first.
    struct part {
        std::string name;
        bool merges;  // what the blocks before it left; else chunks
    };
    std::vector<part> parts;
    int64_t words = 0;     // row_form::parts: of a row, and each part of it, in the workspace
    int64_t finished = 0;  // beside those, of a row
    int64_t kept = 0;      // row_form::kept: bytes of an element
    int64_t kept_operands = 0;
    int64_t declared = 0;  // bytes of a block's memory that the text declares
};

struct c_like_program {
    std::string text;
    std::vector<c_like_function> functions;  // of each kernel; equal kernels share one
    std::size_t distinct = 0;                // functions in the text
};

/// Kernels of either level. Two are equal when their keys are, which for a kernel at row level are
/// its serialised bytes.
c_like_program print_program(const dialect& to, std::span<const c_like_subject> subjects);
/// The same of kernels over rows of elements, one dimension each.
c_like_program print_program(const dialect& to, std::span<const kernel_ir::kernel> kernels);

struct argument_operand {
    char* ptr;               // role::index: the start index, as an integer
    const int64_t* strides;  // bytes (role::index: index steps), outermost first, as extents
};

/// Of row_form::parts: the workspace, chunks of a part (a power of two), rows that a block merges.
struct row_parts {
    void* work = nullptr;
    int64_t span = 64, together = 1;
};

/// The argument of the function of a kernel by rows for a space, whose last `element_dims` extents
/// are those of a row's elements: pointers and integers as the text declares them.
void pack_arguments(const kernel_ir::kernel& k, const loop_shape& shape,
                    std::span<const int64_t> extents, std::span<const argument_operand> operands,
                    std::span<const uint64_t> scalars, uint64_t* status, const row_parts& parts,
                    std::span<uint64_t> words);
std::size_t argument_words(const kernel_ir::kernel& k, const loop_shape& shape);
/// The same of a call, with one dimension of each.
std::vector<uint64_t> pack_arguments(const kernel_ir::kernel& k,
                                     const kernel_ir::kernel_call& call);

/// Plain C++ for one thread, as the system's compiler takes it: the text's own check.
extern const dialect host_dialect;

}  // namespace sinter::codegen
