// The run-time form of a pointwise expression: a program in postfix order over leaves and scalars.
// The first object of an expression type makes the type's; the builder makes equal ones.
#pragma once

#include <sinter/core/geometry.hpp>
#include <sinter/op/op.hpp>
#include <sinter/scalar.hpp>

#include <atomic>
#include <cstdint>

namespace sinter::inline v1 {

/// One value of a storage at one version; defined inside the library.
struct Version;
SINTER_API void retain(const Version* v);
SINTER_API void release(const Version* v);

namespace autograd {
struct Node;  // autograd/node.hpp
SINTER_API void retain(const Node* n);
SINTER_API void release(const Node* n);
}  // namespace autograd

/// One operand of an expression: the bytes of one version through one index map.
struct leaf {
    geometry_ptr shape;
    intrusive_ptr<Version> value;
    bool external = false;  // memory that the outside may change: see docs/laziness.md
    // Of the elements that `shape` counts; Undefined: the storage's own. Another one reads the same
    // bytes otherwise: the parts of complex numbers, or pairs of numbers as complex ones.
    ScalarType dtype = ScalarType::Undefined;
    uint32_t result = 0;                          // which result of `gradient` it is
    intrusive_ptr<autograd::Node> gradient = {};  // where its gradient goes; null: it has none
};

/// Words of a program. Anything below `token_first` is an op::id.
enum token : uint16_t {
    token_first = 0xff00,
    token_cast = 0xff01,    // followed by a ScalarType
    token_real = 0xff02,    // of a complex value its real part
    token_imag = 0xff03,    // its imaginary part
    token_join = 0xff04,    // of two real values a complex one; followed by its ScalarType
    token_scalar = 0xfffe,  // pushes the next scalar
    token_leaf = 0xffff,    // pushes the next leaf
};

/// A program as it crosses into the library, which copies the words the first time it meets them.
struct program_ref {
    const uint16_t* words;
    uint16_t size;
    uint16_t leaves;
    uint16_t scalars;
    uint64_t digest;
};

/// State of an expression type: the library's copy of its program, null until the first object is
/// made. All zeros, so that the compiler computes nothing.
struct program_record {
    std::atomic<const void*> known{nullptr};
};

constexpr uint64_t program_digest(const uint16_t* words, std::size_t n) {
    uint64_t h = 0xcbf29ce484222325u;
    for (std::size_t i = 0; i < n; ++i) h = (h ^ words[i]) * 0x100000001b3u;
    return h;
}

/// Shape and dtype of a subexpression.
struct expr_meta {
    geometry_ptr shape;  // a scalar has none
    ScalarType dtype = ScalarType::Undefined;
    int8_t device = -1;  // main memory, or the index of a GPU
};

}  // namespace sinter::inline v1
