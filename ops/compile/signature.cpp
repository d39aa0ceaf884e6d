#include "ops/compile/signature.hpp"

#include "runtime/base/fail.hpp"
#include "runtime/types/default_dtype.hpp"

#include <sinter/generator.hpp>
#include <sinter/grad_mode.hpp>
#include <sinter/mode.hpp>

#include <algorithm>
#include <span>

namespace sinter::ops {
namespace {

bool same(const geometry& a, const geometry& b) {
    return a.ndim == b.ndim && a.offset == b.offset &&
           std::equal(a.sizes(), a.sizes() + 2 * a.ndim, b.sizes());  // and strides
}

std::size_t first_alias(std::span<TensorImpl* const> all, std::size_t i) {
    std::size_t j = 0;
    while (j < i && !(all[j] && all[j]->storage == all[i]->storage)) ++j;
    return j;
}

}  // namespace

uint64_t thread_modes() {
    const ScalarType dtype = get_default_dtype();
    return static_cast<uint64_t>(get_fast_math()) |
           static_cast<uint64_t>(GradMode::is_enabled()) << 1 |
           static_cast<uint64_t>(in_backward_pass) << 2 |
           static_cast<uint64_t>(get_default_rng()) << 3 |
           static_cast<uint64_t>(in_inference_mode) << 7 | static_cast<uint64_t>(dtype) << 8 |
           static_cast<uint64_t>(static_cast<uint8_t>(creation_device())) << 16;
}

call_signature::call_signature(const detail::call_arguments& a, uint64_t modes)
    : words_(a.words.data(), a.words.data() + a.words.size()), modes_(modes) {
    const std::span<TensorImpl* const> all(a.tensors.data(), a.tensors.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        tensor r;
        if (const TensorImpl* t = all[i])
            r = {.defined = true,
                 .inference = t->storage->inference,
                 .dtype = t->dtype,
                 .storage_dtype = t->storage->current->dtype,
                 .device = t->device,
                 .alias = first_alias(all, i),
                 .shape = t->shape};
        tensors_.push_back(std::move(r));
    }
}

bool call_signature::tensor::matches(const TensorImpl* t) const {
    if (!t) return !defined;
    return defined && t->dtype == dtype && t->device == device &&
           t->storage->inference == inference && t->storage->current->dtype == storage_dtype &&
           (t->shape == shape || same(*t->shape, *shape));
}

bool call_signature::matches(const detail::call_arguments& a, uint64_t modes) const {
    if (modes != modes_ || a.tensors.size() != tensors_.size() || a.words.size() != words_.size() ||
        !std::equal(words_.begin(), words_.end(), a.words.data()))
        return false;
    const std::span<TensorImpl* const> all(a.tensors.data(), a.tensors.size());
    for (std::size_t i = 0; i < all.size(); ++i)
        if (!tensors_[i].matches(all[i])) return false;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i] && first_alias(all, i) != tensors_[i].alias) return false;
    return true;
}

std::string call_signature::text() const {
    std::string all;
    for (const tensor& t : tensors_) {
        if (!all.empty()) all += ", ";
        all += t.defined ? runtime::text(t.dtype, ' ', t.shape->sizes_ref()) : "undefined";
    }
    return all.empty() ? "no tensors" : all;
}

}  // namespace sinter::ops
