#include "jit/kernel_ir/base_form.hpp"

namespace sinter::kernel_ir {

std::optional<std::vector<uint8_t>> base_key(const kernel& k) {
    kernel base = k;
    bool differs = false;
    for (operand& o : base.operands) {
        if (o.use == role::output) continue;
        differs = differs || o.lane != stride_class::other;
        o.lane = stride_class::other;
    }
    if (!differs) return std::nullopt;
    return serialize(base);
}

}  // namespace sinter::kernel_ir
