// The command harvest: the expressions that programs were compiled with, as a recording, and which
// of them no recorded run has computed.
#include "engine/recordings/expression_work.hpp"
#include "engine/recordings/portable_work.hpp"
#include "jit/stored/recording.hpp"
#include "ops/cache/commands.hpp"
#include "ops/cache/harvest/elf.hpp"
#include "ops/cache/harvest/expressions.hpp"
#include "ops/cache/dtype_names.hpp"
#include "ops/cache/files.hpp"
#include "ops/cache/build/planning.hpp"
#include "runtime/base/fail.hpp"

#include <sinter/config.hpp>
#include <sinter/error.hpp>

#include <algorithm>

namespace sinter::cache_command {
namespace {

using code_cache::bytes;

/// As in CMakeLists.txt: SOVERSION.
const std::string& own_library() {
    static const std::string name =
        runtime::text("libsinter.so.", SINTER_VERSION_MAJOR, ".", SINTER_VERSION_MINOR);
    return name;
}

[[noreturn]] void refuse_version(const std::string& path, const std::string& why) {
    runtime::fail("cache", "the expressions of a program cannot be read", path + ": " + why,
                  "a program that was compiled with the headers of " + own_library(),
                  "sinter of its version");
}

/// Adds the expressions of a program. Returns how many of its names cannot be read.
uint64_t read_program(const std::string& path, std::set<expression>& to) {
    const bytes file = read_file(path);
    const elf_names names = read_elf(file, library_prefix, path);
    // The names have the numbers of rows that the program passes to the library that it needs.
    for (const std::string_view library : names.needed)
        if (library.starts_with("libsinter.so") && library != own_library())
            refuse_version(path, "it needs " + std::string(library));
    uint64_t read = 0, unread = 0;
    for (const std::string_view symbol : names.symbols) {
        named_expression e = expression_of(symbol);
        switch (e.is) {
            case named_expression::kind::none: break;
            case named_expression::kind::unread: ++unread; break;
            case named_expression::kind::other_version:
                refuse_version(path, "it has the symbol " + std::string(symbol.substr(0, 200)));
            case named_expression::kind::known: ++read; to.insert(std::move(e.words));
        }
    }
    if (read + unread == 0)
        runtime::fail("cache", "the expressions of a program cannot be read",
                      path + ": none among its symbols",
                      "a program that computes with Sinter and was not stripped",
                      "the file that the linker wrote");
    return unread;
}

/// Returns, for each expression, whether some recorded work computes it. Sets `*lost` to the number
/// of works that cannot be read.
std::vector<bool> reached_by(const std::vector<std::string>& recordings,
                             const std::set<expression>& all, uint64_t* lost) {
    std::vector<bool> reached(all.size());
    for (const bytes& work : read_recordings(recordings_in(recordings)).works) try {
            const runtime::arena memory;
            const plan::restored_work recorded(work.data(), work.size());
            std::size_t n = 0;
            for (const expression& e : all) {
                if (!reached[n]) reached[n] = computes(recorded.w, e);
                ++n;
            }
        } catch (const Error&) {
            ++*lost;
        }
    return reached;
}

}  // namespace

answer harvest(const arguments& a) {
    if (a.require > 0 && a.against.empty())
        runtime::fail("cache", "there is nothing to compare the expressions with",
                      "--require without --against", "recordings", "--against RECORDING");
    std::vector<ScalarType> dtypes = dtypes_of(a.dtypes);
    if (dtypes.empty()) dtypes = {kFloat, kDouble};
    std::set<expression> all;
    uint64_t unread = 0, lost = 0;
    for (const std::string& path : a.paths) unread += read_program(path, all);
    all = maximal(all);
    const std::vector<bool> reached = reached_by(a.against, all, &lost);

    answer done;
    std::vector<bytes> works;
    std::size_t n = 0;
    for (const expression& e : all) {
        uint64_t taken = 0;
        for (const ScalarType dtype : dtypes) try {
                works.push_back(plan::write_expression(e, dtype));
                ++taken;
            } catch (const Error&) {  // its operations do not take this dtype
            }
        const bool is_reached = reached[n++];
        done.records.push_back({{"works", taken},
                                {"reached", a.against.empty() ? value("-") : value(is_reached)},
                                {"expression", text_of(e)}});
    }
    done.closing = runtime::count_of(static_cast<int64_t>(all.size()), "expression") + ", " +
                   runtime::count_of(static_cast<int64_t>(works.size()), "work") + "\n";
    if (unread > 0) done.closing += "not read: " + std::to_string(unread) + " names\n";
    if (!a.output.empty())
        write_file(a.output, code_cache::write_recording({.works = std::move(works)}));
    if (a.against.empty()) return done;
    const auto times = static_cast<uint64_t>(std::ranges::count(reached, true));
    const uint64_t percent = all.empty() ? 100 : 100 * times / all.size();
    done.closing += "reached: " + std::to_string(times) + " of " + std::to_string(all.size()) +
                    ", " + std::to_string(percent) + " %\n";
    if (lost > 0) done.closing += "not read: " + std::to_string(lost) + " recorded works\n";
    if (percent < static_cast<uint64_t>(a.require)) done.status = 1;
    return done;
}

}  // namespace sinter::cache_command
