// The keys of GPU code where it is stored. That of a generated kernel is the kernel and the shape
// of its launch, not the text that is compiled: so a change of the generator that alters neither
// results nor arguments keeps stored kernels, and a missing one can be compared with those there.
// That of a handwritten kernel is its text, since nothing else says what its arguments are.
#pragma once

#include "jit/codegen/c_like/gpu_compiler.hpp"
#include "jit/stored/artefact.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::code_cache {

/// What the key of a generated kernel says.
struct device_subject {
    kernel_ir::kernel ir;
    codegen::loop_shape shape;
};

/// Calls visit(name, field) with all fields of a shape, which keys hold and messages name.
template <class Shape, class F>
void each_field(Shape& s, const F& visit) {
    visit("row dimensions", s.row_dims);
    visit("element dimensions", s.element_dims);
    visit("64-bit indices", s.wide);
    visit("64-bit offsets", s.far);
    visit("elements at once", s.vector);
    visit("steps of a thread", s.items);
    visit("aligned operands, as bits", s.whole);
    visit("transposed operands, as bits", s.turned);
    auto& r = s.rows;
    visit("lanes of a thread", r.lanes);
    visit("teams of threads", r.teams);
    visit("rows of a block", r.rows);
    visit("chunks of a block", r.slots);
    visit("elements loaded together", r.steps);
    visit("elements stored together", r.stored);
    visit("vector loads", r.packed);
    visit("threads across rows", r.across);
    visit("several blocks a row", r.parts);
    visit("rows kept in shared memory", r.kept);
}
static_assert(sizeof(codegen::row_form) == 10 && sizeof(codegen::loop_shape) == 32,
              "a field is missing in each_field");

/// Returns the key of a kernel, which is serialised, for a shape.
bytes device_key(byte_view serialized_kernel, const codegen::loop_shape& shape);

/// Returns nothing for a text, and for a key that this library cannot read.
std::optional<device_subject> read_device_key(byte_view key);

/// Returns true for the text of handwritten kernels.
bool is_text(byte_view key);

/// Returns the compiler for what a target is called: "CUDA sm_90". Null for CPUs.
const codegen::gpu_compiler* compiler_of_target(std::string_view target);

/// Returns the text that is compiled for a key.
std::string source_of(const codegen::gpu_compiler& c, byte_view key);

/// Returns the identity of a generated kernel: that of its operations, as on CPUs, and in the ABI a
/// hash of all that the host must know to launch it: its argument, its parts and its memory.
identity identity_of_subject(const kernel_ir::kernel& ir, const codegen::loop_shape& shape,
                             const codegen::c_like_function& printed);

/// Returns the identity of code by its key, for a CPU or a GPU. Nothing if the library cannot read
/// the key.
std::optional<identity> identity_of(std::string_view target, byte_view key);

}  // namespace sinter::code_cache
