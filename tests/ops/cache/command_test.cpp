// `sinter cache`: what each command prints, changes and refuses. tests/offline runs real kernels.
#include "jit/cache/identity.hpp"
#include "jit/cache/plugin.hpp"
#include "jit/cache/target.hpp"
#include "jit/kernel_ir/opcodes.hpp"
#include "jit/stored/pack.hpp"
#include "jit/stored/write_pack.hpp"
#include "tests/jit/cache/temporary_folder.hpp"
#include "tests/ops/cache/command.hpp"
#include "tests/seed.hpp"
#include "tests/support/compiler.hpp"
#include "tests/support/kernel_builder.hpp"

#include <sinter/cache.hpp>
#include <sinter/error.hpp>

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

using namespace sinter;
using namespace sinter::kernel_ir::testing;
using code_cache::artefact, code_cache::bytes;
using sinter::testing::has, sinter::testing::result, sinter::testing::sinter_cache;
using sinter::testing::temporary_folder;
namespace fs = std::filesystem;

namespace {

bytes map_of(op::id row, ScalarType type = kFloat) {
    kernel_builder b;
    b.store(b.row(row, type, {b.load(type)}));
    return serialize(b.get());
}

/// Stored kernels of a pretended compiler.
struct some_files {
    temporary_folder folder;
    bytes exp = map_of(op::exp), sin = map_of(op::sin), image = bytes(200, 0x90);

    artefact code(const bytes& key, std::string_view target = "x86-64-v3") const {
        return {target,
                key,
                image,
                8,
                code_cache::identity_of_kernel(key).value_or(code_cache::identity()),
                "LLVM 1"};
    }
    std::string write_file(const std::string& name, const bytes& content) const {
        const std::string path = folder / name;
        std::ofstream(path, std::ios::binary)
            .write(reinterpret_cast<const char*>(content.data()),
                   static_cast<std::streamsize>(content.size()));
        chmod(path.c_str(), 0644);
        return path;
    }
    std::string pack(const std::string& name, const std::vector<artefact>& all) const {
        return write_file(name, code_cache::write_pack(all));
    }
};

std::string name_of(const bytes& key) {
    std::ostringstream text;
    text << std::hex << code_cache::hash_of(key).high;
    return std::string(16 - text.str().size(), '0') + text.str();
}

}  // namespace

TEST_CASE("sinter cache: a wrong command line says what is right") {
    CHECK(sinter_cache({}).status == 2);
    CHECK(has(sinter_cache({}).err,
              "usage: sinter cache COMMAND\n  record -o RECORDING [--counts] -- PROGRAM"));
    CHECK(has(sinter_cache({"help"}).out, "merge PLACE... -o PACK"));
    CHECK(has(sinter_cache({"lst"}).err, "sinter cache: there is no command lst\nusage: "));
    CHECK(has(sinter_cache({"list", "--jsn"}).err,
              "there is no option --jsn\nusage: sinter cache list"));
    CHECK(has(sinter_cache({"merge", "a.spk"}).err, "merge wants -o FILE"));
    CHECK(has(sinter_cache({"merge", "a.spk", "-o"}).err, "-o wants a value"));
    CHECK(has(sinter_cache({"verify"}).err, "verify wants a place"));
    CHECK(has(sinter_cache({"show"}).err, "no kernel is named"));
    const result gone = sinter_cache({"list", "/nowhere/a.spk"});
    CHECK(gone.status == 1);
    CHECK(gone.out.empty());
    CHECK(has(gone.err,
              "sinter cache list: [cache] stored kernels cannot be read; got "
              "/nowhere/a.spk: there is no such file, expected a pack (.spk)"));
}

TEST_CASE("sinter cache: list and show say what is stored, and whether it is used") {
    const some_files f;
    artefact old_formula = f.code(f.sin), old_call = f.code(f.sin, "x86-64-v4");
    old_formula.is.semantics ^= 1;
    old_call.is.abi += 1;
    const std::string pack =
        f.pack("a.spk", {f.code(f.exp), f.code(f.exp, "aarch64"), old_formula, old_call});
    const result listed = sinter_cache({"list", pack});
    CHECK(listed.status == 0);
    CHECK(has(listed.out, "name              target     used"));
    CHECK(has(listed.out, name_of(f.exp) + "  aarch64    no: this machine does not run aarch64"));
    CHECK(has(listed.out, name_of(f.sin) + "  x86-64-v3  no: other formulas or numerics"));
    CHECK(has(listed.out, name_of(f.sin) + "  x86-64-v4  no: another ABI"));
    if (code_cache::process_target()) {
        CHECK(has(listed.out, name_of(f.exp) + "  x86-64-v3  yes "));
        CHECK(has(listed.out, "4 kernels, 1 of them for this machine, 1 KiB of code\n"));
    }
    const result json = sinter_cache({"list", pack, "--json"});
    CHECK(has(json.out,
              "\"name\": \"" + name_of(f.exp) + "\", \"target\": \"aarch64\", \"used\": \"no: "));
    CHECK(has(json.out, "\"bytes\": 200, \"operations\": \"exp\", \"file\": \"" + pack + "\"}"));
    CHECK(json.out.starts_with("[\n  {"));
    CHECK(json.out.ends_with("}\n]\n"));
    CHECK_FALSE(has(json.out, "4 kernels"));

    // By the first digits of the name.
    const result shown = sinter_cache({"show", name_of(f.exp).substr(0, 6), pack});
    CHECK(has(shown.out, "name: " + name_of(f.exp) + "\ntarget: "));
    CHECK(has(shown.out, "producer: LLVM 1\nfile: " + pack + "\nkernel:\n"));
    CHECK(has(shown.out, "row.exp Float"));
    CHECK(has(sinter_cache({"show", "f00", f.pack("b.spk", {f.code(f.exp)})}).err,
              "no kernel of this name is stored; got f00, among 1 kernel, expected"));
}

TEST_CASE("sinter cache: extract writes the code of each kernel") {
    const some_files f;
    const std::string pack = f.pack("a.spk", {f.code(f.exp), f.code(f.exp, "aarch64")});
    const std::string to = f.folder / "extracted";
    const result done = sinter_cache({"extract", pack, "-o", to, "--json"});
    CHECK(done.status == 0);
    CHECK(has(done.out, "\"file\": \"" + to + "/" + name_of(f.exp) + ".aarch64.bin\""));
    CHECK(has(done.out, "\"form\": \"own\", \"entry\": "));
    CHECK(fs::file_size(to + "/" + name_of(f.exp) + ".aarch64.bin") == f.code(f.exp).image.size());
    CHECK(has(sinter_cache({"extract", pack}).err, "extract wants -o FILE"));
}

TEST_CASE("sinter cache: merge makes one pack of packs, folders and files") {
    const some_files f;
    const std::string exp = f.pack("exp.spk", {f.code(f.exp), f.code(f.exp, "x86-64-v4")});
    fs::create_directory(f.folder / "folder");
    f.write_file("folder/sin.kernel", code_cache::write_artefact(f.code(f.sin)));
    const std::string all = f.folder / "all.spk", low = f.folder / "low.spk";
    const result merged = sinter_cache({"merge", exp, f.folder / "folder", "-o", all, "--json"});
    CHECK_MESSAGE(merged.status == 0, merged.err);
    CHECK(has(merged.out, "{\"pack\": \"" + all + "\", \"kernels\": 3, \"bytes\": "));
    std::string why;
    const auto pack = code_cache::pack::open(all, why);
    REQUIRE(pack);
    CHECK(pack->whole());
    const artefact sin = f.code(f.sin);
    CHECK(pack->find({sin.target, sin.key, sin.is})->entry == 8);

    // From itself and others, the same bytes again.
    const result again = sinter_cache({"merge", all, exp, "-o", f.folder / "again.spk"});
    CHECK(again.status == 0);
    const auto read = [](const std::string& path) {
        std::ifstream in(path, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(in), {});
    };
    CHECK(read(all) == read(f.folder / "again.spk"));

    CHECK(sinter_cache({"merge", all, "-o", low, "--targets", "x86-64-v3"}).status == 0);
    CHECK(code_cache::pack::open(low, why)->size() == 2);
    CHECK(has(sinter_cache({"merge", all, "-o", low, "--targets", "x86-64-v5"}).err,
              "no kernel of this target is stored; got x86-64-v5, expected x86-64-v3, x86-64-v4"));
    CHECK(has(sinter_cache({"merge", all, "-o", f.folder / "no/a.spk"}).err,
              "a file cannot be written; got " + f.folder / "no/a.spk: No such file"));
}

TEST_CASE("sinter cache: merge takes nothing that others could have written, and nothing damaged") {
    const some_files f;
    const std::string pack = f.pack("a.spk", {f.code(f.exp)}), out = f.folder / "out.spk";
    chmod(pack.c_str(), 0666);
    const result refused = sinter_cache({"merge", pack, "-o", out});
    CHECK(refused.status == 1);
    CHECK(has(refused.err, "everybody can write to " + pack + ", expected a pack"));
    CHECK(sinter_cache({"list", pack}).status == 0);  // looking is allowed
    chmod(pack.c_str(), 0644);
    bytes damaged = code_cache::write_pack(std::vector{f.code(f.exp)});
    damaged.back() ^= 1;
    const result broken = sinter_cache({"merge", f.write_file("b.spk", damaged), "-o", out});
    CHECK(has(broken.err, "a damaged file is not merged; got " + f.folder / "b.spk"));
    CHECK_FALSE(fs::exists(out));
}

TEST_CASE("sinter cache: coverage leaves out stored GPUs that no profile describes") {
    const some_files f;
    artefact of_gpu = f.code(f.exp);
    of_gpu.target = "HIP gfx1030";
    const std::string pack = f.pack("gpu.spk", {f.code(f.exp), of_gpu}),
                      recording = f.folder / "some.srec";
    REQUIRE(sinter_cache({"base", "-o", recording, "--dtypes", "i64"}).status == 0);
    const result all = sinter_cache({"coverage", pack, recording});
    CHECK(all.status == 0);
    CHECK(has(all.out, "left out: HIP gfx1030: [cache] the device is not known"));
    CHECK(has(all.out, std::string(f.code(f.exp).target) + " "));
    const result asked = sinter_cache({"coverage", pack, recording, "--targets", "gfx1030"});
    CHECK(asked.status == 1);
    CHECK(has(asked.err, "the device is not known; got gfx1030"));
}

TEST_CASE("sinter cache: a number is all of its word") {
    for (const char* word : {"-j4x", "-jmany", "-j-1", "-j1025", "-j"})
        CHECK(has(sinter_cache({"build", "some.srec", "-o", "new.spk", word}).err,
                  std::string_view(word) == "-j" ? "-j wants a value"
                                                 : "-j wants a number of processes"));
    for (const char* word : {"-j4", "-j0"})
        CHECK_FALSE(
            has(sinter_cache({"build", "some.srec", "-o", "new.spk", word}).err, "-j wants"));
    CHECK(has(sinter_cache({"coverage", "a.spk", "some.srec", "--require", "all"}).err,
              "--require wants a percentage"));
}

TEST_CASE("sinter cache: coverage takes a folder of recordings") {
    const some_files f;
    const std::string pack = f.pack("some.spk", {f.code(f.exp)}), recorded = f.folder / "recorded";
    const std::string target(f.code(f.exp).target);
    fs::create_directory(recorded);
    CHECK(has(sinter_cache({"coverage", pack, recorded}).err, "got no recording"));
    REQUIRE(sinter_cache({"base", "-o", recorded + "/1.srec", "--dtypes", "i64"}).status == 0);
    const result one = sinter_cache({"coverage", pack, recorded + "/1.srec", "--targets", target}),
                 all = sinter_cache({"coverage", pack, recorded, "--targets", target});
    CHECK(all.status == 0);
    CHECK(all.out == one.out);
}

TEST_CASE("sinter cache: verify reads every byte") {
    const some_files f;
    artefact old = f.code(f.sin);
    old.is.abi += 1;
    const std::string pack = f.pack("a.spk", {f.code(f.exp), old});
    const result whole = sinter_cache({"verify", pack, "--json"});
    CHECK(whole.status == 0);
    CHECK(has(whole.out, "\"state\": \"whole\", \"kernels\": 2, \"fit\": 1, \"others\": 1"));
    bytes content = code_cache::write_pack(std::vector{f.code(f.exp)});
    for (const std::size_t at : {std::size_t{60}, content.size() / 2, content.size() - 1}) {
        bytes damaged = content;
        damaged[at] ^= 4;
        const result bad = sinter_cache({"verify", f.write_file("b.spk", damaged)});
        CHECK(bad.status == 1);
        CHECK(has(bad.out, "DAMAGED"));
        CHECK(has(bad.out, "damaged: " + f.folder / "b.spk\n"));
    }
    fs::create_directory(f.folder / "folder");
    bytes kernel = code_cache::write_artefact(f.code(f.exp));
    kernel[70] ^= 1;
    f.write_file("folder/a.kernel", kernel);
    CHECK(sinter_cache({"verify", f.folder / "folder"}).status == 1);
}

TEST_CASE("sinter cache: verify --run finds wrong bits, writes beside results, and crashes") {
    if (!test::has_compiler()) return;
    const some_files f;
    const bytes abs = map_of(op::abs);
    const code_cache::byte_view keys[] = {f.exp, f.sin, abs};
    const auto replies = code_cache::compile_kernels(
        *code_cache::process_target(), codegen::mode_exact, {keys[0], keys[1], keys[2]});
    const std::string& target = code_cache::process_targets().front();
    std::vector<artefact> all;
    for (std::size_t n = 0; n < 3; ++n) {
        all.push_back(f.code(bytes(), target));
        all.back().key = keys[n];
        all.back().is = *code_cache::identity_of_kernel(keys[n]);
        all.back().image = replies[n].image;
        all.back().entry = replies[n].entry;
    }
    const result good = sinter_cache({"verify", f.pack("good.spk", all), "--run", "--json"});
    CHECK_MESSAGE(good.status == 0, good.out);
    CHECK(has(good.out, "\"same_bits\": 3, \"not_run\": 0"));
    all[0].image = replies[1].image;
    all[0].entry = replies[1].entry;
    const bytes illegal{0x0f, 0x0b, 0x0f, 0x0b};
    all[2].image = illegal;
    all[2].entry = 0;
    const result bad = sinter_cache({"verify", f.pack("bad.spk", all), "--run"});
    CHECK(bad.status == 1);
    CHECK(has(bad.out, "wrong: " + name_of(f.exp) + " for " + target +
                           ": 1 by 1 elements, seed 1: operand "));
    CHECK(has(bad.out, "wrong: " + name_of(abs) + " for " + target + ": the kernel "));
    CHECK_FALSE(has(bad.out, "wrong: " + name_of(f.sin)));
    const std::string open = f.pack("open.spk", all);
    chmod(open.c_str(), 0666);
    CHECK(has(sinter_cache({"verify", open, "--run"}).err, "everybody can write to " + open));
}

TEST_CASE("sinter cache: prune drops what this library would run on no machine") {
    const some_files f;
    artefact old = f.code(f.sin);
    old.is.semantics ^= 1;
    const std::string pack = f.pack("a.spk", {f.code(f.exp), f.code(f.exp, "aarch64"), old});
    const result pruned = sinter_cache({"prune", pack, "-o", f.folder / "b.spk", "--json"});
    CHECK(has(pruned.out, "\"kernels\": 2"));
    CHECK(has(sinter_cache({"prune", pack}).err,
              "a pack is pruned into another one; got 1 path and no -o"));
}

TEST_CASE("sinter cache: why says, for each place, whether its kernel is used") {
    const some_files f;
    const std::string with = f.pack("with.spk", {f.code(f.exp, "aarch64")}),
                      without =
                          f.pack("without.spk", {f.code(map_of(op::exp, kDouble)), f.code(f.sin)});
    const result r = sinter_cache({"why", name_of(f.exp), with, without});
    CHECK_MESSAGE(r.status == 0, r.err);
    CHECK(has(r.out, "no: this machine does not run aarch64"));
    CHECK(has(r.out, "no: it lacks the kernel; nearest is " + without + ": "));
    CHECK(has(r.out, ", stored is "));
}

TEST_CASE("sinter cache: why names the field that makes a planted kernel a miss") {
    const uint64_t seed = test::seed();
    std::mt19937_64 random(seed);
    CAPTURE(seed);
    using enum kernel_ir::stride_class;
    using kernel_ir::stride_class, kernel_ir::value_id;
    using walk = kernel_ir::lanes;
    constexpr op::id rows[] = {op::add,   op::sub,   op::mul,    op::div,
                               op::hypot, op::atan2, op::minimum};
    constexpr stride_class classes[] = {zero, unit, other, pair};
    struct drawn {
        op::id row;
        ScalarType type;
        stride_class lanes[3];
        walk along;
        bytes key() const {
            kernel_builder b(along);
            const value_id x = b.load(type, lanes[0]), y = b.load(type, lanes[1]);
            b.store(b.row(row, type, {x, y}), lanes[2]);
            return serialize(b.get());
        }
    };
    const auto any = [&](const auto& from) { return from[random() % std::size(from)]; };
    const auto another = [&](const auto& from, const auto& than) {
        auto one = any(from);
        while (one == than) one = any(from);
        return one;
    };
    const some_files f;
    const std::string& here =
        code_cache::process_targets().empty() ? "aarch64" : code_cache::process_targets().front();
    const auto is_kernel = [](const bytes& key) {
        return code_cache::identity_of_kernel(key).has_value();
    };
    for (int planted = 0; planted < 100;) {
        CAPTURE(planted);
        const drawn wanted{any(rows),
                           random() % 2 ? kFloat : kDouble,
                           {any(classes), any(classes), any(classes)},
                           random() % 2 ? walk::row : walk::element};
        drawn stored = wanted;
        std::string field;
        uint32_t abi = 0;
        uint64_t semantics = 0;
        const auto name = [](auto of) { return std::string(kernel_ir::name_of(of)); };
        const std::size_t operand = random() % 3;
        switch (planted % 6) {
            case 0:
                stored.row = another(rows, wanted.row);
                field = std::string("instruction %2 = row.") + op::rows[wanted.row].name;
                break;
            case 1:
                stored.type = wanted.type == kFloat ? kDouble : kFloat;
                field =
                    "operand 0: dtype " + name(wanted.type) + ", stored is " + name(stored.type);
                break;
            case 2:
                stored.lanes[operand] = another(classes, wanted.lanes[operand]);
                field = "operand " + std::to_string(operand) + ": stride class " +
                        name(wanted.lanes[operand]) + ", stored is " + name(stored.lanes[operand]);
                break;
            case 3:
                stored.along = wanted.along == walk::row ? walk::element : walk::row;
                field = wanted.along == walk::row ? "lanes along rows, stored is elements"
                                                  : "lanes along elements, stored is rows";
                break;
            case 4:
                abi = 1 + static_cast<uint32_t>(random() % 9);
                field = "no: another ABI";
                break;
            case 5:
                semantics = 1 + random() % 99;
                field = "no: other formulas or numerics";
                break;
        }
        const bytes key = wanted.key(), other_key = stored.key();
        if (!is_kernel(key) || !is_kernel(other_key)) continue;  // not all layouts have kernels
        ++planted;
        artefact code = f.code(other_key, here);
        code.is.abi += abi;
        code.is.semantics ^= semantics;
        // Others are less alike. A dtype is a difference of each operand and instruction, so that
        // one of fewer operands may be as near.
        std::vector<artefact> all{code};
        if (stored.type == wanted.type)
            all.insert(all.end(), {f.code(f.sin, here), f.code(f.exp, here)});
        // The name is known from a kernel for another machine.
        const std::string known = f.pack("known.spk", {f.code(key, "aarch64")}),
                          place = f.pack("place.spk", all);
        const result r = sinter_cache({"why", name_of(key), known, place, "--json"});
        REQUIRE_MESSAGE(r.status == 0, r.err);
        REQUIRE_MESSAGE(has(r.out, field), field << " is not in\n" << r.out);
    }
}

TEST_CASE("sinter cache: doctor names the processor's targets and each place") {
    const result r = sinter_cache({"doctor"});
    if (code_cache::process_target()) CHECK(has(r.out, "runs kernels for x86-64-v"));
    CHECK(has(r.out, "compiler"));
    CHECK(has(sinter_cache({"doctor", "--json"}).out,
              "{\"what\": \"processor\", \"where\": \"-\", "));
}

TEST_CASE("add_pack: what is no pack, or may be another's, throws and says why") {
    const some_files f;
    const auto error = [](const std::string& path) {
        try {
            cache::add_pack(path);
        } catch (const Error& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    CHECK(has(error("/nowhere/a.spk"),
              "[add_pack] a pack of kernels cannot be used; got /nowhere/a.spk: "
              "No such file or directory, expected a whole pack"));
    CHECK(has(error(f.write_file("b.spk", bytes(100))), "b.spk: it is not a pack, expected"));
    const std::string open = f.pack("c.spk", {});
    chmod(open.c_str(), 0622);
    CHECK(has(error(open), "others could have written it, as everybody can write to " + open));
    chmod(open.c_str(), 0644);
    CHECK(error(open).empty());
    alignas(64) const char text[64] = "no pack, though as long as the header of one is, or longer";
    CHECK_THROWS_WITH_AS(cache::add_pack(text, sizeof text),
                         doctest::Contains("got the embedded pack: it is not a pack"), Error);
}
