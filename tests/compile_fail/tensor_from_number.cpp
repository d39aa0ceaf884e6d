// expect: conversion from|no viable conversion
// A number becomes a tensor only where it is said.
#include <sinter/sinter.hpp>

#include <algorithm>
#include <vector>

using namespace sinter;

void program(Tensor a, Tensor b, bool c) {
    (void)a, (void)b, (void)c;
#ifdef GOOD
    Tensor t = scalar_tensor(1.0);
#else
    Tensor t = 1.0;
#endif
}
