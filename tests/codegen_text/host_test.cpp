// The text as plain C++: compiled by the system's compiler in one go, loaded, and run beside the
// interpreter with equal bits. Blocks and threads are one here; lanes are loops.
#include "jit/kernel_ir/interpret.hpp"
#include "jit/kernel_ir/reduce_order.hpp"
#include "tests/codegen_text/subjects.hpp"
#include "tests/support/kernel_call_data.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <bit>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace sinter;
using namespace sinter::testing;
using kernel_ir::interpreter;
using kernel_ir::kernel_call;
using kernel_ir::testing::kernel_call_data;

namespace {

constexpr int64_t C = kernel_ir::reduce_chunk;

class folder {
public:
    folder() {
        std::string path = (std::filesystem::temp_directory_path() / "sinter-text-XXXXXX").string();
        if (mkdtemp(path.data())) path_ = path;
    }
    ~folder() {
        std::error_code ignored;
        if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
    }
    folder(const folder&) = delete;
    folder& operator=(const folder&) = delete;

    std::string file(const char* name) const { return path_ + "/" + name; }

private:
    std::string path_;
};

std::string contents(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

/// A program made into functions of this process, which stay.
class host_program {
public:
    explicit host_program(const std::vector<kernel>& kernels)
        : host_program(kernels, std::vector<codegen::loop_shape>(kernels.size())) {}

    host_program(const std::vector<kernel>& kernels, std::vector<codegen::loop_shape> shapes)
        : kernels_(kernels), shapes_(std::move(shapes)) {
        std::vector<codegen::c_like_subject> subjects;
        for (std::size_t n = 0; n < kernels.size(); n++)
            subjects.push_back({&kernels[n], shapes_[n]});
        program_ = codegen::print_program(codegen::host_dialect, subjects);
        const folder f;
        std::ofstream(f.file("text.cpp")) << program_.text;
        const std::string command =
            // For this very processor and with the pass that contracts: so that it could.
            "g++ -x c++ -std=c++17 -O1 -march=native -fexpensive-optimizations -shared -fPIC -w "
            "-ffp-contract=off "
            "-fno-math-errno -fno-strict-aliasing '" +
            f.file("text.cpp") + "' -o '" + f.file("text.so") + "' 2> '" + f.file("log") + "'";
        const int failed = std::system(command.c_str());
        INFO(contents(f.file("log")));
        REQUIRE(failed == 0);
        library_ = dlopen(f.file("text.so").c_str(), RTLD_NOW | RTLD_LOCAL);
        REQUIRE(library_ != nullptr);
    }

    void run(std::size_t n, const kernel_call& call) const {
        void* function = dlsym(library_, program_.functions[n].name.c_str());
        REQUIRE(function != nullptr);
        call_by_value(function,
                      argument_of(kernels_[n], shapes_[n], program_.functions[n].by_rows, call));
    }

private:
    /// Structs by value that are larger than this lie on the stack whole, so a larger one does for
    /// each smaller one: what is beyond is not read.
    struct arguments {
        uint64_t words[160];
    };
    static void call_by_value(void* function, const std::vector<uint64_t>& words) {
        arguments a{};
        REQUIRE(words.size() <= std::size(a.words));
        std::copy(words.begin(), words.end(), a.words);
        reinterpret_cast<void (*)(arguments)>(function)(a);
    }

    const std::vector<kernel>& kernels_;
    std::vector<codegen::loop_shape> shapes_;
    codegen::c_like_program program_;
    void* library_ = nullptr;
};

bool has_compiler() {
    if (std::system("g++ --version > /dev/null 2>&1") == 0) return true;
    MESSAGE("[SKIP] the text was not run: no g++");
    return false;
}

void check(const host_program& program, const kernel& k, std::size_t n, const interpreter& oracle,
           int64_t n1, int64_t n0, uint64_t seed, bool finite = false) {
    INFO("seed " << seed << ", n1 " << n1 << ", n0 " << n0 << "\n" << print(k));
    kernel_call_data expected(k, n1, n0, seed), got(k, n1, n0, seed);
    if (finite) {
        make_finite(expected, k, n1, n0, seed);
        make_finite(got, k, n1, n0, seed);
    }
    oracle.run(expected.call());
    program.run(n, got.call());
    CHECK(got.difference(expected) == "");
    CHECK(got.canaries_alive());
}

}  // namespace

TEST_CASE("c_like on the host: rows, casts, reductions and random kernels equal the interpreter") {
    if (!has_compiler()) return;
    // Sanitizers see the printer, which one type of each shows; they do not see what it printed.
    const auto some = test::sanitized() ? one_of_each : all_of;
    std::vector<kernel> kernels = some(kernels_of_rows());
    append(kernels, all_casts());
    kernels.push_back(triad_kernel(kFloat));
    const std::size_t first_reduction = kernels.size();
    append(kernels, some(kernels_of_reductions(lanes::element)));
    append(kernels, one_of_each(kernels_of_reductions(lanes::row)));
    for (ScalarType type : {kHalf, kFloat, kDouble}) kernels.push_back(softmax_kernel(type));
    for (ScalarType type : {kFloat, kDouble})
        kernels.push_back(kernel_ir::testing::kept_softmax(type));
    const std::size_t first_random = kernels.size();
    append(kernels, random_kernels(test::long_run() ? 600 : test::cases(60)));

    const host_program program(kernels);
    std::mt19937_64 random(test::seed());
    const int64_t edges[] = {1, 2, 31, 32, 33, 64, 65, 130};
    const auto edge = [&] { return edges[random() % std::size(edges)]; };
    for (std::size_t n = 0; n < kernels.size(); n++) {
        const interpreter oracle(kernels[n]);
        if (n < first_reduction) {
            check(program, kernels[n], n, oracle, 0, 3, random());
            check(program, kernels[n], n, oracle, 3, 0, random());
            check(program, kernels[n], n, oracle, 1, 300 + static_cast<int64_t>(random() % 32),
                  random());
        } else if (n < first_random) {
            const int64_t lengths[] = {C - 1, C, C + 1, 2 * C + 3, 5 * C + 65};
            const int64_t length = lengths[random() % std::size(lengths)];
            check(program, kernels[n], n, oracle, 2, 0, random());
            check(program, kernels[n], n, oracle, 1, length, random(), true);
            check(program, kernels[n], n, oracle, 2, edge(), random(), true);
        }
        check(program, kernels[n], n, oracle, edge() % 40, edge(), random());
    }
}

TEST_CASE("c_like on the host: kernels of elements in every form equal the interpreter") {
    if (!has_compiler()) return;
    const auto forms = random_forms(test::long_run() ? 600 : test::cases(80), test::seed());
    std::vector<kernel> kernels;
    std::vector<codegen::loop_shape> shapes;
    for (const formed_kernel& f : forms) {
        kernels.push_back(f.k);
        shapes.push_back(f.shape);
    }
    const host_program program(kernels, shapes);
    for (std::size_t n = 0; n < forms.size(); n++)
        check(program, kernels[n], n, interpreter(kernels[n]), forms[n].n1, forms[n].n0,
              forms[n].seed);
}
