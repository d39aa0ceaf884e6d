// Gradients beside PyTorch's (gradients.py): each line is a call, made again with operands that
// require a gradient.
#include "tests/golden/table.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <fstream>

namespace sinter::golden {
namespace {

/// The gradient of a result that gradients.py gives.
Tensor weights(const Tensor& y) {
    const Tensor i = arange(y.numel(), kLong).reshape(y.sizes());
    const Tensor re = i.remainder(4).to(kDouble) / 4 + 1;
    if (!y.is_complex()) return re.to(y.scalar_type());
    const Tensor im = 0.5 - i.remainder(3).to(kDouble) / 4;
    return sinter::complex(re, im).to(y.scalar_type());
}

std::vector<double> numbers(const Tensor& t) {
    const Tensor real = t.is_complex() ? view_as_real(t.contiguous()) : t;
    const Tensor dense = real.to(kDouble).flatten().contiguous().eval();
    const double* at = dense.const_data_ptr<double>();
    return {at, at + dense.numel()};
}

/// The NaN that stands where nothing is compared.
constexpr uint64_t not_compared = 0x7ff8dead00000000;

/// Returns what is wrong with a gradient, or an empty text. The words have nine digits, and
/// PyTorch has some constants in Float.
std::string difference(const Tensor& got, const expected_tensor& e) {
    if (got.defined() && (got.sizes() != IntArrayRef(e.sizes) || got.scalar_type() != e.dtype))
        return "another shape or dtype";
    std::vector<double> expected;
    double largest = 0;
    for (const uint64_t bits : e.bits) {
        expected.push_back(std::bit_cast<double>(bits));
        if (std::isfinite(expected.back())) largest = std::max(largest, std::abs(expected.back()));
    }
    const std::vector<double> values =
        got.defined() ? numbers(got) : std::vector<double>(expected.size());
    if (values.size() != expected.size()) return "another number of elements";
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double a = values[i], b = expected[i];
        if (e.bits[i] == not_compared) continue;
        if (std::isnan(a) && std::isnan(b)) continue;
        if (a == b || std::abs(a - b) <= 1e-8 * std::abs(b) + 1e-13 * largest) continue;
        return std::to_string(a) + " at " + std::to_string(i) + ", expected " + std::to_string(b);
    }
    return {};
}

std::string outcome(golden_call& c, const std::string& mask, const entry& f) {
    c.args.prepare();
    std::vector<Tensor> wanted;
    std::size_t digit = 0;
    const auto want = [&](const Tensor& t) {
        if (!t.defined()) return;
        if (t.scalar_type() != kDouble && t.scalar_type() != kComplexDouble) return;
        if (mask.at(digit++) == '1') wanted.push_back(t.requires_grad_());
    };
    for (std::size_t i = 0; i < c.args.size(); ++i) {
        if (c.args.is_tensor(i)) want(c.args.t(i));
        if (c.args.is_list(i))
            for (const Tensor& t : c.args.tensors(i)) want(t);
    }
    try {
        std::vector<Tensor> results, given;
        for (const Tensor& t : f.call(c.args)) {
            if (!t.requires_grad()) continue;
            results.push_back(t);
            given.push_back(weights(t.detach()));
        }
        if (results.empty()) return "no result requires a gradient";
        const std::vector<Tensor> found =
            autograd::grad(results, wanted, given, nullopt, false, true);
        if (found.size() != c.results.size()) return "another number of gradients";
        for (std::size_t i = 0; i < found.size(); ++i) {
            const std::string d = difference(found[i], c.results[i]);
            if (!d.empty()) return "gradient " + std::to_string(i) + ": " + d;
        }
    } catch (const Error& e) {
        return std::string("threw ") + e.what();
    }
    return {};
}

TEST_CASE("gradients equal PyTorch's" * doctest::test_suite("host")) {
    std::ifstream file(SINTER_GOLDENS "/gradients/gradients.txt");
    REQUIRE(file.is_open());
    int calls = 0;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        const std::size_t at = line.find('@'), behind = line.find(' ', at);
        const std::string mask = line.substr(at + 1, behind - at - 1);
        golden_call c = parse(line.substr(0, at) + line.substr(behind));
        const auto f = functions().find(c.name);
        if (f == functions().end()) {
            FAIL_CHECK("no function " << c.name);
            continue;
        }
        ++calls;
        const std::string wrong = outcome(c, mask, f->second);
        if (!wrong.empty()) FAIL_CHECK(line << "\n  " << c.args.written(c.name) << ": " << wrong);
    }
    CHECK(calls >= 1500);
}

}  // namespace
}  // namespace sinter::golden
