// Headers, namespaces, types and functions that programs use besides their numerical code.
// A program for libtorch 2.
#include <ATen/Operators.h>
#include <ATen/Parallel.h>
#include <ATen/core/TensorAccessor.h>
#include <c10/core/DeviceType.h>
#include <c10/macros/Macros.h>
#include <c10/util/accumulate.h>
#include <c10/util/complex.h>
#include <c10/util/hash.h>
#include <c10/util/string_view.h>
#include <torch/special.h>
#include <torch/torch.h>
#include <torch/utils.h>

#include <iostream>
#include <sstream>
#include <unordered_set>
#include <vector>

// Programs open libtorch's namespaces.
namespace torch {
namespace mine {
inline Tensor doubled(const Tensor& t) { return t * 2; }
}  // namespace mine
}  // namespace torch
namespace at {
inline int64_t rows(const Tensor& t) { return t.size(0); }
}  // namespace at

using namespace torch;
using namespace torch::indexing;

namespace {

template <class T>
void show(const char* what, const T& value) {
    std::cout << what << ": " << value << '\n';
}

void show(const char* what, const Tensor& t) {
    std::cout << what << ": " << t.scalar_type() << t.sizes();
    const Tensor flat = t.to(torch::kDouble).contiguous().view(-1);
    for (const auto i : c10::irange(flat.numel())) std::cout << ' ' << flat[i].item<double>();
    std::cout << '\n';
}

void spaces() {
    const Tensor t = torch::arange(6.).view({2, 3});
    show("mine", torch::mine::doubled(t));
    show("rows", at::rows(t));
    show("ellipsis", t.index({Ellipsis, 1}));
    show("none", t.index({None, Slice(1)}));
    const c10::string_view text = "abc";
    show("text", text.size());
}

void devices() {
    for (const auto type : {c10::DeviceType::CPU, c10::DeviceType::MKLDNN, c10::DeviceType::OPENGL,
                            c10::DeviceType::OPENCL, c10::DeviceType::IDEEP})
        show("device", Device(type).str());
    show("named", Device("ideep:2").index() == c10::DeviceIndex(2));
    const int i = 1;
    show("options", TensorOptions(kCUDA, i).device().str());
    show("to", torch::ones({2}).to({kCPU, 0}));
    show("integral", c10::isIntegralType(torch::kBool, false));
    show("format", torch::ones({2, 3, 4, 5})
                           .contiguous(at::MemoryFormat::ChannelsLast)
                           .suggest_memory_format() == at::MemoryFormat::ChannelsLast);
}

void functions() {
    Tensor t = torch::arange(6).view({2, 3});
    show("scalar", t[Scalar(1)]);
    show("fill_", t[0].fill_(torch::tensor(7)));
    show("clamp_min_", at::clamp_min_(t, 4));
    show("clamp_max_", at::clamp_max_(t, 6));
    show("and", Tensor(at::__and__(t, 6)));
    show("or", Tensor(at::__or__(t, t)));
    show("shift", Tensor(at::__lshift__(t, 1)));
    show("own", c10::scalar_to_tensor(2.5));
    show("zero_", at::zero_(t));
    show("special", Tensor(torch::special::expit(torch::zeros({2}))));
    float numbers[] = {1, 2, 3, 4};
    show("pointer", torch::from_blob(numbers, {4}).storage().data_ptr().get() == numbers);
    show("product", c10::multiply_integers(t.sizes()));
    show("sum", c10::sum_integers(std::vector<int>{1, 2, 3}));
    show("from", c10::numelements_from_dim(1, IntArrayRef({2, 3, 4})));
    show("to dim", c10::numelements_to_dim(1, IntArrayRef({2, 3, 4})));
    show("between", c10::numelements_between_dim(2, 1, IntArrayRef({2, 3, 4})));
    auto generator = at::make_generator<at::CPUGeneratorImpl>(123);
    show("random64", at::check_generator<at::CPUGeneratorImpl>(generator)->random64());
}

void threads() {
    at::init_num_threads();
    show("interop", at::get_num_interop_threads() > 0);
    std::vector<int> seen(100, 0);
    at::parallel_for(0, 100, 7, [&](int64_t b, int64_t e) {
        for (const auto i : c10::irange(b, e)) seen[i] += 1;
    });
    show("parallel_for", c10::sum_integers(seen));
    show("parallel_reduce", at::parallel_reduce(
                                0, 100, 7, int64_t{0},
                                [](int64_t b, int64_t e, int64_t s) {
                                    for (const auto i : c10::irange(b, e)) s += i;
                                    return s;
                                },
                                [](int64_t a, int64_t b) { return a + b; }));
}

void accessors() {
    const Tensor t = torch::arange(6.).view({2, 3});
    const auto a = t.packed_accessor32<float, 2, torch::DefaultPtrTraits>();
    const auto turned = a.transpose(0, 1);
    show("transpose", turned[2][1]);
    show("sizes", turned.size(0) * 10 + turned.size(1));
    const at::TensorAccessor<float, 1> row = t.accessor<float, 2>()[1];
    show("row", row[0]);
}

void complex_numbers() {
    using namespace c10::complex_literals;
    const c10::complex<double> z = 3.0 + 4.0_id;
    show("exp", std::abs(::exp(z) - std::exp(z)));
    show("sqrt", ::sqrt(z) * ::sqrt(z) == z);
    show("power", std::abs(std::pow(2.0, z) - std::exp(z * std::log(2.0))) < 1e-12);
    show("log2", std::abs(std::log2(z) - std::log(z) / std::log(2.0)) < 1e-12);
    show("alignment", 100 * alignof(c10::complex<float>) + alignof(c10::complex<double>));
    std::istringstream in("(1,-2)");
    c10::complex<float> read;
    in >> read;
    show("read", read);
    std::unordered_set<c10::complex<double>, c10::hash<c10::complex<double>>> set;
    for (const c10::complex<double>& each : {z, z, c10::complex<double>(1)}) set.insert(each);
    show("set", set.size());
    show("parts", z.real_ + z.imag_);
}

void default_dtype() {
    torch::set_default_dtype(caffe2::TypeMeta::Make<int>());
    show("made", torch::ones({2}));
    torch::set_default_dtype(caffe2::TypeMeta::Make<double>());
    show("made", torch::ones({2}));
    torch::set_default_dtype(caffe2::TypeMeta::Make<float>());
    show("dtype", c10::typeMetaToScalarType(torch::ones({1}).dtype()));
    show("by type", torch::zeros({1}, torch::dtype<double>()));
}

C10_ALWAYS_INLINE int likely(int i) { return C10_LIKELY(i > 0) ? i : 0; }

}  // namespace

int main() {
    const torch::AutoGradMode guard(false);
    spaces();
    devices();
    functions();
    threads();
    accessors();
    complex_numbers();
    default_dtype();
    show("macros", likely(3));
    return 0;
}
