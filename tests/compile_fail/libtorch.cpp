// What libtorch has and this library's <torch/torch.h> lacks, with the replacement.
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

void files(Tensor a) {
#ifdef GOOD
    torch::save_npy(a, "a.npy");
    a = torch::load_npy("a.npy");
#else
    // error: is not a member|no member named
    torch::save(a, "a.pt");
#endif
}
