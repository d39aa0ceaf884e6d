#include "engine/graph/infer.hpp"
#include "engine/graph/results.hpp"
#include "engine/plan/cluster.hpp"
#include "engine/plan/fusing/cost_model.hpp"
#include "engine/plan/fusing/estimator.hpp"
#include "engine/plan/in_place.hpp"
#include "engine/plan/layout.hpp"
#include "engine/plan/fusing/recompute.hpp"
#include "engine/plan/fusing/run_order.hpp"
#include "runtime/strided/geometry.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <set>
#include <utility>

namespace sinter::plan {

namespace {

class fuser {
public:
    /// `stored_first`: a value that must not be computed by the partial write that reads it, or -1.
    fuser(const subgraph& w, bool apart, int stored_first)
        : w_(w),
          apart_(apart),
          stored_first_(stored_first),
          is_whole_(fits_one_kernel(w)),
          max_reads_(most_reads(w)),
          uses_(w.values.size()),
          wanted_(w.wanted.begin(), w.wanted.end()),
          read_step_(w.nodes.size(), -1),
          estimates_(w),
          reads_{out_.clusters, uses_, wanted_} {
        want_saved(w, wanted_);
    }

    fused run() {
        const int last = static_cast<int>(w_.nodes.size()) - 1;
        const std::vector<uint8_t> late =
            is_whole_ ? runs_last(w_) : std::vector<uint8_t>(w_.nodes.size());
        for (int v = last; v >= 0; --v)
            if (late[static_cast<std::size_t>(v)]) visit(v);
        for (int v = last; v >= 0; --v)
            if (!late[static_cast<std::size_t>(v)]) visit(v);
        std::reverse(out_.steps.begin(), out_.steps.end());
        return std::move(out_);
    }

private:
    /// Returns true if any value is complex: a complex operand is two operands in the kernel.
    static bool reads_complex(const subgraph& w) {
        return std::any_of(w.nodes.begin(), w.nodes.end(), [](const Node* n) {
            return isComplexType(n->dtype) ||
                   std::any_of(n->sources.begin(), n->sources.end(),
                               [](const Edge& e) { return isComplexType(e.dtype); });
        });
    }

    /// Returns true if one kernel may have all operations: of a gradient that is no long loop.
    static bool fits_one_kernel(const subgraph& w) {
        double cost = 0, operations = 0;
        bool backward = false;
        for (const Node* n : w.nodes) {
            backward = backward || n->backward;
            if (n->kind != node_kind::pointwise) continue;
            cost += static_cast<double>(n->code->cost);
            operations += static_cast<double>(n->code->operations);
        }
        return backward && cost <= max_whole_cost && operations <= max_whole_operations;
    }

    static int most_reads(const subgraph& w) {
        int most = max_operands;
        if (w.device != runtime::main_memory) {
            // A launch has at most 4096 bytes of arguments, before CUDA 12.1; scalars and extents
            // are among them. An operand has an address and a stride for each dimension.
            constexpr std::size_t room = 2700, word = 8, most_dims = 16;
            std::size_t dims = 0;
            for (const Node* n : w.nodes) dims = std::max(dims, n->shape->sizes_ref().size());
            dims = std::min(dims, most_dims);
            most = std::min(most, static_cast<int>(room / (word * (1 + dims))));
        }
        return reads_complex(w) ? most / 2 : most;
    }

    const Node& node(int v) const { return *w_.nodes[static_cast<std::size_t>(v)]; }
    cluster& at(int c) { return out_.clusters[static_cast<std::size_t>(c)]; }

    void visit(int v) {
        const Node& n = node(v);
        std::vector<use>& uses = uses_[static_cast<std::size_t>(v)];
        const bool wanted = wanted_[static_cast<std::size_t>(v)];
        if (!wanted && uses.empty()) return;
        if (n.kind == node_kind::library) {
            for (const use& u : uses) read_from_memory(v, u, cut_at(n));
            out_.steps.push_back({-1, v});
            for (const Edge& e : n.sources) want(subgraph::value_of(e), v);
            return;
        }
        cut why = cut::none;
        const bool several = std::any_of(
            uses.begin(), uses.end(), [&](const use& u) { return u.cluster != uses[0].cluster; });
        if (v == stored_first_)
            why = cut::in_place;
        else if (wanted)
            why = reason_to_keep(static_cast<std::size_t>(v));
        else if (several && !computed_again(w_, v, reader_that_joins(v, uses).has_value(), reads_))
            why = cut::shared;
        bool joins = why != cut::none && why != cut::in_place;
        if (why == cut::none) {
            why = place_all(v, uses);
            if (why == cut::none) return;
            if (several) {
                why = cut::shared;
                joins = true;
            }
        }
        if (joins && join(v, uses, why)) return;
        for (const use& u : uses) read_from_memory(v, u, why);
        const int full = why == cut::size ? uses[0].cluster : -1;
        if (join_sibling(v, uses, full) || join_elements(v, uses) || join_rows(v, uses)) return;
        make_root(v);
        out_.clusters.back().continues = full;
    }

    cut reason_to_keep(std::size_t v) const {
        if (w_.kept[v]) return cut::passed_twice;
        return w_.saved[v] && !w_.wanted[v] ? cut::saved : cut::wanted;
    }

    /// Inlines a node at every use and returns cut::none, or changes nothing and returns the
    /// reason.
    cut place_all(int v, const std::vector<use>& uses) {
        std::vector<placement> places;
        for (const use& u : uses) {
            const auto maps = std::count_if(uses.begin(), uses.end(),
                                            [&](const use& o) { return o.cluster == u.cluster; });
            if (maps > 1 && (node(v).kind == node_kind::reduce || maps > 2)) return cut::shared;
            places.push_back(place(v, u, static_cast<int>(maps)));
            if (places.back().why != cut::none) return places.back().why;
        }
        for (std::size_t i = 0; i < uses.size(); ++i) {
            --at(uses[i].cluster).open;
            insert(v, uses[i], places[i]);
        }
        return cut::none;
    }

    /// A value that must be in memory can still be computed and stored by one of its readers: the
    /// cluster with the highest number, which runs first, so that all others can read the value.
    bool join(int v, const std::vector<use>& uses, cut why) {
        const std::optional<use> reader = reader_that_joins(v, uses);
        if (!reader) return false;
        const int c = reader->cluster;
        const std::vector<use> inside{*reader};
        joining_elements_ = at(c).has_reduction() && by_element(at(c), inside[0].at);
        const bool placed =
            !(joining_elements_ && at(c).nested) && place_all(v, inside) == cut::none;
        joining_elements_ = false;
        if (!placed) return false;
        at(c).outputs.push_back({v, inside[0].at});
        for (const use& u : uses)
            if (u.cluster != c) read_from_memory(v, u, why);
        return true;
    }

    /// Returns the only read of the value by the cluster that runs first, if each element is read
    /// once there.
    std::optional<use> reader_that_joins(int v, const std::vector<use>& uses) const {
        int c = -1;
        for (const use& u : uses) c = std::max(c, u.cluster);
        if (c < 0 || read_earlier(v, c)) return {};
        std::optional<use> only;
        for (const use& u : uses) {
            if (u.cluster != c) continue;
            if (only) return {};
            only = u;
        }
        return one_to_one(v, *only) ? only : std::nullopt;
    }

    /// Counts a use of a value that the cluster does not compute.
    void read_from_memory(int v, const use& u, cut why) {
        record(v, u.by, why);
        cluster& c = at(u.cluster);
        --c.open;
        ++c.reads;
        if (w_.wanted[static_cast<std::size_t>(v)]) return;
        ++c.waiting;
        c.waiting_bytes += w_.values[static_cast<std::size_t>(v)]->nbytes();
    }

    /// Returns true if so many temporary values wait in memory for the cluster that it should not
    /// read more of them. Line by line each would be freed before the next one is made.
    bool holds_enough(const Node& n, const cluster& c) const {
        return c.waiting_bytes > max_waiting_bytes &&
               (c.waiting >= 2 * max_waiting ||
                (c.waiting >= max_waiting && alike(n, node(c.instances[0].node))));
    }

    /// Returns true if the use visits each element of the value exactly once (each row once, for a
    /// per-row value). Comparing counts is not enough, because windows may overlap.
    bool one_to_one(int v, const use& u) const {
        const cluster& c = out_.clusters[static_cast<std::size_t>(u.cluster)];
        const Node& n = node(v);
        dims_vector extents, strides;
        bool per_row = c.has_reduction();
        for (std::size_t k = 0; k < c.space.size(); ++k)
            if (c.reduced[k] && c.space[k] > 1 && u.at.stride(k) != 0) per_row = false;
        for (std::size_t k = 0; k < c.space.size(); ++k) {
            if (per_row && c.reduced[k]) continue;
            if (c.space[k] > 1 && u.at.stride(k) == 0) {
                // `n` itself may be the first reduction of this cluster, over this dimension.
                if (n.kind != node_kind::reduce || c.has_reduction()) return false;
                continue;
            }
            extents.push_back(c.space[k]);
            strides.push_back(std::abs(u.at.stride(k)));
        }
        // Negative strides visit the same elements backwards, so the offset does not matter.
        const IntArrayRef sizes(extents.data(), extents.size());
        const IntArrayRef steps(strides.data(), strides.size());
        return covers(*make_geometry(sizes, steps, 0), n.shape->numel);
    }

    /// Lets a value that must be in memory join a kernel over the same space that reads the same
    /// source (mean and variance, minimum and maximum), or that makes another value for the same
    /// `full` kernel (the state of a long loop). The kernel runs before all readers of the value.
    bool join_sibling(int v, const std::vector<use>& uses, int full) {
        const Node& n = node(v);
        if (n.partial()) return false;
        const int last = static_cast<int>(out_.clusters.size()) - 1;
        int first = std::max(last - 7, 0);
        for (const use& u : uses) first = std::max(first, u.cluster + 1);
        for (int c = last; c >= first; --c) {
            index_map at_rows;
            const bool continues = full >= 0 && at(c).continues == full;
            if (read_earlier(v, c) || !same_space(n, at(c), at_rows) ||
                (!continues && !shares_source(n, at(c))))
                continue;
            const use u{c, -1, at_rows};
            const placement p = place(v, u);
            if (p.why != cut::none || !p.append.empty() || !p.reduce_space.empty()) continue;
            insert(v, u, p);
            at(c).outputs.push_back({v, at_rows});
            return true;
        }
        return false;
    }

    /// Lets a reduction of all elements, or of each row, join a kernel that stores elements made of
    /// the same values, as a loss its gradient: else both would compute these values, or one would
    /// store them for the other. If it reduces all, the kernel writes its results through the
    /// cache, and to new memory, which loses a read of each or two.
    bool join_elements(int v, const std::vector<use>& uses) {
        const Node& n = node(v);
        if (!is_whole_ || n.kind != node_kind::reduce) return false;
        int first = 0;
        for (const use& u : uses) first = std::max(first, u.cluster + 1);
        for (int id = static_cast<int>(out_.clusters.size()) - 1; id >= first; --id) {
            cluster& c = at(id);
            const Node& root = node(c.instances[0].node);
            if (c.has_reduction() || c.reads + c.open >= max_reads_ || read_earlier(v, id) ||
                root.shape->sizes_ref() != n.sources[0].shape->sizes_ref())
                continue;
            const std::optional<use> u = reduced_within(n, id, c);
            if (!u) continue;
            double lost = 0;
            for (const output& o : c.outputs)
                lost += moving(
                    static_cast<double>(w_.values[static_cast<std::size_t>(o.value)]->nbytes()));
            const bool is_of_rows = n.shape->numel > 1;  // these results stay near the processor
            if (shared_time(w_, v, id, reads_) <= (is_of_rows ? 0 : 2 * lost)) continue;
            const placement p = place_reduction(n, c, *u);
            if (p.why != cut::none || p.reduce_space.empty()) continue;
            // The kernel's elements are stored in the pass that reduces.
            for (std::vector<use>& readers : uses_)
                for (use& o : readers)
                    if (o.cluster == id) o.levels <<= 1;
            insert(v, *u, p);
            at(id).outputs.push_back({v, u->at});
            return true;
        }
        return false;
    }
    /// Returns the use of a reduction by a kernel of elements whose dimensions are those of the
    /// operand, or nothing if the kernel cannot walk what is reduced as one range.
    static std::optional<use> reduced_within(const Node& n, int id, const cluster& c) {
        use u{id, -1, {n.shape->offset, dims_vector(c.space.size(), 0)}};
        std::vector<bool> reduced(c.space.size(), n.shape->numel == 1);
        if (n.shape->numel != 1) {
            const geometry& from = *n.sources[0].shape;
            std::size_t k = 0;
            for (int d = 0; d < from.ndim; ++d) {
                if (from.sizes()[d] == 1) continue;
                if (k == c.space.size() || c.space[k] != from.sizes()[d]) return {};
                reduced[k] = n.reduced >> d & 1;
                u.at.strides[k] = reduced[k] ? 0 : n.shape->strides()[d];
                ++k;
            }
            if (k != c.space.size()) return {};
        }
        return one_range(c, reduced) ? std::optional(std::move(u)) : std::nullopt;
    }
    /// Returns true if all operands and results of a kernel can be walked as one range along these
    /// dimensions.
    static bool one_range(const cluster& c, const std::vector<bool>& reduced) {
        const auto merges = [&](const index_map& m) {
            return reduced_ranges_merge(c.space, reduced, m);
        };
        return std::all_of(c.outputs.begin(), c.outputs.end(),
                           [&](const output& o) { return merges(o.at); }) &&
               std::all_of(c.instances.begin(), c.instances.end(), [&](const instance& i) {
                   return std::all_of(i.sources.begin(), i.sources.end(), merges);
               });
    }

    /// Lets elements join a kernel that stores others of the same rows and needs the same reduction
    /// of them, as a layer norm its gradient: else each would read the rows for itself.
    bool join_rows(int v, const std::vector<use>& uses) {
        const Node& n = node(v);
        if (n.kind != node_kind::pointwise || n.partial()) return false;
        const int last = static_cast<int>(out_.clusters.size()) - 1;
        int first = std::max(last - 7, 0);  // a plan may have thousands
        for (const use& u : uses) first = std::max(first, u.cluster + 1);
        for (int id = last; id >= first; --id) {
            const cluster& c = at(id);
            if (!c.has_reduction() || !by_element(c, c.outputs[0].at) || read_earlier(v, id))
                continue;
            const std::optional<index_map> elements = elements_of(n, c);
            if (!elements || !shares_reduction(v, id)) continue;
            const use u{id, -1, *elements};
            const placement p = place(v, u);
            if (p.why != cut::none || !p.append.empty() || !p.reduce_space.empty()) continue;
            insert(v, u, p);
            at(id).outputs.push_back({v, u.at});
            return true;
        }
        return false;
    }
    /// Returns the place of a node's elements in a kernel whose dimensions are the node's.
    static std::optional<index_map> elements_of(const Node& n, const cluster& c) {
        index_map m{n.shape->offset, {}};
        for (int d = 0; d < n.shape->ndim; ++d) {
            const std::size_t k = m.strides.size();
            if (n.shape->sizes()[d] == 1) continue;
            if (k == c.space.size() || c.space[k] != n.shape->sizes()[d]) return {};
            m.strides.push_back(n.shape->strides()[d]);
        }
        return m.strides.size() == c.space.size() ? std::optional(std::move(m)) : std::nullopt;
    }
    /// Returns true if a reduction is read by a cluster and, through pointwise nodes, by node `v`.
    bool shares_reduction(int v, int cluster) const {
        constexpr std::size_t most = 32;
        std::vector<int> open{v};
        for (std::size_t i = 0; i < open.size() && open.size() < most; ++i)
            for (const Edge& e : node(open[i]).sources) {
                const int source = subgraph::value_of(e);
                if (!w_.is_node(source)) continue;
                if (source_of(e).kind == node_kind::pointwise)
                    open.push_back(source);
                else if (source_of(e).kind == node_kind::reduce && reads(source, cluster))
                    return true;
            }
        return false;
    }
    bool reads(int v, int cluster) const {
        const std::vector<use>& uses = uses_[static_cast<std::size_t>(v)];
        return std::any_of(uses.begin(), uses.end(),
                           [&](const use& u) { return u.cluster == cluster; });
    }

    bool same_space(const Node& n, const cluster& c, index_map& map) const {
        const bool reduce = n.kind == node_kind::reduce;
        if (reduce != c.has_reduction()) return false;
        map.offset = n.shape->offset;
        map.strides.assign(c.space.size(), 0);
        std::size_t k = 0;
        const node_dims merged = reduce ? node_dims{} : plain_dims_of(n);
        const geometry& g = *n.shape;
        const int rank = reduce ? g.ndim : static_cast<int>(merged.extents.size());
        for (int d = 0; d < rank; ++d) {
            const int64_t extent =
                reduce ? g.sizes()[d] : merged.extents[static_cast<std::size_t>(d)];
            if (extent == 1) continue;
            while (k < c.space.size() && (c.reduced[k] || c.space[k] == 1)) ++k;
            if (k == c.space.size() || c.space[k] != extent) return false;
            map.strides[k++] = reduce ? g.strides()[d] : merged.result[static_cast<std::size_t>(d)];
        }
        for (; k < c.space.size(); ++k)
            if (!c.reduced[k] && c.space[k] != 1) return false;
        return true;
    }

    /// Returns true if a node and one of a cluster read the same value, directly or through a
    /// pointwise source: the state of a loop, x and y of `x = x + dx`, `y = y + dy`, is one kernel.
    bool shares_source(const Node& n, const cluster& c) const {
        const auto reads = [this](const Node& reader, const Version* v) {
            for (const Edge& e : reader.sources)
                if (e.value.get() == v || (is_pointwise(e) && reads_directly(source_of(e), v)))
                    return true;
            return false;
        };
        const auto shares = [&](const Edge& e) {
            return e.value &&
                   std::any_of(c.instances.begin(), c.instances.end(), [&](const instance& i) {
                       return reads(node(i.node), e.value.get());
                   });
        };
        for (const Edge& e : n.sources) {
            if (shares(e)) return true;
            if (!is_pointwise(e)) continue;
            for (const Edge& before : source_of(e).sources)
                if (shares(before)) return true;
        }
        return false;
    }
    const Node& source_of(const Edge& e) const { return node(subgraph::value_of(e)); }
    bool is_pointwise(const Edge& e) const {
        return w_.is_node(subgraph::value_of(e)) && source_of(e).kind == node_kind::pointwise;
    }
    static bool reads_directly(const Node& n, const Version* v) {
        return std::any_of(n.sources.begin(), n.sources.end(),
                           [v](const Edge& e) { return e.value.get() == v; });
    }

    /// `times`: the number of maps through which the cluster reads the value.
    placement place(int v, const use& u, int times = 1) {
        const Node& n = node(v);
        cluster& c = at(u.cluster);
        placement p;
        const bool enough = holds_enough(n, c);
        c.full = c.full || enough;
        if (too_long(n, c, u) || (enough && n.kind == node_kind::reduce) ||
            c.reads + c.open + static_cast<int>(n.sources.size()) > max_reads_ ||
            (n.kind == node_kind::reduce && c.reductions >= max_reductions)) {
            p.why = cut::size;
            return p;
        }
        if (n.kind == node_kind::pointwise) return place_pointwise(v, c, u, times);
        p = place_reduction(n, c, u);
        if (p.why == cut::none) decide(estimates_.with_reduction(n, c, p), p);
        return p;
    }

    /// Returns true if the loop over elements would become longer than is of use. From then on the
    /// kernel is full, and only nodes without producers may join: otherwise each random number of a
    /// long loop would be stored, or each term of its sums, not the loop's state.
    bool too_long(const Node& n, cluster& c, const use& u) const {
        if (n.kind != node_kind::pointwise || c.operations == 0) return false;
        const bool first = std::none_of(n.sources.begin(), n.sources.end(), [this](const Edge& e) {
            return w_.is_node(subgraph::value_of(e));
        });
        const double few = first ? 1 / 1.5 : 1;
        const double cost = few * (c.cost + static_cast<double>(n.code->cost));
        const double operations = few * (c.operations + static_cast<double>(n.code->operations));
        const bool most = !is_whole_ && (cost > max_cost || operations > max_operations);
        const bool reduces = c.points >= many_points && c.has_reduction() && by_element(c, u.at) &&
                             !c.dense_elements;
        // A kernel that takes up whole iterations of a loop is the same for all of them.
        const bool half = !is_whole_ && (2 * cost > max_cost || 2 * operations > max_operations);
        c.full =
            c.full || most || (half && alike(n, node(c.instances[0].node))) ||
            (reduces && (operations > max_before_reduction || cost > max_cost_before_reduction));
        return first ? most : c.full;
    }

    /// Returns true if two nodes may be the same operation of two iterations.
    static bool alike(const Node& a, const Node& b) {
        // By contents: plans depend on nothing that structure_key lacks, as which objects are
        // shared.
        const geometry &x = *a.shape, &y = *b.shape;
        return a.kind == b.kind && a.code == b.code && a.dtype == b.dtype &&
               (&x == &y || (x.sizes_ref() == y.sizes_ref() && x.strides_ref() == y.strides_ref()));
    }

    void decide(verdict is, placement& p) const {
        if (is == verdict::apart)
            p.why = cut::cost;
        else if (is == verdict::unsure && apart_)
            p.why = cut::unsure;
        else
            p.unsure = is == verdict::unsure;
    }

    placement place_pointwise(int v, const cluster& c, const use& u, int times) {
        const Node& n = node(v);
        placement p;
        const node_dims dims = dims_of(n);
        const auto index = factor(u.at, c.space, dims, n.shape->offset);
        if (!index) {
            p.why = cut::layout;
            return p;
        }
        p.kept = c.has_reduction() && by_element(c, u.at) && estimates_.can_keep(n, c, u);
        for (std::size_t s = 0; s < n.sources.size(); ++s)
            p.sources.push_back(
                through(*index, dims, s, n.sources[s].shape->offset, c.space.size()));
        decide(estimates_.of_value(v, c, u, times, p), p);
        if (p.why == cut::none && !p.unsure && !c.has_reduction())
            decide(estimates_.of_loops(n, c, p), p);
        if (p.why != cut::none) return p;
        // If the launch cannot walk the range of an operand, materialising this one value is better
        // than a dense copy of each operand.
        if (c.has_reduction() && n.sources.size() > 1)
            for (const index_map& m : p.sources) {
                if (reduced_ranges_merge(c.space, c.reduced, m)) continue;
                p.nests = true;
                if (joining_elements_ || stores_elements(c)) p.why = cut::merge;
            }
        if (p.nests)
            for (const index_map& m : p.sources)
                if (!may_nest(c.space, c.reduced, m)) p.why = cut::merge;
        return p;
    }

    static bool stores_elements(const cluster& c) {
        return std::any_of(c.outputs.begin(), c.outputs.end(),
                           [&](const output& o) { return by_element(c, o.at); });
    }

    /// Places a reduction. The ranges agree if the result is read once per row: with its strides
    /// along the kept dimensions, and as one value along the reduced ones. The first reduction
    /// defines the reduced range of a cluster: the dimensions along which its result is constant,
    /// or new dimensions if there are none.
    placement place_reduction(const Node& n, const cluster& c, const use& u) {
        placement p;
        const geometry& input = *n.sources[0].shape;
        const geometry& result = *n.shape;
        if (u.at.offset != result.offset) {
            p.why = cut::ranges;
            return p;
        }
        dims_vector extents;  // reduced
        std::vector<int> kept, reduced;
        for (int d = 0; d < input.ndim; ++d) {
            if (n.reduced >> d & 1) {
                if (input.sizes()[d] != 1) {
                    extents.push_back(input.sizes()[d]);
                    reduced.push_back(d);
                }
            } else if (input.sizes()[d] > 1) {
                kept.push_back(d);
            }
        }
        if (input.numel == 0) {  // nothing to reduce: a single dimension of extent 0 expresses that
            const auto none = std::find(extents.begin(), extents.end(), 0);
            if (none != extents.end()) {
                reduced = {reduced[static_cast<std::size_t>(none - extents.begin())]};
                extents = {0};
            }
        }
        std::vector<int> row_of(static_cast<std::size_t>(input.ndim), -1);
        std::vector<std::size_t> constant;  // dimensions along which the result is constant
        std::vector<bool> taken(c.space.size(), false);
        for (int d : kept) {
            for (std::size_t k = 0; k < c.space.size() && row_of[static_cast<std::size_t>(d)] < 0;
                 ++k)
                if (!taken[k] && c.space[k] == input.sizes()[d] &&
                    u.at.stride(k) == result.strides()[d]) {
                    row_of[static_cast<std::size_t>(d)] = static_cast<int>(k);
                    taken[k] = true;
                }
            if (row_of[static_cast<std::size_t>(d)] < 0) {
                p.why = cut::ranges;
                return p;
            }
        }
        for (std::size_t k = 0; k < c.space.size(); ++k) {
            if (taken[k]) {
                if (c.reduced[k]) p.why = cut::nested;
                continue;
            }
            if (c.space[k] == 1 && !(c.has_reduction() && c.reduced[k])) continue;
            if (u.at.stride(k) != 0)
                p.why = c.has_reduction() && c.reduced[k] ? cut::nested : cut::ranges;
            constant.push_back(k);
        }
        if (p.why != cut::none) return p;
        dims_vector constant_extents;
        for (std::size_t k : constant)
            if (c.space[k] != 1) constant_extents.push_back(c.space[k]);
        std::size_t first = c.space.size();
        if (c.has_reduction()) {
            for (std::size_t k : constant)
                if (!c.reduced[k]) p.why = cut::ranges;
            if (constant_extents != extents) p.why = cut::ranges;
            if (p.why != cut::none) return p;
        } else if (!constant.empty()) {
            if (constant_extents != extents) {
                p.why = cut::ranges;
                return p;
            }
            p.reduce_space.assign(c.space.size(), false);
            for (std::size_t k : constant) p.reduce_space[k] = true;
        } else {
            p.append = extents;
            if (p.append.empty()) p.append.push_back(1);
            constant.clear();
            for (std::size_t i = 0; i < extents.size(); ++i) constant.push_back(first + i);
        }
        index_map m;
        m.offset = input.offset;
        m.strides.assign(c.space.size() + p.append.size(), 0);
        for (int d : kept)
            m.strides[static_cast<std::size_t>(row_of[static_cast<std::size_t>(d)])] =
                input.strides()[d];
        std::size_t r = 0;
        for (std::size_t k : constant) {
            const bool real = k >= first ? true : c.space[k] != 1;
            if (real) m.strides[k] = input.strides()[reduced[r++]];
        }
        p.sources.push_back(std::move(m));
        return p;
    }

    /// Returns the stages that need the sources of a node that is needed at `levels`.
    static uint32_t levels_before(const Node& n, uint32_t levels, bool kept) {
        const int first = std::bit_width(levels) - 1;
        if (n.kind == node_kind::reduce) return uint32_t{1} << std::min(first + 1, 31);
        return kept ? uint32_t{1} << first : levels;
    }

    void insert(int v, const use& u, const placement& p) {
        const Node& n = node(v);
        const int c_id = u.cluster;
        const index_map& at_map = u.at;
        cluster& c = at(c_id);
        const uint32_t levels = levels_before(n, u.levels, p.kept);
        c.kept += p.kept;
        out_.unsure += p.unsure;
        for (int64_t extent : p.append) {
            c.space.push_back(extent);
            c.reduced.push_back(true);
            c.points *= static_cast<double>(extent);
        }
        if (!p.reduce_space.empty()) c.reduced = p.reduce_space;
        c.nested = c.nested || p.nests;
        c.instances.push_back({v, at_map, p.sources});
        if (n.kind == node_kind::reduce) {
            ++c.reductions;
            ++c.operations;
        } else {
            c.operations += static_cast<int>(n.code->operations);
            c.cost += static_cast<double>(n.code->cost);
        }
        for (const index_map& m : p.sources) note_read(c, m);
        for (std::size_t s = 0; s < n.sources.size(); ++s) {
            const int source = subgraph::value_of(n.sources[s]);
            index_map at = p.sources[s];
            bool in_memory = !w_.is_node(source);
            if (const ScalarType as = n.sources[s].dtype; !in_memory && as != node(source).dtype) {
                const bool part = as == toRealValueType(node(source).dtype);
                const std::optional<index_map> whole = part ? whole_of(at) : std::nullopt;
                in_memory = !whole;
                if (whole)
                    at = *whole;
                else
                    want_in_memory(source, v, c_id);
            }
            if (in_memory) {
                c.reads += c.read_keys.insert(read_key(source, at)).second;
                continue;
            }
            std::vector<use>& uses = uses_[static_cast<std::size_t>(source)];
            const auto known = std::find_if(uses.begin(), uses.end(), [&](const use& o) {
                return o.cluster == c_id && o.at == at;
            });
            if (known != uses.end()) {
                known->levels |= levels;
                continue;
            }
            uses.push_back({c_id, v, std::move(at), levels});
            ++c.open;
        }
    }

    void make_root(int v) {
        const Node& n = node(v);
        const int id = static_cast<int>(out_.clusters.size());
        out_.steps.push_back({id, -1});
        cluster_step_.push_back(static_cast<int>(out_.steps.size()) - 1);
        out_.clusters.emplace_back();
        cluster& c = out_.clusters.back();
        index_map m;
        m.offset = n.shape->offset;
        if (n.kind == node_kind::reduce) {
            for (int d = 0; d < n.shape->ndim; ++d) {
                if (n.shape->sizes()[d] == 1) continue;
                c.space.push_back(n.shape->sizes()[d]);
                m.strides.push_back(n.shape->strides()[d]);
            }
        } else {
            node_dims dims = plain_dims_of(n);
            c.space = std::move(dims.extents);
            m.strides = std::move(dims.result);
        }
        c.reduced.assign(c.space.size(), false);
        const use u{id, -1, m};
        const placement p = place_root(v, u);
        for (int64_t extent : at(id).space) at(id).points *= static_cast<double>(extent);
        insert(v, u, p);
        at(id).outputs.push_back({v, m});
    }

    placement place_root(int v, const use& u) {
        const Node& n = node(v);
        if (n.kind == node_kind::reduce) return place_reduction(n, at(u.cluster), u);
        placement p;
        node_dims dims = plain_dims_of(n);
        for (std::size_t s = 0; s < n.sources.size(); ++s)
            p.sources.push_back({n.sources[s].shape->offset, std::move(dims.sources[s])});
        return p;
    }

    /// Materialises a value that a kernel reads as another dtype.
    void want_in_memory(int value, int by, int cluster) {
        wanted_[static_cast<std::size_t>(value)] = 1;
        int& step = read_step_[static_cast<std::size_t>(value)];
        step = std::max(step, cluster_step_[static_cast<std::size_t>(cluster)]);
        record(value, by, cut::dtype);
    }

    void want(int value, int by) {
        if (!w_.is_node(value)) return;
        wanted_[static_cast<std::size_t>(value)] = 1;
        read_step_[static_cast<std::size_t>(value)] = static_cast<int>(out_.steps.size()) - 1;
        record(value, by, cut_at(node(by)));
    }

    static cut cut_at(const Node& n) { return computed_by(n).vendor ? cut::library : cut::opaque; }

    /// Returns true if a step that needs the value in memory runs before the cluster or with it.
    /// Steps are in reverse order here.
    bool read_earlier(int value, int c) const {
        const int step = read_step_[static_cast<std::size_t>(value)];
        return step >= 0 && step >= cluster_step_[static_cast<std::size_t>(c)];
    }

    void record(int producer, int consumer, cut why) {
        out_.cuts.push_back({producer, consumer, why});
    }

    const subgraph& w_;
    const bool apart_;
    const int stored_first_;
    const bool is_whole_;
    const int max_reads_;
    bool joining_elements_ = false;  // the current node will be stored element by element
    fused out_;
    std::vector<std::vector<use>> uses_;
    std::vector<uint8_t> wanted_;
    std::vector<int>
        read_step_;  // per value: the first step that must read it from memory; -1: none
    std::vector<int> cluster_step_;
    const estimator estimates_;
    const reads_so_far reads_;
};

}  // namespace

fused fuse(const subgraph& w, bool apart) {
    fused f = fuser(w, apart, -1).run();
    const int value = stored_before_write(w, f);
    return value < 0 ? std::move(f) : fuser(w, apart, value).run();
}

}  // namespace sinter::plan
