// Warnings: what is told to the user without failing.
#pragma once

#include <sinter/config.hpp>

#include <string>

namespace sinter::inline v1 {

class Warning;

/// Gets the warnings of the thread that it is set in. This one writes them to stderr.
class SINTER_API WarningHandler {
public:
    virtual ~WarningHandler();
    virtual void process(const Warning& warning);
};

class SINTER_API Warning {
public:
    explicit Warning(std::string text) : text_(std::move(text)) {}
    const std::string& msg() const { return text_; }

    /// For the calling thread; null brings back the one that writes to stderr. The handler must
    /// outlive its use.
    static void set_warning_handler(WarningHandler* handler) noexcept;
    static WarningHandler* get_warning_handler() noexcept;
    /// Whether warnings that come once in a process come every time.
    static void set_warnAlways(bool always) noexcept;
    static bool get_warnAlways() noexcept;

private:
    std::string text_;
};

/// libtorch 1.13's place for the same.
namespace WarningUtils {
inline void set_warning_handler(WarningHandler* handler) noexcept {
    Warning::set_warning_handler(handler);
}
inline WarningHandler* get_warning_handler() noexcept { return Warning::get_warning_handler(); }
inline void set_warnAlways(bool always) noexcept { Warning::set_warnAlways(always); }
inline bool get_warnAlways() noexcept { return Warning::get_warnAlways(); }

/// Sets a handler until the end of the scope, or whether warnings always come.
class WarningHandlerGuard {
public:
    explicit WarningHandlerGuard(WarningHandler* handler) : previous_(get_warning_handler()) {
        set_warning_handler(handler);
    }
    ~WarningHandlerGuard() { set_warning_handler(previous_); }
    WarningHandlerGuard(const WarningHandlerGuard&) = delete;
    WarningHandlerGuard& operator=(const WarningHandlerGuard&) = delete;

private:
    WarningHandler* previous_;
};
class WarnAlways {
public:
    explicit WarnAlways(bool always = true) : previous_(get_warnAlways()) {
        set_warnAlways(always);
    }
    ~WarnAlways() { set_warnAlways(previous_); }
    WarnAlways(const WarnAlways&) = delete;
    WarnAlways& operator=(const WarnAlways&) = delete;

private:
    bool previous_;
};
}  // namespace WarningUtils

SINTER_API void warn(const Warning& warning);
/// Once in a process for each text.
SINTER_API void warn_once(const Warning& warning);

}  // namespace sinter::inline v1
