// Discrete Fourier transforms. PyTorch: torch.fft.
//
// FFTW computes them (kernels/fft); it is opened by the first transform, and the error says which
// package to install if it is missing. A transform takes Float, Double, ComplexFloat or
// ComplexDouble; integers and bools are converted to the default dtype first. Any length is taken,
// powers of two and other products of small primes are fastest. Transforms are pending: each is one
// call of the library, and its scale fuses with what reads it. On a GPU the CPU computes them over
// copies.
//
// `n` and `s`: sizes to which the input is cut, or padded with zeros at the end, before it is
// transformed; without them its own sizes. In `s`, -1 stands for the input's own size.
// `norm`: "backward" (the default) divides inverse transforms by the number n of elements,
// "forward" the others, "ortho" all by sqrt(n).
#pragma once

#include <sinter/tensor.hpp>

#include <string_view>

namespace sinter::inline v1::fft {

// ---- one dimension
/// Returns the transform or its inverse along `dim`, complex: the sum over k of x[k] exp(-+ 2 pi i
/// j k / n). Throws Error for a length below 1, an unknown norm, a tensor of no dimensions, and
/// NotImplementedError for Half and BFloat16. It is one call of the library.
///@{
SINTER_API Tensor fft(const tensor_base& self, optional<int64_t> n = nullopt, int64_t dim = -1,
                      optional<std::string_view> norm = nullopt);
SINTER_API Tensor ifft(const tensor_base& self, optional<int64_t> n = nullopt, int64_t dim = -1,
                       optional<std::string_view> norm = nullopt);
///@}
/// Returns the first n / 2 + 1 elements of the transform of a real tensor along `dim`; the others
/// are their conjugates in reverse. Throws TypeError for a complex tensor, else as fft().
SINTER_API Tensor rfft(const tensor_base& self, optional<int64_t> n = nullopt, int64_t dim = -1,
                       optional<std::string_view> norm = nullopt);
/// Returns the inverse of rfft(): `n` real elements, by default 2 (size - 1). The imaginary part of
/// the first element, and of the last one of an even n, is not read. Throws as fft().
SINTER_API Tensor irfft(const tensor_base& self, optional<int64_t> n = nullopt, int64_t dim = -1,
                        optional<std::string_view> norm = nullopt);
/// Returns the transform of a signal whose second half is the conjugate of its first, which has n /
/// 2 + 1 elements: `n` real elements, by default 2 (size - 1). Throws as fft().
SINTER_API Tensor hfft(const tensor_base& self, optional<int64_t> n = nullopt, int64_t dim = -1,
                       optional<std::string_view> norm = nullopt);
/// Returns the inverse of hfft() along `dim`, n / 2 + 1 elements. Throws TypeError for a complex
/// tensor, else as fft().
SINTER_API Tensor ihfft(const tensor_base& self, optional<int64_t> n = nullopt, int64_t dim = -1,
                        optional<std::string_view> norm = nullopt);

// ---- several dimensions
/// Returns the transform or its inverse along several dimensions: by default all, or the last ones
/// if `s` is given alone. Throws Error for a dimension that is named twice and where `s` and `dim`
/// have different lengths, else as fft().
///@{
SINTER_API Tensor fftn(const tensor_base& self, OptionalIntArrayRef s = nullopt,
                       OptionalIntArrayRef dim = nullopt,
                       optional<std::string_view> norm = nullopt);
SINTER_API Tensor ifftn(const tensor_base& self, OptionalIntArrayRef s = nullopt,
                        OptionalIntArrayRef dim = nullopt,
                        optional<std::string_view> norm = nullopt);
///@}
/// Returns the transform of a real tensor, of whose last transformed dimension the first n / 2 + 1
/// elements; or the inverse of that, whose last dimension is 2 (size - 1) by default. Throws
/// TypeError if rfftn gets a complex tensor, and Error if there is no dimension to transform, else
/// as fftn().
///@{
SINTER_API Tensor rfftn(const tensor_base& self, OptionalIntArrayRef s = nullopt,
                        OptionalIntArrayRef dim = nullopt,
                        optional<std::string_view> norm = nullopt);
SINTER_API Tensor irfftn(const tensor_base& self, OptionalIntArrayRef s = nullopt,
                         OptionalIntArrayRef dim = nullopt,
                         optional<std::string_view> norm = nullopt);
///@}
/// Returns what fftn(), ifftn(), rfftn() or irfftn() gives along two dimensions, complex or, of
/// irfft2, real. Throws as they do.
///@{
SINTER_API Tensor fft2(const tensor_base& self, OptionalIntArrayRef s = nullopt,
                       IntArrayRef dim = {-2, -1}, optional<std::string_view> norm = nullopt);
SINTER_API Tensor ifft2(const tensor_base& self, OptionalIntArrayRef s = nullopt,
                        IntArrayRef dim = {-2, -1}, optional<std::string_view> norm = nullopt);
SINTER_API Tensor rfft2(const tensor_base& self, OptionalIntArrayRef s = nullopt,
                        IntArrayRef dim = {-2, -1}, optional<std::string_view> norm = nullopt);
SINTER_API Tensor irfft2(const tensor_base& self, OptionalIntArrayRef s = nullopt,
                         IntArrayRef dim = {-2, -1}, optional<std::string_view> norm = nullopt);
///@}

// ---- frequencies
/// Returns the frequencies of the elements of fft() or rfft() of `n` samples, `d` apart, in cycles
/// per unit of `d`: a vector of n, or n / 2 + 1, elements, fused, of the default dtype or a
/// floating one that the options name. Throws Error if n < 0 or the dtype is not floating.
///@{
SINTER_API Tensor fftfreq(int64_t n, double d = 1.0, const TensorOptions& options = {});
SINTER_API Tensor rfftfreq(int64_t n, double d = 1.0, const TensorOptions& options = {});
///@}
/// Returns a tensor of the same sizes whose zero frequency is moved to the middle, or back, along
/// some dimensions: by default all. Fused, of any dtype. Throws IndexError for a dimension that it
/// has not.
///@{
SINTER_API Tensor fftshift(const tensor_base& self, OptionalIntArrayRef dim = nullopt);
SINTER_API Tensor ifftshift(const tensor_base& self, OptionalIntArrayRef dim = nullopt);
///@}

}  // namespace sinter::inline v1::fft
