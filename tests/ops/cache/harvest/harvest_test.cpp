// `sinter cache harvest`: the expressions of a program, out of the names of its symbols.
#include "engine/recordings/expression_work.hpp"
#include "engine/recordings/portable_work.hpp"
#include "jit/stored/recording.hpp"
#include "ops/cache/harvest/elf.hpp"
#include "ops/cache/harvest/expressions.hpp"
#include "ops/cache/files.hpp"
#include "tests/jit/cache/temporary_folder.hpp"
#include "tests/ops/cache/command.hpp"
#include "tests/seed.hpp"

#include <sinter/cache.hpp>
#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>

using namespace sinter;
using namespace sinter::cache_command;
using code_cache::bytes;
using sinter::testing::has, sinter::testing::result, sinter::testing::sinter_cache;
using sinter::testing::temporary_folder;

namespace {

/// Writes names as compilers do: a type that occurs again is a reference to the first time.
class mangler {
public:
    std::string record_of(const expression& e) {
        known_ = {};
        next_ = 5;  // of S4_; S3_ is op::id
        std::vector<std::size_t> begins;
        for (std::size_t i = 0; i < e.size(); ++i) {
            std::size_t from = i;
            if (e[i] < token_first) {
                const std::size_t rest = begins.size() - op::rows[e[i]].arity;
                from = begins[rest];
                begins.resize(rest);
            }
            begins.push_back(from);
            begin_of_.resize(std::max(begin_of_.size(), i + 1));
            begin_of_[i] = from;
        }
        std::string text = "_ZN6sinter2v14exprI" + arguments(e, e.size() - 1, true) + "6recordE";
        return text;
    }

private:
    std::string arguments(const expression& e, std::size_t last, bool outermost) {
        std::string text =
            std::string("L") + (outermost ? "NS0_2op2idE" : "S3_") + std::to_string(e[last]) + "EJ";
        std::vector<std::size_t> operands;
        for (std::size_t at = last, n = op::rows[e[last]].arity; n > 0; --n) {
            operands.push_back(at - 1);
            at = begin_of_[at - 1];
        }
        for (auto o = operands.rbegin(); o != operands.rend(); ++o) text += operand(e, *o);
        return text + "EE";
    }

    std::string operand(const expression& e, std::size_t last) {
        const expression words(e.begin() + static_cast<std::ptrdiff_t>(begin_of_[last]),
                               e.begin() + static_cast<std::ptrdiff_t>(last) + 1);
        if (const auto k = known_.find(words); k != known_.end()) return reference(k->second);
        std::string text = e[last] == token_leaf     ? "NS0_14tensor_operandE"
                           : e[last] == token_scalar ? "NS0_14number_operandE"
                                                     : "NS1_I" + arguments(e, last, false) + "E";
        known_[words] = next_++;
        return text;
    }

    /// S<n - 1>_ in base 36.
    static std::string reference(std::size_t n) {
        std::string digits;
        for (std::size_t left = n - 1; digits.empty() || left > 0; left /= 36)
            digits.insert(digits.begin(), "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[left % 36]);
        return "S" + digits + "_";
    }

    std::map<expression, std::size_t> known_;
    std::vector<std::size_t> begin_of_;
    std::size_t next_ = 0;
};

std::string mangled(const expression& e) { return mangler().record_of(e); }

expression random_expression(std::mt19937_64& random, int operations) {
    std::vector<expression> values;
    const auto leaf = [&] { return expression{random() % 3 ? token_leaf : token_scalar}; };
    for (int i = 0; i < operations; ++i) {
        const auto row = static_cast<uint16_t>(random() % op::count);
        if (op::rows[row].rule == dtype_rule::random) continue;  // no part of expressions
        expression e;
        for (int o = 0; o < op::rows[row].arity; ++o) {
            if (random() % 3 == 0 || values.empty()) {
                const expression l = leaf();
                e.insert(e.end(), l.begin(), l.end());
                continue;
            }
            // Sometimes one twice, as in a * b + a * b.
            const expression& v =
                values[values.size() - 1 - random() % std::min<std::size_t>(values.size(), 2)];
            e.insert(e.end(), v.begin(), v.end());
        }
        e.push_back(row);
        if (e.size() <= 300) values.push_back(std::move(e));
    }
    return values.empty() ? random_expression(random, operations) : values.back();
}

/// An ELF file with a table of symbols and a table of needed libraries.
bytes small_elf(const std::vector<std::string>& symbols, const std::vector<std::string>& needed) {
    std::string strings(1, '\0');
    const auto add = [&](const std::string& s) {
        const std::size_t at = strings.size();
        strings += s + '\0';
        return at;
    };
    std::vector<Elf64_Sym> table(1);
    for (const std::string& s : symbols) {
        table.emplace_back();
        table.back().st_name = static_cast<Elf64_Word>(add(s));
    }
    std::vector<Elf64_Dyn> dynamic;
    for (const std::string& s : needed) {
        dynamic.emplace_back();
        dynamic.back().d_tag = DT_NEEDED;
        dynamic.back().d_un.d_val = add(s);
    }
    dynamic.emplace_back();
    bytes file(sizeof(Elf64_Ehdr));
    Elf64_Shdr sections[4] = {};
    const auto place = [&](int n, Elf64_Word type, const void* data, std::size_t size) {
        sections[n].sh_type = type;
        sections[n].sh_offset = file.size();
        sections[n].sh_size = size;
        sections[n].sh_link = 1;
        const auto* raw = static_cast<const uint8_t*>(data);
        file.insert(file.end(), raw, raw + size);
    };
    place(1, SHT_STRTAB, strings.data(), strings.size());
    place(2, SHT_SYMTAB, table.data(), table.size() * sizeof(Elf64_Sym));
    place(3, SHT_DYNAMIC, dynamic.data(), dynamic.size() * sizeof(Elf64_Dyn));
    Elf64_Ehdr h{};
    std::memcpy(h.e_ident, ELFMAG, SELFMAG);
    h.e_ident[EI_CLASS] = ELFCLASS64;
    h.e_ident[EI_DATA] = ELFDATA2LSB;
    h.e_shoff = file.size();
    h.e_shnum = 4;
    const auto* raw = reinterpret_cast<const uint8_t*>(sections);
    file.insert(file.end(), raw, raw + sizeof sections);
    std::memcpy(file.data(), &h, sizeof h);
    return file;
}

/// Expressions that this program has, and never computes.
[[gnu::used]] Tensor never_called(const Tensor& a, const Tensor& b, const Tensor& c) {
    return (a - 3) / hypot(b, (c + 1) * 2);
}

const expression sum_of_product = {token_leaf, token_leaf, op::mul, token_leaf, op::add};

}  // namespace

TEST_CASE("harvest: names of any expressions give their programs, damaged ones nothing else") {
    CHECK(mangled({token_scalar, token_leaf, op::mul, token_leaf, op::add}) ==
          "_ZN6sinter2v14exprILNS0_2op2idE" + std::to_string(op::add) + "EJNS1_ILS3_" +
              std::to_string(op::mul) +
              "EJNS0_14number_operandENS0_14tensor_operandEEEES5_EE6recordE");
    const uint64_t seed = test::seed();
    std::mt19937_64 random(seed);
    CAPTURE(seed);
    int whole = 0, written = 0;
    for (int round = 0; round < test::cases(3000); ++round) {
        const expression e = random_expression(random, 1 + static_cast<int>(random() % 12));
        std::string name = mangled(e);
        CAPTURE(name);
        const named_expression read = expression_of(name);
        REQUIRE(read.is == named_expression::kind::known);
        REQUIRE(read.words == e);
        try {
            const std::vector<uint8_t> work =
                plan::write_expression(e, random() % 2 ? kFloat : kInt);
            const runtime::arena memory;
            REQUIRE(plan::restored_work(work.data(), work.size()).w.nodes.size() == 1);
            ++written;
        } catch (const Error&) {  // of operations that do not take the dtype
        }
        for (uint64_t i = 0; i < 1 + random() % 2; ++i) {
            const std::size_t at = random() % name.size();
            switch (random() % 4) {
                case 0: name[at] = static_cast<char>(random()); break;
                case 1: name.erase(at, 1 + random() % 20); break;
                case 2: name.insert(at, name.substr(random() % name.size(), random() % 30)); break;
                default: name[at] = name[random() % name.size()];
            }
        }
        const named_expression changed = expression_of(name);
        if (changed.is != named_expression::kind::known) continue;
        ++whole;
        REQUIRE(mangled(changed.words).size() <= name.size());
    }
    CHECK(whole > 0);
    CHECK(written > 0);
}

TEST_CASE("harvest: a short name of an endless expression is not read") {
    // Each type is the sum of the one before and itself.
    std::string name = "NS0_14tensor_operandE", last = "S4_";
    const std::string add = std::to_string(op::add);
    for (int i = 0; i < 60; ++i) {
        name = "NS1_ILS3_" + add + "EJ" + name + last + "EEE";
        last = "S" + std::string(1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[(i + 5) % 36]) + "_";
        if (i + 5 >= 36) last.insert(1, 1, '1' - 1 + static_cast<char>((i + 5) / 36));
    }
    const std::string whole =
        "_ZN6sinter2v14exprILNS0_2op2idE" + add + "EJ" + name + last + "EE6recordE";
    CHECK(expression_of(whole).is == named_expression::kind::unread);
    CHECK(expression_of("_ZN6sinter2v24exprILi1EJEE6recordE").is ==
          named_expression::kind::other_version);
    CHECK(
        expression_of("_ZN6sinter2v14exprILNS0_2op2idE" + add + "EJNS0_14tensor_operandEEE6recordE")
            .is == named_expression::kind::other_version);  // a sum has two operands
    CHECK(expression_of("_ZN6sinter2v14exprILNS0_2op2idE" + add + "EJEE6other_E").is ==
          named_expression::kind::none);
    CHECK(expression_of("").is == named_expression::kind::none);
}

TEST_CASE("harvest: expressions as text, and those that are no part of another") {
    const uint16_t t = token_leaf, n = token_scalar;
    CHECK(text_of(sum_of_product) == "a * b + c");
    CHECK(text_of({n, t, t, op::add, op::mul}) == "# * (a + b)");
    CHECK(text_of({t, t, op::sub, t, op::sub}) == "a - b - c");
    CHECK(text_of({t, t, t, op::sub, op::sub}) == "a - (b - c)");
    CHECK(text_of({t, t, op::lt, t, op::exp, n, op::where}) == "where(a < b, exp(c), #)");
    expression many(60, t);
    for (int i = 0; i < 59; ++i) many.push_back(op::add);
    CHECK(has(text_of(many), "z + (a1 + (b1"));
    const expression product = {t, t, op::mul};
    CHECK(maximal({product, sum_of_product, {t, op::exp}}) ==
          std::set<expression>{sum_of_product, {t, op::exp}});
}

TEST_CASE("harvest: an expression is computed by one node, or by several that read each other") {
    const Tensor a = rand({30, 20}).eval(), b = rand({30, 20}).eval(), c = rand({30, 20}).eval();
    const auto computed = [](const Tensor& t, const expression& e) {
        Version* wanted[] = {t.unsafeGetTensorImpl()->storage->current.get()};
        const runtime::arena memory;
        const plan::claimed_work claimed(wanted);
        return computes(claimed.w, e);
    };
    const Tensor whole = a * b + c;
    CHECK(computed(whole, sum_of_product));
    CHECK_FALSE(computed(whole, {token_leaf, token_leaf, op::mul}));
    CHECK_FALSE(computed(whole, {token_leaf, token_leaf, op::add}));
    const Tensor product = a * b;
    CHECK(computed(product + c, sum_of_product));
    CHECK(computed(product + c, {token_leaf, token_leaf, op::mul}));
    CHECK(computed(product + c, {token_leaf, token_leaf, op::add}));
    CHECK_FALSE(computed(c + product, sum_of_product));
    CHECK(computed(c + product, {token_leaf, token_leaf, token_leaf, op::mul, op::add}));
    const Tensor sum = product.sum(1, true);
    CHECK_FALSE(computed(sum + c, sum_of_product));  // a sum is between them
    CHECK_FALSE(computed(sum, {}));
}

TEST_CASE("harvest: the expressions of this program") {
    const temporary_folder folder;
    const std::string self = "/proc/self/exe", out = folder / "self.srec";
    const result r = sinter_cache({"harvest", self, "-o", out, "--json"});
    REQUIRE_MESSAGE(r.status == 0, r.err);
    CHECK(has(
        r.out,
        "\"works\": 2, \"reached\": \"-\", \"expression\": \"(a - #) / hypot(b, (c + #) * #)\""));
    const std::size_t works = code_cache::read_recording(out).works.size();
    CHECK(works > 20);
    CHECK(sinter_cache({"harvest", self, "-o", folder / "wide.srec", "--dtypes", "f16,f32,f64"})
              .status == 0);
    CHECK(code_cache::read_recording(folder / "wide.srec").works.size() > works);
    CHECK(sinter_cache({"harvest", self, "-o", folder / "again.srec"}).status == 0);
    CHECK(read_file(out) == read_file(folder / "again.srec"));

    // Its own works reach all that they are of.
    const result all = sinter_cache({"harvest", self, "--against", out, "--require", "90"});
    CHECK_MESSAGE(all.status == 0, all.out);
    const result none = sinter_cache(
        {"harvest", self, "--against", sinter_cache({"harvest"}).err, "--require", "1"});
    CHECK(none.status == 1);
    CHECK(has(none.err, "a recording cannot be read"));
    write_file(folder / "empty.srec", code_cache::write_recording({}));
    const result empty =
        sinter_cache({"harvest", self, "--against", folder / "empty.srec", "--require", "1"});
    CHECK(empty.status == 1);
    CHECK(has(empty.out, "reached: 0 of "));
    CHECK(has(sinter_cache({"harvest", self, "--require", "1"}).err,
              "got --require without --against"));
    CHECK(has(sinter_cache({"harvest", self, "--dtypes", "f31"}).err,
              "there is no such dtype; got f31, expected u8, i8"));
}

TEST_CASE("harvest: what is no program of this version is refused") {
    const temporary_folder folder;
    const auto error = [&](const bytes& content) {
        write_file(folder / "app", content);
        return sinter_cache({"harvest", folder / "app"}).err;
    };
    const std::string name = mangled(sum_of_product), own = "libsinter.so.0.1";
    write_file(folder / "good", small_elf({name, name, "main"}, {"libc.so.6", own}));
    CHECK(
        has(sinter_cache({"harvest", folder / "good"}).out, "a * b + c\n1 expression, 2 works\n"));
    CHECK(has(error(small_elf({name}, {"libsinter.so.0.7"})),
              "app: it needs libsinter.so.0.7, expected a program that was compiled "
              "with the headers of " +
                  own));
    CHECK(has(error(small_elf({"_ZN6sinter2v94exprILi1EJEE6recordE"}, {})),
              "it has the symbol _ZN6sinter2v94expr"));
    CHECK(has(error(small_elf({"main"}, {own})), "none among its symbols, expected a program"));
    bytes damaged = small_elf({name}, {});
    const auto with = [&](std::size_t at, uint8_t value) {
        bytes other = damaged;
        other[at] = value;
        return other;
    };
    CHECK(has(error(with(0, 'X')), "app: it is no ELF file"));
    CHECK(has(error({}), "it is no ELF file"));
    CHECK(has(error(with(EI_CLASS, ELFCLASS32)), "it is an ELF file of 32 bits"));
    CHECK(has(error(with(EI_DATA, ELFDATA2MSB)), "it is big-endian"));
    CHECK(has(error(with(offsetof(Elf64_Ehdr, e_shoff) + 7, 0x80)), "it is damaged"));
    CHECK(has(sinter_cache({"harvest", "/nowhere/app"}).err,
              "a file cannot be read; got /nowhere/app"));
}

TEST_CASE("harvest: a cut or changed file is read within its bounds") {
    const bytes small = small_elf({mangled(sum_of_product), "main", mangled({token_leaf, op::exp})},
                                  {"libsinter.so.0.1", "libc.so.6"});
    const uint64_t seed = test::seed();
    std::mt19937_64 random(seed);
    CAPTURE(seed);
    int read = 0, refused = 0;
    const auto look = [&](const bytes& content) {
        // In memory of its own size, where a sanitizer sees its end.
        const bytes exact(content.begin(), content.end());
        try {
            for (const std::string_view s : read_elf(exact, library_prefix, "app").symbols) {
                const named_expression e = expression_of(s);
                if (e.is == named_expression::kind::known) REQUIRE_FALSE(text_of(e.words).empty());
            }
            ++read;
        } catch (const Error& e) {
            REQUIRE(has(e.what(), "the names of a program cannot be read; got app: "));
            ++refused;
        }
    };
    for (std::size_t size = 0; size < small.size(); ++size)
        look(bytes(small.begin(), small.begin() + static_cast<std::ptrdiff_t>(size)));
    const std::size_t headers = sizeof(Elf64_Ehdr), sections = 4 * sizeof(Elf64_Shdr);
    for (int round = 0; round < test::cases(20000); ++round) {
        bytes bad = small;
        for (uint64_t i = 0; i < 1 + random() % 4; ++i) {
            constexpr uint8_t extremes[] = {0, 1, 127, 128, 255};
            // Mostly in the tables, whose offsets lead elsewhere.
            const std::size_t in[] = {random() % bad.size(), random() % headers,
                                      bad.size() - 1 - random() % sections};
            bad[in[random() % 3]] =
                random() % 2 ? extremes[random() % 5] : static_cast<uint8_t>(random());
        }
        look(bad);
    }
    CHECK(read > 100);
    CHECK(refused > 100);

    // A real one: this program.
    bytes self = read_file("/proc/self/exe");
    look(self);
    for (int round = 0; round < 20; ++round) {
        const std::size_t end = self.size();
        const std::size_t at = end - 1 - random() % 2000;  // the table of sections
        const uint8_t before = std::exchange(self[at], static_cast<uint8_t>(random()));
        look(self);
        self[at] = before;
    }
    self.resize(self.size() / 2);
    look(self);
}
