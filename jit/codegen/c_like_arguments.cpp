// The one argument of a kernel's function: its declaration and its bytes.
#include "jit/codegen/c_like_kernel.hpp"

#include <algorithm>

namespace sinter::codegen {

using kernel_ir::kernel;

namespace {

/// No array is empty.
std::size_t scalar_words(const kernel& k) { return std::max<std::size_t>(1, k.scalars.size()); }

}  // namespace

std::string c_arguments_type(const kernel& k) {
    return "arguments_" + std::to_string(k.operands.size()) + "_" + std::to_string(scalar_words(k));
}

std::string c_arguments(const kernel& k) {
    return "struct " + c_arguments_type(k) + " {\n    operand operands[" +
           std::to_string(k.operands.size()) + "];\n    u64 scalars[" +
           std::to_string(scalar_words(k)) + "];\n    u64* status;\n    i64 n1, n0;\n};\n";
}

std::vector<uint64_t> pack_arguments(const kernel& k, const kernel_ir::kernel_call& call) {
    std::vector<uint64_t> words;
    const auto push = [&](auto word) { words.push_back(static_cast<uint64_t>(word)); };
    for (std::size_t o = 0; o < k.operands.size(); o++) {
        push(reinterpret_cast<uintptr_t>(call.operands[o].ptr));
        push(call.operands[o].s1);
        push(call.operands[o].s0);
    }
    for (std::size_t s = 0; s < scalar_words(k); s++)
        push(s < k.scalars.size() ? call.scalars[s] : 0);
    push(reinterpret_cast<uintptr_t>(call.status));
    push(call.n1);
    push(call.n0);
    return words;
}

}  // namespace sinter::codegen
