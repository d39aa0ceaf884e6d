// Each value of n elements becomes one of size * n, slice after slice. So each view of it, which is
// geometry, becomes one with a leading dimension, whose indices lie n elements apart. What does not
// depend on a slice is read with a stride of 0.
#include "ops/vmap/batched.hpp"

#include "engine/graph/results.hpp"
#include "engine/run/record.hpp"
#include "kernels/linalg/product.hpp"
#include "ops/common/leading.hpp"
#include "ops/vmap/more_dims.hpp"

#include <sinter/expr/expr.hpp>
#include <sinter/functions/functions.hpp>
#include <sinter/functions/shape.hpp>
#include <sinter/grad_mode.hpp>

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace sinter::ops {
namespace {

class batching {
public:
    explicit batching(int64_t size) : size_(size) {}

    void map(const mapped_tensor& m) {
        const geometry& g = *body("vmap", m.all).shape;
        const Tensor dense =
            g.contiguous && g.offset == 0 ? m.all : m.all.clone(MemoryFormat::Contiguous);
        put(*m.slice.value, dense).given = true;
    }

    void run(const recorded_work& w) {
        if (w.base) return write(w);
        switch (w.kind) {
            case node_kind::pointwise: return put_pending(w, led(*w.shape, size_, w.shape->numel));
            case node_kind::reduce: {
                recorded_work more = w;
                more.reduced <<= 1;
                return put_pending(more, led(*w.shape, size_, w.shape->numel));
            }
            case node_kind::library: return run_library(w);
        }
    }

    /// Returns the tensor for all indices.
    Tensor all_of(const TensorImpl& t) {
        const leaf l = batched({t.shape, t.storage->current, false, t.dtype});
        const value* v = find(*t.storage->current);
        if (!v) return Tensor(make_view(t, l.shape));
        if (v->memory.unsafeGetTensorImpl()->storage->current == v->version)
            return Tensor(make_view(*v->memory.unsafeGetTensorImpl(), l.shape, t.dtype));
        return sequence().read(l).pending(t.dtype, make_contiguous(l.shape->sizes_ref()));
    }

private:
    /// The value of all slices.
    struct value {
        Tensor memory;
        intrusive_ptr<Version> version;  // the storage may have a newer one
        std::vector<Tensor> slices;      // of a bundle of results, instead
        bool given = false;              // it is the caller's, and is not written
    };

    value* find(const Version& v) {
        const auto at = values_.find(&v);
        return at == values_.end() ? nullptr : &at->second;
    }

    value& put(const Version& of, const Tensor& memory) {
        kept_.push_back(share(const_cast<Version*>(&of)));  // its address stands for it
        value& v = values_[&of];
        v.memory = memory;
        v.version = memory.unsafeGetTensorImpl()->storage->current;
        return v;
    }

    /// Returns a leaf that reads the same of all slices.
    leaf batched(const leaf& l) {
        const value* v = l.value ? find(*l.value) : nullptr;
        if (!v) return {led(*l.shape, size_, 0), l.value, l.external, dtype_of(l)};
        const ScalarType dtype = dtype_of(l);
        const int64_t apart = counted_in(dtype, l.value->numel, l.value->dtype);
        return {led(*l.shape, size_, apart), v->version, false, dtype};
    }
    /// Returns a leaf that reads the same of one slice.
    leaf sliced(const leaf& l, int64_t index) {
        const value* v = l.value ? find(*l.value) : nullptr;
        if (!v) return l;
        if (!v->slices.empty()) {
            const TensorImpl& s = *v->slices[static_cast<std::size_t>(index)].unsafeGetTensorImpl();
            return {l.shape, s.storage->current, false, dtype_of(l)};
        }
        const ScalarType dtype = dtype_of(l);
        const int64_t apart = counted_in(dtype, l.value->numel, l.value->dtype);
        return {make_geometry(l.shape->sizes_ref(), l.shape->strides_ref(),
                              l.shape->offset + index * apart),
                v->version, false, dtype};
    }

    std::vector<leaf> all_batched(const recorded_work& w) {
        std::vector<leaf> all;
        for (const leaf& l : w.sources) all.push_back(batched(l));
        return all;
    }

    void put_pending(const recorded_work& w, geometry_ptr shape) {
        put_pending(w, all_batched(w), std::move(shape));
    }
    void put_pending(const recorded_work& w, const std::vector<leaf>& sources, geometry_ptr shape) {
        const geometry_ptr flat = make_contiguous(shape->numel);
        put(*w.result, Tensor(make_pending(node_like(w, sources, std::move(shape)), flat)));
    }

    /// Returns memory with the values of a version, which a write may change.
    Tensor writable(const intrusive_ptr<Version>& base) {
        const value* v = find(*base);
        if (v && !v->given && v->memory.unsafeGetTensorImpl()->storage->current == v->version)
            return v->memory;
        if (base->unwritten)
            return Tensor(
                make_unwritten(base->dtype, make_contiguous(size_ * base->numel), base->device));
        const leaf all = batched({make_contiguous(base->numel), base, false, base->dtype});
        return sequence().read(all).pending(base->dtype, make_contiguous(all.shape->sizes_ref()));
    }

    void write(const recorded_work& w) {
        const Tensor memory = writable(w.base);
        const int64_t apart = counted_in(w.dtype, w.base->numel, w.base->dtype);
        const intrusive_ptr<TensorImpl> part =
            make_view(*memory.unsafeGetTensorImpl(), led(*w.shape, size_, apart), w.dtype);
        assign(*part, node_like(w, all_batched(w), make_contiguous(part->shape->sizes_ref())));
        put(*w.result, memory);
    }

    void run_library(const recorded_work& w) {
        if (w.library->product && run_product(w)) return;
        attributes_ptr attributes = with_leading_dim(w);
        if (!attributes) return run_each(w);
        recorded_work more = w;
        more.attributes = std::move(attributes);
        put_pending(more, led(*w.shape, size_, w.shape->numel));
    }

    /// Runs the operation once for each slice.
    void run_each(const recorded_work& w) {
        std::vector<Tensor> slices;
        for (int64_t i = 0; i < size_; ++i) {
            std::vector<leaf> sources;
            for (const leaf& l : w.sources) sources.push_back(sliced(l, i));
            const geometry_ptr flat = make_contiguous(w.shape->numel);
            slices.emplace_back(make_pending(node_like(w, sources, w.shape), flat));
        }
        if (w.several()) {
            kept_.push_back(w.result);
            values_[w.result.get()].slices = std::move(slices);
            return;
        }
        put(*w.result, slices.empty() ? empty({0}, beside_device(w)) : cat(slices));
    }

    TensorOptions beside_device(const recorded_work& w) const {
        return Tensor(make_empty(w.dtype, make_contiguous({0}), w.device)).options();
    }

    /// One slice is a product of matrices. Slices of a factor lie below each other where the other
    /// factor is the same for all: that is one product instead of many.
    bool run_product(const recorded_work& w) {
        const bool varies[] = {find(*w.sources[0].value) != nullptr,
                               find(*w.sources[1].value) != nullptr};
        const geometry &a = *w.sources[0].shape, &b = *w.sources[1].shape;
        recorded_work more = w;
        more.library = &blas::matmul_op;
        std::vector<leaf> sources = all_batched(w);
        if (w.shape->ndim == 2 && varies[0] && !varies[1]) {
            const geometry& g = *sources[0].shape;  // [size, m, k]
            const bool even = a.sizes()[0] == 1 || g.strides()[0] == a.sizes()[0] * a.strides()[0];
            const int64_t step = a.sizes()[0] == 1 ? g.strides()[0] : a.strides()[0];
            if (even) {
                const int64_t rows = size_ * a.sizes()[0];
                sources[0].shape = matrix(rows, a.sizes()[1], step, a.strides()[1], a.offset);
                sources[1].shape = w.sources[1].shape;
                put_pending(more, sources, make_contiguous({rows, b.sizes()[1]}));
                return true;
            }
        }
        if (w.shape->ndim == 2 && !varies[0] && varies[1] && b.sizes()[1] == 1) {
            // A b is the row b^T A^T.
            const geometry& g = *sources[1].shape;
            std::swap(sources[0], sources[1]);
            sources[0].shape =
                matrix(size_, b.sizes()[0], g.strides()[0], b.strides()[0], b.offset);
            sources[1].shape =
                matrix(a.sizes()[1], a.sizes()[0], a.strides()[1], a.strides()[0], a.offset);
            if (w.attributes) {
                const auto& taken = w.attributes->as<blas::product_attributes>();
                more.attributes =
                    make_attributes(blas::product_attributes{taken.conjugate_b, taken.conjugate_a});
            }
            put_pending(more, sources, make_contiguous({size_, a.sizes()[0]}));
            return true;
        }
        put_pending(more, sources, led(*w.shape, size_, w.shape->numel));
        return true;
    }

    static geometry_ptr matrix(int64_t rows, int64_t cols, int64_t down, int64_t right,
                               int64_t offset) {
        const int64_t sizes[] = {rows, cols}, strides[] = {down, right};
        return make_geometry(sizes, strides, offset);
    }

    int64_t size_;
    std::unordered_map<const Version*, value> values_;
    std::vector<intrusive_ptr<Version>> kept_;
};

}  // namespace

std::optional<std::vector<Tensor>> over_batch(const std::vector<Tensor>& results,
                                              const std::vector<mapped_tensor>& mapped,
                                              int64_t size) {
    const NoGradGuard plain;
    std::vector<placeholder> placeholders;
    for (const mapped_tensor& m : mapped) placeholders.push_back(m.slice);
    const auto work = work_between(placeholders, results);
    if (!work) return std::nullopt;
    batching all(size);
    for (const mapped_tensor& m : mapped) all.map(m);
    for (const recorded_work& w : *work) all.run(w);
    std::vector<Tensor> found;
    for (const Tensor& t : results) found.push_back(all.all_of(*t.unsafeGetTensorImpl()));
    return found;
}

}  // namespace sinter::ops
