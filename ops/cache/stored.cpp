#include "ops/cache/stored.hpp"

#include "jit/cache/device_key.hpp"
#include "jit/cache/miss.hpp"
#include "jit/cache/target.hpp"
#include "jit/cache/trust.hpp"
#include "jit/kernel_ir/kernel_ir.hpp"
#include "runtime/base/fail.hpp"

#include <sinter/error.hpp>
#include <sinter/op/op.hpp>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace sinter::cache_command {
namespace {

namespace fs = std::filesystem;
using code_cache::artefact, code_cache::bytes;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
    runtime::fail(
        "cache", "stored kernels cannot be read", path + ": " + why,
        "a pack (.spk), a stored kernel (.kernel) or a folder of these, which only you or "
        "root can have written",
        "another path, chmod go-w or chown");
}

bool is_for_gpu(const artefact& a) { return code_cache::compiler_of_target(a.target); }

/// Returns nothing for a text, and for a kernel of another format.
std::optional<kernel_ir::kernel> kernel_of(const artefact& a) {
    if (is_for_gpu(a)) {
        std::optional<code_cache::device_subject> s = code_cache::read_device_key(a.key);
        return s ? std::optional(std::move(s->ir)) : std::nullopt;
    }
    try {
        return kernel_ir::deserialize(a.key.data(), a.key.size());
    } catch (const InternalError&) {
        return std::nullopt;
    }
}

}  // namespace

void stored_kernels::keep(const std::string& file, const artefact& a) {
    memory_.push_back(code_cache::write_artefact(a));
    all_.push_back({file, *code_cache::parse_artefact(memory_.back())});
}

void stored_kernels::read_pack(const std::string& path) {
    std::string why;
    const std::unique_ptr<code_cache::pack> p =
        trusted_ ? code_cache::open_trusted_pack(path, why) : code_cache::pack::open(path, why);
    if (!p) refuse(path, why);
    const std::size_t damaged = p->for_each([&](const artefact& a) { keep(path, a); });
    if (damaged > 0 || !p->whole()) damaged_.push_back(path);
}

void stored_kernels::read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    const bytes content{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (!in.good() && !in.eof()) refuse(path, "it cannot be read");
    if (const std::optional<artefact> a = code_cache::parse_artefact(content))
        keep(path, *a);
    else
        damaged_.push_back(path);
}

void stored_kernels::read(const std::string& path) {
    std::error_code error;
    const bool folder = fs::is_directory(path, error);
    if (!fs::exists(path, error)) refuse(path, "there is no such file");
    const std::optional<std::string> others =
        folder ? code_cache::why_not_trusted_folder(path) : code_cache::why_not_trusted_file(path);
    if (trusted_ && others && !others->empty()) refuse(path, *others);
    if (!folder) return path.ends_with(".kernel") ? read_file(path) : read_pack(path);
    std::vector<std::string> files;
    for (fs::directory_iterator i(path, error), end; !error && i != end; i.increment(error))
        if (i->path().extension() == ".kernel" || i->path().extension() == ".spk")
            files.push_back(i->path());
    if (error) refuse(path, error.message());
    std::sort(files.begin(), files.end());
    for (const std::string& file : files) read(file);
}

void stored_kernels::read_all(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) read(path);
    if (paths.empty())
        code_cache::process_places().for_each(
            [this](const std::string& file, const artefact& a) { keep(file, a); });
}

std::string name_of(const artefact& a) { return code_cache::name_of_key(a.key); }

std::string use_of(const artefact& a) {
    const std::optional<code_cache::identity> mine = code_cache::identity_of(a.target, a.key);
    if (!mine) return "no: its kernel is of another format";
    if (mine->abi != a.is.abi) return "no: another ABI";
    if (mine->semantics != a.is.semantics) return "no: other formulas or numerics";
    const std::vector<std::string>& targets = code_cache::process_targets();
    const bool here =
        is_for_gpu(a) || std::find(targets.begin(), targets.end(), a.target) != targets.end();
    return here ? "yes" : "no: this machine does not run " + std::string(a.target);
}

bool fits_library(const artefact& a) {
    const std::string use = use_of(a);
    return use == "yes" || use.starts_with("no: this machine");
}

std::string operations_of(const artefact& a) {
    if (is_for_gpu(a) && code_cache::is_text(a.key))
        return "source of " + std::to_string(a.key.size()) + " bytes";
    const std::optional<kernel_ir::kernel> k = kernel_of(a);
    if (!k) return "unknown";
    std::string names;
    for (const kernel_ir::instr& i : k->body) {
        const char* name = i.op == kernel_ir::opcode::row
                               ? op::info(static_cast<op::id>(i.row)).name
                           : i.op == kernel_ir::opcode::reduce ? op::reductions[i.row].name
                           : i.op == kernel_ir::opcode::cast   ? "cast"
                                                               : nullptr;
        if (name) names += (names.empty() ? "" : " ") + std::string(name);
    }
    return names.empty() ? "copy" : names;
}

}  // namespace sinter::cache_command
