#include "runtime/base/device.hpp"
#include "runtime/device/driver.hpp"

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
    for (const gpu_vendor* v : gpu_vendors) {
        device_report r = report_driver(*v);
        CHECK(r.present == !r.what.empty());
        CHECK(r.present == r.why_not.empty());
        device_report again = report_driver(*v);
        CHECK(again.present == r.present);
        CHECK(again.what == r.what);
    }
}
