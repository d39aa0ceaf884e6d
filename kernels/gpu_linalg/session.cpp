#include "kernels/gpu_linalg/session.hpp"

#include "runtime/report/log.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace sinter::gpu_linalg {
namespace {

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
constexpr library_words cublas_codes{"cuBLAS", "SINTER_CUBLAS_LIBRARY", 3, cublas_refuses,
                                     cublas_words};

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
constexpr library_words cusolver_codes{"cuSOLVER", "SINTER_CUSOLVER_LIBRARY", 2, cusolver_refuses,
                                       cusolver_words};

bool rocblas_refuses(int code) { return code == 2; }
std::string rocblas_words(int code) {
    const rocblas_table* t = find_library<rocblas_table>().it;
    const char* text = t ? t->status_text(code) : nullptr;
    return text ? text : "unknown";
}
constexpr library_words rocblas_codes{"rocBLAS", "SINTER_ROCBLAS_LIBRARY", 5, rocblas_refuses,
                                      rocblas_words};

/// Returns the library's table. If the library is missing, warns once and throws `refused`.
template <class Table>
const Table& table_of(const library_words& of, const char* expected) {
    const found_library<Table>& found = find_library<Table>();
    if (found.it) return *found.it;
    runtime::warn_once(
        std::string("no ") + of.name,
        std::string("[") + of.name + "] the library was not found; got " + found.why_not +
            "; expected " + expected +
            "; the CPU computes what it is for; try installing it, or naming it in " + of.variable);
    throw refused();
}

/// Free handles, by library and device. Never destroyed: the drivers may be gone by then.
class free_handles {
public:
    void* take(const library_words& of, int device) {
        const std::lock_guard lock(mutex_);
        std::vector<void*>& free = free_[{&of, device}];
        if (free.empty()) return nullptr;
        void* handle = free.back();
        free.pop_back();
        return handle;
    }
    void give(const library_words& of, int device, void* handle) {
        const std::lock_guard lock(mutex_);
        free_[{&of, device}].push_back(handle);
    }

private:
    std::mutex mutex_;
    std::map<std::pair<const library_words*, int>, std::vector<void*>> free_;
};

free_handles& handles() {
    static auto& all = *new free_handles;
    return all;
}

int make_cublas(void** handle) {
    const cublas_table& f = *find_library<cublas_table>().it;
    // Half must not be summed in Half, which would round more than once.
    constexpr int no_reduced_precision = 16;
    if (const int failed = f.create(handle)) return failed;
    return f.set_math_mode(*handle, no_reduced_precision);
}

int make_cusolver(void** handle) { return find_library<cusolver_table>().it->create(handle); }

int make_rocblas(void** handle) {
    const rocblas_table& f = *find_library<rocblas_table>().it;
    constexpr int no_atomics = 0;  // the order of atomics differs from run to run
    if (const int failed = f.create(handle)) return failed;
    return f.set_atomics(*handle, no_atomics);
}

/// Returns the size that NVIDIA recommends. Results depend on the size, so it is the same for every
/// call.
std::size_t cublas_workspace(const runtime::gpu& g) {
    const std::string& architecture = g.properties.architecture;
    const bool old = architecture.size() == 5 && architecture[3] < '9';
    return (old ? std::size_t{4} : std::size_t{32}) << 20;
}

}  // namespace

void require(const library_words& of, const char* op, const char* function, int code) {
    if (code == 0) return;
    if (of.refuses(code)) throw refused();
    const std::string what = "[" + std::string(op) + "] " + of.name;
    const std::string got = std::string(function) + " with status " + std::to_string(code) + " (";
    if (code == of.out_of_memory)
        throw OutOfMemoryError(what + " found no memory; got " + got +
                               "out of memory), expected success; try cuda::empty_cache(), or "
                               "smaller operands");
    throw Error(what + " failed; got " + got + of.explain(code) +
                "), expected success; try SINTER_LAUNCH_BLOCKING=1 to see whether earlier work is "
                "to blame, or " +
                of.variable + "=none, with which the CPU computes it");
}

void session::take(const library_words& of, maker make) {
    handle_ = handles().take(of, stream_.device().index);
    if (!handle_) {
        void* made = nullptr;
        require(of, op_, "making a handle", make(&made));
        handle_ = made;
    }
    of_ = &of;
}

session::~session() {
    if (!handle_) return;
    try {
        if (!ended_) stream_.put("a call of a library");
        handles().give(*of_, stream_.device().index, handle_);
    } catch (...) {
        // The error of the queued work is already propagating, or the next call will find it.
    }
}

void session::end() {
    ended_ = true;
    stream_.put("a call of a library");
}

cublas_session::cublas_session(const char* op, runtime::gpu_stream& s)
    : session(op, s),
      table_(table_of<cublas_table>(cublas_codes, "libcublas.so.13, .12 or .11")),
      workspace_(s, cublas_workspace(s.device())) {
    take(cublas_codes, make_cublas);
    // cublasSetStream resets the workspace, so the stream is set first.
    check("cublasSetStream", table_.set_stream(handle(), s.handle()));
    check("cublasSetWorkspace",
          table_.set_workspace(handle(), workspace_.data(), workspace_.bytes()));
}

void cublas_session::check(const char* function, int code) const {
    require(cublas_codes, op_, function, code);
}

cusolver_session::cusolver_session(const char* op, runtime::gpu_stream& s)
    : session(op, s), table_(table_of<cusolver_table>(cusolver_codes, "libcusolver.so.12 or .11")) {
    take(cusolver_codes, make_cusolver);
    check("cusolverDnSetStream", table_.set_stream(handle(), s.handle()));
}

void cusolver_session::check(const char* function, int code) const {
    require(cusolver_codes, op_, function, code);
}

hip_session::hip_session(const char* op, runtime::gpu_stream& s)
    : session(op, s),
      table_(table_of<rocblas_table>(rocblas_codes, "librocblas.so.5, .4, .3 or .0")) {
    take(rocblas_codes, make_rocblas);
    require(rocblas_codes, op_, "rocblas_set_stream", table_.set_stream(handle(), s.handle()));
}

const rocsolver_table& hip_session::solver() const {
    static constexpr library_words words{"rocSOLVER", "SINTER_ROCSOLVER_LIBRARY", 5,
                                         rocblas_refuses, rocblas_words};
    return table_of<rocsolver_table>(words, "librocsolver.so.0");
}

void hip_session::call(const char* function, const std::function<int()>& f) const {
    const auto check = [&](int code) { require(rocblas_codes, op_, function, code); };
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

}  // namespace sinter::gpu_linalg
