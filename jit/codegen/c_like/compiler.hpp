// The vendors' run-time compilers, which share one shape of interface: text in, device code out.
// Neither needs a GPU. They are opened on first use and declared here, so no header of theirs is
// needed to build.
#pragma once

#include <dlfcn.h>

#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace sinter::codegen {

struct device_code {
    std::vector<char> bytes;  // empty: `error` says why
    std::string error;        // with the compiler's log
    bool refused = false;     // the compiler was not asked; `error` is the whole message
};

struct rtc_names {
    const char* vendor;                   // in messages
    const char* variable;                 // of the environment, which may name another library
    std::span<const char* const> places;  // libraries, in order
    const char* prefix;                   // of all functions, which are else named alike
    const char* code;                     // what they call the result: Get<code>, Get<code>Size
    const char* virtual_code = nullptr;   // the same of code that a driver compiles on
};

/// A run-time compiler. Calls may come from any thread; they run one at a time, as not every
/// version of the libraries bears more.
class rtc_library {
public:
    explicit rtc_library(const rtc_names& names);

    const std::string& why_not() const { return why_not_; }  // empty: usable
    const std::string& name() const { return name_; }
    const std::string& path() const { return path_; }
    const std::string& version() const { return version_; }

    /// Whether the library, or one that it is linked with, has `symbol`; then `function` is it.
    template <class F>
    bool find(const char* symbol, F*& function) const {
        if (handle_) function = reinterpret_cast<F*>(dlsym(handle_, symbol));
        return handle_ && function;
    }

    /// `options` with spaces between.
    device_code compile(const std::string& text, const std::string& options);

private:
    using program = void*;
    void* handle_ = nullptr;
    std::string name_;
    std::string path_;
    std::string why_not_;
    std::string version_;
    std::mutex mutex_;
    int (*create_)(program*, const char*, const char*, int, const char* const*,
                   const char* const*) = nullptr;
    int (*compile_)(program, int, const char* const*) = nullptr;
    int (*destroy_)(program*) = nullptr;
    int (*log_size_)(program, std::size_t*) = nullptr;
    int (*log_)(program, char*) = nullptr;
    int (*code_size_)(program, std::size_t*) = nullptr;
    int (*code_)(program, char*) = nullptr;
    int (*virtual_size_)(program, std::size_t*) = nullptr;  // null: it has none
    int (*virtual_)(program, char*) = nullptr;
};

}  // namespace sinter::codegen
