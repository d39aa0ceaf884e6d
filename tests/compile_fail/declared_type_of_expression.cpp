// expect: conversion from|no viable conversion|could not convert
// decltype names one operation; a Tensor holds any.
#include <sinter/sinter.hpp>

#include <algorithm>
#include <vector>

using namespace sinter;

void program(Tensor a, Tensor b, bool c) {
    (void)a, (void)b, (void)c;
#ifdef GOOD
    Tensor y = a * b;
#else
    decltype(a + b) y = a * b;
#endif
}
