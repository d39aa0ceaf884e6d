// The library's own generated text, compiled and launched as it is on a GPU, beside the interpreter
// with equal bits.
#include "jit/codegen/cuda.hpp"
#include "jit/codegen/hip.hpp"
#include "jit/kernel_ir/interpret.hpp"
#include "jit/kernel_ir/reduce_order.hpp"
#include "tests/codegen_text/subjects.hpp"
#include "tests/gpu_emulator/emulated.hpp"
#include "tests/support/kernel_call_data.hpp"

using namespace sinter;
using namespace sinter::testing;
using kernel_ir::interpreter;
using kernel_ir::kernel_call;
using kernel_ir::operand_arg;
using kernel_ir::role;
using kernel_ir::testing::kernel_call_data;

namespace {

constexpr int64_t C = kernel_ir::reduce_chunk;

/// A program on a device, a module for `in_a_module` kernels each.
class device_program {
public:
    device_program(emulated_gpu& g, const std::vector<kernel>& all,
                   std::vector<codegen::loop_shape> shapes = {}, std::size_t in_a_module = 50)
        : g_(g), all_(all), shapes_(std::move(shapes)) {
        shapes_.resize(all.size());
        const codegen::dialect& to = g.is_cuda() ? codegen::cuda_dialect : codegen::hip_dialect;
        for (std::size_t n = 0; n < all.size(); n += in_a_module) {
            std::vector<codegen::c_like_subject> some;
            for (std::size_t i = n; i < std::min(n + in_a_module, all.size()); i++)
                some.push_back({&all[i], shapes_[i]});
            const auto program = codegen::print_program(to, some);
            modules_.push_back(std::make_unique<kernels>(g, program.text));
            for (const auto& f : program.functions)
                functions_.push_back({modules_.back()->function(f.name.c_str()), f.by_rows});
        }
    }

    /// Copies the operands to the device, runs the n-th kernel, and copies them back. Exactly the
    /// bytes that the kernel may touch are allocated.
    std::string run(std::size_t n, kernel_call_data& data, int64_t n1, int64_t n0) const {
        const kernel& k = all_[n];
        const driver& d = g_.d();
        kernel_call call = data.call();
        std::vector<operand_arg> operands(call.operands, call.operands + k.operands.size());
        std::vector<void*> memory(operands.size() + 1);
        int failed = 0;
        for (std::size_t o = 0; o < operands.size(); o++) {
            if (k.operands[o].use == role::index) continue;
            const auto& bytes = data.bytes(o);
            const auto size = static_cast<std::size_t>(bytes.hi - bytes.lo);
            failed |= d.allocate(&memory[o], size);
            failed |= d.copy(memory[o], bytes.lo, size, nullptr);
            operands[o].ptr = static_cast<char*>(memory[o]) + (operands[o].ptr - bytes.lo);
        }
        failed |= d.allocate(&memory.back(), sizeof(uint64_t));
        failed |= d.copy(memory.back(), call.status, sizeof(uint64_t), nullptr);
        uint64_t* const status = call.status;
        call.operands = operands.data();
        call.status = static_cast<uint64_t*>(memory.back());
        const auto [function, by_rows] = functions_[n];
        std::vector<uint64_t> words = argument_of(k, shapes_[n], by_rows, call);
        const int64_t extents[] = {n1, n0};
        const std::span<const int64_t> space(extents + (shapes_[n].row_dims == 0),
                                             std::end(extents));
        const int64_t needed = by_rows ? n1 : codegen::element_blocks(shapes_[n], space);
        // Wide kernels go round.
        const bool any = by_rows || shapes_[n].wide;
        const auto blocks = static_cast<unsigned>(std::clamp<int64_t>(needed, 1, any ? 5 : needed));
        const unsigned threads =
            by_rows ? shapes_[n].rows.threads() : unsigned{codegen::element_threads};
        void* parameters[] = {words.data()};
        failed |= d.launch(function, blocks, 1, 1, threads, 1, 1, 0, nullptr, parameters, nullptr);
        failed |= d.finish_device();
        for (std::size_t o = 0; o < operands.size(); o++) {
            if (k.operands[o].use == role::index) continue;
            const auto& bytes = data.bytes(o);
            failed |=
                d.copy(bytes.lo, memory[o], static_cast<std::size_t>(bytes.hi - bytes.lo), nullptr);
            failed |= d.deallocate(memory[o]);
        }
        failed |= d.copy(status, memory.back(), sizeof(uint64_t), nullptr);
        failed |= d.deallocate(memory.back());
        if (!failed) return "";
        std::string text = "code " + std::to_string(failed) + ": " + g_.finding();
        g_.forgive();
        return text;
    }

private:
    struct entry {
        void* function;
        bool by_rows;
    };
    emulated_gpu& g_;
    const std::vector<kernel>& all_;
    std::vector<codegen::loop_shape> shapes_;
    std::vector<std::unique_ptr<kernels>> modules_;
    std::vector<entry> functions_;
};

void check(const device_program& program, const kernel& k, std::size_t n, const interpreter& oracle,
           int64_t n1, int64_t n0, uint64_t seed, bool finite = false) {
    INFO("seed " << seed << ", n1 " << n1 << ", n0 " << n0 << "\n" << print(k));
    kernel_call_data expected(k, n1, n0, seed), got(k, n1, n0, seed);
    if (finite) {
        make_finite(expected, k, n1, n0, seed);
        make_finite(got, k, n1, n0, seed);
    }
    oracle.run(expected.call());
    CHECK(program.run(n, got, n1, n0) == "");
    CHECK(got.difference(expected) == "");
    CHECK(got.canaries_alive());
}

}  // namespace

GPU_TEST_CASE("gpu emulator: generated text equals the interpreter") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    std::vector<kernel> subjects = one_of_each(kernels_of_rows());
    append(subjects, all_casts());
    subjects.push_back(triad_kernel(kFloat));
    const std::size_t first_reduction = subjects.size();
    append(subjects, one_of_each(kernels_of_reductions(lanes::element)));
    append(subjects, one_of_each(kernels_of_reductions(lanes::row)));
    for (ScalarType type : {kHalf, kFloat, kDouble}) subjects.push_back(softmax_kernel(type));
    for (ScalarType type : {kFloat, kDouble})
        subjects.push_back(kernel_ir::testing::kept_softmax(type));
    const std::size_t first_random = subjects.size();
    append(subjects, random_kernels(test::long_run() ? 300 : 30));

    const device_program program(g, subjects);
    std::mt19937_64 random(test::seed());
    const int64_t edges[] = {1, 2, 31, 32, 33, 64, 65, 130};
    const auto edge = [&] { return edges[random() % std::size(edges)]; };
    for (std::size_t n = 0; n < subjects.size(); n++) {
        const interpreter oracle(subjects[n]);
        if (n < first_reduction) {
            check(program, subjects[n], n, oracle, 0, 3, random());
            check(program, subjects[n], n, oracle, 1, 300 + static_cast<int64_t>(random() % 32),
                  random());
        } else if (n < first_random) {
            const int64_t lengths[] = {C - 1, C, C + 1, 2 * C + 3};
            check(program, subjects[n], n, oracle, 2, 0, random());
            check(program, subjects[n], n, oracle, 1, lengths[random() % std::size(lengths)],
                  random(), true);
            check(program, subjects[n], n, oracle, 2, edge(), random(), true);
        }
        check(program, subjects[n], n, oracle, edge() % 40, edge(), random());
    }
    CHECK(g.finding() == "");
}

GPU_TEST_CASE("gpu emulator: kernels of elements in every form equal the interpreter") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const auto forms = random_forms(test::long_run() ? 600 : test::cases(60), test::seed() + 1);
    std::vector<kernel> subjects;
    std::vector<codegen::loop_shape> shapes;
    for (const formed_kernel& f : forms) {
        subjects.push_back(f.k);
        shapes.push_back(f.shape);
    }
    const device_program program(g, subjects, shapes);
    for (std::size_t n = 0; n < forms.size(); n++)
        check(program, subjects[n], n, interpreter(subjects[n]), forms[n].n1, forms[n].n0,
              forms[n].seed);
    CHECK(g.finding() == "");
}
