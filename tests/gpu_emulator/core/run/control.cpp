#include "core/run/control.hpp"

#include "core/base/findings.hpp"
#include "core/base/occasions.hpp"
#include "core/memory/device.hpp"
#include "core/memory/host_waits.hpp"

using namespace gpu_emulator;

#define EXPORTED extern "C" [[gnu::visibility("default")]]

EXPORTED int sinter_emulator_fail(const char* what, int nth) {
    const occasion o = occasion_named(what);
    if (o == occasion::none) return 1;
    fail(o, nth);
    return 0;
}

EXPORTED unsigned long long sinter_emulator_counts(const char* what) {
    const occasion o = occasion_named(what);
    return o == occasion::none ? 0 : times(o);
}

EXPORTED const char* sinter_emulator_finding() {
    thread_local std::string text;
    text = last_finding();
    return text.c_str();
}

EXPORTED void sinter_emulator_forgive() {
    for (int n = 0; n < device::count(); ++n) {
        host_waits_now();
        device::get(n)->finish();
        device::get(n)->forgive();
    }
    forget_findings();
}
