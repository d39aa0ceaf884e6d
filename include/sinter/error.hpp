// Exceptions. Every message reads `[op] what happened; got ..., expected ...; try ...`.
#pragma once

#include <sinter/config.hpp>

#include <stdexcept>
#include <string>

namespace sinter::inline v1 {

/// The base of everything Sinter throws on purpose.
class SINTER_API Error : public std::runtime_error {
public:
    /// An error with this message.
    using std::runtime_error::runtime_error;
    /// Returns the message.
    ///@{
    const char* what_without_backtrace() const noexcept { return what(); }
    std::string msg() const { return what(); }
    ///@}
    /// Appends to the message, in parentheses, what the program did as it caught the error.
    void add_context(const std::string& text) {
        // Assigned as a whole: a copy of an exception must not throw, so it has no text of its own.
        std::runtime_error::operator=(std::runtime_error(msg() + " (" + text + ')'));
    }
};

/// An index or a dimension is out of range. PyTorch: IndexError.
class SINTER_API IndexError : public Error {
public:
    /// An error with this message.
    using Error::Error;
};
/// An argument has a value that the function does not take. PyTorch: ValueError.
class SINTER_API ValueError : public Error {
public:
    /// An error with this message.
    using Error::Error;
};
/// An argument has a type or dtype that the function does not take. PyTorch: TypeError.
class SINTER_API TypeError : public Error {
public:
    /// An error with this message.
    using Error::Error;
};
/// The operation does not exist for this dtype or argument. PyTorch: NotImplementedError.
class SINTER_API NotImplementedError : public Error {
public:
    /// An error with this message.
    using Error::Error;
};
/// A matrix has no such decomposition or solution. PyTorch: torch.linalg.LinAlgError.
class SINTER_API LinAlgError : public Error {
public:
    /// An error with this message.
    using Error::Error;
};
/// Memory of a device, or main memory, does not suffice. PyTorch: torch.OutOfMemoryError.
class SINTER_API OutOfMemoryError : public Error {
public:
    /// An error with this message.
    using Error::Error;
};
/// A broken invariant of Sinter itself: always a bug of the library.
class SINTER_API InternalError : public Error {
public:
    /// An error with this message.
    using Error::Error;
};

}  // namespace sinter::inline v1
