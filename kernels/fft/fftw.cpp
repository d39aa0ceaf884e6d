#include "kernels/fft/fftw.hpp"

#include "kernels/fft/fft.hpp"
#include "runtime/base/fail.hpp"
#include "runtime/base/fork.hpp"

#include <dlfcn.h>

#include <atomic>
#include <string>

namespace sinter::fourier {
namespace {

template <class R>
constexpr const char* library_name = "libfftw3.so.3";
template <>
constexpr const char* library_name<float> = "libfftw3f.so.3";
template <class R>
constexpr const char* prefix = "fftw_";
template <>
constexpr const char* prefix<float> = "fftwf_";

template <class R>
struct opened {
    fftw<R> functions{};
    std::string missing;  // the library, or its first missing function

    opened() {
        void* handle = dlopen(library_name<R>, RTLD_NOW | RTLD_LOCAL);  // never closed
        if (!handle) {
            missing = library_name<R>;
            return;
        }
        const auto bind = [&](auto& to, const char* name) {
            const std::string symbol = prefix<R> + std::string(name);
            to = reinterpret_cast<std::remove_reference_t<decltype(to)>>(
                dlsym(handle, symbol.c_str()));
            if (!to && missing.empty()) missing = symbol;
        };
        bind(functions.plan_c2c, "plan_guru64_dft");
        bind(functions.plan_r2c, "plan_guru64_dft_r2c");
        bind(functions.plan_c2r, "plan_guru64_dft_c2r");
        bind(functions.run_c2c, "execute_dft");
        bind(functions.run_r2c, "execute_dft_r2c");
        bind(functions.run_c2r, "execute_dft_c2r");
        bind(functions.destroy, "destroy_plan");
    }
};

template <class R>
const opened<R>& open_fftw() {
    static constinit std::atomic<const opened<R>*> made{nullptr};
    return runtime::made_once(made, [] { return new opened<R>; });
}

template <class R>
std::string described() {
    const opened<R>& o = open_fftw<R>();
    return o.missing.empty() ? library_name<R> : "no " + o.missing;
}

}  // namespace

std::string describe_fftw() {
    const bool none = !open_fftw<float>().missing.empty() && !open_fftw<double>().missing.empty();
    return (none ? "none: " : "") + described<float>() + ", " + described<double>();
}

template <class R>
const fftw<R>& require_fftw(const char* op) {
    const opened<R>& o = open_fftw<R>();
    if (!o.missing.empty())
        runtime::fail(op, "FFTW was not found", "no " + o.missing, library_name<R>,
                      sizeof(R) == sizeof(float) ? "apt-get install libfftw3-single3"
                                                 : "apt-get install libfftw3-double3");
    return o.functions;
}

template const fftw<float>& require_fftw<float>(const char* op);
template const fftw<double>& require_fftw<double>(const char* op);

}  // namespace sinter::fourier
