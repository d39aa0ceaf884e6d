// What decides whether a recording of a function fits a call.
#pragma once

#include "engine/graph/graph.hpp"

#include <sinter/functions/compile.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace sinter::ops {

/// Returns the modes of the calling thread that change what is recorded or how it is computed.
uint64_t thread_modes();

/// A copy of the arguments without their values: dtypes, layouts and devices of the tensors, which
/// of them share a storage, all other arguments, and the modes of the thread.
class call_signature {
public:
    call_signature() = default;
    call_signature(const detail::call_arguments& a, uint64_t modes);

    bool matches(const detail::call_arguments& a, uint64_t modes) const;
    /// Returns text like "Float [2, 3], Long []".
    std::string text() const;

private:
    struct tensor {
        bool defined = false;
        bool inference = false;  // may not be written in each mode
        ScalarType dtype = ScalarType::Undefined, storage_dtype = ScalarType::Undefined;
        runtime::device_index device = runtime::main_memory;
        std::size_t alias = 0;  // the first tensor over the same storage
        geometry_ptr shape;

        bool matches(const TensorImpl* t) const;
    };

    std::vector<tensor> tensors_;
    std::vector<uint64_t> words_;
    uint64_t modes_ = 0;
};

}  // namespace sinter::ops
