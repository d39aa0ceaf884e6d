#include "kernels/gpu_linalg/hip_libraries.hpp"

#include "runtime/types/dtypes.hpp"

namespace sinter::gpu_linalg {
namespace {

template <class Table>
std::string hip_version(const Table& t) {
    char text[128] = "";
    if (t.version_text(text, sizeof text) != 0) return "";
    return text;
}

constexpr const char* rocblas_files[] = {"librocblas.so.5",
                                         "librocblas.so.4",
                                         "librocblas.so.3",
                                         "librocblas.so.0",
                                         "/opt/rocm/lib/librocblas.so.5",
                                         "/opt/rocm/lib/librocblas.so.4"};
constexpr const char* rocsolver_files[] = {"librocsolver.so.0", "/opt/rocm/lib/librocsolver.so.0"};

bool rocblas_refuses(int code) { return code == 2; }
std::string rocblas_words(int code) {
    const rocblas_table* t = find_library<rocblas_table>().it;
    const char* text = t ? t->status_text(code) : nullptr;
    return text ? text : "unknown";
}

int make_rocblas(void** handle) {
    const rocblas_table& f = *find_library<rocblas_table>().it;
    constexpr int no_atomics = 0;  // the order of atomics differs from run to run
    if (const int failed = f.create(handle)) return failed;
    return f.set_atomics(*handle, no_atomics);
}

std::vector<library_report> report() {
    return {report_library<rocblas_table>(runtime::hip_vendor),
            report_library<rocsolver_table>(runtime::hip_vendor)};
}

}  // namespace

constinit const library_words rocblas_table::words = {
    .name = "rocBLAS",
    .variable = &runtime::settings::rocblas_library,
    .files = rocblas_files,
    .expected = "librocblas.so.5, .4, .3 or .0",
    .out_of_memory = 5,
    .refuses = rocblas_refuses,
    .explain = rocblas_words,
};
constinit const library_words rocsolver_table::words = {
    .name = "rocSOLVER",
    .variable = &runtime::settings::rocsolver_library,
    .files = rocsolver_files,
    .expected = "librocsolver.so.0",
    .out_of_memory = 5,
    .refuses = rocblas_refuses,
    .explain = rocblas_words,
};

std::string rocblas_table::version() const { return hip_version(*this); }
std::string rocsolver_table::version() const { return hip_version(*this); }

hip_session::hip_session(const char* op, runtime::gpu_stream& s)
    : gemm_session(op, s), table_(table_of<rocblas_table>()) {
    take(rocblas_table::words, make_rocblas);
    require(rocblas_table::words, op_, "rocblas_set_stream",
            table_.set_stream(handle(), s.handle()));
}

const rocsolver_table& hip_session::solver() const { return table_of<rocsolver_table>(); }

void hip_session::call(const char* function, const std::function<int()>& f) const {
    const auto check = [&](int code) { require(rocblas_table::words, op_, function, code); };
    check(table_.start_size_query(handle()));
    const int asked = f();
    std::size_t bytes = 0;
    check(table_.stop_size_query(handle(), &bytes));
    // The success codes of a size query: "size increased" and "size unchanged".
    constexpr int increased = 9, unchanged = 10;
    if (asked != increased && asked != unchanged) check(asked);
    const scratch workspace(stream(), bytes);
    // Null if no workspace is needed: rocBLAS must not use that of another call.
    check(table_.set_workspace(handle(), bytes > 0 ? workspace.data() : nullptr, bytes));
    check(f());
}

void hip_session::put(const gemm_call& g) const {
    const auto operation = [](char flag) { return flag == 'N' ? 111 : flag == 'T' ? 112 : 113; };
    const factors scale(g.dtype);
    const int type = info_of(g.dtype).rocblas;
    const int sums_in = info_of(compute_dtype(g.dtype)).rocblas;
    call("rocblas_gemm_strided_batched_ex", [&] {
        return f().gemm(handle(), operation(g.a.flag), operation(g.b.flag), g.m, g.n, g.k,
                        scale.one(), g.a.data, type, g.a.ld, g.a.step, g.b.data, type, g.b.ld,
                        g.b.step, scale.zero(), g.c, type, g.m, g.step, g.c, type, g.m, g.step,
                        g.count, sums_in, 0, 0, 0);
    });
}

constinit const gpu_libraries hip_libraries = {
    .products = make_products<hip_session>,
    .adds_bias = [] { return false; },
    .solvers = &hip_solvers,
    .report = report,
};

}  // namespace sinter::gpu_linalg
