// Compares programs of generated text with the interpreter, bit for bit: which kernels run over
// which sizes. The caller defines how a program runs: `program.run(n, data, n1, n0)` runs its n-th
// kernel and returns what went wrong.
#pragma once

#include "jit/interpret/interpret.hpp"
#include "jit/kernel_ir/reduce_order.hpp"
#include "tests/jit/codegen/c_like/subjects.hpp"
#include "jit/interpret/kernel_call_data.hpp"

namespace sinter::testing {

template <class Program>
void check_call(const Program& program, const kernel& k, std::size_t n,
                const kernel_ir::interpreter& oracle, int64_t n1, int64_t n0, uint64_t seed,
                bool finite = false) {
    INFO("seed " << seed << ", n1 " << n1 << ", n0 " << n0 << "\n" << print(k));
    kernel_ir::kernel_call_data expected(k, n1, n0, seed), got(k, n1, n0, seed);
    if (finite) {
        make_finite(expected, k, n1, n0, seed);
        make_finite(got, k, n1, n0, seed);
    }
    oracle.run(expected.call());
    CHECK(program.run(n, got, n1, n0) == "");
    CHECK(got.difference(expected) == "");
    CHECK(got.canaries_alive());
}

/// Kernels of one operation, of reductions, and random ones, in this order.
struct plain_subjects {
    std::vector<kernel> kernels;
    std::size_t first_reduction, first_random;

    /// `every`: each row and reduction in all its types, otherwise in one type.
    plain_subjects(bool every, int random) {
        const auto some = every ? all_of : one_of_each;
        kernels = some(kernels_of_rows());
        append(kernels, all_casts());
        kernels.push_back(triad_kernel(kFloat));
        first_reduction = kernels.size();
        append(kernels, some(kernels_of_reductions(lanes::element)));
        append(kernels, one_of_each(kernels_of_reductions(lanes::row)));
        for (ScalarType type : {kHalf, kFloat, kDouble}) kernels.push_back(softmax_kernel(type));
        for (ScalarType type : {kFloat, kDouble})
            kernels.push_back(kernel_ir::testing::kept_softmax(type));
        first_random = kernels.size();
        append(kernels, random_kernels(random));
    }
};

/// Runs over empty spaces, and over sizes at the edges of lanes and of chunks, up to `chunks` of
/// them.
template <class Program>
void check_subjects(const Program& program, const plain_subjects& s, int64_t chunks) {
    constexpr int64_t C = kernel_ir::reduce_chunk;
    std::mt19937_64 random(test::seed());
    const int64_t edges[] = {1, 2, 31, 32, 33, 64, 65, 130};
    const int64_t lengths[] = {C - 1, C, C + 1, 2 * C + 3, chunks * C + 65};
    const auto edge = [&] { return edges[random() % std::size(edges)]; };
    for (std::size_t n = 0; n < s.kernels.size(); n++) {
        const kernel& k = s.kernels[n];
        const kernel_ir::interpreter oracle(k);
        if (n < s.first_reduction) {
            check_call(program, k, n, oracle, 0, 3, random());
            check_call(program, k, n, oracle, 3, 0, random());
            check_call(program, k, n, oracle, 1, 300 + static_cast<int64_t>(random() % 32),
                       random());
        } else if (n < s.first_random) {
            const int64_t length = lengths[random() % std::size(lengths)];
            check_call(program, k, n, oracle, 2, 0, random());
            check_call(program, k, n, oracle, 1, length, random(), true);
            check_call(program, k, n, oracle, 2, edge(), random(), true);
        }
        check_call(program, k, n, oracle, edge() % 40, edge(), random());
    }
}

/// Pointwise kernels, each in its form.
struct form_subjects {
    std::vector<formed_kernel> forms;
    std::vector<kernel> kernels;
    std::vector<codegen::loop_shape> shapes;

    form_subjects(int count, uint64_t seed) : forms(random_forms(count, seed)) {
        for (const formed_kernel& f : forms) {
            kernels.push_back(f.k);
            shapes.push_back(f.shape);
        }
    }
};

template <class Program>
void check_forms(const Program& program, const form_subjects& s) {
    for (std::size_t n = 0; n < s.forms.size(); n++)
        check_call(program, s.kernels[n], n, kernel_ir::interpreter(s.kernels[n]), s.forms[n].n1,
                   s.forms[n].n0, s.forms[n].seed);
}

}  // namespace sinter::testing
