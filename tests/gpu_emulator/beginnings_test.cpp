// A common beginning of several texts is parsed once. This must not be observable except by time.
#include "tests/gpu_emulator/emulated.hpp"

#include <algorithm>

using namespace sinter;
using namespace sinter::testing;

namespace {

/// Declarations of some length, with constructs that a careless cut would break.
std::string alike() {
    std::string text =
        "#define TWICE(x) ((x) * 2)\nenum { three = 3 };\n"
        "static __device__ const int table[] = {\n    10,\n    20,\n};\n"
        "template <class T>\n"
        "struct pair_of {\n    T a, b;\n};\n"
        "#ifdef NOBODY_DEFINES_THIS\n"
        "static __device__ inline int pick(int) { return 0; }\n"
        "#else\n"
        "static __device__ inline int pick(int i) {\n    return table[i & 1];\n}\n"
        "#endif\n";
    for (int i = 0; i < 40; i++)
        text += "static __device__ inline int more_" + std::to_string(i) + "(int x) { return x + " +
                std::to_string(i) + "; }\n";
    return text;
}

std::string kernel(const std::string& name, const std::string& body) {
    return "extern \"C\" __global__ void " + name + "(int* p, pair_of<int> q) {\n" + body + "}\n";
}

int lines_of(const std::string& text) {
    return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

GPU_TEST_CASE("texts that begin alike are compiled as others are") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    struct {
        int a, b;
    } both{5, 7};
    const std::string begin = alike(), end = "p[threadIdx.x] = pick((int)threadIdx.x) + q.a";
    for (int turn = 0; turn < 4; turn++) {
        CAPTURE(turn);
        // Different names before and after the common part, including the first kernel of the next
        // text.
        const std::string text =
            begin + kernel("first", end + ";\n") +
            kernel("turn_" + std::to_string(turn),
                   end + " + more_39(TWICE(q.b)) + three + " + std::to_string(turn) + ";\n");
        const kernels k(g, text, "-w");
        device_array<int> out(g, 2);
        REQUIRE(k.run("first", 1, 2, out.get(), both) == 0);
        CHECK(out.values() == std::vector<int>{15, 25});
        REQUIRE(k.run(("turn_" + std::to_string(turn)).c_str(), 1, 2, out.get(), both) == 0);
        CHECK(out.values() == std::vector<int>{71 + turn, 81 + turn});
    }
}

GPU_TEST_CASE("lines are the text's where its beginning is known") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const std::string begin = alike();
    for (int turn = 0; turn < 3; turn++) {
        CAPTURE(turn);
        const std::string empty(static_cast<std::size_t>(turn), '\n');
        const codegen::device_code bad =
            g.compile(begin + empty + kernel("wrong", "p[0] = nowhere;\n"), "-w");
        CHECK(bad.bytes.empty());
        CHECK(contains(bad.error, ":" + std::to_string(lines_of(begin) + turn + 2) + ":"));
        CHECK(contains(bad.error, "nowhere"));

        const kernels k(g, begin + empty + kernel("outside", "p[1] = 1;\n"), "-w");
        device_array<int> out(g, 1);
        struct {
            int a, b;
        } both{0, 0};
        CHECK(k.run("outside", 1, 1, out.get(), both) != 0);
        CHECK(contains(g.finding(), "line " + std::to_string(lines_of(begin) + turn + 2)));
        g.forgive();
    }
}
