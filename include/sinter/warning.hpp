// Warnings: messages to the user about what did not fail.
#pragma once

#include <sinter/config.hpp>

#include <string>

namespace sinter::inline v1 {

class Warning;

/// Receives the warnings of the threads that it is set in. This class writes them to stderr.
class SINTER_API WarningHandler {
public:
    /// A handler must not be destroyed while it is set.
    virtual ~WarningHandler();
    /// Handles one warning.
    virtual void process(const Warning& warning);
};

/// A text for the user about something that did not fail.
class SINTER_API Warning {
public:
    /// Holds this text.
    explicit Warning(std::string text) : text_(std::move(text)) {}
    /// Returns the text.
    const std::string& msg() const { return text_; }

    /// Sets or returns the handler of the calling thread; null sets the one that writes to stderr.
    /// The handler must outlive its use.
    ///@{
    static void set_warning_handler(WarningHandler* handler) noexcept;
    static WarningHandler* get_warning_handler() noexcept;
    ///@}
    /// Sets or returns whether warnings that are given once in a process are given every time.
    ///@{
    static void set_warnAlways(bool always) noexcept;
    static bool get_warnAlways() noexcept;
    ///@}

private:
    std::string text_;
};

// libtorch 1.13's namespace of these functions.
namespace WarningUtils {
/// As the static method of this name of Warning. libtorch: c10::WarningUtils.
///@{
inline void set_warning_handler(WarningHandler* handler) noexcept {
    Warning::set_warning_handler(handler);
}
inline WarningHandler* get_warning_handler() noexcept { return Warning::get_warning_handler(); }
inline void set_warnAlways(bool always) noexcept { Warning::set_warnAlways(always); }
inline bool get_warnAlways() noexcept { return Warning::get_warnAlways(); }
///@}

/// Sets a handler until the end of the scope.
class WarningHandlerGuard {
public:
    /// Sets the handler; the destructor brings the previous one back.
    ///@{
    explicit WarningHandlerGuard(WarningHandler* handler) : previous_(get_warning_handler()) {
        set_warning_handler(handler);
    }
    ~WarningHandlerGuard() { set_warning_handler(previous_); }
    ///@}
    /// Not copied.
    ///@{
    WarningHandlerGuard(const WarningHandlerGuard&) = delete;
    WarningHandlerGuard& operator=(const WarningHandlerGuard&) = delete;
    ///@}

private:
    WarningHandler* previous_;
};
/// Sets whether warnings are given every time until the end of the scope.
class WarnAlways {
public:
    /// Sets the switch; the destructor brings the previous value back.
    ///@{
    explicit WarnAlways(bool always = true) : previous_(get_warnAlways()) {
        set_warnAlways(always);
    }
    ~WarnAlways() { set_warnAlways(previous_); }
    ///@}
    /// Not copied.
    ///@{
    WarnAlways(const WarnAlways&) = delete;
    WarnAlways& operator=(const WarnAlways&) = delete;
    ///@}

private:
    bool previous_;
};
}  // namespace WarningUtils

/// Gives the warning to the calling thread's handler. libtorch: c10::warn.
SINTER_API void warn(const Warning& warning);
/// Gives the warning once in a process for each text. libtorch: TORCH_WARN_ONCE.
SINTER_API void warn_once(const Warning& warning);

}  // namespace sinter::inline v1
