// Exceptions. Every message reads `[op] what happened; got ..., expected ...; try ...`.
#pragma once

#include <sinter/config.hpp>

#include <stdexcept>
#include <string>

namespace sinter::inline v1 {

/// The base of everything Sinter throws on purpose.
class SINTER_API Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
    /// The message alone, as libtorch spells it.
    const char* what_without_backtrace() const noexcept { return what(); }
    std::string msg() const { return what(); }
    /// Adds to the message what the program was about when it caught the error.
    void add_context(const std::string& text) {
        // Assigned as a whole: a copy of an exception must not throw, so it has no text of its own.
        std::runtime_error::operator=(std::runtime_error(msg() + " (" + text + ')'));
    }
};

class SINTER_API IndexError : public Error {
public:
    using Error::Error;
};
class SINTER_API ValueError : public Error {
public:
    using Error::Error;
};
class SINTER_API TypeError : public Error {
public:
    using Error::Error;
};
class SINTER_API NotImplementedError : public Error {
public:
    using Error::Error;
};
class SINTER_API LinAlgError : public Error {
public:
    using Error::Error;
};
class SINTER_API OutOfMemoryError : public Error {
public:
    using Error::Error;
};
/// A broken invariant of Sinter itself: always a bug of the library.
class SINTER_API InternalError : public Error {
public:
    using Error::Error;
};

}  // namespace sinter::inline v1
