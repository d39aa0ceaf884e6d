// Names that programs use besides functions: types, options, macros, and rare overloads.
// A program for libtorch 2.
#include <ATen/TensorIndexing.h>
#include <ATen/core/MT19937RNGEngine.h>
#include <ATen/core/PhiloxRNGEngine.h>
#include <c10/core/ScalarType.h>
#include <c10/util/ArrayRef.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <torch/torch.h>

#include <iostream>
#include <stdexcept>
#include <vector>

namespace {

using torch::IntArrayRef;
using torch::Scalar;
using torch::Tensor;

template <class T>
void show(const char* what, const T& value) {
    std::cout << what << ": " << value << '\n';
}

void show(const char* what, const Tensor& t) {
    std::cout << what << ": " << t.scalar_type() << t.sizes() << t.strides();
    const Tensor flat = t.to(torch::kDouble).contiguous().view(-1);
    for (const auto i : c10::irange(flat.numel())) std::cout << ' ' << flat[i].item<double>();
    std::cout << '\n';
}

template <class F>
void kind(const char* what, const F& f) {
    std::cout << what << ": ";
    try {
        f();
        std::cout << "fine\n";
    } catch (const c10::IndexError&) {
        std::cout << "IndexError\n";
    } catch (const c10::ValueError&) {
        std::cout << "ValueError\n";
    } catch (const c10::TypeError&) {
        std::cout << "TypeError\n";
    } catch (const c10::NotImplementedError&) {
        std::cout << "NotImplementedError\n";
    } catch (const c10::LinAlgError&) {
        std::cout << "LinAlgError\n";
    } catch (const c10::Error&) {
        std::cout << "Error\n";
    }
}

template <class F>
void overflow(const char* what, const F& f) {
    try {
        f();
    } catch (const std::runtime_error&) {
        std::cout << what << ": does not fit\n";
    }
}

void types() {
    show("negative", -Scalar(1.5));
    show("equal", Scalar(1).equal(1.0));
    show("half", at::Half(0x3E00, at::Half::from_bits()));
    show("bits", at::BFloat16(1.5f).x);
    const std::vector<double> numbers{1.5, 2};
    show("list", at::makeArrayRef(numbers));
    const std::vector<int64_t> dims{1, 2};
    const at::OptionalIntArrayRef some = dims;
    show("dims", some->size() + some.value().size());
    show("all", at::makeArrayRef(dims).allMatch([](int64_t d) { return d > 0; }));
    const auto options = torch::TensorOptions().device(torch::kCUDA, 1);
    show("index", int(options.device().index()));
    show("device", options.device_opt().has_value());
    show("dtype", options.dtype_opt().has_value());
    show("layout", options.layout_opt().has_value());
    show("can cast", torch::canCast(torch::kFloat, torch::kInt));
    show("promoted", torch::promoteTypes(torch::kInt, torch::kHalf));
    at::Philox4_32 engine(123, 4, 5);
    engine.set_offset(3);
    show("offset", engine.get_offset());
    show("drawn", engine());
    engine.reset_state(9, 1);
    show("drawn", engine());
}

void overloads() {
    const Tensor t = torch::arange(6.).view({2, 3});
    show("to", t.to(torch::kInt, false, false, torch::MemoryFormat::Contiguous));
    show("clone", torch::clone(t.t(), torch::MemoryFormat::Contiguous));
    show("narrow", t.narrow(1, torch::tensor(-2), 2));
    show("narrow_copy", torch::narrow_copy(t.t(), 0, 1, 2));
    show("expand", t.expand({2, 3}, true));
    show("repeat_interleave", t.repeat_interleave(2, 0, 4));
    show("gather", t.gather(1, torch::tensor({{2}, {0}}, torch::kInt)));
    show("take_along_dim", t.take_along_dim(torch::tensor({{7, -5}}), 1));
    Tensor u = torch::arange(6.).view({1, 6, 1});
    u.squeeze_({0, 2});
    show("squeeze_", u);
    show("as_strided_", u.as_strided_({2, 2}, {2, 1}, 1));
    Tensor empty = torch::empty({0});
    show("set_", empty.set_(t, 1, {2}, {2}));
    show("size", torch::size(t, -1) + torch::stride(t, 0));
    show("nonzero", torch::is_nonzero(torch::ones({1})));
    show("dims", torch::is_same_size(t, u));
}

void errors() {
    const Tensor v = torch::ones({3}), m = torch::ones({2, 3}), i = torch::tensor({1, 2, 3});
    kind("item", [&] { v.item(); });
    kind("int += 1.5", [&] { i.add(0).add_(1.5); });
    kind("gather", [&] { v.gather(0, torch::tensor({5})); });
    kind("gather of floats", [&] { v.gather(0, v); });
    kind("take", [&] { v.take(torch::tensor({5})); });
    kind("index", [&] { v.index({torch::tensor({5})}); });
    kind("index_fill", [&] { v.index_fill(0, torch::tensor({0}, torch::kInt), 1); });
    kind("index_copy", [&] { m.index_copy(0, torch::tensor({0}), m); });
    kind("zeros", [&] { torch::zeros({2, -1}); });
    kind("too many", [&] { torch::empty({int64_t{1} << 40, int64_t{1} << 40}); });
    kind("ragged", [&] { torch::tensor({{1, 2}, {3}}); });
    kind("slice", [&] { v.slice(0, 0, 3, 0); });
    kind("Slice", [&] { v.index({torch::indexing::Slice(0, 3, -1)}); });
    kind("where", [&] { torch::where(v, v, v); });
    kind("isclose", [&] { torch::isclose(v, i); });
    kind("isin", [&] { torch::isin(v > 0, v); });
    kind("pow", [&] { i.pow(-1); });
    kind("data_ptr", [&] { v.data_ptr<double>(); });
    overflow("toInt", [&] { Scalar(1e30).toInt(); });
    overflow("toLong", [&] { Scalar(1e30).toLong(); });
    overflow("toFloat", [&] { Scalar(1e300).toFloat(); });
    overflow("fill_", [&] { torch::zeros({1}, torch::kByte).fill_(300); });
}

void macros() {
    kind("check", [] { TORCH_CHECK_WITH(IndexError, 1 == 2, "no"); });
    kind("compare", [] { TORCH_CHECK_GT(1, 2); });
    kind("linear algebra", [] { TORCH_CHECK_LINALG(false, "no"); });
    kind("throw", [] { C10_THROW_ERROR(ValueError, "no"); });
    const auto size = [](auto dtype) {
        return AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND3(torch::kHalf, torch::kBool, torch::kBFloat16,
                                                      dtype, "size",
                                                      [] { return int(sizeof(scalar_t)); });
    };
    show("sizes", size(torch::kBool) + 10 * size(torch::kHalf) + 100 * size(torch::kComplexFloat));
    show("index",
         AT_DISPATCH_INDEX_TYPES(torch::kLong, "index", [] { return int(sizeof(index_t)); }));
    show("switch", AT_DISPATCH_SWITCH(torch::kDouble, "switch", AT_DISPATCH_CASE(torch::kInt, [] {
                                          return 1;
                                      }) AT_DISPATCH_CASE_FLOATING_TYPES([] { return 2; })));
}

}  // namespace

int main() {
    types();
    overloads();
    errors();
    macros();
    return 0;
}
