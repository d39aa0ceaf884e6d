// Tables of given measurements, by their exact text.
#include <sinter/benchmark.hpp>
#include <sinter/error.hpp>

#include <doctest/doctest.h>

#include <sstream>

using namespace sinter;
using benchmark::Compare;
using benchmark::Measurement;
using benchmark::TaskSpec;

namespace {

/// A measurement of five blocks of a call each. The quartiles are `spread` apart.
Measurement cell(const char* sub_label, const char* description, double median, int threads = 1,
                 const char* env = "", double spread = 0, const char* label = "dot") {
    const double h = spread / 2;
    return Measurement(1, {median - h, median - h, median, median + h, median + h},
                       {.stmt = "file.cpp:7",
                        .label = label,
                        .sub_label = sub_label,
                        .description = description,
                        .env = env,
                        .num_threads = threads});
}

std::vector<Measurement> four() {
    return {cell("mul", "small", 1.5e-6), cell("mul", "large", 123.46e-6),
            cell("bmm", "small", 2e-6), cell("bmm", "large", 12e-6)};
}

}  // namespace

TEST_CASE("benchmark: a table has rows by sub-label and columns by description") {
    const Compare c(four());
    CHECK(c.to_string() ==
          "[----------- dot -----------]\n"
          "           |  small  |  large\n"
          "1 threads: ------------------\n"
          "      mul  |   1.5   |  123.5\n"
          "      bmm  |   2.0   |   12.0\n"
          "\n"
          "Times are in microseconds (us).\n");
    std::ostringstream out;
    out << c;
    CHECK(out.str() == c.to_string());
}
TEST_CASE("benchmark: rows are sorted by threads and environment, and cells may be missing") {
    Compare c({cell("mul", "x", 2e-3, 4), cell("mul", "x", 5e-3, 1, "new"),
               cell("bmm", "yy", 4e-3, 1, "new"), cell("mul", "x", 6e-3, 1, "")});
    const std::string dot =
        "[---------------- dot -----------------]\n"
        "                          |   x   |   yy\n"
        "1 threads: -----------------------------\n"
        "  (Unspecified env)  mul  |  6.0  |     \n"
        "  (new)              mul  |  5.0  |     \n"
        "                     bmm  |       |  4.0\n"
        "4 threads: -----------------------------\n"
        "  (Unspecified env)  mul  |  2.0  |     \n"
        "\n"
        "Times are in milliseconds (ms).\n";
    CHECK(c.to_string() == dot);
    c.extend_results({cell("mul", "x", 1, 1, "", 0, "other")});
    CHECK(c.to_string() == dot +
                               "\n"
                               "[---- other ----]\n"
                               "           |   x \n"
                               "1 threads: ------\n"
                               "      mul  |  1.0\n"
                               "\n"
                               "Times are in seconds (s).\n");
}

TEST_CASE("benchmark: equal tasks are one cell") {
    const Compare c({cell("a", "x", 1), cell("a", "x", 3)});
    CHECK(c.to_json().find("\"median_s\": 2,") != std::string::npos);
}

TEST_CASE("benchmark: trimmed figures, spreads and colours") {
    Compare c({cell("mul", "x", 1.2345e-3), cell("bmm", "x", 0.6543e-3, 1, "", 0.13086e-3),
               cell("sum", "x", 1.29e-3), cell("dot", "x", 0.7e-3), cell("max", "x", 4e-3)});
    c.trim_significant_figures();
    CHECK(c.to_string() ==
          "[----- dot ------]\n"
          "           |   x  \n"
          "1 threads: -------\n"
          "      mul  |  1235\n"
          "      bmm  |   700\n"
          "      sum  |  1290\n"
          "      dot  |   700\n"
          "      max  |  4000\n"
          "\n"
          "Times are in microseconds (us).\n");
    c.highlight_warnings();
    CHECK(c.to_string() ==
          "[--------- dot ----------]\n"
          "           |       x      \n"
          "1 threads: ---------------\n"
          "      mul  |  1235        \n"
          "      bmm  |   700 (! 20%)\n"
          "      sum  |  1290        \n"
          "      dot  |   700        \n"
          "      max  |  4000        \n"
          "\n"
          "Times are in microseconds (us).\n"
          "(! XX%) Measurement has high variance, where XX is the IQR / median * 100.\n");
    CHECK(c.to_markdown() ==
          "**dot** (times in microseconds, us)\n"
          "\n"
          "| threads | | x |\n"
          "|---:|:---|---:|\n"
          "| 1 | mul | 1235 |\n"
          "| 1 | bmm | 700 (! 20%) |\n"
          "| 1 | sum | 1290 |\n"
          "| 1 | dot | 700 |\n"
          "| 1 | max | 4000 |\n");
}

TEST_CASE("benchmark: trimmed figures keep digits behind the point where all cells have them") {
    // 1.5 ms and 2.25 ms are known to four figures, 30 us to three.
    Compare c({cell("mul", "x", 1.5e-3), cell("bmm", "x", 2.25e-3), cell("mul", "y", 30e-6)});
    CHECK(c.to_markdown().find("| 1 | mul | 1500.0 | 30.0 |") != std::string::npos);
    c.trim_significant_figures();
    CHECK(c.to_markdown().find("| 1 | mul | 1500 | 30.0 |") != std::string::npos);
}

TEST_CASE("benchmark: colours show what is far from the best of a column, or of a row") {
    Compare coloured({cell("best", "x", 1e-3), cell("near", "x", 1.08e-3), cell("far", "x", 2.5e-3),
                      cell("farthest", "x", 7e-3), cell("between", "x", 1.5e-3),
                      cell("best", "y", 2e-3)});
    const std::string best = "\033[92m\033[1m", near = "\033[34m\033[1m", far = "\033[2m\033[91m",
                      farthest = "\033[31m\033[1m", end = "\033[0m\033[0m";
    const std::string head =
        "[----------- dot ------------]\n"
        "                |   x   |   y \n"
        "1 threads: -------------------\n";
    const std::string units = "\nTimes are in milliseconds (ms).\n";
    coloured.colorize();
    CHECK(coloured.to_string() ==
          head + "      best      |  " + best + "1.0" + end + "  |  " + best + "2.0" + end + "\n" +
              "      near      |  " + near + "1.1" + end + "  |     \n" + "      far       |  " +
              far + "2.5" + end + "  |     \n" + "      farthest  |  " + farthest + "7.0" + end +
              "  |     \n" + "      between   |  1.5  |     \n" + units);
    coloured.colorize(true);
    CHECK(coloured.to_string() ==
          head + "      best      |  " + best + "1.0" + end + "  |  " + far + "2.0" + end + "\n" +
              "      near      |  " + best + "1.1" + end + "  |     \n" + "      far       |  " +
              best + "2.5" + end + "  |     \n" + "      farthest  |  " + best + "7.0" + end +
              "  |     \n" + "      between   |  " + best + "1.5" + end + "  |     \n" + units);
}

TEST_CASE("benchmark: Markdown") {
    std::vector<Measurement> all = four();
    all.push_back(cell("a|b", "small", 9e-6, 2));
    CHECK(Compare(all).to_markdown() ==
          "**dot** (times in microseconds, us)\n"
          "\n"
          "| threads | | small | large |\n"
          "|---:|:---|---:|---:|\n"
          "| 1 | mul | 1.5 | 123.5 |\n"
          "| 1 | bmm | 2.0 | 12.0 |\n"
          "| 2 | a\\|b | 9.0 | |\n");
}

TEST_CASE("benchmark: JSON has every time and null for what is not known") {
    stats_report call;
    call.kernels_launched = 1;
    call.bytes_allocated = 64;
    const Measurement known(1, {1, 2}, {.stmt = "s", .label = "a \"b\"\\\n"},
                            {0.5, call, true, 120, 1e9});
    CHECK(Compare({known, cell("m", "", 1e-6)}).to_json() ==
          "[{\"stmt\": \"s\", \"label\": \"a \\\"b\\\"\\\\\\u000a\", \"sub_label\": null, "
          "\"description\": null, \"env\": null, \"num_threads\": 1, \"median_s\": 1.5, "
          "\"mean_s\": 1.5, \"iqr_s\": 0.5, \"significant_figures\": 1, \"has_warnings\": true, "
          "\"settled\": true, \"first_call_s\": 0.5, \"bytes\": 120, \"triad_bytes_per_s\": 1e+09, "
          "\"kernels_per_call\": 1, "
          "\"library_calls_per_call\": 0, \"bytes_allocated_per_call\": 64, "
          "\"times_s\": [1, 2]},\n"
          " {\"stmt\": \"file.cpp:7\", \"label\": \"dot\", \"sub_label\": \"m\", "
          "\"description\": null, \"env\": null, \"num_threads\": 1, \"median_s\": 1e-06, "
          "\"mean_s\": 1e-06, \"iqr_s\": 0, \"significant_figures\": 1, "
          "\"has_warnings\": false, \"settled\": true, \"first_call_s\": null, \"bytes\": null, "
          "\"triad_bytes_per_s\": null, "
          "\"kernels_per_call\": null, \"library_calls_per_call\": null, "
          "\"bytes_allocated_per_call\": null, "
          "\"times_s\": [1e-06, 1e-06, 1e-06, 1e-06, 1e-06]}]\n");
}

TEST_CASE("benchmark: an empty Compare is refused") {
    const char* const text =
        "[Compare] there is nothing to show; got 0 measurements, expected 1 measurement or more; "
        "try extend_results() first";
    Compare c;
    CHECK_THROWS_WITH_AS(c.to_string(), text, Error);
    CHECK_THROWS_WITH_AS(c.to_markdown(), text, Error);
    CHECK_THROWS_WITH_AS(c.to_json(), text, Error);
    CHECK_THROWS_WITH_AS(c.print(), text, Error);
}
