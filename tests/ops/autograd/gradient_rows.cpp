#include "tests/ops/autograd/gradient_rows.hpp"

#include "tests/seed.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace testing {
namespace {

using namespace sinter;

enum class layout : uint8_t { row_major, transposed, every_second };

Tensor drawn(const random_operand& o, ScalarType dtype) {
    Tensor x = rand(o.sizes, kDouble) * (o.high - o.low) + o.low;
    if (dtype == kComplexDouble) x = sinter::complex(x, rand(o.sizes, kDouble) * 1.4 - 0.7);
    return x;
}

Tensor arranged(const Tensor& x, layout how) {
    if (how == layout::transposed && x.dim() > 1)
        return x.transpose(0, -1).contiguous().transpose(0, -1);
    if (how == layout::every_second && x.dim() > 0) {
        std::vector<int64_t> sizes = x.sizes().vec();
        sizes.back() *= 2;
        const Tensor whole = zeros(sizes, x.options());
        whole.slice(-1, 0, nullopt, 2).copy_(x);
        return whole.slice(-1, 0, nullopt, 2);
    }
    return x;
}

void check(const gradient_row& r, ScalarType dtype, layout how) {
    INFO(r.name << ", dtype " << int(dtype) << ", layout " << static_cast<int>(how));
    manual_seed(11);
    variable_list inputs;
    for (const random_operand& o : r.operands)
        inputs.push_back(arranged(drawn(o, dtype).eval(), how).detach().requires_grad_());
    try {
        // In both modes. A function that loses the gradient would be taken for a constant.
        bool any = false;
        for (const Tensor& y : r.f(inputs)) any = any || y.requires_grad();
        CHECK(any);
        CHECK(autograd::gradcheck(r.f, inputs, 1e-6, 1e-5, 1e-3, true, true, true));
        // A layout changes how operands are read, which first derivatives show.
        if (how == layout::row_major || test::long_run())
            CHECK(autograd::gradgradcheck(r.f, inputs, {}, 1e-6, 1e-5, 1e-3, true, true));
    } catch (const std::exception& e) {
        FAIL_CHECK(std::string(e.what()));
    }
}

}  // namespace

void check_gradients(const gradient_row& r) {
    bool arrangeable = false;
    for (const random_operand& o : r.operands) arrangeable = arrangeable || !o.sizes.empty();
    for (const layout how : {layout::row_major, layout::transposed, layout::every_second}) {
        if (how != layout::row_major && !arrangeable) break;
        if (r.of != numbers::complex_only) check(r, kDouble, how);
        if (r.of != numbers::real) check(r, kComplexDouble, how);
    }
}

void check_gradients(const gradient_row& r, const std::vector<std::vector<int64_t>>& sizes) {
    gradient_row other = r;
    for (std::size_t i = 0; i < sizes.size(); ++i) other.operands.at(i).sizes = sizes[i];
    check(other, kDouble, layout::row_major);
}

}  // namespace testing
