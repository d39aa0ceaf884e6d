#include "engine/graph/results.hpp"

#include "engine/graph/cse.hpp"

#include <sinter/error.hpp>

namespace sinter::inline v1 {

const kernel_op result_op{
    .name = "result",
    .run =
        [](const op_call&) { throw InternalError("[result] a part of a bundle is not computed"); },
    .complex = true};

std::vector<intrusive_ptr<TensorImpl>> make_pending_results(const kernel_op* op,
                                                            std::span<const leaf> inputs,
                                                            attributes_ptr attributes) {
    // One byte, because values without elements are never computed.
    const geometry_ptr bundle = make_contiguous(1);
    intrusive_ptr<Version> all = find_pending(op, inputs, *attributes);
    if (!all)
        all = make_pending(library_node(op, inputs, kByte, bundle, attributes), bundle)
                  ->storage->current;
    std::vector<intrusive_ptr<TensorImpl>> results;
    for (const result_info& r : attributes->results) {
        const leaf from{bundle, all, false, kByte};
        results.push_back(
            make_pending(library_node(&result_op, {&from, 1}, r.dtype, r.shape,
                                      make_attributes(result_attributes{results.size(), op})),
                         r.shape));
    }
    return results;
}

}  // namespace sinter::inline v1
