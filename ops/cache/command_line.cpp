#include "ops/cache/commands.hpp"
#include "runtime/base/fail.hpp"

#include <sinter/cache.hpp>
#include <sinter/error.hpp>

#include <algorithm>
#include <charconv>
#include <ostream>
#include <span>

namespace sinter::cache_command {
namespace {

struct command {
    const char* name;
    answer (*run)(const arguments&);
    const char* usage;
    const char* does;
    bool wants_output = false;
    std::size_t least_paths = 0;
    bool wants_program = false;
};

constexpr command commands[] = {
    {"record", record_program, "-o RECORDING [--counts] -- PROGRAM [ARGUMENT...]",
     "runs a program, and adds what it computes to a recording; with --counts also how often", true,
     0, true},
    {"build", build_pack, "RECORDING... -o PACK [--widen] [--targets TARGET,...] [-j N]",
     "compiles the kernels of recordings for targets (x86-64-v3, x86-64-v4: the default; "
     "aarch64; GPUs: sm_90, sm_90@h200, sm_90@FILE.sdev, ptx:90, gfx90a), and with --widen those "
     "for other sizes and layouts",
     true, 1},
    {"base", base, "-o RECORDING [--dtypes DTYPE,...]",
     "a recording of single operations, of each row and dtype: for eager mode on GPUs", true},
    {"probe", probe, "[cuda:N] [-o FILE.sdev]",
     "the GPUs of this machine; writes what a build for one needs on another machine"},
    {"coverage", coverage, "PLACE... RECORDING... [--require PERCENT] [--targets TARGET,...]",
     "which of the kernels that recordings ask for are stored; fails if fewer works are covered",
     false, 1},
    {"harvest", harvest,
     "BINARY... [-o RECORDING] [--dtypes DTYPE,...] [--against RECORDING]... [--require PERCENT]",
     "the expressions that programs were compiled with, as a recording (f32,f64: the default); "
     "with --against, which of them no recorded run has computed: fails if fewer were",
     false, 1},
    {"list", list, "[PLACE...]", "kernels: name, target, whether they run here, bytes, operations"},
    {"show", show, "NAME [PLACE...]", "one kernel: what is stored of it, and its IR or source"},
    {"extract", extract, "PLACE... -o FOLDER",
     "the code of each kernel as a file, for a disassembler: NAME.sm_90.cubin", true, 1},
    {"verify", verify, "PLACE... [--run]",
     "reads every byte, and with --run compares the bits of each kernel with the interpreter; "
     "fails if "
     "one differs",
     false, 1},
    {"merge", merge, "PLACE... -o PACK [--targets TARGET,...]",
     "one pack of all kernels, or those of some targets", true, 1},
    {"prune", prune, "[PACK -o PACK] [--dry-run]",
     "a pack, or your cache folder, without what this library would not run on any machine"},
    {"doctor", doctor, "",
     "each place that programs look into, and why kernels there are not used"},
    {"why", why, "NAME [PLACE...]", "for each place, why a kernel there is used or is not"},
    {"clear", clear, "[--dry-run]", "removes all kernels of your cache folder"},
    {"keys", keys, "-o NAME", "makes a pair of keys, NAME.key and NAME.pub", true},
    {"sign", sign, "PACK... --key NAME.key",
     "writes PACK.sig: machines that trust the key run the pack", false, 1},
};

std::string usage() {
    std::string text = "usage: sinter cache COMMAND\n";
    for (const command& c : commands) {
        std::string line = std::string("  ") + c.name + " " + c.usage;
        text += line + "\n      " + c.does + "\n";
    }
    return text +
           "PLACE: a pack (.spk), a folder, or a stored kernel (.kernel); without one, all that a "
           "program looks into.\n--json prints records instead of a table. "
           "docs/offline_kernels.md explains all of it.\n";
}

/// Returns -1 if the text is no whole number of at most 1024.
int number(const std::string& text) {
    int n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    return whole && n >= 0 && n <= 1024 ? n : -1;
}

std::vector<std::string> split(const std::string& list) {
    std::vector<std::string> parts;
    for (std::size_t from = 0; from <= list.size();) {
        const std::size_t to = std::min(list.find(',', from), list.size());
        if (to > from) parts.push_back(list.substr(from, to - from));
        from = to + 1;
    }
    return parts;
}

/// Takes a command line apart; returns an error text.
std::string parse(const command& c, std::span<const std::string> words, arguments& a) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& w = words[i];
        if (w == "--" && c.wants_program) {
            a.program.assign(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
            break;
        }
        const bool valued = w == "-o" || w == "--targets" || w == "-j" || w == "--require" ||
                            w == "--key" || w == "--dtypes" || w == "--against";
        if (valued && i + 1 == words.size()) return w + " wants a value";
        if (w == "--json")
            a.json = true;
        else if (w == "--dry-run")
            a.dry_run = true;
        else if (w == "--run")
            a.run = true;
        else if (w == "--counts")
            a.counts = true;
        else if (w == "--widen")
            a.widen = true;
        else if (w == "-o")
            a.output = words[++i];
        else if (w == "--targets")
            a.targets = split(words[++i]);
        else if (w == "--dtypes")
            a.dtypes = split(words[++i]);
        else if (w == "--against")
            a.against.push_back(words[++i]);
        else if (w == "--require")
            a.require = number(words[++i]);
        else if (w == "--key")
            a.key = words[++i];
        else if (w == "-j")
            a.jobs = number(words[++i]);
        else if (w.starts_with("-j"))
            a.jobs = number(w.substr(2));
        else if (w.starts_with("-") && w != "-")
            return "there is no option " + w;
        else
            a.paths.push_back(w);
    }
    if (c.wants_output && a.output.empty()) return std::string(c.name) + " wants -o FILE";
    if (a.paths.size() < c.least_paths) return std::string(c.name) + " wants a place";
    if (a.jobs < 0) return "-j wants a number of processes";
    if (a.require < 0 || a.require > 100) return "--require wants a percentage";
    if (c.wants_program && (a.program.empty() || !a.paths.empty()))
        return std::string(c.name) + " wants -- and a program";
    return {};
}

int run(std::span<const std::string> words, std::ostream& out, std::ostream& err) {
    if (words.empty() || words[0] == "--help" || words[0] == "help") {
        (words.empty() ? err : out) << usage();
        return words.empty() ? 2 : 0;
    }
    const command* c = std::find_if(std::begin(commands), std::end(commands),
                                    [&](const command& each) { return words[0] == each.name; });
    if (c == std::end(commands)) {
        err << "sinter cache: there is no command " << words[0] << "\n" << usage();
        return 2;
    }
    arguments a;
    if (const std::string wrong = parse(*c, words.subspan(1), a); !wrong.empty()) {
        err << "sinter cache: " << wrong << "\nusage: sinter cache " << c->name << " " << c->usage
            << "\n";
        return 2;
    }
    try {
        const answer found = c->run(a);
        if (a.json)
            out << as_json(found.records);
        else
            out << (found.paragraphs ? as_paragraphs(found.records) : as_table(found.records))
                << found.closing;
        out.flush();
        return found.status;
    } catch (const Error& e) {
        err << "sinter cache " << c->name << ": " << e.what() << "\n";
        return 1;
    }
}

}  // namespace
}  // namespace sinter::cache_command

namespace sinter::inline v1::cache {

int run_command(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
    return cache_command::run(arguments, out, err);
}

}  // namespace sinter::inline v1::cache
