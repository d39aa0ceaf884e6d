// Error texts, all in one format: subject and verb, what was given, what is taken, and a remedy.
#pragma once

#include "runtime/base/plain_text.hpp"

#include <sinter/error.hpp>

#include <string>

namespace sinter::runtime {

template <class... P>
std::string text(const P&... parts) {
    plain_text out;
    out.precision(17);
    (out << ... << parts);
    return out.str();
}

/// Returns text like "1 dimension" or "3 dimensions".
inline std::string count_of(int64_t n, const char* noun) {
    return text(n, " ", noun, n == 1 ? "" : "s");
}

/// Throws `[op] what; got ..., expected ...; try ...`.
template <class E = Error>
[[noreturn]] void fail(const char* op, const std::string& what, const std::string& got,
                       const std::string& expected, const std::string& remedy) {
    throw E(text("[", op, "] ", what, "; got ", got, ", expected ", expected, "; try ", remedy));
}

/// Throws InternalError: an invariant of the library does not hold.
[[noreturn]] inline void bug(const char* where, const std::string& what) {
    throw InternalError(
        text("[", where, "] ", what, "; this is a bug in Sinter, please report it"));
}

// ---- mistakes that several layers find
[[noreturn]] inline void refuse_undefined(const char* op) {
    fail(op, "the tensor is undefined", "a default-constructed Tensor", "a defined tensor",
         "assigning a tensor to it first; defined() tells whether it is one");
}
[[noreturn]] inline void refuse_read_only(const char* op, const char* remedy = "clone() first") {
    fail(op, "the tensor's memory is read-only",
         "memory that from_blob(const T*) or fromDLPack took as read-only", "writable memory",
         remedy);
}

}  // namespace sinter::runtime
