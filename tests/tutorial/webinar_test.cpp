// Code of a webinar, "Everything you wanted to know (and more) about PyTorch tensors" (M.-H. Burle,
// WestGrid, 2022), line by line in C++, with PyTorch's output for each. Random values come from
// PyTorch's stream. Where the slides come from other runs, only shapes, dtypes and formats are
// checked.
#include "tests/ops/check.hpp"

#include <sinter/dlpack.hpp>

#include <sstream>

using namespace sinter;

namespace {

template <class... P>
std::string printed(const P&... parts) {
    std::ostringstream out;
    (out << ... << parts);
    return out.str();
}

std::string True() { return repr(Scalar(true)); }
std::string truth(bool b) { return repr(Scalar(b)); }

/// Uses PyTorch's stream during a test, after `words` draws from manual_seed(0).
class stream {
public:
    explicit stream(int64_t words) {
        set_default_rng(Rng::mt19937);
        manual_seed(0);
        if (words > 0) rand({words});
    }
    ~stream() { set_default_rng(Rng::philox); }
    stream(const stream&) = delete;
};

}  // namespace

TEST_CASE("webinar: memory storage") {
    Tensor t = arange(10.).view({2, 5});
    CHECK(repr(t) ==
          "tensor([[0., 1., 2., 3., 4.],\n"
          "        [5., 6., 7., 8., 9.]])");
    auto storage = t.storage();
    CHECK(printed(storage) ==
          " 0.0\n 1.0\n 2.0\n 3.0\n 4.0\n 5.0\n 6.0\n 7.0\n 8.0\n 9.0\n[torch.FloatTensor of size "
          "10]");
    CHECK(printed(storage[3]) == "3.0");
    storage[3] = 10.0;
    CHECK(printed(storage) ==
          " 0.0\n 1.0\n 2.0\n 10.0\n 4.0\n 5.0\n 6.0\n 7.0\n 8.0\n 9.0\n[torch.FloatTensor of size "
          "10]");
    CHECK(t[0][3].item<float>() == 10);  // the tensor sees the write
    CHECK(repr_size(t.sizes()) == "torch.Size([2, 5])");
    CHECK(t.storage_offset() == 0);
    CHECK(repr_tuple(t.strides()) == "(5, 1)");
}

TEST_CASE("webinar: transposing") {
    Tensor t = tensor({{3, 1, 2}, {4, 1, 7}});
    CHECK(repr(t) == "tensor([[3, 1, 2],\n        [4, 1, 7]])");
    CHECK(repr_size(t.sizes()) == "torch.Size([2, 3])");
    CHECK(repr(t.t()) == "tensor([[3, 4],\n        [1, 1],\n        [2, 7]])");
    CHECK(repr_size(t.t().sizes()) == "torch.Size([3, 2])");
    CHECK(truth(equal(t.t(), t.transpose(0, 1))) == "True");

    t = zeros({1, 2, 3});
    CHECK(repr(t) == "tensor([[[0., 0., 0.],\n         [0., 0., 0.]]])");
    CHECK(repr_size(t.sizes()) == "torch.Size([1, 2, 3])");
    CHECK(repr(t.transpose(0, 1)) == "tensor([[[0., 0., 0.]],\n\n        [[0., 0., 0.]]])");
    CHECK(repr_size(t.transpose(0, 1).sizes()) == "torch.Size([2, 1, 3])");
    CHECK(repr(t.transpose(0, 2)) ==
          "tensor([[[0.],\n         [0.]],\n\n        [[0.],\n         [0.]],\n\n"
          "        [[0.],\n         [0.]]])");
    CHECK(repr_size(t.transpose(0, 2).sizes()) == "torch.Size([3, 2, 1])");
    CHECK(repr(t.transpose(1, 2)) ==
          "tensor([[[0., 0.],\n         [0., 0.],\n         [0., 0.]]])");
    CHECK(repr_size(t.transpose(1, 2).sizes()) == "torch.Size([1, 3, 2])");
}

TEST_CASE("webinar: dtypes") {
    manual_seed(1);  // a number below 1e-4 would be printed as a power of ten
    Tensor t = rand({2, 3});
    CHECK(repr(t.scalar_type()) == "torch.float32");
    Tensor t2 = t.type(kFloat64);
    CHECK(repr(t2.scalar_type()) == "torch.float64");
    CHECK(repr(t).rfind("tensor([[0.", 0) == 0);
    const std::string shown = repr(t2), end = ", dtype=torch.float64)";
    CHECK(shown.substr(shown.size() - end.size()) == end);
    const ScalarType all[] = {kFloat16, kHalf,  kFloat32, kFloat, kFloat64, kDouble, kUInt8, kInt8,
                              kInt16,   kShort, kInt32,   kInt,   kInt64,   kLong,   kBool};
    for (ScalarType dtype : all) CHECK((zeros({1}, dtype).scalar_type() == dtype));
}

TEST_CASE("webinar: creating tensors from random numbers") {
    {
        stream at(0);
        CHECK(repr(rand({1})) == "tensor([0.4963])");
        manual_seed(0);
        CHECK(repr(rand({1}).item()) == "0.49625658988952637");
    }
    {
        stream at(52);
        CHECK(repr(rand({1})) == "tensor([0.6984])");
        CHECK(repr(rand({1, 1})) == "tensor([[0.5675]])");
        CHECK(repr(rand({1, 1, 1})) == "tensor([[[0.8352]]])");
        CHECK(repr(rand({1, 1, 1, 1})) == "tensor([[[[0.2056]]]])");
        CHECK(repr(rand({2})) == "tensor([0.5932, 0.1123])");
    }
    {
        stream at(70);
        CHECK(repr(rand({2, 2, 2, 2})) ==
              "tensor([[[[0.1147, 0.3168],\n"
              "          [0.6965, 0.9143]],\n"
              "\n"
              "         [[0.9351, 0.9412],\n"
              "          [0.5995, 0.0652]]],\n"
              "\n"
              "\n"
              "        [[[0.5460, 0.1872],\n"
              "          [0.0340, 0.9442]],\n"
              "\n"
              "         [[0.8802, 0.0012],\n"
              "          [0.5936, 0.4158]]]])");
    }
    {
        stream at(1);
        CHECK(repr(rand({2})) == "tensor([0.7682, 0.0885])");
        CHECK(repr(rand({3})) == "tensor([0.1320, 0.3074, 0.6341])");
        CHECK(repr(rand({1, 1})) == "tensor([[0.4901]])");
        CHECK(repr(rand({1, 1, 1})) == "tensor([[[0.8964]]])");
        CHECK(repr(rand({2, 6})) ==
              "tensor([[0.4556, 0.6323, 0.3489, 0.4017, 0.0223, 0.1689],\n"
              "        [0.2939, 0.5185, 0.6977, 0.8000, 0.1610, 0.2823]])");
    }
    stream at(36);
    CHECK(repr(rand({2, 4}, kFloat64)) ==
          "tensor([[0.6650, 0.7849, 0.2104, 0.6767],\n"
          "        [0.1097, 0.5238, 0.2260, 0.5582]], dtype=torch.float64)");
}

TEST_CASE("webinar: creating other tensors") {
    const std::string matrix =
        "[[1., 1., 1., 1., 1.],\n"
        "          [1., 1., 1., 1., 1.],\n"
        "          [1., 1., 1., 1., 1.],\n"
        "          [1., 1., 1., 1., 1.]]";
    CHECK(repr(ones({2, 1, 4, 5})) == "tensor([[" + matrix + "],\n\n\n        [" + matrix + "]])");
    Tensor t = rand({2, 3});
    CHECK(repr(zeros_like(t)) == "tensor([[0., 0., 0.],\n        [0., 0., 0.]])");
    CHECK(repr(ones_like(t)) == "tensor([[1., 1., 1.],\n        [1., 1., 1.]])");
    CHECK(repr_size(randn_like(t).sizes()) == "torch.Size([2, 3])");

    CHECK(repr(arange(2, 10, 4)) == "tensor([2, 6])");
    CHECK(repr(linspace(2, 10, 4)) == "tensor([ 2.0000,  4.6667,  7.3333, 10.0000])");
    CHECK(repr(logspace(2, 10, 4)) == "tensor([1.0000e+02, 4.6416e+04, 2.1544e+07, 1.0000e+10])");
    CHECK(equal(std::get<0>(randperm(4).sort()), arange(4)));
    CHECK(repr(eye(3)) == "tensor([[1., 0., 0.],\n        [0., 1., 0.],\n        [0., 0., 1.]])");
    CHECK(repr_size(empty({2, 3}).sizes()) == "torch.Size([2, 3])");
}

TEST_CASE("webinar: indexing") {
    stream at(3163);
    Tensor x = rand({3, 4});
    const std::string first = "[0.6575, 0.4017, 0.7391, 0.6268]",
                      second = "[0.2835, 0.0993, 0.7707, 0.1996]",
                      third = "[0.4447, 0.5684, 0.2090, 0.7724]";
    const std::string whole =
        "tensor([" + first + ",\n        " + second + ",\n        " + third + "])";
    CHECK(repr(x) == whole);
    CHECK(repr(x.index({Slice()})) == whole);
    CHECK(repr(x.index({Slice(), 2})) == "tensor([0.7391, 0.7707, 0.2090])");
    CHECK(repr(x.index({1, Slice()})) == "tensor(" + second + ")");
    CHECK(repr(x[2][3]) == "tensor(0.7724)");

    CHECK(repr(x.index({Slice(-1, None)})) == "tensor([" + third + "])");
    CHECK(repr(x[-1]) == "tensor(" + third + ")");
    CHECK(repr_size(x[-1].sizes()) == "torch.Size([4])");
    CHECK(repr_size(x.index({Slice(-1, None)}).sizes()) == "torch.Size([1, 4])");

    CHECK(repr(x.index({Slice(0, 1)})) == "tensor([" + first + "])");
    CHECK(repr(x.index({Slice(None, -1)})) == "tensor([" + first + ",\n        " + second + "])");
    CHECK(repr(x.index({Slice(0, 3, 2)})) == "tensor([" + first + ",\n        " + third + "])");

    CHECK(repr(x.index({None})) ==
          "tensor([[" + first + ",\n         " + second + ",\n         " + third + "]])");
    CHECK(repr_size(x.sizes()) == "torch.Size([3, 4])");
    CHECK(repr_size(x.index({None}).sizes()) == "torch.Size([1, 3, 4])");
}

TEST_CASE("webinar: information and simple mathematics") {
    Tensor t = rand({2, 3});
    CHECK(repr_size(t.sizes()) == "torch.Size([2, 3])");
    CHECK(t.dim() == 2);
    CHECK(t.numel() == 6);

    Tensor t1 = arange(1, 5).view({2, 2}), t2 = tensor({{1, 1}, {0, 0}});
    CHECK(repr(t1) == "tensor([[1, 2],\n        [3, 4]])");
    CHECK(repr(t2) == "tensor([[1, 1],\n        [0, 0]])");
    CHECK(repr(t1 + t2) == "tensor([[2, 3],\n        [3, 4]])");
    CHECK(repr(t1 + 1) == "tensor([[2, 3],\n        [4, 5]])");
}

TEST_CASE("webinar: reductions") {
    Tensor t = ones({2, 3, 4});
    const std::string row = "[1., 1., 1., 1.]";
    const std::string matrix = "[" + row + ",\n         " + row + ",\n         " + row + "]";
    CHECK(repr(t) == "tensor([" + matrix + ",\n\n        " + matrix + "])");
    CHECK(repr(t.sum()) == "tensor(24.)");
    CHECK(repr(t.mean()) == "tensor(1.)");
    CHECK(repr(t.sum(0)) ==
          "tensor([[2., 2., 2., 2.],\n"
          "        [2., 2., 2., 2.],\n"
          "        [2., 2., 2., 2.]])");
    CHECK(repr(t.sum(1)) == "tensor([[3., 3., 3., 3.],\n        [3., 3., 3., 3.]])");
    CHECK(repr(t.sum(2)) == "tensor([[4., 4., 4.],\n        [4., 4., 4.]])");
    CHECK(repr(t.sum({0, 1})) == "tensor([6., 6., 6., 6.])");
    CHECK(repr(t.sum({0, 2})) == "tensor([8., 8., 8.])");
    CHECK(repr(t.sum({1, 2})) == "tensor([12., 12.])");
}

TEST_CASE("webinar: in-place operations and views") {
    Tensor t1 = tensor({1, 2}), t2 = tensor({1, 1});
    CHECK(repr(t1) == "tensor([1, 2])");
    CHECK(repr(t2) == "tensor([1, 1])");
    t1.add_(t2);
    CHECK(repr(t1) == "tensor([2, 3])");
    t1.zero_();
    CHECK(repr(t1) == "tensor([0, 0])");

    Tensor t = tensor({{1, 2, 3}, {4, 5, 6}});
    CHECK(repr(t) == "tensor([[1, 2, 3],\n        [4, 5, 6]])");
    CHECK(repr_size(t.sizes()) == "torch.Size([2, 3])");
    CHECK(repr(t.view(6)) == "tensor([1, 2, 3, 4, 5, 6])");
    const std::string tall = "tensor([[1, 2],\n        [3, 4],\n        [5, 6]])";
    CHECK(repr(t.view({3, 2})) == tall);
    CHECK(repr(t.view({3, -1})) == tall);

    t1 = tensor({{1, 2, 3}, {4, 5, 6}});
    t2 = t1.t();
    CHECK(repr(t2) == "tensor([[1, 4],\n        [2, 5],\n        [3, 6]])");
    Tensor t3 = t1.view({3, 2});
    CHECK(repr(t3) == tall);
}

TEST_CASE("webinar: logical operations") {
    Tensor t1 = tensor({4, 1, 0, 2, 3}), t2 = tensor({0, 4, 2, 1, 3});  // the slide's permutations
    CHECK(repr(t1 > 3) == "tensor([ True, False, False, False, False])");
    CHECK(repr(t1 < t2) == "tensor([False,  True,  True, False, False])");
    CHECK(equal(std::get<0>(randperm(5).sort()), arange(5)));
}

TEST_CASE("webinar: devices, where there is no GPU") {
    Tensor t_cpu = rand({2, 3});
    CHECK(t_cpu.device() == Device("cpu"));
    CHECK(t_cpu.cpu().is_same(t_cpu));
    CHECK(t_cpu.to(Device("cpu")).is_same(t_cpu));
    if (cuda::is_available()) return;
    CHECK_THROWS_AS(rand({2, 3}, Device("cuda")), Error);
    CHECK_THROWS_AS(t_cpu.to(Device("cuda")), Error);
    CHECK_THROWS_AS(t_cpu.to(Device("cuda:0")), Error);
    CHECK_THROWS_AS(t_cpu.to(Device("cuda:1")), Error);
    CHECK_THROWS_AS(t_cpu.cuda(), Error);
    CHECK_THROWS_AS(t_cpu.cuda(0), Error);
    CHECK_THROWS_AS(t_cpu.cuda(1), Error);
}

TEST_CASE("webinar: working with NumPy") {
    // NumPy and from_numpy share memory through this interface; tests/numpy uses a real NumPy.
    Tensor t = rand({2, 3});
    DLManagedTensor* t_np = toDLPack(t);
    Tensor t2 = fromDLPack(t_np);
    CHECK(truth(equal(t, t2)) == "True");
    t2.fill_(7);
    CHECK(truth(equal(t, t2)) == "True");
    CHECK(t.const_data_ptr() == t2.const_data_ptr());
}

TEST_CASE("webinar: linear algebra") {
    Tensor A = tensor({{2., 3., -1.}, {1., -2., 8.}, {6., 1., -3.}});
    CHECK(repr(A) ==
          "tensor([[ 2.,  3., -1.],\n        [ 1., -2.,  8.],\n        [ 6.,  1., -3.]])");
    Tensor b = tensor({5., 21., -1.});
    CHECK(repr(b) == "tensor([ 5., 21., -1.])");
    Tensor x = linalg::solve(A, b);
    CHECK(repr(x) == "tensor([1., 2., 3.])");
    CHECK(truth(allclose(A.matmul(x), b)) == True());
    {
        stream at(72);
        A = randn({4, 4});
        CHECK(repr(A) ==
              "tensor([[ 1.5091,  2.0820,  1.7067,  2.3804],\n"
              "        [-1.1256, -0.3170, -1.0925, -0.0852],\n"
              "        [ 0.3276, -0.7607, -1.5991,  0.0185],\n"
              "        [-0.7504,  0.1854,  0.6211,  0.6382]])");
        b = randn({4});
        CHECK(repr(b) == "tensor([-1.0886, -0.2666,  0.1894, -0.2190])");
        x = linalg::solve(A, b);
        CHECK(repr(x) == "tensor([ 0.1992, -0.7011,  0.2541, -0.1526])");
        CHECK(truth(allclose(A.matmul(x), b)) == True());
    }
    {
        stream at(0);
        manual_seed(8);               // its matrices are well-conditioned
        A = randn({2, 3, 3});         // Must be batches of square matrices
        Tensor B = randn({2, 3, 5});  // Dimensions must be compatible
        Tensor X = linalg::solve(A, B);
        CHECK(repr(X) ==
              "tensor([[[ 1.2830, -1.2184,  0.6137,  0.4042, -1.9339],\n"
              "         [ 0.1643, -0.4361,  0.4402,  1.4276, -1.9407],\n"
              "         [-0.8622, -0.1067,  0.0165, -0.2125, -0.3238]],\n"
              "\n"
              "        [[ 2.8639,  0.7468,  0.8770,  0.9683, -1.6218],\n"
              "         [ 1.7882,  1.5898, -0.7781,  1.4161, -1.5830],\n"
              "         [-3.5699, -2.9540, -2.1089,  0.0356,  4.4635]]])");
        CHECK(truth(allclose(A.matmul(X), B)) == True());
    }
    stream at(0);
    A = rand({3, 3, 3});
    Tensor A_inv = linalg::inv(A);
    CHECK(repr_size(A_inv.sizes()) == "torch.Size([3, 3, 3])");
    // The slide shows ones, and at most 1e-6 elsewhere.
    CHECK((A.matmul(A_inv) - eye(3)).abs().max().item<float>() < 1e-5f);
}

TEST_CASE("webinar: other linear algebra functions") {
    // torch.linalg.tensorsolve computes X of torch.tensordot(A, X) = B.
    Tensor A = (eye(6) * 2).view({2, 3, 6}), B = arange(6.).view({2, 3});
    Tensor X = linalg::tensorsolve(A, B);
    CHECK(repr(X) == "tensor([0.0000, 0.5000, 1.0000, 1.5000, 2.0000, 2.5000])");
    CHECK(repr(tensordot(A, X, 1)) == "tensor([[0., 1., 2.],\n        [3., 4., 5.]])");
    // torch.linalg.eigvals computes the eigenvalues of a square matrix.
    CHECK(repr(linalg::eigvals(tensor({{2., 0.}, {0., 3.}}))) == "tensor([2.+0.j, 3.+0.j])");
}
