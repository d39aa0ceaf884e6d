// The vendors' run-time compilers, NVRTC and hiprtc, whose interfaces have the same shape: kernel
// source in, device code out. Neither needs a GPU. They are opened on first use, and their
// functions are declared here, so the build needs no vendor header.
#pragma once

#include "runtime/base/environment.hpp"

#include <dlfcn.h>

#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace sinter::codegen {

struct device_code {
    std::vector<char> bytes;  // empty on failure: see `error`
    std::string error;        // includes the compiler's log
    bool refused = false;     // true if the compiler was not called; `error` is then the whole
                              // message
};

struct rtc_names {
    const char* vendor;                   // in messages
    runtime::text_setting variable;       // may name another library
    std::span<const char* const> places;  // libraries to try, in order
    const char* prefix;                   // prefix of all functions; the rest of their names is the
                                          // same
    const char* code;                     // name of the result: Get<code>, Get<code>Size
    const char* virtual_code = nullptr;   // name of the virtual code, which the driver compiles
                                          // further
    /// Returns the release of this machine's driver: "12.4"; empty if there is none. Null if any
    /// driver runs the code of any release. A driver does not run code of a later major release.
    std::string (*driver)() = nullptr;
    bool threads = false;  // true if several threads may compile at a time
};

/// A run-time compiler. Calls may come from any thread. They run one at a time if the library is
/// not made for several threads.
class rtc_library {
public:
    explicit rtc_library(const rtc_names& names);

    const std::string& why_not() const { return why_not_; }  // empty: usable
    /// Returns why code that it makes does not run on this machine; empty: it does. That of a
    /// library that is too new for the driver, which is opened if there is no other, can be stored
    /// for other machines.
    const std::string& why_not_here() const { return why_not_here_; }
    const std::string& name() const { return name_; }
    const std::string& path() const { return path_; }
    const std::string& version() const { return version_; }

    /// Returns true if the library, or one that it is linked with, has `symbol`; sets `function` to
    /// it.
    template <class F>
    bool find(const char* symbol, F*& function) const {
        if (handle_) function = reinterpret_cast<F*>(dlsym(handle_, symbol));
        return handle_ && function;
    }

    /// Compiles `text`; `options` are separated by spaces.
    device_code compile(const std::string& text, const std::string& options);

private:
    using program = void*;
    void open(const rtc_names& names, std::span<const char* const> places);
    void* handle_ = nullptr;
    std::string name_;
    std::string path_;
    std::string why_not_, why_not_here_;
    std::string version_;
    const bool threads_;
    std::mutex mutex_;
    int (*create_)(program*, const char*, const char*, int, const char* const*,
                   const char* const*) = nullptr;
    int (*compile_)(program, int, const char* const*) = nullptr;
    int (*destroy_)(program*) = nullptr;
    int (*log_size_)(program, std::size_t*) = nullptr;
    int (*log_)(program, char*) = nullptr;
    int (*code_size_)(program, std::size_t*) = nullptr;
    int (*code_)(program, char*) = nullptr;
    int (*virtual_size_)(program, std::size_t*) = nullptr;  // null if the library has none
    int (*virtual_)(program, char*) = nullptr;
};

}  // namespace sinter::codegen
