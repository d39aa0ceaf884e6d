// Conversions between tensors and numbers must be explicit, and nothing is evaluated implicitly.
#include <sinter/sinter.hpp>

using namespace sinter;

// The compiler's note shows the declaration, and behind it what to write.
// note: explicit operator bool.* = delete;  // is_nonzero\(\), item<bool>\(\), logical_and\(\)
void truth(Tensor a, Tensor b) {
#ifdef GOOD
    if (a.is_nonzero()) a = b;
    if (a.item<bool>()) a = b;
    if ((a + b).is_nonzero()) a = b;
#else
    // error: use of deleted function .*operator bool|attempt to use a deleted function
    if (a) a = b;
    // error: use of deleted function .*operator bool|attempt to use a deleted function
    if (a + b) a = b;
#endif
}

void conjunction(Tensor a, Tensor b) {
#ifdef GOOD
    Tensor r = logical_and(a, b);
#else
    // error: use of deleted function .*operator bool|attempt to use a deleted function
    Tensor r = a && b;
#endif
}

void disjunction(Tensor a, Tensor b) {
#ifdef GOOD
    Tensor r = logical_or(a, b);
#else
    // error: use of deleted function .*operator bool|attempt to use a deleted function
    Tensor r = a || b;
#endif
}

void negation(Tensor a) {
#ifdef GOOD
    Tensor r = logical_not(a);
#else
    // error: use of deleted function .*operator bool|attempt to use a deleted function
    Tensor r = !a;
#endif
}

void shift(Tensor a) {
#ifdef GOOD
    Tensor r = bitwise_left_shift(a, 2);
#else
    // error: no match for .operator<<|invalid operands
    Tensor r = a << 2;
#endif
}

void number_from_tensor(Tensor a) {
#ifdef GOOD
    double d = a.item<double>();
#else
    // error: cannot convert|no viable conversion
    double d = a;
#endif
    (void)d;
}

void tensor_from_number() {
#ifdef GOOD
    Tensor t = scalar_tensor(1.0);
#else
    // error: conversion from|no viable conversion
    Tensor t = 1.0;
#endif
}
