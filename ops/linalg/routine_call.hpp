// Calls of LAPACK's routines by ops. They run at the call, or stay pending as a library node.
#pragma once

#include "kernels/lapack/routines.hpp"
#include "ops/common/op_checks.hpp"

#include <sinter/functions/linalg.hpp>

#include <functional>
#include <span>
#include <vector>

namespace sinter::ops {

/// A routine and its operands, in the order of routines.hpp: those it changes, those it makes,
/// those it reads. Each is a batch of items of 0, 1 or 2 dimensions. Matrices are column-major.
class routine_call {
public:
    /// `batch`: the sizes before those of every item.
    routine_call(const char* op, const lapack::routine& r, IntArrayRef batch);

    /// Adds an operand to change. It begins as a copy of `values`, which broadcast to the batch and
    /// these sizes.
    routine_call& changes(const tensor_base& values, IntArrayRef item);
    routine_call& makes(ScalarType dtype, IntArrayRef item);
    /// Adds an operand to read. Its last `item_dims` dimensions are the item, and its batch
    /// broadcasts.
    routine_call& reads(const tensor_base& t, int item_dims);
    /// Sets the routine's attributes.
    template <class T>
    routine_call& with(T attributes) {
        make_attributes_ = [attributes](std::vector<result_info> results) {
            return make_attributes(attributes, std::move(results));
        };
        return *this;
    }

    /// Runs the routine. Returns what it changes and makes, in order. Pending operands are computed
    /// directly into the memory in which the routine works.
    std::vector<Tensor> now() const;
    /// Returns the same results as `now`, pending.
    std::vector<Tensor> later() const;

private:
    struct result {
        ScalarType dtype;
        std::vector<int64_t> sizes;
        bool by_columns;
        geometry_ptr shape() const;
    };

    /// Returns the attributes of the call. `results`: those of a node that has several.
    attributes_ptr attributes(std::vector<result_info> results = {}) const;
    struct prepared;
    prepared prepare(runtime::device_index device) const;
    /// Returns the device of all operands. Throws Error if they are on different devices.
    runtime::device_index place() const;
    std::vector<Tensor> computed() const;
    std::vector<Tensor> pending() const;
    template <class F>
    std::vector<Tensor> refusing_gradients(const F& compute) const;
    /// Returns true if a GPU computes it, on the current stream.
    bool put(const prepared& p, runtime::device_index device) const;

    const char* op_;
    const lapack::routine& routine_;
    std::vector<int64_t> batch_;
    std::vector<Tensor> changed_, read_;
    std::vector<result> results_;
    std::function<attributes_ptr(std::vector<result_info>)> make_attributes_;
};

/// Returns a dense layout in which the last two dimensions are column-major.
geometry_ptr by_columns(IntArrayRef sizes);

/// Throws LinAlgError for the first matrix whose info is not 0. Reads `info`.
void check_info(const char* op, const lapack::routine& r, const Tensor& info,
                const source_line& line);

}  // namespace sinter::ops
