// References of the special functions: for floats by MPFR, from definitions that the formulas do
// not use (series, Newton's method on MPFR's functions), and in double by Boost.Math.
#pragma once

#include <mpfr.h>

namespace sinter::test {

void erfcx(mpfr_ptr r, mpfr_srcptr a);
void ndtr(mpfr_ptr r, mpfr_srcptr a);
void log_ndtr(mpfr_ptr r, mpfr_srcptr a);
/// y with erf y = a.
void erfinv(mpfr_ptr r, mpfr_srcptr a);
/// y with ndtr y = a.
void ndtri(mpfr_ptr r, mpfr_srcptr a);
void entr(mpfr_ptr r, mpfr_srcptr a);
void xlog1py(mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b);
void lgamma(mpfr_ptr r, mpfr_srcptr a);
void digamma(mpfr_ptr r, mpfr_srcptr a);
void trigamma(mpfr_ptr r, mpfr_srcptr a);
/// The modified Bessel function of the first kind; `scaled`: over exp |a|.
void bessel_i(mpfr_ptr r, mpfr_srcptr a, unsigned long order, bool scaled);
/// The functions of the first and second kind: NaN at infinity, as in PyTorch, although the limit
/// is 0.
void bessel_j(mpfr_ptr r, mpfr_srcptr a, long order);
void bessel_y(mpfr_ptr r, mpfr_srcptr a, long order);
/// The modified function of the second kind; `scaled`: times exp a.
void bessel_k(mpfr_ptr r, mpfr_srcptr a, unsigned long order, bool scaled);
void airy_ai(mpfr_ptr r, mpfr_srcptr a);

double erfcx(double a);
double log_ndtr(double a);
double erfinv(double a);
double ndtri(double a);
double lgamma(double a);
double digamma(double a);
double trigamma(double a);
double bessel_i(double a, int order, bool scaled);
double bessel_j(double a, int order);
double bessel_y(double a, int order);
double bessel_k(double a, int order, bool scaled);
double airy_ai(double a);

}  // namespace sinter::test
