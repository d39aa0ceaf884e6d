#include "runtime/base/device.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace sinter::runtime;

TEST_CASE("device: the processor is always there") {
    device_report r = find_cpu();
    CHECK(r.present);
    CHECK(r.what.find(cpu_level()) != std::string::npos);
    CHECK(r.why_not.empty());
    CHECK(memory_bytes() > (1ull << 26));
}

TEST_CASE("device: a GPU is described, or its absence explained") {
    for (auto* find : {find_cuda, find_hip}) {
        device_report r = find();
        CHECK(r.present == !r.what.empty());
        CHECK(r.present == r.why_not.empty());
        device_report again = find();
        CHECK(again.present == r.present);
        CHECK(again.what == r.what);
    }
}
