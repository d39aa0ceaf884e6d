// The library's generated text, compiled and launched as on a GPU, compared with the interpreter
// bit for bit.
#include "jit/codegen/c_like/gpu_compiler.hpp"
#include "tests/gpu_emulator/emulated.hpp"
#include "tests/jit/codegen/c_like/beside_interpreter.hpp"

using namespace sinter;
using namespace sinter::testing;
using kernel_ir::kernel_call;
using kernel_ir::kernel_call_data;
using kernel_ir::operand_arg;
using kernel_ir::role;

namespace {

/// A program on a device, in modules of `in_a_module` kernels each.
class device_program {
public:
    device_program(emulated_gpu& g, const std::vector<kernel>& all,
                   std::vector<codegen::loop_shape> shapes = {}, std::size_t in_a_module = 50)
        : g_(g), all_(all), shapes_(std::move(shapes)) {
        shapes_.resize(all.size());
        const codegen::dialect& to =
            (g.is_cuda() ? codegen::cuda_compiler : codegen::hip_compiler).language;
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
    /// bytes that the kernel may access are allocated.
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
        // Wide kernels loop over the grid.
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

}  // namespace

GPU_TEST_CASE("gpu emulator: generated text equals the interpreter") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const plain_subjects subjects(false, test::cases(30, 4));
    check_subjects(device_program(g, subjects.kernels), subjects, 2);
    CHECK(g.finding() == "");
}

GPU_TEST_CASE("gpu emulator: kernels of elements in every form equal the interpreter") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const form_subjects subjects(test::cases(60, 4), test::seed() + 1);
    check_forms(device_program(g, subjects.kernels, subjects.shapes), subjects);
    CHECK(g.finding() == "");
}
