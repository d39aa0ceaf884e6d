// The records as JSON, and as a table that answers the usual questions.
#include "bench/bench.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <tuple>

namespace bench {
namespace {

/// Records that ran against each other.
struct group {
    const record* fresh = nullptr;
    const record* reused = nullptr;
    const record* eager = nullptr;
    const record* hand = nullptr;
    const record* hand_fast = nullptr;

    void add(const record& r) {
        if (r.impl == "fused") (r.note.starts_with("reused") ? reused : fresh) = &r;
        if (r.impl == "eager") eager = &r;
        if (r.impl == "hand") hand = &r;
        if (r.impl == "hand_fast") hand_fast = &r;
    }
    double against_hand() const { return fresh && hand ? fresh->min_ns / hand->min_ns : 0; }
};

auto key(const record& r) { return std::tie(r.name, r.dtype, r.n, r.threads); }

std::vector<group> grouped(const std::vector<record>& records) {
    std::vector<group> groups;
    const record* last = nullptr;
    for (const record& r : records) {
        if (!r.bytes) continue;
        if (!last || key(*last) != key(r)) groups.emplace_back();
        groups.back().add(r);
        last = &r;
    }
    std::sort(groups.begin(), groups.end(), [](const group& a, const group& b) {
        const auto order = [](const record& r) {
            return std::tie(r.name, r.n, r.dtype, r.threads);
        };
        return order(*a.fresh) < order(*b.fresh);
    });
    return groups;
}

std::string microseconds(const record* r) {
    if (!r) return "-";
    char text[32];
    std::snprintf(text, sizeof text, r->min_ns < 1e5 ? "%.3f" : "%.0f", r->min_ns / 1e3);
    return text;
}

std::string ratio(double value) {
    if (value == 0) return "-";
    char text[32];
    std::snprintf(text, sizeof text, value < 100 ? "%.2f" : "%.0f", value);
    return text;
}

void print_reach(const std::vector<record>& records, const std::vector<group>& groups) {
    std::puts("\nreach now");
    double worst = 0;
    std::string where;
    for (const group& g : groups) {
        if (g.fresh->n < 1000000 || g.against_hand() <= worst) continue;
        worst = g.against_hand();
        where = g.fresh->name + ' ' + g.fresh->dtype + " n=" + std::to_string(g.fresh->n) +
                " t=" + std::to_string(g.fresh->threads);
    }
    if (worst > 0)
        std::printf("  fused / hand at 1e6 and 3e7, at most 1.5:   %.2f, the worst, in %s\n", worst,
                    where.c_str());
    for (const record& r : records) {
        if (r.name == "dispatch" && r.impl == "fused")
            std::printf("  dispatch, under 1 us:                       %.3f us (t=%d)\n",
                        r.min_ns / 1e3, r.threads);
        if (r.name == "compile")
            std::printf("  a kernel of %3lld operations, under 10 ms:    %.2f ms\n",
                        static_cast<long long>(r.n), r.median_ns / 1e6);
    }
}

}  // namespace

void write_json(const std::string& path, const std::vector<record>& records) {
    using nlohmann::ordered_json;
    ordered_json all = ordered_json::array();
    for (const record& r : records) {
        ordered_json j;
        j["case"] = r.name;
        j["n"] = r.n;
        j["dtype"] = r.dtype;
        j["device"] = "cpu";
        j["threads"] = r.threads;
        j["impl"] = r.impl;
        j["min_ns"] = r.min_ns;
        j["median_ns"] = r.median_ns;
        j["bytes"] = r.bytes;
        j["flops"] = r.flops;
        j["gbps"] = r.bytes ? ordered_json(r.gbps()) : ordered_json();
        j["stream_fraction"] =
            r.stream_gbps > 0 ? ordered_json(r.gbps() / r.stream_gbps) : ordered_json();
        j["note"] = r.note;
        all.push_back(std::move(j));
    }
    std::ofstream file(path);
    file << all.dump(1) << '\n';
    if (!file.flush())
        throw std::runtime_error("[bench] cannot write " + path + "; try another --json");
}

void print_table(const std::vector<record>& records) {
    const std::vector<group> groups = grouped(records);
    if (!groups.empty())
        std::printf(
            "\nbest times in us; GB/s and its share of the better triad: of `fused`\n"
            "%-9s %-4s %9s %2s %11s %11s %11s %11s %11s %6s %7s %8s %7s\n",
            "case", "type", "n", "t", "fused", "reused", "eager", "hand", "hand_fast", "f/hand",
            "eager/f", "GB/s", "/triad");
    for (const group& g : groups) {
        const record& r = *g.fresh;
        std::printf("%-9s %-4s %9lld %2d %11s %11s %11s %11s %11s %6s %7s %8.2f %7s\n",
                    r.name.c_str(), r.dtype.c_str(), static_cast<long long>(r.n), r.threads,
                    microseconds(&r).c_str(), microseconds(g.reused).c_str(),
                    microseconds(g.eager).c_str(), microseconds(g.hand).c_str(),
                    microseconds(g.hand_fast).c_str(), ratio(g.against_hand()).c_str(),
                    ratio(g.eager ? g.eager->min_ns / r.min_ns : 0).c_str(), r.gbps(),
                    ratio(r.gbps() / r.stream_gbps).c_str());
    }
    bool heading = false;
    for (const record& r : records) {
        if (r.bytes) continue;
        if (!heading) std::puts("\nlatencies, best and median in us");
        heading = true;
        std::printf("%-13s %6lld %2d %-6s %12.3f %12.3f  %s\n", r.name.c_str(),
                    static_cast<long long>(r.n), r.threads, r.impl.c_str(), r.min_ns / 1e3,
                    r.median_ns / 1e3, r.note.c_str());
    }
    print_reach(records, groups);
}

}  // namespace bench
