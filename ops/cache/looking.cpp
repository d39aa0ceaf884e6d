// The commands that only read: list, show, why.
#include "jit/cache/device_key.hpp"
#include "jit/cache/miss.hpp"
#include "jit/cache/target.hpp"
#include "jit/kernel_ir/kernel_ir.hpp"
#include "jit/stored/compression.hpp"
#include "ops/cache/commands.hpp"
#include "ops/cache/files.hpp"
#include "ops/cache/stored.hpp"
#include "runtime/base/fail.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>

namespace sinter::cache_command {
namespace {

std::string in_kib(uint64_t bytes) { return std::to_string((bytes + 1023) / 1024) + " KiB"; }

std::string hexadecimal(uint64_t n) {
    char text[24];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(n));
    return text;
}

/// Returns the kernel's name, which is the first argument, and the places after it.
std::string take_name(const arguments& a, std::vector<std::string>& places) {
    if (a.paths.empty())
        runtime::fail("cache", "no kernel is named", "nothing", "the 16 digits of a kernel's name",
                      "`sinter cache list`, which prints the names");
    places.assign(a.paths.begin() + 1, a.paths.end());
    return a.paths.front();
}

/// Returns the kernels whose name begins with `name`.
std::vector<stored_kernel> named(const stored_kernels& from, const std::string& name) {
    std::vector<stored_kernel> found;
    for (const stored_kernel& k : from.all())
        if (name_of(k.code).starts_with(name)) found.push_back(k);
    return found;
}

[[noreturn]] void refuse_name(const std::string& name, std::size_t looked_at) {
    runtime::fail("cache", "no kernel of this name is stored",
                  name + ", among " + runtime::count_of(static_cast<int64_t>(looked_at), "kernel"),
                  "the name of a stored kernel, or its first digits",
                  "`sinter cache list`, or naming the places where it may be");
}

/// Returns what a person can read of a kernel: of a GPU its source.
std::string text_of(const code_cache::artefact& code) {
    if (operations_of(code) == "unknown") return "a kernel of another format";
    if (const codegen::gpu_compiler* c = code_cache::compiler_of_target(code.target))
        return code_cache::source_of(*c, code.key);
    return kernel_ir::print(kernel_ir::deserialize(code.key.data(), code.key.size()));
}

/// Returns true for a GPU's kernel that takes operands of any strides (jit/launch/gpu/forms.hpp).
bool is_base_form(const code_cache::artefact& code) {
    const std::optional<code_cache::device_subject> s = code_cache::read_device_key(code.key);
    return s && s->shape.wide && s->shape.row_dims + s->shape.element_dims >= 4 &&
           std::all_of(s->ir.operands.begin(), s->ir.operands.end(),
                       [](const auto& o) { return o.lane == kernel_ir::stride_class::other; });
}

/// Returns "12ab34cd56ef7890.sm_90.cubin". The code of a CPU is an image without a header.
std::string file_name_of(const code_cache::artefact& code) {
    const std::string target(code.target);
    const std::string of = target.substr(target.rfind(' ') + 1);
    const char* kind = !code_cache::compiler_of_target(target) ? ".bin"
                       : of.starts_with("sm_")                 ? ".cubin"
                       : of.starts_with("compute_")            ? ".ptx"
                                                               : ".hsaco";
    return name_of(code) + "." + of + kind;
}

}  // namespace

answer list(const arguments& a) {
    stored_kernels all(false);
    all.read_all(a.paths);
    answer found;
    uint64_t size = 0, used = 0;
    for (const auto& [file, code] : all.all()) {
        const std::string use = use_of(code);
        size += code.image.size();
        used += use == "yes";
        found.records.push_back({{"name", name_of(code)},
                                 {"target", std::string(code.target)},
                                 {"used", use},
                                 {"bytes", uint64_t{code.image.size()}},
                                 {"operations", operations_of(code)},
                                 {"file", file}});
    }
    found.closing = runtime::count_of(static_cast<int64_t>(found.records.size()), "kernel") + ", " +
                    std::to_string(used) + " of them for this machine, " + in_kib(size) +
                    " of code\n";
    return found;
}

answer show(const arguments& a) {
    std::vector<std::string> places;
    const std::string name = take_name(a, places);
    stored_kernels all(false);
    all.read_all(places);
    answer found;
    found.paragraphs = true;
    for (const auto& [file, code] : named(all, name)) {
        found.records.push_back({{"name", name_of(code)},
                                 {"target", std::string(code.target)},
                                 {"used", use_of(code)},
                                 {"bytes", uint64_t{code.image.size()}},
                                 {"abi", uint64_t{code.is.abi}},
                                 {"semantics", hexadecimal(code.is.semantics)},
                                 {"producer", std::string(code.producer)},
                                 {"file", file},
                                 {"kernel", text_of(code)}});
    }
    if (found.records.empty()) refuse_name(name, all.all().size());
    return found;
}

answer extract(const arguments& a) {
    std::error_code error;
    std::filesystem::create_directories(a.output, error);
    stored_kernels all(false);
    all.read_all(a.paths);
    answer found;
    for (const auto& [file, code] : all.all()) {
        const std::string to = a.output + "/" + file_name_of(code);
        write_file(to, code_cache::plain_image(code));
        found.records.push_back({{"file", to},
                                 {"target", std::string(code.target)},
                                 {"form", is_base_form(code) ? "base" : "own"},
                                 {"entry", uint64_t{code.entry}},
                                 {"operations", operations_of(code)}});
    }
    return found;
}

answer why(const arguments& a) {
    std::vector<std::string> places;
    const std::string name = take_name(a, places);
    stored_kernels all(false);
    all.read_all(places);
    const std::vector<stored_kernel> same = named(all, name);
    if (same.empty()) refuse_name(name, all.all().size());
    // What a program on this machine would ask for.
    const code_cache::artefact& code = same.front().code;
    code_cache::wanted_code wanted{code.target, code.key, code.is};
    if (const auto is = code_cache::identity_of(code.target, code.key)) wanted.is = *is;
    const std::vector<std::string>& targets = code_cache::process_targets();
    if (!code_cache::compiler_of_target(code.target) && !targets.empty())
        wanted.target = targets.front();

    answer found;
    std::map<std::string, bool> has;  // by file
    for (const stored_kernel& k : all.all()) has.try_emplace(k.file, false);
    for (const auto& [file, each] : same) {
        has[file] = true;
        found.records.push_back(
            {{"file", file}, {"target", std::string(each.target)}, {"used", use_of(each)}});
    }
    // Packs that lack it: what they have instead. A file with one kernel says nothing.
    for (const auto& [file, there] : has) {
        if (there || file.ends_with(".kernel")) continue;
        std::vector<code_cache::stored_code> others;
        for (const stored_kernel& k : all.all())
            if (k.file == file) others.push_back({file, k.code});
        const std::string nearest = code_cache::nearest_kernel(others, wanted);
        found.records.push_back({{"file", file},
                                 {"target", "-"},
                                 {"used", "no: it lacks the kernel" +
                                              (nearest.empty() ? "" : "; nearest is " + nearest)}});
    }
    return found;
}

}  // namespace sinter::cache_command
