#include "kernels/gpu_linalg/session.hpp"

#include "runtime/base/fail.hpp"
#include "runtime/report/log.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace sinter::gpu_linalg {
namespace {

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

}  // namespace

void require(const library_words& of, const char* op, const char* function, int code) {
    if (code == 0) return;
    if (of.refuses(code)) throw refused();
    const std::string got = std::string(function) + " with status " + std::to_string(code) + " (";
    if (code == of.out_of_memory)
        runtime::fail<OutOfMemoryError>(op, std::string(of.name) + " ran out of memory",
                                        got + "out of memory)", "success",
                                        "cuda::empty_cache(), or smaller operands");
    runtime::fail(op, std::string(of.name) + " failed", got + of.explain(code) + ")", "success",
                  runtime::text("SINTER_LAUNCH_BLOCKING=1 to see whether earlier work failed, or ",
                                runtime::name_of(of.variable), "=none to compute it on the CPU"));
}

void refuse_missing(const library_words& of, const std::string& why_not) {
    runtime::warn_once(
        std::string("no ") + of.name,
        runtime::text("[", of.name, "] the library was not found; got ", why_not, ", expected ",
                      of.expected,
                      "; the CPU computes its operations; try installing it, or setting ",
                      runtime::name_of(of.variable), " to its path"));
    throw refused();
}

void session::take(const library_words& of, maker make) {
    handle_ = handles().take(of, stream_.device().index);
    if (!handle_) {
        void* made = nullptr;
        require(of, op_, "creating a handle", make(&made));
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

}  // namespace sinter::gpu_linalg
