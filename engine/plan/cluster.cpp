#include "engine/plan/cluster.hpp"

#include <algorithm>

namespace sinter::plan {

const char* to_string(cut c) {
    switch (c) {
        case cut::none: return "fused";
        case cut::wanted: return "its value is asked for";
        case cut::passed_twice: return "held by a tensor and passed before: kept";
        case cut::saved: return "saved for the gradient";
        case cut::shared: return "several kernels read it";
        case cut::layout: return "the view does not factor through the operation";
        case cut::ranges: return "iteration ranges disagree";
        case cut::merge: return "its operands cannot be walked as one reduced range";
        case cut::size: return "the kernel would be too large";
        case cut::cost: return "it would be computed many times over";
        case cut::unsure: return "computing it there may take longer";
        case cut::library: return "a library call";
        case cut::opaque: return "an opaque kernel";
        case cut::dtype: return "its bytes are read as another dtype";
        case cut::nested: return "read along a reduced dimension";
        case cut::in_place: return "the write that follows could not happen in place";
    }
    return "?";
}

key_text read_key(int value, const index_map& at) {
    key_text key(reinterpret_cast<const char*>(&value), sizeof value);
    key.append(reinterpret_cast<const char*>(&at.offset), sizeof at.offset);
    std::size_t rank = at.strides.size();
    while (rank > 0 && at.strides[rank - 1] == 0) --rank;
    key.append(reinterpret_cast<const char*>(at.strides.data()), rank * sizeof(int64_t));
    return key;
}

bool heavy(op::id id) {
    const dtype_rule rule = op::rows[id].rule;
    if (rule == dtype_rule::power || rule == dtype_rule::random) return true;
    if (id == op::gcd || id == op::lcm) return true;
    return (rule == dtype_rule::floating || rule == dtype_rule::real) && id != op::div &&
           id != op::reciprocal && id != op::sqrt && id != op::frac;
}

bool by_element(const cluster& c, const index_map& m) {
    for (std::size_t k = 0; k < c.space.size(); ++k)
        if (c.reduced[k] && c.space[k] > 1 && m.stride(k) != 0) return true;
    return false;
}

std::size_t last_reduced(const cluster& c) {
    for (std::size_t k = c.space.size(); k > 0; --k)
        if (c.reduced[k - 1] && c.space[k - 1] > 1) return k - 1;
    return c.space.size();
}

void note_read(cluster& c, const index_map& m) {
    std::size_t inner = c.space.size();
    for (std::size_t k = c.space.size(); k-- > c.run;) {
        if (c.space[k] == 1) continue;
        if (inner < c.space.size() && m.stride(k) != m.stride(inner) * c.space[inner]) {
            c.run = k + 1;
            break;
        }
        inner = k;
    }
    for (std::size_t k = c.space.size(); c.has_reduction() && k-- > 0;) {
        if (!c.reduced[k] || c.space[k] == 1) continue;
        c.dense_elements = c.dense_elements || m.stride(k) == 1;
        break;
    }
}

}  // namespace sinter::plan
