// Phrases that programs look for in the text of an error or a warning.
// A program for libtorch 2.
#include <torch/torch.h>

#include <iostream>
#include <string>
#include <vector>

namespace {

using torch::Tensor;
using torch::indexing::Slice;

template <class F>
void says(const char* what, const std::string& phrase, const F& f) {
    std::cout << what << ": ";
    try {
        f();
        std::cout << "fine\n";
    } catch (const std::exception& e) {
        const bool found = std::string(e.what()).find(phrase) != std::string::npos;
        std::cout << (found ? phrase : std::string(e.what())) << '\n';
    }
}

void indices() {
    const Tensor m = torch::arange(15).view({3, 5}), none = torch::empty({10, 0});
    const Tensor one = torch::tensor(7);
    says("integer", "index 5 is out of bounds for dimension 1 with size 5",
         [&] { m.index({0, 5}); });
    says("negative", "index -4 is out of bounds for dimension 0 with size 3",
         [&] { m.index({-4}); });
    says("tensor", "index 3 is out of bounds for dimension 0 with size 3",
         [&] { m.index({torch::tensor({0, 3})}); });
    says("gather", "index 9 is out of bounds for dimension 1 with size 5",
         [&] { m.gather(1, torch::tensor({{9}})); });
    says("empty dimension", "for dimension with size 0",
         [&] { none.index({Slice(), torch::tensor({0, 1})}); });
    says("no dimensions", "invalid index of a 0-dim tensor", [&] { one.index({0}); });
    says("too many", "too many indices for tensor of dimension 2", [&] { m.index({0, 0, 0}); });
    says("select", "select() cannot be applied to a 0-dim tensor", [&] { one.select(0, 0); });
    says("narrow", "start (1) + length (3) exceeds dimension size (3)", [&] { m.narrow(0, 1, 3); });
    says("nothing", "Passing an empty index list to Tensor::index() is not valid syntax",
         [&] { m.index(std::vector<at::indexing::TensorIndex>()); });
    says("nothing to put",
         "Passing an empty index list to Tensor::index_put_() is not valid syntax",
         [&] { m.clone().index_put_(std::vector<at::indexing::TensorIndex>(), 1); });
    says("number", "Can only index tensors with integral scalars",
         [&] { m[torch::Scalar(3.14)].sum(); });
    says("several", "Can only index with tensors that are scalars (zero-dim)",
         [&] { m[torch::tensor({0, 1})].sum(); });
    says("undefined", "Can only index with tensors that are defined", [&] { m[Tensor()].sum(); });
}

void shapes() {
    const Tensor m = torch::arange(15).view({3, 5});
    says("indices",
         "shape mismatch: indexing tensors could not be broadcast together with shapes [2], [3]",
         [&] { m.index({torch::tensor({0, 1}), torch::tensor({0, 1, 2})}); });
    says(
        "values",
        "shape mismatch: value tensor of shape [3, 1, 2] cannot be broadcast to indexing result of "
        "shape [1, 5]",
        [&] { m.clone().index_put_({torch::tensor({0})}, torch::zeros({3, 1, 2}, torch::kLong)); });
    says("mask",
         "The shape of the mask [4] at index 0 does not match the shape of the indexed tensor "
         "[3, 5] at index 0",
         [&] { m.index({torch::ones({4}, torch::kBool)}); });
    says("fill", "fill_ only supports 0-dimension value tensor but got tensor with 1 dimensions",
         [&] { m.clone().fill_(torch::ones({1}, torch::kLong)); });
    says("ragged", " (e.g. {5, 6}), but got sub-list {7} with sizes: ", [] {
        torch::tensor({{{2, 3, 4}, {{5, 6}, {7}}}});
    });
    says("kinds",
         "Expected all elements of the tensor to have the same scalar type: Bool, but got element "
         "of scalar type: Double",
         [] { torch::tensor({{true, 2.0}, {true, 3.0}}); });
    says("accessor", "TensorAccessor expected 3 dims but tensor has 2",
         [&] { (m.accessor<int64_t, 3>()); });
    says("broadcast",
         "The size of tensor a (5) must match the size of tensor b (2) at non-singleton dimension "
         "1",
         [&] { (m + torch::ones({2})).sum(); });
    says("in place", "output with shape [5] doesn't match the broadcast shape [3, 5]",
         [&] { m[0].clone().add_(m); });
    says("expand",
         "The expanded size of the tensor (4) must match the existing size (5) at non-singleton "
         "dimension 1",
         [&] { m.expand({3, 4}); });
    says("cat", "Sizes of tensors must match except in dimension 0",
         [&] { torch::cat({m, torch::ones({1, 2})}); });
    says("stack", "stack expects each tensor to be equal size", [&] { torch::stack({m, m[0]}); });
    says("reshape", "shape '[2, 4]' is invalid for input of size 15", [&] { m.reshape({2, 4}); });
    says("inferred", "only one dimension can be inferred", [&] { m.reshape({-1, -1}); });
    says("view", "view size is not compatible with input tensor's size and stride",
         [&] { m.t().view(15); });
    says("negative size", "Trying to create tensor with negative dimension -1",
         [] { torch::zeros({2, -1}); });
    says("scalar", "a Tensor with 15 elements cannot be converted to Scalar", [&] { m.item(); });
    says("shared elements",
         "more than one element of the written-to tensor refers to a single memory location",
         [] { torch::ones({1}).expand({3}).add_(1); });
    says("overlap",
         "some elements of the input tensor and the written-to tensor refer to a single memory "
         "location",
         [] {
             const Tensor v = torch::ones({4});
             v.slice(0, 0, 3).add_(v.slice(0, 1, 4));
         });
    says("pointer", "expected scalar type Double but found Long", [&] { m.data_ptr<double>(); });
}

void numbers() {
    says("float", "value cannot be converted to type float without overflow",
         [] { torch::Scalar(1e300).toFloat(); });
    says("int", "value cannot be converted to type int without overflow",
         [] { torch::Scalar(1e30).toInt(); });
    says("byte", "value cannot be converted to type uint8_t without overflow",
         [] { torch::Scalar(300).toByte(); });
    says("item", "value cannot be converted to type int8_t without overflow",
         [] { torch::tensor(1000).item<int8_t>(); });
    says("power", "Integers to negative integer powers are not allowed",
         [] { torch::arange(3).pow(-1); });
    says("generator", "Expected Generator but received nullopt",
         [] { at::check_generator<at::CPUGeneratorImpl>(std::nullopt); });
    says("undefined generator", "Generator with undefined implementation is not allowed",
         [] { at::check_generator<at::CPUGeneratorImpl>(at::Generator()); });
    says("context", "no such row (while reading a.txt)", [] {
        try {
            TORCH_CHECK(false, "no such row");
        } catch (c10::Error& e) {
            TORCH_RETHROW(e, "while reading ", "a.txt");
        }
    });
}

struct collector : c10::WarningHandler {
    void process(const c10::Warning& warning) override { texts.push_back(warning.msg()); }
    std::vector<std::string> texts;
};

void warnings() {
    collector mine;
    c10::WarningUtils::set_warning_handler(&mine);
    torch::arange(3).index({torch::tensor({1, 0, 1}, torch::kByte)}).sum().item();
    c10::WarningUtils::set_warning_handler(nullptr);
    const std::string phrase =
        "indexing with dtype torch.uint8 is now deprecated, please use a "
        "dtype torch.bool instead";
    bool found = false;
    for (const std::string& t : mine.texts) found = found || t.find(phrase) != std::string::npos;
    std::cout << "byte mask: " << (found ? phrase : "no warning") << '\n';
}

}  // namespace

int main() {
    indices();
    shapes();
    numbers();
    warnings();
    return 0;
}
