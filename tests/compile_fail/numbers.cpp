// Tensors and numbers become each other only where it is said, and nothing evaluates unasked.
#include <sinter/sinter.hpp>

using namespace sinter;

void truth(Tensor a, Tensor b) {
#ifdef GOOD
    if (a.is_nonzero()) a = b;
    if (a.item<bool>()) a = b;
#else
    // error: could not convert|not contextually convertible|value of type .* is not
    if (a) a = b;
#endif
}

void conjunction(Tensor a, Tensor b) {
#ifdef GOOD
    Tensor r = logical_and(a, b);
#else
    // error: no match for .operator&&|invalid operands|could not convert|not contextually
    Tensor r = a && b;
#endif
}

void disjunction(Tensor a, Tensor b) {
#ifdef GOOD
    Tensor r = logical_or(a, b);
#else
    // error: no match for .operator\|\||invalid operands|could not convert|not contextually
    Tensor r = a || b;
#endif
}

void negation(Tensor a) {
#ifdef GOOD
    Tensor r = logical_not(a);
#else
    // error: no match for .operator!|invalid argument type|could not convert
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
