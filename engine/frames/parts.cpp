#include "engine/frames/parts.hpp"

#include <algorithm>

namespace sinter::frames {
namespace {

class divider {
public:
    explicit divider(const recording& r) : all_(r.nodes), part_(r.nodes.size(), none) {}

    std::vector<recorded_part> run() {
        for (int i = 0; i < count(); ++i) {
            if (!node(i).partial) continue;
            take(node(i).base);  // the base has all its elements before some of them change
            take(i);
        }
        for (int i = 0; i < count(); ++i)
            if (is_open(i)) {
                parts_.emplace_back();
                for (; i < count(); ++i)
                    if (is_open(i)) add(i);
            }
        for (std::size_t p = 0; p < parts_.size(); ++p) describe(static_cast<int>(p));
        return std::move(parts_);
    }

private:
    static constexpr int none = -1;

    int count() const { return static_cast<int>(all_.size()); }
    bool is_node(int value) const { return value >= 0 && value < count(); }
    const recorded_node& node(int i) const { return all_[static_cast<std::size_t>(i)]; }
    int& part_of(int i) { return part_[static_cast<std::size_t>(i)]; }
    bool is_open(int value) { return is_node(value) && part_of(value) == none; }

    void add(int i) {
        part_of(i) = static_cast<int>(parts_.size()) - 1;
        parts_.back().nodes.push_back(i);
    }

    /// Makes a part of a node and of what it needs that is in no part yet. The parts of the writes
    /// among these exist: they come before in the program.
    void take(int last) {
        if (!is_open(last)) return;
        parts_.emplace_back();
        std::vector<int>& nodes = parts_.back().nodes;
        add(last);
        for (std::size_t at = 0; at < nodes.size(); ++at)
            for (const recorded_read& s : node(nodes[at]).sources)
                if (is_open(s.value)) add(s.value);
        std::sort(nodes.begin(), nodes.end());
    }

    void describe(int number) {
        recorded_part& p = parts_[static_cast<std::size_t>(number)];
        p.values = p.nodes;
        const auto place = [&p](int value) {
            const auto at = std::find(p.values.begin(), p.values.end(), value);
            return at == p.values.end() ? none : static_cast<int>(at - p.values.begin());
        };
        for (const int i : p.nodes) {
            std::vector<int>& reads = p.reads.emplace_back();
            for (const recorded_read& s : node(i).sources) {
                if (s.value >= 0 && place(s.value) == none) p.values.push_back(s.value);
                reads.push_back(s.value < 0 ? none : place(s.value));
            }
        }
        for (const int i : p.nodes) {
            p.bases.push_back(node(i).partial ? place(node(i).base) : none);
            p.wanted.push_back(node(i).wanted || node(i).partial || is_read_elsewhere(i, number));
        }
    }

    bool is_read_elsewhere(int value, int number) {
        for (int i = value + 1; i < count(); ++i) {
            if (part_of(i) == number) continue;
            if (node(i).partial && node(i).base == value) return true;
            for (const recorded_read& s : node(i).sources)
                if (s.value == value) return true;
        }
        return false;
    }

    const std::vector<recorded_node>& all_;
    std::vector<int> part_;  // of each node
    std::vector<recorded_part> parts_;
};

}  // namespace

std::vector<recorded_part> parts_of(const recording& r) { return divider(r).run(); }

}  // namespace sinter::frames
