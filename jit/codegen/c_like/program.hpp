// Kernels as C-like kernel source: many kernels in one program, in any dialect of C++ that has a
// record of spellings. The text includes no header.
//
// A function takes one struct by value: the operands, the scalars (bit patterns), the status word
// and the extents. Rows and the elements of a row may have several dimensions each, so one launch
// runs any space. A map kernel treats all of them as one space, in blocks of element_threads
// threads (form.hpp). A kernel with reductions runs by rows, as row_form says. The division among
// threads may vary; the order of reduce_order.hpp may not.
#pragma once

#include "jit/kernel_ir/call.hpp"
#include "jit/kernel_ir/kernel_ir.hpp"

#include <span>
#include <string>
#include <vector>

namespace sinter::codegen {

/// The spellings of a dialect for everything that standard C++ cannot express. The defaults are
/// CUDA's, which HIP shares, and the builtin functions of GCC and clang. Arithmetic is
/// written with operators: the dialect is compiled without contraction, with IEEE division and with
/// subnormals.
struct dialect {
    const char* name;

    // ---- qualifiers

    /// Of kernels.
    const char* kernel = "extern \"C\" __global__ void";
    /// Launch bounds of a kernel; takes the most threads of a block.
    const char* bounded = "__launch_bounds__";
    /// Threads of which a multiprocessor shall hold the registers, where rows are reduced; 0: that
    /// is not said. Without it NVRTC's assembler takes the loads of an element to its use, so that
    /// few are under way; with 1024 a thread may hold 64 registers. HIP's second bound means
    /// another thing.
    unsigned resident = 0;
    /// Of functions that kernels call.
    const char* function = "static __device__ inline";
    /// Of functions that should be inlined into kernels.
    const char* inlined = "static __device__ __forceinline__";
    /// Of a constant array at file scope.
    const char* table = "static __device__ const";
    /// Of a variable in shared memory.
    const char* shared = "__shared__";
    /// Of an array in shared memory whose size the launch sets.
    const char* launched = "extern __shared__";

    // ---- threads

    const char* block = "(i64)blockIdx.x";
    const char* blocks = "(i64)gridDim.x";
    const char* local_thread = "(int)threadIdx.x";
    const char* block_threads = "(int)blockDim.x";
    /// If false, there is one thread, which runs all blocks.
    bool threaded = true;
    const char* barrier = "__syncthreads()";  // statement
    const char* or_word = "atomicOr";         // (pointer to u64, u64), atomic

    // ---- functions on f32 and f64, correctly rounded

    const char* fma[2] = {"__builtin_fmaf", "__builtin_fma"};
    const char* sqrt[2] = {"__builtin_sqrtf", "__builtin_sqrt"};
    const char* floor[2] = {"__builtin_floorf", "__builtin_floor"};
    const char* ceil[2] = {"__builtin_ceilf", "__builtin_ceil"};
    const char* trunc[2] = {"__builtin_truncf", "__builtin_trunc"};
    const char* rint[2] = {"__builtin_rintf", "__builtin_rint"};  // to nearest even
    const char* abs[2] = {"__builtin_fabsf", "__builtin_fabs"};
    const char* divide[2] = {"", ""};  // empty: the operator

    /// What a program begins with, of the folder prelude: whatever the spellings need declared;
    /// `load_pack<P>(address)` and `store_pack(address, p)` for accesses to memory as a whole;
    /// where there are threads, `lane_down(x, by, width)`, the value of the lane `by` further on
    /// among `width` neighbours, and `lane_first(x, width)`, that of their first; and shared.cuh.
    const char* prelude;
};

/// How threads divide a kernel by rows. A thread computes `lanes` of the order's 32 lanes. The
/// threads that compute all 32 are a team, which takes one chunk at a time. `teams` teams share the
/// chunks of a row, and a block runs `rows` rows at once.
struct row_form {
    uint8_t lanes = 1, teams = 8, rows = 1;
    uint8_t slots = 64;   // most chunks of a row per block; 1: their state stays in registers
    uint8_t steps = 1;    // elements per lane that a thread loads before it reduces them
    uint8_t stored = 1;   // adjacent elements per thread in passes that only store
    bool packed = false;  // several adjacent elements are one access; across: of two adjacent rows
    bool across = false;  // adjacent threads have adjacent rows instead of adjacent lanes
    bool parts = false;   // several blocks share a row's chunks: one launch for chunks, one to
                          // merge
    uint8_t kept = 0;     // 1: operands that several passes load stay in shared memory; 2: and a
                          // value that several passes compute takes the place of one (kept.hpp);
                          // 3: as 1, of the first chunks of a row, as many as row_parts says

    unsigned threads() const { return rows * teams * 32u / lanes; }
    static row_form one_thread() { return {.lanes = 32, .teams = 1}; }
    auto operator<=>(const row_form&) const = default;
};

/// Most threads of a block that merges parts.
inline constexpr unsigned merge_threads = 256;

/// The properties of its space that a function depends on.
struct loop_shape {
    uint8_t row_dims = 1, element_dims = 1;
    bool wide = true;  // 64-bit indices; if false, the space has fewer than 2^31 elements
    row_form rows;     // for a kernel by rows

    // ---- for map kernels: form.hpp
    bool far = true;      // 64-bit offsets; if false, no operand reaches 2^31 bytes
    uint8_t vector = 1;   // adjacent elements that a thread takes at once
    uint8_t items = 1;    // steps per thread, all of them loaded first
    uint64_t whole = 0;   // bit o: operand o has these elements adjacent and aligned
    uint64_t turned = 0;  // bit o: operand o is dense along the next dimension and goes through a
                          // tile

    auto operator<=>(const loop_shape&) const = default;
};

/// Returns the declaration of a kernel's argument; the kernel consists of primitives.
std::string c_arguments_of(const kernel_ir::kernel& k, const loop_shape& shape);

/// A kernel to be printed, for a space.
struct c_like_subject {
    const kernel_ir::kernel* k;
    loop_shape shape;
};

struct c_like_function {
    std::string name;
    bool by_rows = false;  // runs as row_form says; if false, any grid over the elements
    /// For row_form::parts: all launches in order; `name` is the first.
    struct part {
        std::string name;
        bool merges;  // true: merges states of earlier blocks; false: runs chunks
    };
    std::vector<part> parts;
    int64_t words = 0;     // row_form::parts: workspace words per row and part
    int64_t finished = 0;  // row_form::parts: additional workspace words per row
    int64_t kept = 0;      // row_form::kept: bytes per element
    int64_t kept_operands = 0;
    int64_t declared = 0;  // bytes of shared memory that the text declares
};

struct c_like_program {
    std::string text;
    std::vector<c_like_function> functions;  // per kernel; equal kernels share one function
    std::size_t distinct = 0;                // different kernels in the text
};

/// Prints kernels of either level. Two kernels are equal if their keys are; at row level the key is
/// the serialised kernel.
c_like_program print_program(const dialect& to, std::span<const c_like_subject> subjects);
/// Prints kernels for spaces of one row and one element dimension.
c_like_program print_program(const dialect& to, std::span<const kernel_ir::kernel> kernels);

struct argument_operand {
    char* ptr;               // role::index: the start index, as an integer
    const int64_t* strides;  // bytes (role::index: index steps), outermost first, as the extents
};

/// For row_form::parts: the workspace, the chunks per part (a power of two), and the rows that a
/// block merges. For row_form::kept == 3: the chunks that are kept.
struct row_parts {
    void* work = nullptr;
    int64_t span = 64, together = 1;
};

/// Packs the argument of a kernel by rows for a space, whose last `element_dims` extents are a
/// row's elements: pointers and integers as the text declares them.
void pack_arguments(const kernel_ir::kernel& k, const loop_shape& shape,
                    std::span<const int64_t> extents, std::span<const argument_operand> operands,
                    std::span<const uint64_t> scalars, uint64_t* status, const row_parts& parts,
                    std::span<uint64_t> words);
std::size_t argument_words(const kernel_ir::kernel& k, const loop_shape& shape);
/// Packs the argument for a kernel_call: one row and one element dimension.
std::vector<uint64_t> pack_arguments(const kernel_ir::kernel& k,
                                     const kernel_ir::kernel_call& call);

/// Plain C++ for one thread, for the system's compiler; tests use it to check the kernel source.
extern const dialect host_dialect;

}  // namespace sinter::codegen
