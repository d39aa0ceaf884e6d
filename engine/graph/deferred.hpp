// Values of a GPU that depend on tests whose outcome the host has not learned: is an index in
// range, is a divisor zero? A value inherits the tests of what it is computed from, and every read
// of it on the host throws the error of the first that failed.
#pragma once

#include "engine/graph/graph.hpp"
#include "runtime/device/deferred_check.hpp"

namespace sinter::inline v1 {

struct check_list {
    explicit check_list(runtime::deferred_checks of) : all(std::move(of)) {}
    detail::reference_count references;
    const runtime::deferred_checks all;
    std::atomic<bool> good{false};  // true once all are known to have passed
};

/// Throws the error of the first test that failed. Waits for those that may still run.
void wait_for_some_checks(const Version& v);
inline void wait_for_checks(const Version& v) {
    if (v.checks) wait_for_some_checks(v);
}

/// Gives a pending value the tests of the values that it is computed from. Called once these have
/// theirs. Returns true if it has tests then.
bool inherit_checks(Node& n);
/// Adds a test to a pending value.
void add_check(Version& v, std::shared_ptr<runtime::deferred_check> check);
/// Returns the error of a failed test of the value or, if there is none, `error`: what was computed
/// after a test failed has any value, and may cause other errors.
std::exception_ptr first_cause(const Version& v, const std::exception_ptr& error);

}  // namespace sinter::inline v1
