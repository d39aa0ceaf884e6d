// The input of pointwise GPU kernels: dimensions, and bytes in flight.
#include "engine/plan/layout.hpp"
#include "jit/launch/gpu/bytes_in_flight.hpp"
#include "runtime/memory/arena.hpp"

#include <doctest/doctest.h>

using namespace sinter;
using plan::layout_operand;

namespace {

layout_operand operand(std::initializer_list<int64_t> strides, bool output = false) {
    layout_operand o;
    o.at.strides.assign(strides);
    o.output = output;
    return o;
}

using extents = std::vector<int64_t>;

}  // namespace

TEST_CASE("gpu layouts: what all operands see as one dimension is one") {
    const runtime::arena memory;
    const std::vector<bool> none(3, false);
    const auto all =
        plan::order_gpu_loops({4, 5, 6}, none, {operand({30, 6, 1}), operand({30, 6, 1}, true)});
    CHECK(all.extents == extents{120});
    const auto row =
        plan::order_gpu_loops({4, 5, 6}, none, {operand({0, 0, 1}), operand({30, 6, 1}, true)});
    CHECK(row.extents == extents{20, 6});
    // In the memory order of the result, whatever the order of dimensions.
    const auto turned =
        plan::order_gpu_loops({6, 5, 4}, none, {operand({1, 6, 30}), operand({1, 6, 30}, true)});
    CHECK(turned.extents == extents{120});
}

TEST_CASE(
    "gpu layouts: the dimension that inputs are dense along stands beside the innermost one") {
    const runtime::arena memory;
    const std::vector<bool> none(4, false);
    // For a copy of [40, 3, 5, 50] from memory whose first dimension is dense.
    const auto order = plan::order_gpu_loops(
        {40, 3, 5, 50}, none, {operand({1, 10000, 2000, 80}), operand({750, 250, 50, 1}, true)});
    CHECK(order.extents == extents{15, 40, 50});
    CHECK(order.strides[0] == extents{2000, 1, 80});
    CHECK(order.strides[1] == extents{50, 750, 1});
}

TEST_CASE("gpu layouts: bytes in flight by architecture, and by name where one has two memories") {
    const auto bytes = [](const char* architecture, const char* name, int threads) {
        runtime::device_properties p;
        p.architecture = architecture;
        p.name = name;
        p.threads_per_multiprocessor = threads;
        return runtime::bytes_of_thread(p);
    };
    CHECK(bytes("sm_70", "Tesla V100", 2048) == 12);
    CHECK(bytes("sm_80", "NVIDIA A100", 2048) == 16);
    CHECK(bytes("sm_90", "NVIDIA H100", 2048) == 32);
    CHECK(bytes("sm_90", "NVIDIA H200", 2048) == 48);
    CHECK(bytes("sm_100", "NVIDIA B200", 2048) == 64);
    CHECK(bytes("gfx90a", "AMD Instinct MI250X", 2048) == 24);
    CHECK(bytes("gfx942", "AMD Instinct MI300X", 2048) == 32);
    CHECK(bytes("unknown", "", 0) == 128);
}
