// Orders of rows, by kernels of the GPU: what they give is what the CPU gives, bit for bit.
#include "tests/on_gpu/same_on_gpu.hpp"

#include <limits>

using namespace sinter;
using namespace sinter::testing;

namespace {

constexpr ScalarType ordered[] = {kFloat, kDouble, kHalf, kBFloat16, kChar,
                                  kShort, kInt,    kLong, kByte,     kBool};

/// Numbers in no order, many of them equal; of floating dtypes also NaN, infinity and both zeros.
Tensor unordered(IntArrayRef sizes, ScalarType dtype) {
    int64_t n = 1;
    for (int64_t s : sizes) n *= s;
    const Tensor i = arange(n), mixed = (i * 7919 + (i / 3) * 104729) % 251 - 100;
    Tensor x = mixed.to(dtype);
    if (x.is_floating_point()) {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        const double inf = std::numeric_limits<double>::infinity();
        x = where(mixed % 17 == 3, tensor(nan, dtype), x);
        x = where(mixed % 19 == 3, tensor(-inf, dtype), x);
        x = where(mixed % 23 == 3, tensor(-0., dtype), x);
    }
    return x.view(sizes);
}

}  // namespace

TEST_CASE("gpu sorting: rows of every dtype and length, along every dimension") {
    if (!has_gpu()) return;
    for (const ScalarType dtype : ordered) {
        CAPTURE(dtype);
        const Tensor x = unordered({3, 37, 10}, dtype);
        for (const int64_t dim : {0, 1, 2})
            for (const bool descending : {false, true}) {
                same_on_gpu([&](auto to) { return to(x).argsort(dim, descending); });
                same_on_gpu([&](auto to) { return std::get<1>(to(x).sort(dim, descending)); });
                same_on_gpu(
                    [&](auto to) { return to(x).transpose(0, 1).argsort(dim, descending); });
            }
        same_on_gpu([&](auto to) { return std::get<1>(to(x).topk(5, 1)); });
        same_on_gpu([&](auto to) { return std::get<1>(to(x).kthvalue(7, 1)); });
    }
    for (const int64_t n : {1, 2, 7, 8, 9, 255, 256, 257, 2047, 2048}) {
        CAPTURE(n);
        const Tensor x = unordered({n}, kFloat), y = unordered({3, n}, kShort);
        same_on_gpu([&](auto to) { return to(x).argsort(0); });
        same_on_gpu([&](auto to) { return to(x).argsort(0, true); });
        same_on_gpu([&](auto to) { return to(y).argsort(1); });
        same_on_gpu([&](auto to) { return to(y).t().argsort(0); });
    }
    same_on_gpu([&](auto to) { return to(zeros({0})).argsort(0); });
    same_on_gpu([&](auto to) { return to(zeros({4, 0})).argsort(0); });
    same_on_gpu([&](auto to) { return to(zeros({4, 0})).argsort(1); });
    same_on_gpu([&](auto to) { return to(tensor(2.5)).argsort(0); });
    same_on_gpu([&](auto to) { return to(zeros({4, 3}).expand({4, 3})).argsort(0, true); });
}

TEST_CASE("gpu sorting: rows that are longer than a block's memory") {
    if (!has_gpu()) return;
    for (const int64_t n : {2049, 4096, 4097, 6145, 20000}) {
        CAPTURE(n);
        const Tensor x = unordered({2, n}, kDouble), y = unordered({n}, kByte);
        same_on_gpu([&](auto to) { return to(x).argsort(1); });
        same_on_gpu([&](auto to) { return to(y).argsort(0, true); });
        same_on_gpu([&](auto to) { return std::get<1>(to(x).topk(n / 2 + 3, 1)); });
        same_on_gpu([&](auto to) { return std::get<1>(to(x).topk(3, 1, false)); });
        same_on_gpu([&](auto to) { return std::get<1>(to(y).topk(1025, 0)); });
        same_on_gpu([&](auto to) { return std::get<1>(to(x).kthvalue(n - 1, 1)); });
    }
    const Tensor x = unordered({2500, 3, 2}, kHalf);
    same_on_gpu([&](auto to) { return to(x).argsort(0); });
    same_on_gpu([&](auto to) { return to(x).transpose(0, 2).argsort(2); });
    same_on_gpu([&](auto to) { return std::get<1>(to(unordered({30000}, kInt)).topk(700)); });
}
