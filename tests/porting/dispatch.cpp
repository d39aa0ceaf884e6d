// A kernel written over raw memory, for each dtype. A program for libtorch.
#include <torch/torch.h>

#include <cstdint>
#include <iostream>

namespace {

template <class T>
void add_neighbours(T* out, const T* in, int64_t n) {
    for (const auto i : c10::irange(n))
        out[i] = static_cast<T>(in[i] + (i + 1 < n ? in[i + 1] : T(0)));
}

at::Tensor neighbours(const at::Tensor& t) {
    TORCH_CHECK(t.dim() == 1, "neighbours: expected a vector, got sizes ", t.sizes());
    const at::Tensor in = t.contiguous();
    at::Tensor out = at::empty_like(in);
    AT_DISPATCH_ALL_TYPES(in.scalar_type(), "neighbours", [&] {
        add_neighbours(out.data_ptr<scalar_t>(), in.data_ptr<scalar_t>(), in.numel());
    });
    return out;
}

double largest(const at::Tensor& t) {
    return AT_DISPATCH_FLOATING_TYPES(t.scalar_type(), "largest", [&]() -> double {
        return static_cast<double>(t.max().item<scalar_t>());
    });
}

template <class F>
void report(const char* what, const F& f) {
    try {
        f();
        std::cout << what << ": fine\n";
    } catch (const c10::IndexError&) {
        std::cout << what << ": an index error\n";
    } catch (const c10::Error&) {
        std::cout << what << ": an error\n";
    }
}

}  // namespace

int main() {
    for (auto dtype : {at::kByte, at::kInt, at::kLong, at::kFloat, at::kDouble})
        std::cout << neighbours(at::arange(1, 6).to(dtype)) << '\n';
    std::cout << largest(at::tensor({1.5, 2.5, 0.5})) << '\n';
    report("a matrix", [] { neighbours(at::ones({2, 2})); });
    report("truth values", [] { neighbours(at::ones({2}, at::kBool)); });
    report("integers", [] { largest(at::ones({2}, at::kLong)); });
    report("a bad index", [] { at::ones({2})[5].item<float>(); });
    report("a bad dimension", [] { at::ones({2}).sum(3); });
    report("shapes", [] { at::Tensor t = at::ones({2}) + at::ones({3}); });
    report("a good one", [] { at::Tensor t = at::ones({2}) + at::ones({3, 1}); });
    return 0;
}
