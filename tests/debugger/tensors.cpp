// What a user's program holds, for run.py to look at with a debugger. A comment `// NAME: TEXT`
// says what is printed of a variable; 0xADDRESS stands for any address.
#include "look_here.hpp"

#include <sinter/sinter.hpp>

#include <cstring>
#include <limits>
#include <optional>
#include <unistd.h>

// Only the debugger reads the variables.
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"

using namespace sinter;

int main() {
    Tensor ready = tensor({1.5, 2.0, 3.0, 4.0, 5.0, 6.0}).view({2, 3});
    Tensor odd = tensor({0.1, -1e20, 3e-5}, kDouble);
    Tensor half = tensor({0.5, -2.0}).to(kHalf), narrow = tensor({0.5, -3.0}).to(kBFloat16);
    Tensor complex_numbers = tensor({1.0, 2.0}).to(kComplexFloat);
    Tensor flags = tensor({true, false}), bytes = tensor({1, 255}).to(kByte);
    Tensor many = arange(100), one = tensor(7), none = zeros({0, 4}), undefined;
    Tensor failed = tensor({1, 2}).remainder(tensor({0, 0}));
    eval({ready, odd, half, narrow, complex_numbers, flags, bytes, many, one, none});
    try {
        failed.eval();
    } catch (const Error&) {
    }
    // ready: Float [2, 3] strides [3, 1] on cpu, ready: {1.5, 2, 3, 4, 5, 6}
    // odd: Double [3] strides [1] on cpu, ready: {0.1, -1e+20, 3e-05}
    // half: Half [2] strides [1] on cpu, ready: {0.5, -2}
    // narrow: BFloat16 [2] strides [1] on cpu, ready: {0.5, -3}
    // complex_numbers: ComplexFloat [2] strides [1] on cpu, ready: {(1,0), (2,0)}
    // flags: Bool [2] strides [1] on cpu, ready: {true, false}
    // bytes: Byte [2] strides [1] on cpu, ready: {1, 255}
    // many: Long [100] strides [1] on cpu, ready: {0, 1, 2, 3, 4, 5, 6, 7, ...}
    // one: Long [] strides [] on cpu, ready: 7
    // none: Float [0, 4] strides [4, 1] on cpu, ready: {}
    // undefined: undefined
    // failed: Long [2] strides [1] on cpu, failed: Error: [remainder] ZeroDivisionError...

    // NOLINTBEGIN(clang-analyzer-deadcode.DeadStores)
    Tensor turned = ready.t(), column = ready.select(1, 1), part = many.slice(0, 90, 100, 4);
    Tensor real_part = real(complex_numbers), pending = ready * 2 + 1, total = pending.sum();
    Tensor product = ready.mm(turned), drawn = rand({2}), cast = (ready + 1).to(kInt);
    // NOLINTEND(clang-analyzer-deadcode.DeadStores)
    // turned: Float [3, 2] strides [1, 3] on cpu, ready: {1.5, 4, 2, 5, 3, 6}
    // column: Float [2] strides [3] offset 1 on cpu, ready: {2, 5}
    // part: Long [3] strides [4] offset 90 on cpu, ready: {90, 94, 98}
    // real_part: Float [2] strides [2] on cpu, ready: {1, 2}
    // pending: Float [2, 3] strides [3, 1] on cpu, pending: mul+add
    // total: Float [] strides [] on cpu, pending: sum
    // product: Float [2, 2] strides [2, 1] on cpu, pending: mm
    // drawn: Float [2] strides [1] on cpu, pending: add+philox_uniform
    // cast: Int [2, 3] strides [3, 1] on cpu, pending: cast
    const Tensor& reference = pending;
    // reference: Float [2, 3] strides [3, 1] on cpu, pending: mul+add

    const int64_t numbers[] = {2, 3, -1};
    IntArrayRef list = numbers, empty_list;
    OptionalIntArrayRef some = list, nothing;
    const std::vector<Tensor> tensors{one, undefined};
    TensorList of_tensors = tensors;
    std::vector<int64_t> long_numbers(40, 1);
    IntArrayRef long_list = long_numbers;
    // list: [2, 3, -1]
    // empty_list: []
    // some: [2, 3, -1]
    // nothing: none
    // of_tensors: [Long [] strides [] on cpu, ready: 7, undefined]
    // long_list: [1, 1, 1, ..., 1, ...]

    Scalar whole = 3, fraction = -0.25, truth = true, complex_number = complex<double>(1, -2);
    ScalarType dtype = kComplexDouble;
    TypeMeta meta(kBFloat16);
    Device cpu = kCPU, gpu(kCUDA, 1);
    // whole: 3 (integral)
    // fraction: -0.25 (floating)
    // truth: true (boolean)
    // complex_number: (1,-2) (complex)
    // dtype: ComplexDouble
    // meta: BFloat16
    // cpu: cpu
    // gpu: cuda:1
    std::optional<Tensor> a_tensor = one, no_tensor;
    std::optional<Scalar> a_scalar = Scalar(2);
    std::optional<ScalarType> a_dtype = kHalf, no_dtype;
    // a_tensor: Long [] strides [] on cpu, ready: 7
    // no_tensor: none
    // a_scalar: 2 (integral)
    // a_dtype: Half
    // no_dtype: none
    intrusive_ptr<TensorImpl> shared(one.unsafeGetTensorImpl()), null;
    // shared: 0xADDRESS, 4 references: Long [] strides [] on cpu, ready: 7
    // null: null

    // Memory that is not there, and memory that holds something else.
    alignas(16) static unsigned char garbage[512];
    std::memset(garbage, 0xAB, sizeof(garbage));
    const auto at = [](const void* p) {
        return intrusive_ptr<TensorImpl>::adopt(
            const_cast<TensorImpl*>(static_cast<const TensorImpl*>(p)));
    };
    Tensor nowhere(at(reinterpret_cast<const void*>(0x1230))), broken(at(garbage));
    IntArrayRef lost(reinterpret_cast<const int64_t*>(0x1230), 3);
    Device strange(static_cast<DeviceType>(77), 0);
    // nowhere: <no memory at 0xADDRESS>
    // broken: <dtype -85> <no memory at 0xADDRESS> on <device -85>, <no memory at 0xADDRESS>
    // lost: [<cannot be read: ...>, ...]
    // strange: ...77...:0

    look_here();
    _exit(0);  // broken objects have no destructors
}
