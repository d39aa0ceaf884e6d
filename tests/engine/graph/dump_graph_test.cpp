// The pending graph as dot text: what is drawn, that the text is well formed, and that the kernels
// in it are those that a flush then runs.
#include "tests/engine/graph/dot_parser.hpp"
#include "tests/ops/check.hpp"
#include "tests/seed.hpp"

#include "engine/graph/graph.hpp"
#include "engine/run/flush.hpp"
#include "engine/run/lower.hpp"
#include "engine/run/record.hpp"

#include <cstdio>
#include <cstdlib>
#include <random>

namespace sinter::test {
namespace {

Tensor ready(const Tensor& t) {
    t.eval();
    return t;
}
Tensor noise(IntArrayRef sizes) { return ready(randn(sizes)); }

bool pending(const Tensor& t) {
    return t.unsafeGetTensorImpl()->storage->current->state == version_state::pending;
}

/// Where Graphviz is installed, its own parser reads the text too.
void check_with_dot(const std::string& text) {
    static const bool there = [] {
        // NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread runs programs
        const bool found = std::system("command -v dot >/dev/null") == 0;
        if (!found) MESSAGE("[SKIP] no dot: Graphviz did not read the graphs, only this test did");
        return found;
    }();
    if (!there) return;
    FILE* dot = popen("dot -Tcanon >/dev/null", "w");
    REQUIRE(dot);
    std::fwrite(text.data(), 1, text.size(), dot);
    CHECK(pclose(dot) == 0);
}

dot_graph parse(const std::string& text) {
    CAPTURE(text);
    check_with_dot(text);
    try {
        return dot_parser::parse(text);
    } catch (const std::string& why) {
        FAIL(why);
        return {};
    }
}

std::string attribute(const dot_attributes& attributes, const std::string& name) {
    const auto at = attributes.find(name);
    return at == attributes.end() ? "" : at->second;
}

/// The kernels that `explain` counts.
std::size_t kernels_in(const std::string& plan) {
    const std::size_t at = plan.find(" kernel");
    const std::size_t begin = plan.rfind(' ', at - 1);
    return static_cast<std::size_t>(std::stoi(plan.substr(begin, at - begin)));
}

TEST_CASE("dump_graph: a product and a sum are one kernel") {
    ModeGuard guard(Mode::lazy);
    const Tensor a = noise({2, 3}), b = noise({2, 3}), c = noise({3});
    const Tensor p = a * b, r = p + c;
    const dot_graph g = parse(dump_graph(r));
    CHECK(g.nodes.size() == 5);
    const std::string product = g.find("mul"), sum = g.find("add");
    CHECK(attribute(g.nodes.at(product), "label") == "mul\nFloat [2, 3]");
    CHECK(attribute(g.nodes.at(product), "shape") == "ellipse");
    CHECK(attribute(g.nodes.at(sum), "penwidth") == "2");  // what was asked for
    CHECK(attribute(g.nodes.at(product), "penwidth").empty());

    int boxes = 0;
    for (const auto& [name, attributes] : g.nodes) boxes += attribute(attributes, "shape") == "box";
    CHECK(boxes == 3);
    REQUIRE(g.between(product, sum).size() == 1);
    CHECK(g.between(product, sum)[0].attributes.empty());
    const std::string row = g.find("Float, 3 elements");
    REQUIRE(g.between(row, sum).size() == 1);
    CHECK(attribute(g.between(row, sum)[0].attributes, "label") == "view [2, 3] strides [0, 1]");

    CHECK(g.label.empty());
    REQUIRE(g.clusters.size() == 1);
    CHECK(g.clusters[0].members == std::vector<std::string>{product, sum});
    CHECK(g.clusters[0].label.find("1. over [") == 0);
    CHECK(pending(p));
    CHECK(pending(r));
}

TEST_CASE("dump_graph: a reduction names its dimensions") {
    ModeGuard guard(Mode::lazy);
    const Tensor x = noise({4, 5, 6});
    const dot_graph g = parse(dump_graph(square(x).sum({1, 2})));
    const std::string s = g.find("sum over 1, 2\nFloat [4, 1, 1]");
    const std::string q = g.find("square\nFloat [4, 5, 6]");
    CHECK(g.between(q, s).size() == 1);
    CHECK(g.between("v0", q).size() == 1);
    CHECK(g.clusters.size() == 1);
}

TEST_CASE("dump_graph: sizes of 1 and a reshape are no views, a transpose is one") {
    ModeGuard guard(Mode::lazy);
    const Tensor x = noise({4, 5}), s = x.sum({1}), e = x + 1;
    const dot_graph g = parse(dump_graph({s * 2, e.view({2, 10}) * 3, e.t() * 4}));
    CHECK(g.between(g.find("sum"), g.find("mul\nFloat [4]"))[0].attributes.empty());
    CHECK(g.between(g.find("add"), g.find("mul\nFloat [2, 10]"))[0].attributes.empty());
    CHECK(attribute(g.between(g.find("add"), g.find("mul\nFloat [5, 4]"))[0].attributes, "label") ==
          "view [5, 4] strides [1, 5]");
}

TEST_CASE("dump_graph: a write through a view shows the part and its base") {
    ModeGuard guard(Mode::lazy);
    const Tensor x = noise({4, 6}), y = noise({4});
    const Tensor column = x.select(1, 2);
    column.mul_(y);
    const dot_graph g = parse(dump_graph(x.sum()));
    const std::string base = g.find("Float, 24 elements"), product = g.find("mul\nFloat [4]");
    const std::string part = g.find("a part of " + base);
    CHECK(attribute(g.nodes.at(part), "label") ==
          "copy\nFloat [4] strides [6] offset 2\na part of " + base);
    CHECK(attribute(g.nodes.at(part), "peripheries") == "2");
    REQUIRE(g.between(base, part).size() == 1);
    CHECK(attribute(g.between(base, part)[0].attributes, "label") == "base");
    CHECK(attribute(g.between(base, part)[0].attributes, "style") == "dashed");
    CHECK(attribute(g.between(base, product)[0].attributes, "label") ==
          "view [4] strides [6] offset 2");
    CHECK(g.between(product, part)[0].attributes.empty());
    REQUIRE(g.between(part, g.find("sum")).size() == 1);
    // All of the storage: its order is the storage's own.
    CHECK(g.between(part, g.find("sum"))[0].attributes.empty());
    REQUIRE(g.clusters.size() == 2);
    CHECK(g.clusters[0].members == std::vector<std::string>{product, part});
    CHECK(g.clusters[1].members == std::vector<std::string>{g.find("sum")});
}

TEST_CASE("dump_graph: a product is a library call between kernels") {
    ModeGuard guard(Mode::lazy);
    const Tensor x = noise({200, 300}), w = noise({300, 40}), bias = noise({40});
    const Tensor r = relu((x * 2).mm(w) + bias);
    const dot_graph g = parse(dump_graph(r));
    const std::string product = g.find("library call");
    CHECK(attribute(g.nodes.at(product), "label").find("mm, library call\nFloat [200, 40]") == 0);
    CHECK(attribute(g.nodes.at(product), "shape") == "hexagon");
    const std::string plan = explain(r);
    CAPTURE(plan);
    CHECK(g.clusters.size() == kernels_in(plan));
    REQUIRE(g.clusters.size() == 2);
    CHECK(g.clusters[0].label.find(", prologue of mm") != std::string::npos);
    CHECK(g.clusters[1].label.find(", epilogue of mm") != std::string::npos);
    for (const dot_graph::cluster& c : g.clusters)
        CHECK(std::count(c.members.begin(), c.members.end(), product) == 0);
}

TEST_CASE("dump_graph: an opaque kernel has a cluster of its own") {
    ModeGuard guard(Mode::lazy);
    const Tensor x = noise({20}), r = (x * 2).cumsum(0);
    const dot_graph g = parse(dump_graph(r));
    const std::string scan = g.find("opaque kernel");
    CHECK(attribute(g.nodes.at(scan), "shape") == "hexagon");
    CHECK(g.clusters.size() == kernels_in(explain(r)));
    REQUIRE(g.clusters.size() == 2);
    CHECK(g.clusters[1].members == std::vector<std::string>{scan});
}

/// Draws the tensors, which must change nothing, and computes them: with the plans that were drawn,
/// and as many kernels.
void check_forecast(const std::vector<Tensor>& wanted) {
    std::vector<bool> waited;
    for (const Tensor& t : wanted) waited.push_back(pending(t));
    const std::string text = dump_graph(wanted);
    CAPTURE(text);
    const dot_graph g = parse(text);
    CHECK(dump_graph(wanted) == text);
    for (std::size_t i = 0; i < wanted.size(); ++i) CHECK(pending(wanted[i]) == waited[i]);
    std::size_t opaque = 0;
    for (const auto& [name, attributes] : g.nodes)
        opaque += attribute(attributes, "label").find("opaque kernel") != std::string::npos;
    std::vector<Version*> versions;
    for (const Tensor& t : wanted)
        versions.push_back(t.unsafeGetTensorImpl()->storage->current.get());
    reset_stats();
    flush(versions, 0);
    const stats_report s = stats();
    CHECK(s.plans_built == 0);
    CHECK(s.kernels_launched + opaque >= g.clusters.size());
    CHECK(s.kernels_launched <= g.clusters.size());
}

TEST_CASE("dump_graph: a value that two plans read is computed by the first") {
    ModeGuard guard(Mode::lazy);
    const Tensor x = noise({4, 8}), e = exp(noise({4, 8}));
    x.slice(0, 0, 2).copy_(e.slice(0, 0, 2) * 2);
    const dot_graph g = parse(dump_graph({x, e * 4}));
    REQUIRE(g.clusters.size() == 3);
    CHECK(g.clusters[0].members == std::vector<std::string>{g.find("exp")});
    check_forecast({x, e * 4});
}

TEST_CASE("dump_graph: a value that two plans compute is drawn in the first") {
    ModeGuard guard(Mode::lazy);
    const Tensor x = noise({4, 8}), e = full({4, 8}, 3.0);
    x.slice(0, 0, 2).copy_(e.slice(0, 0, 2) * 2);
    const dot_graph g = parse(dump_graph({x, e * 4}));
    const std::string n = g.find("cast");
    REQUIRE(g.clusters.size() == 2);
    CHECK(std::count(g.clusters[0].members.begin(), g.clusters[0].members.end(), n) == 1);
    CHECK(std::count(g.clusters[1].members.begin(), g.clusters[1].members.end(), n) == 0);
    CHECK(g.clusters[1].label.find("\nagain: " + n) != std::string::npos);
}

TEST_CASE("dump_graph: elements that are made of their places, and complex parts") {
    ModeGuard guard(Mode::lazy);
    const dot_graph g = parse(dump_graph(arange(4) * 2));
    const std::string index = g.find("index");
    CHECK(attribute(g.nodes.at(index), "shape") == "plaintext");
    REQUIRE(g.edges.size() >= 1);
    const Tensor z = ready(zeros({3}, kComplexFloat));
    const dot_graph parts = parse(dump_graph(real(z) + 1));
    const std::string from = parts.find("ComplexFloat, 3 elements"), to = parts.find("add");
    CHECK(attribute(parts.between(from, to)[0].attributes, "label") ==
          "view [3] strides [2] as Float");
}

TEST_CASE("dump_graph: known, failed, empty and undefined tensors") {
    ModeGuard guard(Mode::lazy);
    const Tensor x = noise({2, 2});
    const dot_graph known = parse(dump_graph(x));
    REQUIRE(known.nodes.size() == 1);
    CHECK(attribute(known.nodes.begin()->second, "label") == "Float, 4 elements");
    CHECK(known.clusters.empty());

    std::vector<float> memory(3);
    const Tensor outside = from_blob(memory.data(), {3});
    CHECK(attribute(parse(dump_graph(outside)).nodes.begin()->second, "label") ==
          "Float, 3 elements\nexternal");

    const Tensor one = ready(ones({3}, kInt)), zero = ready(zeros({3}, kInt));
    const Tensor failed = one.remainder(zero);
    CHECK_THROWS_AS(failed.eval(), Error);
    const dot_graph f = parse(dump_graph(failed + 1));
    CHECK(attribute(f.nodes.at(f.find("failed")), "color") == "red");
    failed.slice(0, 1).fill_(1);  // its base has failed: nothing would run
    CHECK(parse(dump_graph(failed)).nodes.size() >= 2);

    const dot_graph empty = parse(dump_graph(zeros({0, 3}) + 1));
    CHECK(empty.nodes.size() >= 1);
    CHECK(empty.clusters.empty());

    CHECK(parse(dump_graph(Tensor())).nodes.count("undefined") == 1);
    CHECK(parse(dump_graph(std::vector<Tensor>())).nodes.empty());
    CHECK(parse(dump_graph({Tensor(), x})).nodes.size() == 2);
}

TEST_CASE("dump_graph: names are written as they are") {
    ModeGuard guard(Mode::lazy);
    static const kernel_op odd{.name = "a \"b\" \\ c\n{d} -> [e];", .run = [](const op_call&) {}};
    const Tensor x = noise({3});
    const leaf in = captured_leaf(*x.unsafeGetTensorImpl());
    const geometry_ptr shape = x.unsafeGetTensorImpl()->shape;
    const Tensor t(make_pending(library_node(&odd, std::span(&in, 1), kFloat, shape), shape));
    const std::string text = dump_graph(t);
    CHECK(text.find("\"a \\\"b\\\" \\\\ c\\n{d} -> [e];, opaque kernel") != std::string::npos);
    const dot_graph g = parse(text);
    CHECK(g.nodes.size() == 2);
    CHECK(g.find(odd.name) == "n0");
}

TEST_CASE("dump_graph shows the kernels that run") {
    ModeGuard guard(Mode::lazy);
    const Tensor a = noise({6, 8}), b = noise({6, 8}), row = noise({8});
    SUBCASE("softmax") {
        const Tensor e = exp(a - a.amax({1}, true));
        check_forecast({e / e.sum({1}, true), a + 1});
    }
    SUBCASE("writes through views, with readers of the old values") {
        const Tensor x = a * 2, old = x + row;
        x.slice(0, 0, 3).add_(b.slice(0, 3));
        x.select(1, 1).fill_(7);
        const Tensor later = x.t() * 2;
        x.slice(1, 4).copy_(later.t().slice(1, 0, 4));
        check_forecast({old, x, later.sum()});
    }
    SUBCASE("a value that two of the plans pass") {
        const Tensor x = a.clone(), e = exp(b);
        x.slice(0, 0, 2).copy_(e.slice(0, 0, 2) * 2);
        x.slice(0, 2, 4).copy_(e.slice(0, 2, 4) * 3);
        check_forecast({x, e * 4});
    }
    SUBCASE("a value that a flush has passed already") {
        const Tensor e = exp(a), f = e * 2;
        f.eval();
        REQUIRE(pending(e));
        check_forecast({e * 3, e.sum({0})});
    }
}

TEST_CASE("dump_graph shows the kernels of random writes and reads") {
    ModeGuard guard(Mode::lazy);
    std::mt19937_64 draw(seed());
    const auto upto = [&](std::size_t n) { return static_cast<std::size_t>(draw() % n); };
    for (int program = 0; program < cases(60); ++program) {
        std::vector<Tensor> all{noise({4, 6}), noise({4, 6}), noise({4, 6}) * 1};
        const auto pick = [&]() -> Tensor& { return all[upto(all.size())]; };
        for (int i = 0; i < 12; ++i) {
            const auto from = static_cast<int64_t>(upto(3));
            switch (upto(7)) {
                case 0: all.emplace_back(pick() + pick()); break;
                case 1: all.emplace_back(exp(pick())); break;
                case 2: all.emplace_back(pick() * pick().sum({1}, true)); break;
                case 3: pick().slice(0, from, from + 1).copy_(pick().slice(0, 1, 2)); break;
                case 4: pick().slice(1, from, from + 3).mul_(pick().slice(1, 0, 3) + 1); break;
                case 5: pick().add_(pick().clone()); break;
                default: pick().select(1, from).fill_(static_cast<double>(i)); break;
            }
        }
        std::vector<Tensor> wanted{pick(), pick()};
        CAPTURE(program);
        check_forecast(wanted);
    }
}

}  // namespace
}  // namespace sinter::test
