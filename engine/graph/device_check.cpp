#include "engine/graph/device_check.hpp"

#include "runtime/base/fail.hpp"

#include <sinter/error.hpp>

namespace sinter::inline v1 {
namespace {

bool is_number(const Edge& e) {
    return e.value->device == runtime::main_memory && e.shape->ndim == 0;
}

placed_operand operand_of(const Edge& e) { return {e.shape->sizes_ref(), e.value->device}; }

}  // namespace

std::string device_name(runtime::device_index device) {
    return device == runtime::main_memory ? "cpu" : "cuda:" + std::to_string(device);
}

void refuse_apart(const char* op, const placed_operand& a, const placed_operand& b) {
    const auto described = [](const placed_operand& o) {
        std::string text = "a tensor of sizes [";
        for (std::size_t d = 0; d < o.sizes.size(); ++d)
            text += (d > 0 ? ", " : "") + std::to_string(o.sizes[d]);
        return text + "] on " + device_name(o.device);
    };
    runtime::fail(
        op,
        runtime::text(
            "Expected all tensors to be on the same device, but found at least two devices, ",
            device_name(a.device), " and ", device_name(b.device)),
        described(a) + " and " + described(b), "one device",
        runtime::text(".to(\"", device_name(a.device), "\") on the other tensor"));
}

void check_devices(const char* op, Node& n) {
    const Edge* home = nullptr;  // the source that determines the device
    for (const Edge& e : n.sources) {
        if (!e.value) continue;
        if (!home || (is_number(*home) && !is_number(e)))
            home = &e;
        else if (!is_number(e) && e.value->device != home->value->device)
            refuse_apart(op, operand_of(*home), operand_of(e));
    }
    if (!home) return;
    n.device = home->value->device;
    n.apart = true;
}

void check_target(const char* op, Node& n, runtime::device_index target) {
    bool sources = false;
    for (const Edge& e : n.sources) sources = sources || e.value;
    if (!sources || n.device == target) {
        n.device = target;
        return;
    }
    // Only sources that are all numbers move to the target.
    bool numbers = true;
    for (const Edge& e : n.sources) numbers = numbers && (!e.value || is_number(e));
    if (!numbers)
        runtime::fail(
            op,
            runtime::text(
                "Expected all tensors to be on the same device, but found at least two devices, ",
                device_name(n.device), " and ", device_name(target)),
            runtime::text("an operand on ", device_name(n.device), " for a tensor on ",
                          device_name(target)),
            "one device",
            runtime::text("copy_(), which moves between devices, or .to(\"", device_name(target),
                          "\") on the operand"));
    n.device = target;
    n.apart = true;
}

}  // namespace sinter::inline v1
