// The keys of GPU kernels: what they say, and what they compare.
#include "jit/cache/device_key.hpp"

#include "jit/cache/identity.hpp"
#include "jit/cache/miss.hpp"
#include "tests/jit/cache/small_kernels.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <set>

using namespace sinter;
using namespace sinter::code_cache;
using namespace sinter::kernel_ir;
using namespace sinter::code_cache::testing;
using codegen::loop_shape;

namespace {

/// A shape that differs from the usual one in every field.
loop_shape unusual() {
    loop_shape s;
    s.row_dims = 2, s.element_dims = 3, s.wide = false, s.far = false;
    s.vector = 4, s.items = 2, s.whole = 5, s.turned = uint64_t{1} << 63;
    s.rows = {2, 4, 16, 32, 8, 4, true, true, true, true};
    return s;
}

bytes key_of(const kernel_ir::kernel& k, const loop_shape& s) {
    return device_key(serialize(k), s);
}

identity identity_on(const char* target, const kernel_ir::kernel& k, const loop_shape& s) {
    const std::optional<identity> is = identity_of(target, key_of(k, s));
    REQUIRE(is);
    return *is;
}

std::string nearest(const bytes& wanted, const char* stored_for, const bytes& stored) {
    artefact a{};
    a.target = stored_for;
    a.key = stored;
    a.is = identity_of(stored_for, stored).value_or(identity());
    const stored_code all[] = {{"a.spk", a}};
    return nearest_kernel(
        all, {"CUDA sm_90", wanted, identity_of("CUDA sm_90", wanted).value_or(identity())});
}

}  // namespace

TEST_CASE("device keys: hold the kernel and every field of the shape") {
    const kernel_ir::kernel k = map_of(op::exp, kFloat);
    const std::function<void(loop_shape&)> changes[] = {
        [](loop_shape& s) { s.row_dims = 7; },    [](loop_shape& s) { s.element_dims = 7; },
        [](loop_shape& s) { s.wide = true; },     [](loop_shape& s) { s.far = true; },
        [](loop_shape& s) { s.vector = 7; },      [](loop_shape& s) { s.items = 7; },
        [](loop_shape& s) { s.whole = 7; },       [](loop_shape& s) { s.turned = 7; },
        [](loop_shape& s) { s.rows.lanes = 7; },  [](loop_shape& s) { s.rows.teams = 7; },
        [](loop_shape& s) { s.rows.rows = 7; },   [](loop_shape& s) { s.rows.slots = 7; },
        [](loop_shape& s) { s.rows.steps = 7; },  [](loop_shape& s) { s.rows.stored = 7; },
        [](loop_shape& s) { s.rows.packed = 0; }, [](loop_shape& s) { s.rows.across = 0; },
        [](loop_shape& s) { s.rows.parts = 0; },  [](loop_shape& s) { s.rows.kept = 0; },
    };
    std::set<bytes> keys{key_of(k, unusual())};
    for (const auto& change : changes) {
        loop_shape s = unusual();
        change(s);
        const bytes key = key_of(k, s);
        keys.insert(key);
        const std::optional<device_subject> read = read_device_key(key);
        REQUIRE(read);
        CHECK(read->shape == s);
        CHECK(serialize(read->ir) == serialize(k));
    }
    CHECK(keys.size() == std::size(changes) + 1);
}

TEST_CASE("device keys: texts, serialised kernels and damaged keys are none") {
    const bytes whole = key_of(sum_of(kHalf), unusual());
    for (std::size_t n = 0; n < whole.size(); ++n) {
        const bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n));
        CHECK_FALSE(read_device_key(cut));
        CHECK_FALSE(identity_of("CUDA sm_90", cut));
    }
    bytes wrong = whole;
    wrong[5] = 1;  // row_dims is a byte
    CHECK_FALSE(read_device_key(wrong));
    CHECK_FALSE(read_device_key(serialize(sum_of(kHalf))));

    const std::string text = "extern \"C\" __global__ void f() {}";
    const bytes of_text(text.begin(), text.end());
    CHECK(is_text(of_text));
    CHECK_FALSE(is_text(whole));
    CHECK_FALSE(read_device_key(of_text));
    CHECK(identity_of("CUDA sm_90", of_text) == identity_of_text());
    CHECK(source_of(codegen::cuda_compiler, of_text) == text);
}

TEST_CASE("device keys: stand for the source of their kernel") {
    const std::string source = source_of(codegen::hip_compiler, key_of(sum_of(kFloat), {}));
    CHECK(source.find("__global__") != std::string::npos);
    CHECK(compiler_of_target("HIP gfx90a") == &codegen::hip_compiler);
    CHECK(compiler_of_target("x86-64-v4") == nullptr);
}

TEST_CASE("device keys: code must agree in its operations and in how it is launched") {
    loop_shape one, four;
    four.vector = 4, four.whole = 3;
    const identity is = identity_on("CUDA sm_90", map_of(op::exp, kFloat), one);
    // The operations are those of the CPU's kernel.
    CHECK(is.semantics == identity_of_kernel(serialize(map_of(op::exp, kFloat)))->semantics);
    CHECK(is.semantics != identity_on("CUDA sm_90", map_of(op::log, kFloat), one).semantics);
    // Another instruction leaves the argument as it is; more dimensions do not.
    CHECK(is.abi == identity_on("CUDA sm_90", map_of(op::log, kFloat), one).abi);
    CHECK(is.abi == identity_on("HIP gfx90a", map_of(op::exp, kFloat), one).abi);
    loop_shape more = one;
    more.row_dims = 2;
    CHECK(is.abi != identity_on("CUDA sm_90", map_of(op::exp, kFloat), more).abi);
    // What the text of a kernel by rows declares is part of it.
    codegen::c_like_function f;
    const identity before = identity_of_subject(sum_of(kFloat), one, f);
    f.declared = 4096;
    CHECK(before.abi != identity_of_subject(sum_of(kFloat), one, f).abi);
    f.declared = 0;
    f.parts = {{"first", false}};
    CHECK(before.abi != identity_of_subject(sum_of(kFloat), one, f).abi);
}

TEST_CASE("device keys: a missing kernel is compared with those that are stored") {
    const kernel_ir::kernel k = map_of(op::exp, kFloat);
    loop_shape vectors;
    vectors.vector = 4;
    const bytes wanted = key_of(k, vectors);
    CHECK(nearest(wanted, "CUDA sm_90", key_of(k, {})) == "a.spk: elements at once 4, stored is 1");
    CHECK(nearest(wanted, "CUDA sm_80", wanted) ==
          "a.spk: target CUDA sm_90, stored is CUDA sm_80");
    CHECK(nearest(wanted, "CUDA sm_90", key_of(map_of(op::exp, kHalf), vectors))
              .starts_with("a.spk: operand 0: dtype Float, stored is Half"));
    loop_shape rows;
    rows.rows.teams = 4;
    CHECK(nearest(key_of(sum_of(kFloat), {}), "CUDA sm_90", key_of(sum_of(kFloat), rows)) ==
          "a.spk: teams of threads 8, stored is 4");
    // A CPU's kernel and a handwritten text cannot be compared with it.
    CHECK(nearest(wanted, "x86-64-v4", serialize(k)).empty());
    CHECK(nearest(wanted, "CUDA sm_90", bytes{'t', 'e', 'x', 't'}).empty());
}
