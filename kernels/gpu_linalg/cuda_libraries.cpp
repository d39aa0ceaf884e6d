#include "kernels/gpu_linalg/cuda_libraries.hpp"

#include "kernels/gpu_linalg/light_product.hpp"
#include "runtime/types/dtypes.hpp"

namespace sinter::gpu_linalg {
namespace {

/// Returns "major.minor.patch"; libraryPropertyType numbers the three.
template <class Table>
std::string cuda_version(const Table& t) {
    std::string text;
    for (int which = 0; which < 3; ++which) {
        int number = 0;
        if (t.property(which, &number) != 0) return "";
        text += (which > 0 ? "." : "") + std::to_string(number);
    }
    return text;
}

// The CUDA toolkit's folder is usually on no search path.
constexpr const char* cublas_files[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11",
                                        "/usr/local/cuda/lib64/libcublas.so.13",
                                        "/usr/local/cuda/lib64/libcublas.so.12"};
constexpr const char* cublaslt_files[] = {"libcublasLt.so.13", "libcublasLt.so.12",
                                          "/usr/local/cuda/lib64/libcublasLt.so.13",
                                          "/usr/local/cuda/lib64/libcublasLt.so.12"};
constexpr const char* cusolver_files[] = {"libcusolver.so.12", "libcusolver.so.11",
                                          "/usr/local/cuda/lib64/libcusolver.so.12",
                                          "/usr/local/cuda/lib64/libcusolver.so.11"};

// ---- error codes

bool cublas_refuses(int code) { return code == 8 || code == 15; }
std::string cublas_words(int code) {
    switch (code) {
        case 1: return "not initialized";
        case 7: return "invalid value";
        case 11: return "mapping error";
        case 13: return "execution failed";
        case 14: return "internal error";
        default: return "unknown";
    }
}

bool cusolver_refuses(int code) { return code == 4 || code == 8 || code == 9; }
std::string cusolver_words(int code) {
    switch (code) {
        case 1: return "not initialized";
        case 3: return "invalid value";
        case 5: return "mapping error";
        case 6: return "execution failed";
        case 7: return "internal error";
        case 31: return "invalid workspace";
        default: return "unknown";
    }
}

int make_cublas(void** handle) {
    const cublas_table& f = *find_library<cublas_table>().it;
    // Half must not be summed in Half, which would round more than once.
    constexpr int no_reduced_precision = 16;
    if (const int failed = f.create(handle)) return failed;
    return f.set_math_mode(*handle, no_reduced_precision);
}

int make_cusolver(void** handle) { return find_library<cusolver_table>().it->create(handle); }

/// Returns the size that NVIDIA recommends. Results depend on the size, so it is the same for every
/// call.
std::size_t cublas_workspace(const runtime::gpu& g) {
    const std::string& architecture = g.properties.architecture;
    const bool old = architecture.size() == 5 && architecture[3] < '9';
    return (old ? std::size_t{4} : std::size_t{32}) << 20;
}

std::vector<library_report> report() {
    library_report light = report_library<cublaslt_table>(runtime::cuda_vendor);
    runtime::device_report& r = light.found;
    if (r.present && !light_library()) r = {false, "", r.what + " is not of cuBLAS's version"};
    if (!r.present && r.why_not.empty()) r.why_not = "SINTER_CUBLAS_LIBRARY names a cuBLAS alone";
    return {report_library<cublas_table>(runtime::cuda_vendor), light,
            report_library<cusolver_table>(runtime::cuda_vendor)};
}

}  // namespace

constinit const library_words cublas_table::words = {
    .name = "cuBLAS",
    .variable = &runtime::settings::cublas_library,
    .files = cublas_files,
    .expected = "libcublas.so.13, .12 or .11",
    .out_of_memory = 3,
    .refuses = cublas_refuses,
    .explain = cublas_words,
};
constinit const library_words cublaslt_table::words = {
    .name = "cuBLASLt",
    .variable = &runtime::settings::cublaslt_library,
    .files = cublaslt_files,
    // The default cuBLASLt does not belong to another cuBLAS.
    .only_without = &runtime::settings::cublas_library,
};
constinit const library_words cusolver_table::words = {
    .name = "cuSOLVER",
    .variable = &runtime::settings::cusolver_library,
    .files = cusolver_files,
    .expected = "libcusolver.so.12 or .11",
    .out_of_memory = 2,
    .refuses = cusolver_refuses,
    .explain = cusolver_words,
};

std::string cublas_table::version() const { return cuda_version(*this); }
std::string cublaslt_table::version() const { return cuda_version(*this); }
std::string cusolver_table::version() const { return cuda_version(*this); }

cublas_session::cublas_session(const char* op, runtime::gpu_stream& s)
    : gemm_session(op, s),
      table_(table_of<cublas_table>()),
      workspace_(s, cublas_workspace(s.device())) {
    take(cublas_table::words, make_cublas);
    // cublasSetStream resets the workspace, so the stream is set first.
    check("cublasSetStream", table_.set_stream(handle(), s.handle()));
    check("cublasSetWorkspace",
          table_.set_workspace(handle(), workspace_.data(), workspace_.bytes()));
}

void cublas_session::check(const char* function, int code) const {
    require(cublas_table::words, op_, function, code);
}

cusolver_session::cusolver_session(const char* op, runtime::gpu_stream& s)
    : session(op, s), table_(table_of<cusolver_table>()) {
    take(cusolver_table::words, make_cusolver);
    check("cusolverDnSetStream", table_.set_stream(handle(), s.handle()));
}

void cusolver_session::check(const char* function, int code) const {
    require(cusolver_table::words, op_, function, code);
}

void cublas_session::put(const gemm_call& g) const {
    if (put_light(*this, g)) return;
    if (g.bias) throw refused();
    const auto operation = [](char flag) { return flag == 'N' ? 0 : flag == 'T' ? 1 : 2; };
    const factors scale(g.dtype);
    const int type = info_of(g.dtype).cuda;
    constexpr int usual_algorithm = -1;
    check("cublasGemmStridedBatchedEx",
          f().gemm(handle(), operation(g.a.flag), operation(g.b.flag), g.m, g.n, g.k, scale.one(),
                   g.a.data, type, g.a.ld, g.a.step, g.b.data, type, g.b.ld, g.b.step, scale.zero(),
                   g.c, type, g.m, g.step, g.count, cuda_sums(scale), usual_algorithm));
}

constinit const gpu_libraries cuda_libraries = {
    .products = make_products<cublas_session>,
    .adds_bias = [] { return light_library() != nullptr; },
    .solvers = &cuda_solvers,
    .report = report,
};

}  // namespace sinter::gpu_linalg
