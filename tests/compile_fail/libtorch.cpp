// What libtorch has and <torch/torch.h> of this library has not, with what stands for it.
#include <torch/torch.h>

#include <iostream>

using torch::Tensor;

void optional_indices(Tensor a, Tensor i) {
#ifdef GOOD
    std::vector<torch::indexing::TensorIndex> list;
    list.push_back(torch::indexing::Slice());
    list.push_back(i);
    a.index(list);
#else
    // error: is not a member|no template named|no member named
    c10::List<c10::optional<Tensor>> list;
#endif
}

void type_meta(Tensor a) {
#ifdef GOOD
    torch::kFloat == a.dtype();
    torch::set_default_dtype(torch::kDouble);
#else
    // error: has not been declared|undeclared identifier
    caffe2::TypeMeta::Make<float>() == a.dtype();
    // error: has not been declared|undeclared identifier
    torch::set_default_dtype(caffe2::TypeMeta::Make<double>());
#endif
}

void scalar_type(Tensor a) {
#ifdef GOOD
    torch::ScalarType type = a.options().dtype();
#else
    // error: is not a member|no member named
    torch::ScalarType type = torch::typeMetaToScalarType(a.options().dtype());
#endif
    (void)type;
}

void dtype_by_type() {
#ifdef GOOD
    torch::zeros({2}, torch::dtype(torch::kDouble));
#else
    // error: expected primary-expression|does not (refer to|name) a template
    torch::zeros({2}, torch::dtype<double>());
#endif
}

void no_memory() {
#ifdef GOOD
    torch::from_blob(static_cast<void*>(nullptr), {0});
#else
    // error: is ambiguous
    torch::from_blob(nullptr, {0});
#endif
}

void parallel(Tensor a) {
#ifdef GOOD
    a.mul_(2).add_(1);
#else
    // error: is not a member|no member named
    at::parallel_for(0, a.numel(), 1, [](int64_t, int64_t) {});
#endif
}

void files(Tensor a) {
#ifdef GOOD
    torch::save_npy(a, "a.npy");
    a = torch::load_npy("a.npy");
#else
    // error: is not a member|no member named
    torch::save(a, "a.pt");
#endif
}

void generator_numbers(at::Generator g) {
#ifdef GOOD
    torch::empty({1}, torch::kLong).random_(g).item<int64_t>();
#else
    // error: is not a member|no member named
    at::check_generator<at::CPUGeneratorImpl>(g)->random64();
#endif
}

void grad_mode() {
#ifdef GOOD
    torch::NoGradGuard guard;
#else
    // error: is not a member|no type named|no member named
    torch::AutoGradMode guard(false);
#endif
}
