// Tasks of several streams in an order that a seed chooses, each in a separate process.
#include "tests/gpu_emulator/by_itself.hpp"
#include "tests/gpu_emulator/emulated.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <thread>

using namespace sinter::testing;

namespace {

constexpr unsigned non_blocking = 1;

// A list of who ran, whose first element is its length.
constexpr const char* list_kernels = R"(
extern "C" __global__ void note(int* list, int who) { list[1 + atomicAdd(list, 1)] = who; }
extern "C" __global__ void note_block(int* list) {
    list[1 + atomicAdd(list, 1)] = blockIdx.x + gridDim.x * blockIdx.y;
}
extern "C" __global__ void note_thread(int* list) {
    list[1 + atomicAdd(list, 1)] = threadIdx.x + blockDim.x * threadIdx.y;
}
extern "C" __global__ void note_thread_together(int* list) {
    list[1 + atomicAdd(list, 1)] = threadIdx.x;
    __syncthreads();
}
extern "C" __global__ void note_block_together(int* list) {
    __syncthreads();
    if (threadIdx.x == 0) list[1 + atomicAdd(list, 1)] = blockIdx.x;
}
)";

void* make_stream(const emulated_gpu& g, int priority = 0) {
    void* s = nullptr;
    REQUIRE(g.d().create_stream(&s, non_blocking, priority) == 0);
    return s;
}

/// Returns what follows `name=` in the text.
std::string printed_as(const std::string& name, const std::string& text) {
    const std::size_t at = text.find(name + "=");
    if (at == std::string::npos) return "";
    const std::size_t from = at + name.size() + 1;
    return text.substr(from, text.find('\n', from) - from);
}

std::string seed_of(int seed) { return "SINTER_EMULATOR_SEED=" + std::to_string(seed); }

}  // namespace

TEST_CASE_TEMPLATE("gpu emulator, by itself: an order of streams" * doctest::skip(), V,
                   emulated_cuda, emulated_hip) {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const kernels k(g, list_kernels);
    constexpr int streams = 4, launches = 8;
    const device_array<int> list(g, std::vector<int>(1 + streams * launches));
    std::vector<void*> s;
    for (int n = 0; n < streams; n++) s.push_back(make_stream(g));
    for (int n = 0; n < streams * launches; n++)
        CHECK(k.start(s[static_cast<std::size_t>(n % streams)], "note", 1, 1, list.get(), n) == 0);
    CHECK(g.d().finish_device() == 0);
    const std::vector<int> ran = list.values();
    std::string order;
    std::vector<int> last(streams, -1);
    for (std::size_t i = 1; i < ran.size(); i++) {
        const auto of = static_cast<std::size_t>(ran[i] % streams);
        CHECK(ran[i] > last[of]);  // each stream in its own order
        last[of] = ran[i];
        order += static_cast<char>('a' + of);
    }
    CHECK(ran[0] == streams * launches);
    std::printf("%s=%s\n", g.is_cuda() ? "cuda" : "hip", order.c_str());
}

TEST_CASE("gpu emulator: a seed chooses an order of streams, and replays it") {
    for (const char* vendor : {"cuda", "hip"}) {
        std::set<std::string> orders;
        for (int seed = 1; seed <= 6; seed++) {
            std::string before;
            for (int again = 0; again < 2; again++) {
                const outcome o = run_with(seed_of(seed), "*by itself: an order of streams*");
                CHECK(o.status == 0);
                const std::string order = printed_as(vendor, o.printed);
                CHECK(order.size() == 32);
                if (again) CHECK(order == before);
                before = order;
            }
            orders.insert(before);
        }
        CHECK(orders.size() == 6);
    }
}

TEST_CASE("gpu emulator, by itself: an event that is waited for" * doctest::skip()) {
    emulated_gpu& g = emulated_hip::gpu();
    const device_scope scope(g);
    const kernels k(g, list_kernels);
    const device_array<int> list(g, std::vector<int>(41));
    void* const s[] = {make_stream(g), make_stream(g)};
    void* e = nullptr;
    REQUIRE(g.d().create_event(&e, 0) == 0);
    for (int n = 0; n < 40; n++) {
        CHECK(k.start(s[n % 2], "note", 1, 1, list.get(), n) == 0);
        CHECK(g.d().record_event(e, s[n % 2]) == 0);
        CHECK(g.d().make_stream_wait(s[(n + 1) % 2], e, 0) == 0);
    }
    CHECK(g.d().finish_stream(s[1]) == 0);
    const std::vector<int> ran = list.values();
    for (int n = 0; n < 40; n++) CHECK(ran[static_cast<std::size_t>(n) + 1] == n);
    // The default stream, and one that waits for it.
    void* waits = nullptr;
    REQUIRE(g.d().create_stream(&waits, 0, 0) == 0);
    CHECK(g.d().fill(list.get(), 0, 4, nullptr) == 0);
    for (int n = 0; n < 40; n++)
        CHECK(k.start(n % 2 ? waits : nullptr, "note", 1, 1, list.get(), n) == 0);
    const std::vector<int> then = list.values();
    for (int n = 0; n < 40; n++) CHECK(then[static_cast<std::size_t>(n) + 1] == n);
}

TEST_CASE("gpu emulator: an order keeps to what is waited for, and shows what is not") {
    int seen = 0;
    for (int seed = 1; seed <= 3; seed++) {
        CHECK(run_with(seed_of(seed), "*by itself: an event that is waited for").status == 0);
        const outcome o = run_with(seed_of(seed), "*by itself: a missing wait");
        CHECK(o.status != 0);
        seen += contains(o.printed, "came too early");
    }
    CHECK(seen == 3);
}

TEST_CASE_TEMPLATE("gpu emulator, by itself: priorities" * doctest::skip(), V, emulated_cuda,
                   emulated_hip) {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const kernels k(g, list_kernels);
    int least = 7, greatest = 7;
    CHECK(g.d().stream_priorities(&least, &greatest) == 0);
    CHECK(least == (g.is_cuda() ? 0 : 1));
    CHECK(greatest == (g.is_cuda() ? -5 : -1));
    constexpr int rounds = 60;
    /// How often the second stream is the first to run.
    const auto overtaken = [&](int first, int second) {
        int times = 0;
        void *a = make_stream(g, first), *b = make_stream(g, second);
        for (int n = 0; n < rounds; n++) {
            const device_array<int> list(g, std::vector<int>(3));
            CHECK(k.start(a, "note", 1, 1, list.get(), 1) == 0);
            CHECK(k.start(b, "note", 1, 1, list.get(), 2) == 0);
            CHECK(g.d().finish_stream(a) == 0);
            CHECK(g.d().finish_stream(b) == 0);
            times += list.values()[1] == 2;
        }
        return times;
    };
    const int most = rounds * 3 / 4 - 3, few = rounds / 4;
    CHECK(overtaken(0, greatest) > most);
    const int against = overtaken(greatest, 0);
    CHECK(against < few);
    CHECK(against > 0);  // a priority is no promise
    const int alike = overtaken(0, 0);
    CHECK(alike > few);
    CHECK(alike <= most);
    // What is out of range is the next that there is.
    CHECK(overtaken(greatest, greatest - 100) <= most);
    CHECK(overtaken(least + 100, greatest) > most);
    if (least > 0) CHECK(overtaken(least, 0) > most);
}

TEST_CASE("gpu emulator: streams of higher priority go first") {
    for (int seed = 1; seed <= 3; seed++) {
        const outcome o = run_with(seed_of(seed), "*by itself: priorities*");
        CHECK_MESSAGE(o.status == 0, o.printed);
    }
}

TEST_CASE("gpu emulator, by itself: blocks and questions" * doctest::skip()) {
    emulated_gpu& g = emulated_cuda::gpu();
    const device_scope scope(g);
    const kernels k(g, list_kernels);
    constexpr unsigned count = 24;
    const std::vector<int> none(1 + count);
    const device_array<int> list(g, none), blocks(g, none), threads(g, none), together(g, none);
    CHECK(k.run("note_block_together", count, 2, blocks.get()) == 0);
    CHECK(k.run("note_thread_together", 1, count, together.get()) == 0);
    void* s = make_stream(g);
    int* target = list.get();
    void* parameters[] = {static_cast<void*>(&target)};
    CHECK(g.d().launch(k.function("note_block"), 4, count / 4, 1, 1, 1, 1, 0, s, parameters,
                       nullptr) == 0);
    CHECK(k.start(s, "note_thread", 1, count, threads.get()) == 0);
    // The host asks for long, and does not ask in vain.
    int asked = 0;
    while (g.d().query_stream(s) == 600) ++asked;
    std::printf("asked=%d\n", asked);
    // A drawn seed may give any order, also that of the numbers.
    const char* const seed = std::getenv("SINTER_EMULATOR_SEED");
    const bool drawn = seed && std::string(seed) == "any";
    for (const device_array<int>* each : {&list, &blocks, &threads, &together}) {
        std::vector<int> ran = each->values();
        ran.erase(ran.begin());
        if (!drawn) CHECK(!std::is_sorted(ran.begin(), ran.end()));
        std::sort(ran.begin(), ran.end());
        for (unsigned n = 0; n < count; n++) CHECK(ran[n] == static_cast<int>(n));
    }
    // A copy of pageable memory, which waits for the host: so does one that only asks.
    int length = 0;
    CHECK(g.d().copy(&length, list.get(), 4, s) == 0);
    while (g.d().query_stream(s) == 600) std::this_thread::yield();
    CHECK(length == static_cast<int>(count));
    // What is not waited for has not run.
    void *other = make_stream(g), *e = nullptr;
    float time = 0;
    REQUIRE(g.d().create_event(&e, 0) == 0);
    CHECK(g.d().record_event(e, s) == 0);
    CHECK(g.d().finish_stream(other) == 0);
    CHECK(g.d().elapsed(&time, e, e) == 600);
    CHECK(g.d().finish_stream(s) == 0);
    CHECK(g.d().elapsed(&time, e, e) == 0);
    CHECK(k.run("note", 1, 1, list.get() + 1000, 1) == 700);
}

TEST_CASE("gpu emulator: a seed chooses orders of blocks and late answers, and is printed") {
    int most = 0;
    for (int seed = 1; seed <= 6; seed++) {
        const outcome o = run_with(seed_of(seed), "*by itself: blocks and questions");
        CHECK_MESSAGE(o.status == 0, o.printed);
        CHECK(contains(o.printed, "line 2 (" + seed_of(seed) + ")"));
        most = std::max(most, std::atoi(printed_as("asked", o.printed).c_str()));
    }
    CHECK(most > 8);
    const outcome drawn = run_with("SINTER_EMULATOR_SEED=any", "*by itself: blocks and questions");
    CHECK_MESSAGE(drawn.status == 0, drawn.printed);
    CHECK(contains(drawn.printed, " replays the order"));
    CHECK(contains(drawn.printed,
                   "line 2 (SINTER_EMULATOR_SEED=" +
                       printed_as("SINTER_EMULATOR_SEED", drawn.printed).substr(0, 2)));
}
