// The source of a kernel depends on its launch. Its form: for a space, strides and addresses, on a
// device; the fastest. Its base form: for every launch, which a program without a compiler runs
// where no stored kernel has the form. No form changes a bit of the result.
#pragma once

#include "jit/codegen/c_like/form.hpp"
#include "jit/launch/gpu/launched_kernel.hpp"
#include "runtime/device/driver.hpp"

namespace sinter::runtime {

codegen::loop_shape form_of(const launched_kernel& k, const device_properties& device,
                            const codegen::element_space& space);

/// Returns other forms that give the same bits for the launch, the fastest first: what a program
/// that met other sizes or addresses may have stored.
std::vector<codegen::loop_shape> other_forms(const launched_kernel& k,
                                             const device_properties& device,
                                             const codegen::element_space& space);

/// The kernel that `of` stands for in its base form: operands of any strides, 64-bit indices, one
/// element at a time, up to 8 dimensions.
struct base_kernel {
    kernel_ir::kernel ir;
    std::vector<uint8_t> key;  // serialised `ir`
    codegen::loop_shape shape;
    std::optional<gpu_rows> rows;
};

/// Returns nothing for a kernel that reduces more dimensions than the base form has.
std::optional<base_kernel> base_of(const launched_kernel& k);

/// A launch with as many dimensions as the base form. Refers to the operands of the launch that it
/// was made of.
struct base_launch {
    launched_kernel k;
    std::vector<int64_t> strides;
    std::vector<codegen::argument_operand> operands;
};

/// Returns nothing for a space of more row dimensions than the base form has.
std::optional<base_launch> in_base_form(const launched_kernel& k, base_kernel&& base,
                                        std::span<const codegen::argument_operand> operands);

}  // namespace sinter::runtime
