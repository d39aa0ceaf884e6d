// Each place that programs look into, in the order of look-ups, and why kernels there are not used.
#include "jit/cache/kernel_cache.hpp"
#include "jit/cache/target.hpp"
#include "jit/cache/trust.hpp"
#include "jit/codegen/c_like/gpu_compiler.hpp"
#include "jit/stored/compression.hpp"
#include "ops/cache/commands.hpp"
#include "ops/cache/stored.hpp"
#include "runtime/base/environment.hpp"

#include <unistd.h>

#include <filesystem>

namespace sinter::cache_command {
namespace {

namespace fs = std::filesystem;

class diagnosis {
public:
    void add(const char* what, const std::string& where, const std::string& state,
             const std::string& remedy = "") {
        found_.records.push_back({{"what", what},
                                  {"where", where.empty() ? "-" : where},
                                  {"state", state},
                                  {"remedy", remedy.empty() ? "-" : remedy}});
        if (!remedy.empty()) found_.status = 1;
    }

    void pack(const char* what, const std::string& path) {
        std::string why;
        if (!code_cache::open_trusted_pack(path, why))
            return add(what, path, "refused: " + why, remedy_of(why));
        kernels(what, path);
    }

    void folder(const char* what, const std::string& path, bool written) {
        const std::optional<std::string> others = code_cache::why_not_trusted_folder(path);
        if (!others)
            return written
                       ? add(what, path, "not there yet: it is made for the first kernel")
                       : add(what, path, "there is no such folder", "another SINTER_CACHE_LAYERS");
        if (!others->empty()) return add(what, path, "refused: " + *others, remedy_of(*others));
        kernels(what, path);
        if (written && access(path.c_str(), W_OK) != 0)
            add(what, path, "it cannot be written", "chmod u+w, or another SINTER_CACHE_DIR");
    }

    answer done() {
        found_.paragraphs = false;
        found_.closing = found_.status ? "something is refused or missing: see the remedies\n"
                                       : "nothing is refused\n";
        return found_;
    }

private:
    static std::string remedy_of(const std::string& why) {
        if (why.find("belongs to user") != std::string::npos) return "chown, or run as that user";
        if (why.find("can write") != std::string::npos) return "chmod go-w";
        return "build or copy it again";
    }

    /// Reads a place that is trusted, and counts what is in there.
    void kernels(const char* what, const std::string& path) {
        stored_kernels in(false);
        std::string refused;
        try {
            in.read(path);
        } catch (const Error& e) {
            return add(what, path, e.what(), "another path");
        }
        uint64_t used = 0, machine = 0, others = 0;
        const code_cache::artefact* compressed = nullptr;
        for (const stored_kernel& k : in.all()) {
            const std::string use = use_of(k.code);
            (use == "yes" ? used : fits_library(k.code) ? machine : others) += 1;
            compressed = k.code.plain_size > 0 ? &k.code : compressed;
            const auto file = code_cache::why_not_trusted_file(k.file);
            if (file && !file->empty()) refused = *file;
        }
        std::string state = std::to_string(used) + " kernels are used";
        if (machine) state += ", " + std::to_string(machine) + " are for other machines";
        if (others) state += ", " + std::to_string(others) + " are of another library";
        if (!refused.empty())
            return add(what, path, state + "; some files are refused: " + refused,
                       remedy_of(refused));
        if (compressed) try {
                code_cache::plain_image(*compressed);
            } catch (const Error& e) {
                return add(what, path, state + "; " + e.what(), "apt install libzstd1");
            }
        if (!in.damaged().empty())
            return add(what, path,
                       state + "; damaged, or of another version: " + in.damaged().front(),
                       "build or copy it again");
        add(what, path, state);
    }

    answer found_;
};

}  // namespace

answer doctor(const arguments&) {
    const runtime::settings& s = runtime::environment();
    const code_cache::disk_config config = code_cache::config_from_environment();
    diagnosis d;
    std::string targets;
    for (const std::string& t : code_cache::process_targets())
        targets += (targets.empty() ? "" : ", ") + t;
    targets.empty() ? d.add("processor", "", "it is below x86-64-v3, for which kernels are made",
                            "SINTER_JIT=off silences this")
                    : d.add("processor", "", "runs kernels for " + targets);
    if (s.cache == runtime::cache_choice::off)
        d.add("SINTER_CACHE", "", "off: no place is looked into", "unset it");
    if (config.must_have)
        d.add("SINTER_CACHE", "", "require: a kernel that is in no place is an error");
    if (config.same_producer)
        d.add("SINTER_CACHE_ACCEPT", "",
              "exact: kernels of other compilers and generators are not used");
    if (s.cache != runtime::cache_choice::off) {
        for (const std::string& path : code_cache::paths_in(s.cache_packs))
            d.pack("pack of SINTER_CACHE_PACKS", path);
        if (config.folder.empty())
            d.add("folder", "", "none: SINTER_CACHE_DIR is empty, or there is no home folder");
        else
            d.folder("folder", config.folder, config.writes);
        for (const std::string& layer : config.layers) d.folder("layer", layer, false);
        const std::string installed = code_cache::installed_packs_folder();
        std::error_code error;
        for (fs::directory_iterator i(installed, error), end; !error && i != end;
             i.increment(error))
            if (i->path().extension() == ".spk") d.pack("installed pack", i->path());
    }
    std::string why;
    code_cache::compiler_available(&why)
        ? d.add("compiler", "", "LLVM: kernels that are in no place are compiled")
        : d.add("compiler", "",
                "none: " + why + "; kernels that are in no place run block by block");
    return d.done();
}

}  // namespace sinter::cache_command
