// Streams make progress by themselves, in exactly the requested order.
#include "tests/gpu_emulator/emulated.hpp"

#include <atomic>
#include <chrono>
#include <thread>

using namespace sinter::testing;

namespace {

constexpr unsigned non_blocking = 1;

// A kernel that runs until the host releases it, through pinned memory.
constexpr const char* stream_kernels = R"(
extern "C" __global__ void wait_for(volatile int* gate) {
    while (__atomic_load_n(gate, __ATOMIC_RELAXED) == 0) {}
}
extern "C" __global__ void put(int* p, int value) { *p = value; }
extern "C" __global__ void add(int* p, int value) { *p += value; }
)";

/// Closed until `open`.
class gate {
public:
    explicit gate(emulated_gpu& g) : g_(g) {
        REQUIRE(g.d().allocate_host(&memory_, sizeof(int), 0) == 0);
        close();
    }
    ~gate() {
        open();
        g_.d().deallocate_host(memory_);
    }
    gate(const gate&) = delete;
    gate& operator=(const gate&) = delete;
    void open() { std::atomic_ref<int>(*get()).store(1); }
    void close() { std::atomic_ref<int>(*get()).store(0); }
    int* get() const { return static_cast<int*>(memory_); }

private:
    emulated_gpu& g_;
    void* memory_ = nullptr;
};

class stream {
public:
    stream(emulated_gpu& g, unsigned flags) : g_(g) {
        REQUIRE(g.d().create_stream(&it, flags, 0) == 0);
    }
    ~stream() { g_.d().destroy_stream(it); }
    stream(const stream&) = delete;
    stream& operator=(const stream&) = delete;
    void* it = nullptr;

private:
    emulated_gpu& g_;
};

class event {
public:
    explicit event(emulated_gpu& g, unsigned flags = 0) : g_(g) {
        REQUIRE(g.d().create_event(&it, flags) == 0);
    }
    ~event() { g_.d().destroy_event(it); }
    event(const event&) = delete;
    event& operator=(const event&) = delete;
    void* it = nullptr;

private:
    emulated_gpu& g_;
};

}  // namespace

GPU_TEST_CASE("gpu emulator: launches return before they run") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const kernels k(g, stream_kernels);
    const device_array<int> a(g, std::vector<int>{0});
    gate closed(g);
    const stream s(g, non_blocking);
    CHECK(g.d().query_stream(s.it) == 0);
    CHECK(k.start(s.it, "wait_for", 1, 1, closed.get()) == 0);
    const kernels other(g, stream_kernels);  // a module runs one launch at a time
    CHECK(other.start(s.it, "put", 1, 1, a.get(), 5) == 0);
    CHECK(g.d().query_stream(s.it) == 600);
    CHECK(a.values()[0] == 0);  // by the default stream, for which this one does not wait
    closed.open();
    CHECK(g.d().finish_stream(s.it) == 0);
    CHECK(g.d().query_stream(s.it) == 0);
    CHECK(a.values()[0] == 5);
}

GPU_TEST_CASE("gpu emulator: events order streams") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const kernels waiting(g, stream_kernels), k(g, stream_kernels);
    const device_array<int> a(g, std::vector<int>{1});
    gate closed(g);
    const stream first(g, non_blocking), second(g, non_blocking);
    const event begin(g), e(g), never(g), untimed(g, 2);
    CHECK(g.d().query_event(never.it) == 0);
    CHECK(g.d().record_event(begin.it, first.it) == 0);
    CHECK(g.d().finish_event(begin.it) == 0);
    CHECK(waiting.start(first.it, "wait_for", 1, 1, closed.get()) == 0);
    CHECK(k.start(first.it, "put", 1, 1, a.get(), 10) == 0);
    CHECK(g.d().record_event(e.it, first.it) == 0);
    CHECK(g.d().make_stream_wait(second.it, e.it, 0) == 0);
    CHECK(k.start(second.it, "add", 1, 1, a.get(), 5) == 0);
    CHECK(g.d().query_event(e.it) == 600);
    CHECK(g.d().query_stream(second.it) == 600);
    float ms = 0;
    CHECK(g.d().elapsed(&ms, begin.it, e.it) == 600);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    closed.open();
    CHECK(g.d().finish_event(e.it) == 0);
    CHECK(g.d().finish_stream(second.it) == 0);
    CHECK(a.values()[0] == 15);
    CHECK(g.d().elapsed(&ms, begin.it, e.it) == 0);
    CHECK(ms >= 4);
    CHECK(g.d().elapsed(&ms, begin.it, never.it) == 400);
    CHECK(g.d().record_event(untimed.it, first.it) == 0);
    CHECK(g.d().finish_event(untimed.it) == 0);
    CHECK(g.d().elapsed(&ms, begin.it, untimed.it) == 400);
}

GPU_TEST_CASE("gpu emulator: the default stream and those that wait for it take turns") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const kernels waiting(g, stream_kernels), k(g, stream_kernels);
    const device_array<int> a(g, std::vector<int>{1});
    gate closed(g);
    const stream s(g, 0);
    CHECK(waiting.start(s.it, "wait_for", 1, 1, closed.get()) == 0);
    CHECK(k.start(nullptr, "put", 1, 1, a.get(), 3) == 0);
    CHECK(k.start(s.it, "add", 1, 1, a.get(), 4) == 0);
    CHECK(g.d().query_stream(nullptr) == 600);
    closed.open();
    CHECK(g.d().finish_stream(s.it) == 0);
    CHECK(a.values()[0] == 7);
}

GPU_TEST_CASE("gpu emulator: copies are asynchronous, of pageable memory too") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const kernels waiting(g, stream_kernels);
    const device_array<int> a(g, std::vector<int>{1});
    gate closed(g);
    const gate pinned(g);
    const stream s(g, non_blocking);
    CHECK(waiting.start(s.it, "wait_for", 1, 1, closed.get()) == 0);
    int pageable = 7;
    CHECK(g.d().copy(a.get(), &pageable, sizeof(int), s.it) == 0);
    pageable = 8;  // too early: it has not been read
    CHECK(g.d().copy(pinned.get(), a.get(), sizeof(int), s.it) == 0);
    CHECK(*pinned.get() == 0);
    CHECK(g.d().query_stream(s.it) == 600);
    int result = 0;
    CHECK(g.d().copy(&result, a.get(), sizeof(int), s.it) == 0);
    CHECK(result == 0);
    closed.open();
    CHECK(g.d().finish_stream(s.it) == 0);
    CHECK(result == 8);
    CHECK(*pinned.get() == 8);
}

GPU_TEST_CASE("gpu emulator: a device is late to say that it is ready, until the host waits") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const kernels k(g, stream_kernels);
    const device_array<int> a(g, 1);
    const stream s(g, non_blocking);
    const event e(g);
    const auto asked = [&](const auto& query) {
        int times = 1;
        for (; query() == 600; ++times) std::this_thread::yield();
        return times;
    };
    CHECK(k.start(s.it, "put", 1, 1, a.get(), 3) == 0);
    CHECK(g.d().record_event(e.it, s.it) == 0);
    CHECK(asked([&] { return g.d().query_stream(s.it); }) > 3);
    CHECK(asked([&] { return g.d().query_event(e.it); }) > 3);
    CHECK(g.d().record_event(e.it, s.it) == 0);
    CHECK(g.d().finish_stream(s.it) == 0);
    CHECK(asked([&] { return g.d().query_stream(s.it); }) == 1);
    CHECK(asked([&] { return g.d().query_event(e.it); }) == 1);
    // Nor does a host that only asks wait for ever.
    int result = 0;
    CHECK(g.d().copy(&result, a.get(), sizeof(int), s.it) == 0);
    asked([&] { return g.d().query_stream(s.it); });
    CHECK(result == 3);
}

GPU_TEST_CASE("gpu emulator: a stream that is destroyed finishes, and its handle is none") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const kernels waiting(g, stream_kernels), k(g, stream_kernels);
    const device_array<int> a(g, std::vector<int>{1});
    gate closed(g);
    const event e(g);
    void* s = nullptr;
    REQUIRE(g.d().create_stream(&s, non_blocking, 0) == 0);
    CHECK(waiting.start(s, "wait_for", 1, 1, closed.get()) == 0);
    CHECK(k.start(s, "put", 1, 1, a.get(), 3) == 0);
    CHECK(g.d().record_event(e.it, s) == 0);
    CHECK(g.d().destroy_stream(s) == 0);
    CHECK(g.d().query_stream(s) == 400);
    CHECK(k.start(s, "put", 1, 1, a.get(), 3) == 400);
    closed.open();
    CHECK(g.d().finish_event(e.it) == 0);
    CHECK(a.values()[0] == 3);
}

GPU_TEST_CASE("gpu emulator: freeing memory waits for what may use it") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const kernels waiting(g, stream_kernels), k(g, stream_kernels);
    gate closed(g);
    const stream s(g, non_blocking);
    void* p = nullptr;
    REQUIRE(g.d().allocate(&p, 4) == 0);
    CHECK(waiting.start(s.it, "wait_for", 1, 1, closed.get()) == 0);
    CHECK(k.start(s.it, "put", 1, 1, p, 3) == 0);
    std::thread opens([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        closed.open();
    });
    CHECK(g.d().deallocate(p) == 0);
    opens.join();
    CHECK(g.d().finish_stream(s.it) == 0);
    CHECK(g.finding() == "");
}

GPU_TEST_CASE("gpu emulator: devices have streams and modules of their own") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g, 0);
    const kernels k(g, stream_kernels);
    const device_array<int> a(g, 1);
    const event e(g);
    CHECK(g.d().count == devices);
    const device_scope other(g, 1);
    const stream s(g, 0);
    CHECK(k.start(s.it, "put", 1, 1, a.get(), 3) == 400);
    CHECK(k.start(nullptr, "put", 1, 1, a.get(), 3) == 400);
    CHECK(g.d().record_event(e.it, s.it) == 400);
}

GPU_TEST_CASE("gpu emulator: many threads of the host use it at once") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const kernels k(g, stream_kernels);
    void *put = k.function("put"), *add = k.function("add");
    std::atomic<int> wrong{0};
    const auto work = [&](int self) {
        void* before = nullptr;
        wrong += g.d().enter(0, &before) != 0;
        void *s = nullptr, *e = nullptr;
        wrong += g.d().create_stream(&s, self % 2, 0) != 0;
        wrong += g.d().create_event(&e, 0) != 0;
        for (int n = 0; n < 50; n++) {
            void* memory = nullptr;
            wrong += g.d().allocate(&memory, 4) != 0;
            int value = 100 * self + n, one = 1, result = 0;
            void* parameters[] = {static_cast<void*>(&memory), &value};
            wrong += g.d().launch(put, 1, 1, 1, 1, 1, 1, 0, s, parameters, nullptr) != 0;
            parameters[1] = &one;
            wrong += g.d().launch(add, 1, 1, 1, 1, 1, 1, 0, s, parameters, nullptr) != 0;
            wrong += g.d().record_event(e, s) != 0;
            wrong += g.d().make_stream_wait(nullptr, e, 0) != 0;
            wrong += g.d().copy(&result, memory, 4, n % 2 ? s : nullptr) != 0;
            wrong += g.d().finish_stream(n % 2 ? s : nullptr) != 0;
            wrong += result != value + 1;
            wrong += g.d().deallocate(memory) != 0;
        }
        wrong += g.d().destroy_event(e) != 0;
        wrong += g.d().destroy_stream(s) != 0;
        wrong += g.d().leave(before) != 0;
    };
    std::vector<std::thread> threads;
    for (int self = 0; self < 4; self++) threads.emplace_back(work, self);
    for (std::thread& t : threads) t.join();
    CHECK(wrong == 0);
    CHECK(g.finding() == "");
}
