#include "kernels/fft/fft.hpp"

#include "kernels/fft/fftw.hpp"
#include "runtime/base/fail.hpp"
#include "runtime/device/buffer.hpp"
#include "runtime/threads/threads.hpp"
#include "runtime/types/element.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <utility>

namespace sinter::fourier {
namespace {

// The algorithm is chosen by sizes and strides alone, not by times, so that equal calls give equal
// bits. The operand is somebody else's memory.
constexpr unsigned preserve_input = 1 << 4, estimate = 1 << 6;
constexpr unsigned flags = preserve_input | estimate;

// FFTW takes vectors of elements where addresses are multiples of this, which makes it two to three
// times as fast, and gives other bits. So all addresses are made multiples of it.
constexpr std::size_t alignment = 16;
constexpr int64_t aligned_parts = 4;  // so many elements of any dtype and distance

constexpr int64_t elements_at_once = 1 << 15;  // of transforms that are planned together

/// A call as FFTW describes it: transforms of these sizes, and how many of them there are. They are
/// made in parts of equal length along one of the latter dimensions.
struct problem {
    std::vector<fftw_dimension> transform, beside;
    fftw_dimension parts{1, 0, 0};  // elements along that dimension
    int64_t part = 1;               // of them in a part
};

/// `sizes`: those of the transform, which are the operand's or the result's.
problem describe(const op_call& call, const geometry& sizes) {
    const geometry &in = *call.inputs[0].shape, &out = call.shape;
    const auto& dims = call.attributes->as<fft_attributes>().dims;
    problem p;
    const auto along = [&](int64_t d) {
        return fftw_dimension{sizes.sizes()[d], in.strides()[d], out.strides()[d]};
    };
    for (const int64_t d : dims) p.transform.push_back(along(d));
    std::size_t longest = 0;
    int64_t whole = sizes.numel;
    for (int64_t d = 0; d < sizes.ndim; ++d) {
        if (std::find(dims.begin(), dims.end(), d) != dims.end() || sizes.sizes()[d] == 1) continue;
        p.beside.push_back(along(d));
        if (p.beside.back().n > p.beside[longest].n) longest = p.beside.size() - 1;
    }
    if (p.beside.empty()) return p;
    p.parts = p.beside[longest];
    p.beside.erase(p.beside.begin() + static_cast<std::ptrdiff_t>(longest));
    const int64_t part = elements_at_once * p.parts.n / whole / aligned_parts * aligned_parts;
    p.part = std::min(std::max(part, aligned_parts), p.parts.n);
    return p;
}

std::mutex& planner() {
    static std::mutex m;  // FFTW plans for one thread at a time
    return m;
}

/// A plan for some of the parts' elements.
template <class R>
class planned {
public:
    template <class Make>
    planned(const op_call& call, const fftw<R>& f, const problem& p, int64_t count,
            const Make& make)
        : f_(f) {
        std::vector<fftw_dimension> beside = p.beside;
        if (count > 1) beside.push_back({count, p.parts.from, p.parts.to});
        const std::lock_guard lock(planner());
        plan_ = make(static_cast<int>(p.transform.size()), p.transform.data(),
                     static_cast<int>(beside.size()), beside.data());
        if (!plan_)
            runtime::fail(call.op.name, "FFTW has no plan for the sizes",
                          runtime::text(IntArrayRef(call.inputs[0].shape->sizes_ref())),
                          "sizes that fit into memory", "a smaller transform");
    }
    ~planned() {
        const std::lock_guard lock(planner());
        f_.destroy(plan_);
    }
    planned(const planned&) = delete;
    planned& operator=(const planned&) = delete;
    typename fftw<R>::plan get() const { return plan_; }

private:
    const fftw<R>& f_;
    typename fftw<R>::plan plan_;
};

/// `make(rank, dimensions, howmany, dimensions)` plans; `run(plan, from, to)` runs a plan.
template <class R, class In, class Out, class Make, class Run>
void transform(const op_call& call, const problem& p, const fftw<R>& f, In* in, Out* out,
               const Make& make, const Run& run) {
    const int64_t parts = (p.parts.n + p.part - 1) / p.part;
    const int64_t rest = p.parts.n - (parts - 1) * p.part;  // in the last one
    const planned<R> usual(call, f, p, parts > 1 ? p.part : rest, make);
    const auto at = [&](int64_t i, typename fftw<R>::plan plan) {
        run(plan, in + i * p.part * p.parts.from, out + i * p.part * p.parts.to);
    };
    if (parts == 1) return at(0, usual.get());
    const planned<R> last(call, f, p, rest, make);
    runtime::parallel_for(0, parts, 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) at(i, i + 1 < parts ? usual.get() : last.get());
    });
}

/// Returns the first element of the result, whose memory is aligned.
template <class T>
T* result(const op_call& call) {
    return reinterpret_cast<T*>(call.output) + call.shape.offset;
}

/// The operand's elements, at an aligned address: copied with their gaps, if they are elsewhere.
template <class T>
class operand {
public:
    explicit operand(const op_call& call) {
        const geometry& g = *call.inputs[0].shape;
        const T* const first = reinterpret_cast<const T*>(call.inputs[0].data) + g.offset;
        data_ = const_cast<T*>(first);
        if (reinterpret_cast<std::uintptr_t>(first) % alignment == 0) return;
        int64_t last = 0;
        for (int64_t d = 0; d < g.ndim; ++d) last += (g.sizes()[d] - 1) * g.strides()[d];
        const auto bytes = static_cast<std::size_t>(last + 1) * sizeof(T);
        copy_ = runtime::make_buffer(bytes);
        std::memcpy(copy_->data, first, bytes);
        data_ = static_cast<T*>(copy_->data);
    }
    T* data() const { return data_; }

private:
    runtime::buffer_ptr copy_;
    T* data_;
};

template <class R>
void c2c(const op_call& call) {
    const fftw<R>& f = require_fftw<R>(call.op.name);
    const operand<complex<R>> from(call);
    auto* in = from.data();
    auto* out = result<complex<R>>(call);
    const int sign = call.attributes->as<fft_attributes>().inverse ? 1 : -1;
    transform<R>(
        call, describe(call, call.shape), f, in, out,
        [&](auto... dimensions) { return f.plan_c2c(dimensions..., in, out, sign, flags); },
        f.run_c2c);
}
template <class R>
void r2c(const op_call& call) {
    const fftw<R>& f = require_fftw<R>(call.op.name);
    const operand<R> from(call);
    auto* in = from.data();
    auto* out = result<complex<R>>(call);
    transform<R>(
        call, describe(call, *call.inputs[0].shape), f, in, out,
        [&](auto... dimensions) { return f.plan_r2c(dimensions..., in, out, flags); }, f.run_r2c);
}
template <class R>
void c2r(const op_call& call) {
    const fftw<R>& f = require_fftw<R>(call.op.name);
    const operand<complex<R>> from(call);
    auto* in = from.data();
    auto* out = result<R>(call);
    transform<R>(
        call, describe(call, call.shape), f, in, out,
        [&](auto... dimensions) { return f.plan_c2r(dimensions..., in, out, flags); }, f.run_c2r);
}

/// Runs one of the two for the call's precision.
void by_precision(const op_call& call, void (*single)(const op_call&),
                  void (*doubled)(const op_call&)) {
    if (call.shape.numel == 0) return;
    (toRealValueType(call.dtype) == kFloat ? single : doubled)(call);
}

void run_c2c(const op_call& call) { by_precision(call, c2c<float>, c2c<double>); }
void run_r2c(const op_call& call) { by_precision(call, r2c<float>, r2c<double>); }
void run_c2r(const op_call& call) { by_precision(call, c2r<float>, c2r<double>); }

}  // namespace

const kernel_op c2c_op{.name = "fft_c2c", .run = run_c2c, .vendor = true, .complex = true};
const kernel_op r2c_op{.name = "fft_r2c", .run = run_r2c, .vendor = true, .complex = true};
const kernel_op c2r_op{.name = "fft_c2r", .run = run_c2r, .vendor = true, .complex = true};

}  // namespace sinter::fourier
