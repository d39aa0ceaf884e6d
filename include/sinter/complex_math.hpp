// The mathematical functions of complex numbers, as std:: has them of its own: `std::abs(z)`,
// `std::exp(z)`. Overloads in std are what libtorch programs call; they go by way of std::complex.
#pragma once

#include <sinter/complex.hpp>

#include <complex>

namespace sinter::inline v1 {

/// The number of that length and angle.
template <class T>
    requires(std::is_floating_point_v<T>)
complex<T> polar(const T& length, const T& angle = T()) {
    return std::polar(length, angle);
}

}  // namespace sinter::inline v1

namespace std {  // NOLINT: see above

#define SINTER_TO_REAL(name)                         \
    template <class T>                               \
        requires(is_floating_point_v<T>)             \
    constexpr T name(const sinter::complex<T>& z) {  \
        return name(complex<T>(z.real(), z.imag())); \
    }
SINTER_TO_REAL(real)
SINTER_TO_REAL(imag)
SINTER_TO_REAL(abs)
SINTER_TO_REAL(arg)
SINTER_TO_REAL(norm)
#undef SINTER_TO_REAL

#define SINTER_TO_COMPLEX(name)                                      \
    template <class T>                                               \
        requires(is_floating_point_v<T>)                             \
    constexpr sinter::complex<T> name(const sinter::complex<T>& z) { \
        return name(complex<T>(z.real(), z.imag()));                 \
    }
SINTER_TO_COMPLEX(conj)
SINTER_TO_COMPLEX(proj)
SINTER_TO_COMPLEX(exp)
SINTER_TO_COMPLEX(log)
SINTER_TO_COMPLEX(log10)
SINTER_TO_COMPLEX(sqrt)
SINTER_TO_COMPLEX(sin)
SINTER_TO_COMPLEX(cos)
SINTER_TO_COMPLEX(tan)
SINTER_TO_COMPLEX(asin)
SINTER_TO_COMPLEX(acos)
SINTER_TO_COMPLEX(atan)
SINTER_TO_COMPLEX(sinh)
SINTER_TO_COMPLEX(cosh)
SINTER_TO_COMPLEX(tanh)
SINTER_TO_COMPLEX(asinh)
SINTER_TO_COMPLEX(acosh)
SINTER_TO_COMPLEX(atanh)
#undef SINTER_TO_COMPLEX

template <class T>
    requires(is_floating_point_v<T>)
sinter::complex<T> pow(const sinter::complex<T>& z, const sinter::complex<T>& w) {
    return pow(complex<T>(z.real(), z.imag()), complex<T>(w.real(), w.imag()));
}
template <class T>
    requires(is_floating_point_v<T>)
sinter::complex<T> pow(const sinter::complex<T>& z, T w) {
    return pow(complex<T>(z.real(), z.imag()), w);
}

}  // namespace std
