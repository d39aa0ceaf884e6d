// The lines of the program in `explain`.
#include "tests/runtime/again.hpp"

#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

using namespace sinter;

namespace {

Tensor scaled(const Tensor& x, int& line) {
    line = __LINE__ + 1;
    Tensor y = x * 2 + 1;
    return y;
}

std::string place(int line) { return "lines_test.cpp:" + std::to_string(line) + ":"; }

}  // namespace

TEST_CASE("lines: explain names the lines of the operations") {
    CHECK(test::run_again("reports: lines of operations", "SINTER_LINES", "on") == 0);
}

TEST_CASE("reports: lines of operations" * doctest::skip()) {
    const ModeGuard lazy(Mode::lazy);
    const Tensor x = ones({20, 30}).eval();
    int first = 0, second = 0;
    const Tensor y = scaled(x, first);
    Tensor z = scaled(y.cumsum(1), second);
    const int sum_line = __LINE__ + 1;
    const Tensor sum = z.sum();
    const std::string text = explain(sum);
    CAPTURE(text);
    CHECK(text.find("from " + place(first) + " %") != std::string::npos);
    CHECK(text.find(place(sum_line) + " %") != std::string::npos);
    // A function of the library that records several operations is at the line of its call.
    const int softmax_line = __LINE__ + 1;
    const Tensor s = x.softmax(1);
    const std::string several = explain(s);
    CAPTURE(several);
    CHECK(several.find("from " + place(softmax_line) + " %0 %1 %2") != std::string::npos);
    // An opaque kernel has its line, too.
    const int scan_line = __LINE__ + 1;
    const Tensor c = x.cumsum(0);
    CHECK(explain(c).find("cumsum\n    from lines_test.cpp:" + std::to_string(scan_line) + "\n") !=
          std::string::npos);
    // Nothing is kept of what is gone.
    sum.eval();
    CHECK(explain(sum).find("from ") == std::string::npos);
}

TEST_CASE("lines: explain names none unless asked to") {
    const ModeGuard lazy(Mode::lazy);
    const Tensor x = ones({20}).eval(), y = x * 2;
    CHECK(explain(y).find("from ") == std::string::npos);
}
