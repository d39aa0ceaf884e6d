// Prints the records as JSON, and as a table.
#include "bench/bench.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <map>
#include <stdexcept>
#include <tuple>

namespace bench {
namespace {

constexpr std::array columns{"fused", "reused",    "fast",  "eager",  "blas",
                             "hand",  "hand_fast", "eigen", "xtensor"};

/// Records whose rivals ran in turns.
struct group {
    const record* any = nullptr;
    std::map<std::string, const record*> by;

    void add(const record& r) {
        any = &r;
        by[r.impl == "fused" && r.note.starts_with("reused") ? "reused" : r.impl] = &r;
    }
    const record* find(const std::string& column) const {
        const auto at = by.find(column);
        return at == by.end() ? nullptr : at->second;
    }
    double ratio(const std::string& of, const std::string& to) const {
        const record *a = find(of), *b = find(to);
        return a && b ? a->min_ns / b->min_ns : 0;
    }
};

auto key(const record& r) { return std::tie(r.name, r.dtype, r.n, r.threads); }

std::vector<group> grouped(const std::vector<record>& records) {
    std::vector<group> groups;
    for (const record& r : records) {
        if (!r.bytes) continue;
        if (groups.empty() || key(*groups.back().any) != key(r)) groups.emplace_back();
        groups.back().add(r);
    }
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

void print_worst(std::vector<group> groups) {
    std::erase_if(groups, [](const group& g) { return g.ratio("fused", "hand") == 0; });
    std::stable_sort(groups.begin(), groups.end(), [](const group& a, const group& b) {
        return a.ratio("fused", "hand") > b.ratio("fused", "hand");
    });
    if (groups.size() > 10) groups.resize(10);
    if (!groups.empty()) std::puts("\nfurthest behind the loops by hand");
    for (const group& g : groups)
        std::printf("  %6.2f  %s %s n=%lld t=%d\n", g.ratio("fused", "hand"), g.any->name.c_str(),
                    g.any->dtype.c_str(), static_cast<long long>(g.any->n), g.any->threads);
}

void print_group(const group& g) {
    const record& r = *g.any;
    std::printf("%-17s %-4s %9lld %2d", r.name.c_str(), r.dtype.c_str(),
                static_cast<long long>(r.n), r.threads);
    for (const char* column : columns) std::printf(" %10s", microseconds(g.find(column)).c_str());
    const record* f = g.find("fused");
    std::printf(" %6s %7s %8.2f %7s\n", ratio(g.ratio("fused", "hand")).c_str(),
                ratio(g.ratio("eager", "fused")).c_str(), f ? f->gbps() : 0,
                ratio(f ? f->gbps() / f->stream_gbps : 0).c_str());
}

void print_heading() {
    std::puts("\nbest times in us; GB/s and its share of the better triad: of `fused`");
    std::printf("%-17s %-4s %9s %2s", "case", "type", "n", "t");
    for (const char* column : columns) std::printf(" %10s", column);
    std::printf(" %6s %7s %8s %7s\n", "f/hand", "eager/f", "GB/s", "/triad");
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
        j["device"] = r.device;
        j["threads"] = r.threads;
        j["impl"] = r.impl;
        j["min_ns"] = r.min_ns;
        j["median_ns"] = r.median_ns;
        j["mean_ns"] = r.mean_ns;
        j["bytes"] = r.bytes;
        j["flops"] = r.flops;
        j["gbps"] = r.bytes ? ordered_json(r.gbps()) : ordered_json();
        j["stream_fraction"] =
            r.stream_gbps > 0 ? ordered_json(r.gbps() / r.stream_gbps) : ordered_json();
        if (r.bytes) j["sum"] = r.sum;
        j["note"] = r.note;
        all.push_back(std::move(j));
    }
    std::ofstream file(path);
    file << all.dump(1) << '\n';
    if (!file.flush())
        throw std::runtime_error("[bench] cannot write " + path + "; try another --json");
}

void progress(const std::vector<record>& records) {
    const record& r = records.back();
    std::fprintf(stderr, "%s %s n=%lld t=%d\n", r.name.c_str(), r.dtype.c_str(),
                 static_cast<long long>(r.n), r.threads);
}

void print_table(const std::vector<record>& records) {
    const std::vector<group> groups = grouped(records);
    if (!groups.empty()) print_heading();
    for (const group& g : groups) print_group(g);
    bool heading = false;
    for (const record& r : records) {
        if (r.bytes) continue;
        if (!heading) std::puts("\nlatencies, best and median in us");
        heading = true;
        std::printf("%-13s %6lld %2d %-6s %12.3f %12.3f  %s\n", r.name.c_str(),
                    static_cast<long long>(r.n), r.threads, r.impl.c_str(), r.min_ns / 1e3,
                    r.median_ns / 1e3, r.note.c_str());
    }
    print_worst(groups);
}

}  // namespace bench
