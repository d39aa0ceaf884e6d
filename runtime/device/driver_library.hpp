// A driver's shared library, which stays open as long as the process lives.
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <initializer_list>
#include <string>

namespace sinter::runtime {

/// Never closed: drivers start threads and register exit handlers, which need their code.
class driver_library {
public:
    /// Opens the first of `names` that exists. The environment variable may name another library,
    /// or "none".
    driver_library(const char* variable, std::initializer_list<const char*> names) {
        if (const char* instead = std::getenv(variable); instead && *instead) {
            if (std::string(instead) == "none")
                error_ = std::string(variable) + " is none";
            else
                open(instead);
            return;
        }
        for (const char* name : names) {
            open(name);
            if (handle_) return;
        }
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

}  // namespace sinter::runtime
