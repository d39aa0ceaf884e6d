// Borrowed memory: a std::vector, a std::span, an Eigen matrix. from_blob makes a tensor of it
// without a copy, and both sides see each other's writes.
#include "support.hpp"

#include <iostream>
#include <numeric>
#include <span>
#include <vector>

#ifdef SINTER_EXAMPLE_EIGEN
#include <Eigen/Core>
#endif

using namespace sinter;

namespace {

void with_vector() {
    std::vector<double> prices = {3, 1, 2};
    Tensor t = from_blob(prices.data(), {static_cast<int64_t>(prices.size())}, kFloat64);
    t.mul_(10);  // complete when the call returns
    std::cout << "vector after mul_: " << prices[0] << " " << prices[1] << " " << prices[2] << "\n";
    example::check(prices == std::vector<double>{30, 10, 20}, "the vector sees the tensor's write");

    prices[1] = 70;
    std::cout << "largest, after writing the vector: " << t.max().item<double>() << "\n";
    example::check(t.max().item<double>() == 70, "the tensor sees the vector's write");

    t.copy_(std::get<0>(t.sort()));
    example::check(prices == std::vector<double>{20, 30, 70}, "sorted where it lies");
}

/// A function that takes a span can make a tensor of it: from_blob only needs address and size.
template <class T>
Tensor over(std::span<T> s) {
    return from_blob(s.data(), {static_cast<int64_t>(s.size())}, scalar_type_v<T>);
}

void with_span() {
    std::vector<int32_t> readings(12);
    std::iota(readings.begin(), readings.end(), 0);

    const std::span<int32_t> middle = std::span(readings).subspan(4, 4);
    over(middle).fill_(-1);
    std::cout << "-1 4 times: " << over(std::span(readings)).eq(-1).sum().item<int64_t>() << "\n";
    example::check(readings[3] == 3 && readings[4] == -1 && readings[7] == -1 && readings[8] == 8,
                   "only the span's elements were written");

    // A stride of three takes every third element, as in interleaved channels.
    Tensor third = from_blob(readings.data() + 2, {4}, {3}, kInt32);
    third.zero_();
    middle[0] = 6;
    example::check(readings == std::vector<int32_t>{0, 1, 0, 3, 6, 0, -1, -1, 0, 9, 10, 0},
                   "every third element was written");

    // Read-only memory: reads are lazy, a write throws.
    const std::span<const int32_t> fixed = readings;
    Tensor constant = from_blob(static_cast<const void*>(fixed.data()), {12}, kInt32);
    std::cout << "sum of constant memory: " << constant.sum().item<int64_t>() << "\n";
    example::check(constant.sum().item<int64_t>() == 27, "constant memory is read");
    bool refused = false;
    try {
        constant.zero_();
    } catch (const Error& e) {
        refused = true;
        std::cout << e.what() << "\n";
    }
    example::check(refused && readings[4] == 6, "constant memory is not written");
}

/// Memory that the tensor must keep alive is owned by the deleter, which runs with the last view.
void with_deleter() {
    int alive = 0;
    struct owner {
        int& alive;
        std::vector<float> values{1, 2, 3, 4, 5, 6};
        explicit owner(int& count) : alive(count) { ++alive; }
        ~owner() { --alive; }
    };
    Tensor column;
    {
        auto* held = new owner(alive);
        Tensor t = from_blob(held->values.data(), {2, 3}, [held](void*) { delete held; });
        column = t.select(1, 1);
        column.add_(100);
        example::check(held->values[1] == 102 && held->values[4] == 105, "a column was written");
    }
    std::cout << "owners while a view lives: " << alive << "\n";
    example::check(alive == 1 && column[1].item<float>() == 105, "a view keeps the owner");
    column = Tensor();
    example::check(alive == 0, "the last view lets it go");
}

#ifdef SINTER_EXAMPLE_EIGEN

/// Eigen is column-major by default; the strides describe that to the tensor.
template <class Matrix>
Tensor over(Eigen::DenseBase<Matrix>& m) {
    Matrix& self = m.derived();
    return from_blob(self.data(), {self.rows(), self.cols()}, {self.rowStride(), self.colStride()},
                     scalar_type_v<typename Matrix::Scalar>);
}

void with_eigen() {
    Eigen::MatrixXf m(2, 3);
    m << 1, 2, 3,  //
        4, 5, 6;
    Tensor t = over(m);
    std::cout << "Eigen, column by column: sizes " << t.sizes() << ", strides " << t.strides()
              << "\n";
    example::check(t.strides() == IntArrayRef({1, 2}) && !t.is_contiguous(), "column-major");
    example::check(t[0][2].item<float>() == 3 && t[1][0].item<float>() == 4, "the same elements");

    t[1] *= 10;
    m(0, 0) = -7;
    std::cout << m << "\n";
    example::check(m(1, 0) == 40 && m(1, 2) == 60 && m(0, 1) == 2, "Eigen sees the row's write");
    example::check(t[0][0].item<float>() == -7, "the tensor sees Eigen's write");
    example::check(equal(t.t().matmul(t),
                         from_blob(Eigen::MatrixXf(m.transpose() * m).data(), {3, 3}, {1, 3})),
                   "both multiply to the same matrix");

    // An Eigen map is a view of memory: here a row-major view of a vector, of which a block is
    // taken.
    std::vector<double> memory(20);
    using rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Eigen::Map<rows> map(memory.data(), 4, 5);
    auto block = map.block(1, 2, 2, 3);
    Tensor part = over(block);
    example::check(part.strides() == IntArrayRef({5, 1}), "a block keeps the strides of the whole");
    part.copy_(arange(6, kFloat64).view({2, 3}));
    example::check(memory[7] == 0 && memory[8] == 1 && memory[14] == 5 && map.sum() == 15,
                   "the vector and its map see the tensor's write");

    // The other direction: Eigen sees a tensor's memory.
    Tensor own = zeros({3, 2}, kFloat64);
    Eigen::Map<rows> seen(own.data_ptr<double>(), own.size(0), own.size(1));
    seen.row(2).setConstant(4);
    own.add_(1);
    example::check(own[2][1].item<double>() == 5 && seen(2, 1) == 5 && seen(0, 0) == 1,
                   "a tensor's memory under Eigen");
}

#else

void with_eigen() {
    std::cout << "[SKIP] built without Eigen (libeigen3-dev): its maps were not shown\n";
}

#endif

}  // namespace

int main() {
    with_vector();
    with_span();
    with_deleter();
    with_eigen();
}
