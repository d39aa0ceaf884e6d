// A shared library that is opened at run time, as those of drivers, and stays open as long as the
// process lives.
#pragma once

#include "runtime/base/environment.hpp"

#include <dlfcn.h>

#include <span>
#include <string>
#include <type_traits>

namespace sinter::runtime {

/// Never closed: drivers start threads and register exit handlers, which need their code.
class driver_library {
public:
    /// Opens the first of `names` that exists.
    explicit driver_library(std::span<const char* const> names) { open_first(names); }
    /// Does so. The setting may name another library, or "none".
    driver_library(text_setting setting, std::span<const char* const> names) {
        if (const std::string& instead = environment().*setting; !instead.empty()) {
            if (instead == "none")
                error_ = std::string(name_of(setting)) + " is none";
            else
                open(instead.c_str());
            return;
        }
        open_first(names);
    }

    explicit operator bool() const { return handle_ != nullptr; }
    const std::string& path() const { return path_; }
    const std::string& error() const { return error_; }

    /// Returns true if `name` exists, and sets `function` to it.
    template <class F>
    bool find(const char* name, F*& function) {
        if (!handle_) return false;
        function = reinterpret_cast<F*>(dlsym(handle_, name));
        if (!function) error_ = path_ + " lacks " + name;
        return function != nullptr;
    }

private:
    void open_first(std::span<const char* const> names) {
        for (const char* name : names) {
            open(name);
            if (handle_) return;
        }
    }
    void open(const char* name) {
        handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (handle_) {
            path_ = name;
            return;
        }
        const char* text = dlerror();
        if (!error_.empty()) error_ += "; ";
        error_ += text ? text : name;
    }

    void* handle_ = nullptr;
    std::string path_, error_;
};

#define SINTER_GPU_MEMBER(member, name, ...) std::add_pointer_t<__VA_ARGS__> member = nullptr;
#define SINTER_GPU_FIND(member, name, ...) \
    if (!from.find(name, member)) return false;

/// The body of a struct with the functions of `rows`: members, and `fill`, which returns false if
/// the library lacks one. A row is a member, the name, and the type of the function.
#define SINTER_GPU_FUNCTIONS(rows)                                             \
    rows(SINTER_GPU_MEMBER) bool fill(sinter::runtime::driver_library& from) { \
        rows(SINTER_GPU_FIND) return true;                                     \
    }

}  // namespace sinter::runtime
