// Graphs of launches: the order of their edges, updates, and instances that outlive their graph.
#include "tests/gpu_emulator/emulated.hpp"

#include <atomic>

using namespace sinter::testing;
using sinter::runtime::graph_kernel;

namespace {

constexpr unsigned non_blocking = 1;

// Values are digits, so that they show the order.
constexpr const char* graph_kernels = R"(
struct arguments { int* p; int value; volatile int* gate; };
extern "C" __global__ void append(arguments a) {
    while (a.gate && __atomic_load_n(a.gate, __ATOMIC_RELAXED) == 0) {}
    *a.p = *a.p * 10 + a.value;
}
)";

struct arguments {
    int* p;
    int value;
    int* gate;
};

/// A graph that runs one kernel several times, and its instance.
class chain {
public:
    chain(emulated_gpu& g, void* function, const std::vector<arguments>& a, bool edges = true)
        : g_(g), function_(function) {
        REQUIRE(g.d().create_graph(&graph, 0) == 0);
        for (const arguments& one : a) {
            void* behind = edges && !nodes.empty() ? nodes.back() : nullptr;
            nodes.push_back(nullptr);
            REQUIRE(g.d().add_kernel(&nodes.back(), graph, behind, call(one)) == 0);
        }
        REQUIRE(g.d().instantiate(&instance, graph, 0) == 0);
    }
    ~chain() {
        if (graph) g_.d().destroy_graph(graph);
        if (instance) g_.d().destroy_instance(instance);
    }
    chain(const chain&) = delete;
    chain& operator=(const chain&) = delete;

    graph_kernel call(const arguments& a) const { return {function_, 1, 1, 0, &a}; }
    int set(std::size_t i, const arguments& a) const {
        return g_.d().set_kernel(instance, nodes[i], call(a));
    }
    int launch(void* stream) const { return g_.d().launch_instance(instance, stream); }

    void *graph = nullptr, *instance = nullptr;
    std::vector<void*> nodes;

private:
    emulated_gpu& g_;
    void* function_;
};

struct closed_gate {
    explicit closed_gate(emulated_gpu& gpu) : g(gpu) {
        void* memory = nullptr;
        REQUIRE(g.d().allocate_host(&memory, sizeof(int), 0) == 0);
        it = static_cast<int*>(memory);
        *it = 0;
    }
    ~closed_gate() {
        open();
        g.d().deallocate_host(it);
    }
    closed_gate(const closed_gate&) = delete;
    closed_gate& operator=(const closed_gate&) = delete;
    void open() const { std::atomic_ref<int>(*it).store(1); }

    emulated_gpu& g;
    int* it = nullptr;
};

struct stream {
    explicit stream(emulated_gpu& gpu) : g(gpu) {
        REQUIRE(g.d().create_stream(&it, non_blocking, 0) == 0);
    }
    ~stream() { g.d().destroy_stream(it); }
    stream(const stream&) = delete;
    stream& operator=(const stream&) = delete;

    emulated_gpu& g;
    void* it = nullptr;
};

constexpr int invalid_value = 1, not_ready = 600;

}  // namespace

GPU_TEST_CASE("gpu emulator: a graph runs along its edges, and otherwise in another order") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    REQUIRE(g.d().has_graphs);
    const kernels k(g, graph_kernels);
    const device_array<int> a(g, std::vector<int>{0});
    {
        const chain c(g, k.function("append"),
                      {{a.get(), 1, nullptr}, {a.get(), 2, nullptr}, {a.get(), 3, nullptr}});
        REQUIRE(c.launch(nullptr) == 0);
        CHECK(a.values()[0] == 123);
        REQUIRE(c.launch(nullptr) == 0);
        CHECK(a.values()[0] == 123123);
    }
    const device_array<int> b(g, std::vector<int>{0});
    const chain loose(g, k.function("append"), {{b.get(), 1, nullptr}, {b.get(), 2, nullptr}},
                      false);
    REQUIRE(loose.launch(nullptr) == 0);
    CHECK(b.values()[0] == 21);
}

GPU_TEST_CASE("gpu emulator: an update reaches later launches, and no other node") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const kernels k(g, graph_kernels);
    const device_array<int> a(g, std::vector<int>{0});
    const stream s(g);
    const closed_gate gate(g);
    const chain c(g, k.function("append"), {{a.get(), 1, gate.it}, {a.get(), 2, nullptr}});
    REQUIRE(c.launch(s.it) == 0);
    CHECK(g.d().query_stream(s.it) == not_ready);  // runs without a synchronisation
    REQUIRE(c.set(1, {a.get(), 7, nullptr}) == 0);
    REQUIRE(c.launch(s.it) == 0);
    gate.open();
    REQUIRE(g.d().finish_stream(s.it) == 0);
    CHECK(a.values()[0] == 1217);
    // A node of another graph, a destroyed graph, and a value that is no instance.
    chain other(g, k.function("append"), {{a.get(), 1, nullptr}});
    CHECK(g.d().set_kernel(c.instance, other.nodes[0], c.call({a.get(), 1, nullptr})) ==
          invalid_value);
    CHECK(g.d().set_kernel(&g, c.nodes[0], c.call({a.get(), 1, nullptr})) == invalid_value);
    CHECK(g.d().launch_instance(c.graph, s.it) == invalid_value);
    CHECK(g.d().add_kernel(&other.nodes[0], other.graph, c.nodes[0],
                           c.call({a.get(), 1, nullptr})) == invalid_value);
    REQUIRE(g.d().destroy_graph(other.graph) == 0);
    other.graph = nullptr;
    CHECK(other.set(0, {a.get(), 1, nullptr}) == invalid_value);
    REQUIRE(other.launch(nullptr) == 0);
    CHECK(a.values()[0] == 12171);
}

GPU_TEST_CASE("gpu emulator: an instance takes turns and lasts on CUDA, and not on HIP") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const kernels k(g, graph_kernels),
        another(g, graph_kernels);  // a module runs one launch at a time
    const device_array<int> a(g, std::vector<int>{0}), b(g, std::vector<int>{0});
    const stream first(g), second(g);
    const closed_gate gate(g);
    chain c(g, k.function("append"), {{a.get(), 1, gate.it}});
    REQUIRE(c.launch(first.it) == 0);
    const arguments to_b{b.get(), 2, nullptr};
    REQUIRE(g.d().set_kernel(c.instance, c.nodes[0],
                             {another.function("append"), 1, 1, 0, &to_b}) == 0);
    REQUIRE(c.launch(second.it) == 0);
    if (g.is_cuda())
        CHECK(g.d().query_stream(second.it) == not_ready);
    else
        CHECK(g.d().finish_stream(second.it) == 0);
    chain waiting(g, k.function("append"), {{a.get(), 3, nullptr}});
    REQUIRE(waiting.launch(first.it) == 0);
    REQUIRE(g.d().destroy_instance(waiting.instance) == 0);
    waiting.instance = nullptr;
    CHECK(contains(g.finding() + "; ", g.is_cuda() ? "; " : "destroyed that has not run yet"));
    gate.open();
    REQUIRE(g.d().finish_stream(first.it) == 0);
    REQUIRE(g.d().finish_stream(second.it) == 0);
    CHECK(a.values()[0] == 13);
    CHECK(b.values()[0] == 2);
}

GPU_TEST_CASE("gpu emulator: launches and instances of graphs fail when they are told to") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const kernels k(g, graph_kernels);
    const device_array<int> a(g, std::vector<int>{0});
    const chain c(g, k.function("append"), {{a.get(), 1, nullptr}});
    const unsigned long long launched = g.counts("graph"), updated = g.counts("update");
    REQUIRE(g.fail("graph", 1) == 0);
    CHECK(c.launch(nullptr) == 701);
    CHECK(c.launch(nullptr) == 0);
    REQUIRE(g.fail("update", 1) == 0);
    CHECK(c.set(0, {a.get(), 1, nullptr}) == invalid_value);
    CHECK(c.set(0, {a.get(), 2, nullptr}) == 0);
    CHECK(g.counts("graph") == launched + 2);
    CHECK(g.counts("update") == updated + 2);
    REQUIRE(g.fail("instantiate", 1) == 0);
    void* more = nullptr;
    CHECK(g.d().instantiate(&more, c.graph, 0) == 2);
    REQUIRE(g.fail("asynchronous", 1) == 0);
    CHECK(c.launch(nullptr) == 0);
    CHECK(g.d().finish_device() == 719);
}
