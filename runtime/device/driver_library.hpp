// A driver's shared library, opened for as long as the process lives.
#pragma once

#include <dlfcn.h>

#include <initializer_list>
#include <string>

namespace sinter::runtime {

/// Not closed: drivers start threads and register exit handlers that must not lose their code.
class driver_library {
public:
    driver_library(std::initializer_list<const char*> names) {
        for (const char* name : names) {
            handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
            if (handle_) return;
            const char* text = dlerror();
            if (!error_.empty()) error_ += "; ";
            error_ += text ? text : name;
        }
    }

    explicit operator bool() const { return handle_ != nullptr; }
    const std::string& error() const { return error_; }

    /// Whether `name` exists; then `function` is it.
    template <class F>
    bool find(const char* name, F*& function) {
        function = reinterpret_cast<F*>(dlsym(handle_, name));
        if (!function) error_ = std::string("the driver library lacks ") + name;
        return function != nullptr;
    }

private:
    void* handle_ = nullptr;
    std::string error_;
};

}  // namespace sinter::runtime
