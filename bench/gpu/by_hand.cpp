#include "bench/gpu/by_hand.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <stdexcept>

namespace bench {
namespace {

void* open_first(std::initializer_list<const char*> names) {
    for (const char* name : names)
        if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
    return nullptr;
}

template <class F>
F* find(void* library, const char* name) {
    return library ? reinterpret_cast<F*>(dlsym(library, name)) : nullptr;
}

void require(int code, const char* what) {
    if (code != 0)
        throw std::runtime_error(std::string(what) + " failed with code " + std::to_string(code));
}

/// Opens the library as Sinter does: a variable may name another file, or none.
void* vendor_library(const char* variable, std::initializer_list<const char*> usual) {
    const char* named = std::getenv(variable);
    if (!named || !*named) return open_first(usual);
    return std::string(named) == "none" ? nullptr : dlopen(named, RTLD_NOW | RTLD_LOCAL);
}

void* cuda() {
    static void* const library = vendor_library("SINTER_CUDA_LIBRARY", {"libcuda.so.1"});
    return library;
}

void* hip() {
    static void* const library = vendor_library(
        "SINTER_HIP_LIBRARY", {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"});
    return library;
}

/// The library makes its context current only during a call.
int make_current() {
    using retain = int(void**, int);
    using set = int(void*);
    void* context = nullptr;
    auto* primary = find<retain>(cuda(), "cuDevicePrimaryCtxRetain");
    auto* make = find<set>(cuda(), "cuCtxSetCurrent");
    if (!primary || !make) return 0;
    require(primary(&context, 0), "cuDevicePrimaryCtxRetain");
    require(make(context), "cuCtxSetCurrent");
    return 1;
}

}  // namespace

void wait_for_device() {
    using wait = int();
    thread_local const int current = make_current();
    (void)current;
    static auto* const all = [] {
        auto* of_cuda = find<wait>(cuda(), "cuCtxSynchronize");
        return of_cuda ? of_cuda : find<wait>(hip(), "hipDeviceSynchronize");
    }();
    if (all) require(all(), "waiting for the device");
}

std::function<void(void*, const void*, std::size_t)> device_copy() {
    using cuda_copy = int(uint64_t, uint64_t, std::size_t, void*);
    using hip_copy = int(void*, const void*, std::size_t, int, void*);
    if (auto* copy = find<cuda_copy>(cuda(), "cuMemcpyAsync"))
        return [copy](void* to, const void* from, std::size_t bytes) {
            require(copy(reinterpret_cast<uint64_t>(to), reinterpret_cast<uint64_t>(from), bytes,
                         nullptr),
                    "cuMemcpyAsync");
        };
    if (auto* copy = find<hip_copy>(hip(), "hipMemcpyAsync"))
        return [copy](void* to, const void* from, std::size_t bytes) {
            constexpr int device_to_device = 3;
            require(copy(to, from, bytes, device_to_device, nullptr), "hipMemcpyAsync");
        };
    return {};
}

std::function<void(float*, const float*, const float*, int)> device_product() {
    // Row-major matrices are transposes of column-major ones: c^T = b^T a^T.
    using gemm = int(void*, int, int, int, int, int, const float*, const float*, int, const float*,
                     int, const float*, float*, int);
    using create = int(void**);
    struct vendor {
        void* driver;
        const char* variable;
        std::initializer_list<const char*> names;
        const char *create, *gemm;
        int as_is;
    };
    const vendor vendors[] = {
        {cuda(),
         "SINTER_CUBLAS_LIBRARY",
         {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11",
          "/usr/local/cuda/lib64/libcublas.so.13", "/usr/local/cuda/lib64/libcublas.so.12"},
         "cublasCreate_v2",
         "cublasSgemm_v2",
         0},
        {hip(),
         "SINTER_ROCBLAS_LIBRARY",
         {"librocblas.so.5", "librocblas.so.4", "librocblas.so.0"},
         "rocblas_create_handle",
         "rocblas_sgemm",
         111},
    };
    for (const vendor& v : vendors) {
        if (!v.driver) continue;
        void* library = vendor_library(v.variable, v.names);
        auto* make = find<create>(library, v.create);
        auto* multiply = find<gemm>(library, v.gemm);
        void* handle = nullptr;
        if (!make || !multiply || make(&handle) != 0) continue;
        return
            [multiply, handle, as_is = v.as_is](float* c, const float* a, const float* b, int n) {
                const float one = 1, zero = 0;
                require(multiply(handle, as_is, as_is, n, n, n, &one, b, n, a, n, &zero, c, n),
                        "the product");
            };
    }
    return {};
}

std::function<std::size_t(void*, std::size_t, const double*, double*, int64_t)> device_sum() {
    using cub_sum = int(void*, std::size_t*, const double*, double*, int);
    auto* sum = find<cub_sum>(open_first({"libsinter_bench_cub.so"}), "sinter_bench_cub_sum");
    std::size_t bytes = 0;
    const int code = sum ? sum(nullptr, &bytes, nullptr, nullptr, 1) : 0;
    if (!sum || code != 0) {
        std::printf("no CUB beside: %s\n",
                    sum ? ("error " + std::to_string(code)).c_str()
                        : "libsinter_bench_cub.so is not there, see bench/README.md");
        return {};
    }
    return [sum](void* work, std::size_t size, const double* from, double* to, int64_t n) {
        require(sum(work, &size, from, to, static_cast<int>(n)), "CUB's sum");
        return size;
    };
}

std::string device_text() {
    using cuda_name = int(char*, int, int);
    using cuda_version = int(int*);
    char name[256] = "?";
    int version = 0;
    if (auto* ask = find<cuda_name>(cuda(), "cuDeviceGetName"); ask && ask(name, 255, 0) == 0) {
        if (auto* release = find<cuda_version>(cuda(), "cuDriverGetVersion")) release(&version);
        return std::string(name) + ", CUDA driver " + std::to_string(version / 1000) + "." +
               std::to_string(version % 1000 / 10);
    }
    return "a HIP device";
}

}  // namespace bench
