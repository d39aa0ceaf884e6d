// What a function did with its arguments, as plain data: the nodes that it recorded, where they
// read ready values, and what it returned. Equal recordings compute the same from equal inputs.
#pragma once

#include "engine/watch/watch.hpp"
#include "engine/plan/subgraph.hpp"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sinter::frames {

/// A read of a value: the result of a node, or a leaf, which are numbered after the nodes.
struct recorded_read {
    geometry_ptr shape;
    ScalarType dtype = ScalarType::Undefined;
    int value = -1;  // -1: an index
};

struct recorded_node {
    node_kind kind = node_kind::pointwise;
    bool backward = false, plain = false, wanted = false;
    bool partial = false;  // writes some elements of a copy of `base`
    int base = -1;         // number of the value
    int draw = -1;         // number of the draw whose seed and first place are scalars 0 and 1
    ScalarType dtype = ScalarType::Undefined;
    ScalarType stored = ScalarType::Undefined;  // of the result's storage, and how many elements
    int64_t numel = 0;
    geometry_ptr shape;
    std::vector<recorded_read> sources;
    std::vector<Scalar> scalars;
    const typed_program* code = nullptr;
    const kernel_op* library = nullptr;
    attributes_ptr attributes;
    uint64_t reduced = 0;
    double correction = 0;
    op::reduction reduction{};
    ScalarType in = ScalarType::Undefined;
};

/// A ready value that nodes read: the newest one of an argument, or of a tensor that the function
/// has by itself, or one that it made and that never changes; or memory that each call makes.
struct recorded_leaf {
    int argument = -1;
    intrusive_ptr<Storage> captured;
    intrusive_ptr<Version> constant;
    bool unwritten = false;  // memory for the first write to a part of it
    ScalarType dtype = ScalarType::Undefined;
    int64_t numel = 0;
};

/// A draw of random numbers. The places are taken even if no node reads them.
struct recorded_draw {
    std::shared_ptr<PhiloxGeneratorImpl> from;
    uint64_t count = 0;
};

/// A storage that the function made for its results.
struct recorded_storage {
    int node = -1;  // computes its value; -1: it has no elements
    ScalarType dtype = ScalarType::Undefined;
    int64_t numel = 0;
    uint64_t version = 0;
    runtime::device_index device = runtime::main_memory;
};

/// A write to all of a tensor that was there before: an argument, or one that the function has by
/// itself.
struct recorded_target {
    int argument = -1;
    intrusive_ptr<Storage> captured;
    int node = -1;  // computes the last value
    ScalarType dtype = ScalarType::Undefined;
    int64_t numel = 0;
    uint64_t writes = 0;
};

/// What the function returned: an argument, a view of one, which has a shape; an earlier result; an
/// undefined tensor; or a tensor over a storage that it made.
struct recorded_result {
    int argument = -1, same_as = -1, storage = -1;
    ScalarType dtype = ScalarType::Undefined;
    geometry_ptr shape, base;
};

/// Returns the storage of a leaf or target in a call; null for a constant.
template <class Leaf>
Storage* storage_of(const Leaf& l, std::span<TensorImpl* const> arguments) {
    return l.argument >= 0 ? arguments[static_cast<std::size_t>(l.argument)]->storage.get()
                           : l.captured.get();
}

struct recording {
    std::vector<recorded_node> nodes;
    std::vector<recorded_leaf> leaves;
    std::vector<recorded_draw> draws;  // in program order
    std::vector<recorded_storage> storages;
    std::vector<recorded_target> targets;
    std::vector<recorded_result> results;
    runtime::device_index device = runtime::main_memory;

    /// Returns true if the other one computes the same, with its own arguments.
    bool same(const recording& other) const;
};

/// Fills a recording with what was watched. Computes pending values that the function did not make
/// but reads. Returns why the function cannot be replayed; empty: it can. `arguments` and `results`
/// may be null pointers, for undefined tensors.
std::string make_recording(const watch& w, std::span<const intrusive_ptr<TensorImpl>> arguments,
                           std::span<const intrusive_ptr<TensorImpl>> results, recording& to);

}  // namespace sinter::frames
