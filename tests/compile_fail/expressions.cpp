// Places where C++ requires one type and an expression has another: the rows of "Expressions have
// types of their own" in docs/porting.md, and their replacements.
#include <sinter/sinter.hpp>

#include <algorithm>
#include <array>
#include <numeric>
#include <type_traits>
#include <vector>

using namespace sinter;

void conditional(Tensor a, Tensor b, bool c) {
#ifdef GOOD
    Tensor r = c ? Tensor(a + b) : Tensor(a * b);
    r = c ? a + b : a;
#else
    // error: different types|incompatible operand types
    Tensor r = c ? a + b : a * b;
#endif
}

void lambda(Tensor a, Tensor b, bool c) {
#ifdef GOOD
    auto f = [&]() -> Tensor {
        if (c) return a + b;
        return a * b;
    };
#else
    auto f = [&] {
        if (c) return a + b;
        // error: inconsistent types|return type .* must match previous
        return a * b;
    };
#endif
    f();
}

void take(Tensor&);
void reference(Tensor a, Tensor b) {
#ifdef GOOD
    Tensor e = a + b;
    take(e);
#else
    auto e = a + b;
    // error: cannot bind|invalid initialization|no matching function
    take(e);
#endif
}

void largest(Tensor a, Tensor b) {
    auto less = [](const Tensor& x, const Tensor& y) { return (x < y).all().item<bool>(); };
#ifdef GOOD
    Tensor m = std::max<Tensor>(a, a + b, less);
#else
    // error: no matching function
    Tensor m = std::max(a, a + b, less);
#endif
}

void vector(Tensor a, Tensor b) {
#ifdef GOOD
    std::vector<Tensor> v{a + b, a};
#else
    // error: deduction failed|no viable constructor|no matching
    std::vector v{a + b, a};
#endif
}

void array(Tensor a, Tensor b) {
#ifdef GOOD
    std::array<Tensor, 2> v{a + b, a * b};
#else
    // error: deduction failed|no viable constructor|no matching
    std::array v{a + b, a * b};
#endif
}

void loop(Tensor a, Tensor b) {
#ifdef GOOD
    for (const Tensor& t : std::initializer_list<Tensor>{a + b, a * b}) t.sum();
#else
    // error: unable to deduce|cannot use type|deduced conflicting
    for (const Tensor& t : {a + b, a * b}) t.sum();
#endif
}

void declared(Tensor a, Tensor b) {
#ifdef GOOD
    Tensor y = a * b;
    decltype(a + b) e = a + b;
    y = e;
#else
    // error: conversion from|no viable conversion|could not convert
    decltype(a + b) y = a * b;
#endif
}

template <class T>
T twice(T x) {
#ifdef GOOD
    return x * 2;
#else
    // error: could not convert|no viable conversion
    return x * 2;
#endif
}
void returned(Tensor a, Tensor b) {
#ifdef GOOD
    twice<Tensor>(a + b);
    twice(a);
#else
    twice(a + b);
#endif
}

template <class T>
void only_tensors(const T&) {
#ifdef GOOD
    static_assert(std::is_convertible_v<T, Tensor>);
#else
    // error: static assertion failed|static_assert failed
    static_assert(std::is_same_v<T, Tensor>);
#endif
}
void deduced(Tensor a, Tensor b) { only_tensors(a + b); }

void function_pointer(Tensor a) {
#ifdef GOOD
    Tensor (*f)(const Tensor&) = [](const Tensor& t) -> Tensor { return exp(t); };
    Tensor& (*g)(Tensor&, const Tensor&) = exp_out;
    g(a, a);
#else
    // error: no matches converting|does not match
    Tensor (*f)(const Tensor&) = exp;
#endif
    f(a);
}

template <class F>
Tensor apply(F f, const Tensor& t) {
    return f(t);
}
void function_argument(Tensor a) {
#ifdef GOOD
    apply([](const Tensor& t) { return exp(t); }, a);
#else
    // error: no matching function
    apply(exp, a);
#endif
}

void method_pointer(Tensor a) {
#ifdef GOOD
    auto f = [](const Tensor& t) -> Tensor { return t.exp(); };
    f(a);
#else
    // error: cannot convert|cannot initialize
    Tensor (Tensor::*f)() const = &Tensor::exp;
    (a.*f)();
#endif
}

void take_list(TensorList);
void list_of_one(Tensor a, Tensor b) {
#ifdef GOOD
    take_list({a + b});
    take_list(a);
#else
    // error: could not convert|no matching function|no viable conversion
    take_list(a + b);
#endif
}

void assignment(Tensor a, Tensor b) {
#ifdef GOOD
    auto e = a + b;
    e = a;
#else
    // error: use of deleted function|deleted operator
    (a + b) = a;
#endif
}
