// Error texts, all in one format.
#pragma once

#include "runtime/base/plain_text.hpp"

#include <sinter/error.hpp>

#include <string>

namespace sinter::ops {

template <class... P>
std::string text(const P&... parts) {
    runtime::plain_text out;
    out.precision(17);
    (out << ... << parts);
    return out.str();
}

/// Throws `[op] what; got ..., expected ...; try ...`.
template <class E = Error>
[[noreturn]] void fail(const char* op, const std::string& what, const std::string& got,
                       const std::string& expected, const std::string& remedy) {
    throw E(text("[", op, "] ", what, "; got ", got, ", expected ", expected, "; try ", remedy));
}

}  // namespace sinter::ops
