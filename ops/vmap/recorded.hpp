// Pending work that depends on a tensor without a value.
#pragma once

#include "engine/graph/infer.hpp"

#include <sinter/error.hpp>
#include <sinter/tensor.hpp>

#include <exception>
#include <optional>
#include <span>
#include <vector>

namespace sinter::ops {

/// Thrown where the value of a placeholder is read, or one that depends on it.
class no_value_yet : public Error {
public:
    using Error::Error;
};

/// Stands for a slice. `value` is its own even if the tensor has been written since.
struct placeholder {
    Tensor tensor;
    intrusive_ptr<Version> value;
};

/// Returns a row-major tensor without a value. Who reads it, or what depends on it, gets the error.
placeholder make_placeholder(IntArrayRef sizes, ScalarType dtype, runtime::device_index device,
                             const std::exception_ptr& error);

/// What a pending node does. Values are shared, so that they live as long as this.
struct recorded_work {
    intrusive_ptr<Version> result;
    node_kind kind;
    ScalarType dtype;
    geometry_ptr shape;  // of the result in its storage; of a partial write, the part
    std::vector<leaf> sources;
    intrusive_ptr<Version> base;  // of a partial write
    runtime::device_index device;
    std::vector<Scalar> scalars;  // pointwise, with those that rewrites added
    const typed_program* code = nullptr;
    const kernel_op* library = nullptr;
    attributes_ptr attributes;
    uint64_t reduced = 0;  // reduce
    double correction = 0;
    op::reduction reduction{};
    ScalarType in = ScalarType::Undefined;
    bool backward = false;

    /// Returns true if it computes a bundle of results.
    bool several() const { return attributes && !attributes->results.empty(); }
};

/// Returns the pending work by which the newest values of `results` depend on the placeholders,
/// each after what it reads. Returns nothing if some of it was run already, and failed for want of
/// a value.
std::optional<std::vector<recorded_work>> work_between(std::span<const placeholder> placeholders,
                                                       std::span<const Tensor> results);

/// Returns a node that does the same with other sources. A partial write is a pointwise node then.
/// The result lies as `shape` says. Sources of a pointwise node have the sizes of the result.
std::unique_ptr<Node> node_like(const recorded_work& w, std::span<const leaf> sources,
                                geometry_ptr shape);

}  // namespace sinter::ops
