// The loops that the library is raced against, by the name of their case: hand-written, or calling
// another library.
//
// `hand` follows the numerics of the library: no contraction, functions within 1 ULP, division
// where the formula divides. `hand_fast` may contract and reassociate, and its math is within 4
// ULP. Both reduce in whatever order is fastest on this machine and thread count; the library may
// not.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

/// Dense arrays in the order of the case's inputs, and the sizes that the case states. Several
/// results follow each other, each at a multiple of its element's size.
struct loop_arguments {
    static constexpr int most = 4;
    const void* inputs[most] = {};
    void* output = nullptr;
    int64_t sizes[most] = {};
    int threads = 1;
    bool stream = false;  // asks for streaming stores

    template <class T>
    const T* in(int i = 0) const {
        return static_cast<const T*>(inputs[i]);
    }
    template <class T>
    T* out() const {
        return static_cast<T*>(output);
    }
};

using loop = void (*)(const loop_arguments&);

struct loop_row {
    const char* name;  // of the case
    loop f32, f64;     // if the case has several dtypes: that of its sources
    const char* note = "";
    bool streams = false;  // has a variant with streaming stores
};

std::vector<loop_row> hand_loops();
std::vector<loop_row> hand_fast_loops();
std::vector<loop_row> eigen_loops();
std::vector<loop_row> xtensor_loops();

/// a[i] = b[i] + s * c[i].
void hand_triad(float* a, const float* b, const float* c, float s, int64_t n, int threads,
                bool stream);

}  // namespace bench
