// C functions over tensors for the test with NumPy and PyTorch, loaded by ctypes.
#include <sinter/sinter.hpp>
#include <sinter/dlpack.hpp>

#include <cstdio>
#include <thread>

using namespace sinter;

namespace {

Tensor made(int kind) {
    switch (kind) {
        case 0: return arange(6, kFloat).view({2, 3}) + 0;  // pending
        case 1: return (arange(24, kLong).view({4, 6}) + 0).slice(1, 1, 6, 2).t();
        case 2: return (arange(3, kDouble) + 0)[2];  // no dimensions
        case 3: return zeros({2, 0});
        case 4: return arange(4) > 1;
        case 5: return (arange(4, kFloat) / 2).to(kHalf);
        case 6: return (arange(4, kFloat) / 2).to(kBFloat16);
        case 7: {
            static float memory[3] = {1, 2, 3};  // external memory
            return from_blob(memory, {3});
        }
        default: {
            static const float memory[3] = {1, 2, 3};
            return from_blob(static_cast<const void*>(memory), {3});
        }
    }
}

}  // namespace

extern "C" {
__attribute__((visibility("default"))) void* bridge_make(int kind) {
    return new Tensor(made(kind));
}
__attribute__((visibility("default"))) void bridge_free(void* t) { delete static_cast<Tensor*>(t); }
__attribute__((visibility("default"))) void bridge_free_on_thread(void* t) {
    std::thread([t] { delete static_cast<Tensor*>(t); }).join();
}
__attribute__((visibility("default"))) void* bridge_export(void* t, int versioned) {
    const auto& x = *static_cast<Tensor*>(t);
    if (versioned) return toDLPackVersioned(x);
    return toDLPack(x);
}
/// Returns null if the import is refused; prints the reason.
__attribute__((visibility("default"))) void* bridge_import(void* managed, int versioned) {
    try {
        if (versioned)
            return new Tensor(fromDLPack(static_cast<const DLManagedTensorVersioned*>(managed)));
        return new Tensor(fromDLPack(static_cast<const DLManagedTensor*>(managed)));
    } catch (const Error& e) {
        std::puts(e.what());
        return nullptr;
    }
}
__attribute__((visibility("default"))) void bridge_add(void* t, double v) {
    const auto& x = *static_cast<Tensor*>(t);
    if (x.is_floating_point())
        x.add_(v);
    else
        x.add_(static_cast<int64_t>(v));
}
/// Returns 1 if a write is refused.
__attribute__((visibility("default"))) int bridge_refuses(void* t) {
    try {
        static_cast<Tensor*>(t)->zero_();
    } catch (const Error&) {
        return 1;
    }
    return 0;
}
__attribute__((visibility("default"))) double bridge_sum(void* t) {
    return static_cast<Tensor*>(t)->to(kDouble).sum().item<double>();
}
__attribute__((visibility("default"))) int bridge_load(const char* path) {
    return static_cast<int>(load_npz(path).size());
}
__attribute__((visibility("default"))) void bridge_save(const char* path, int compressed) {
    save_npz(path,
             {{"f", arange(6, kFloat).view({2, 3})},
              {"t", arange(6).view({2, 3}).t()},
              {"b", arange(3) > 1},
              {"s", tensor(2.5, kDouble)}},
             compressed != 0);
}
}
