#include "runtime/report/call_site.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

namespace sinter::runtime {
namespace {

/// Returns true for the name of a function of the library, with or without its return type.
bool is_own(std::string_view function) {
    int depth = 0;
    std::size_t begin = 0, end = function.size();
    for (std::size_t i = 0; i < function.size(); ++i) {
        const char c = function[i];
        if (c == '(' && depth == 0) {
            end = i;
            break;
        }
        depth += (c == '<' || c == '[') - (c == '>' || c == ']');
        if (c == ' ' && depth == 0) begin = i + 1;
    }
    function = function.substr(begin, end - begin);
    return function.starts_with("sinter::") || function.starts_with("_ZN6sinter");
}

/// Returns true for a file of the library: some compilers give inlined functions no full name.
bool is_own_file(std::string_view place) {
    constexpr std::string_view here = "runtime/report/call_site.cpp", self = __FILE__;
    constexpr std::string_view root = self.substr(0, self.size() - here.size());
    if (place.find("/include/sinter/") != std::string_view::npos) return true;
    if (root.empty() || !place.starts_with(root)) return false;
    place.remove_prefix(root.size());
    for (const std::string_view folder : {"ops/", "engine/", "kernels/", "jit/", "runtime/"})
        if (place.starts_with(folder)) return true;
    return false;
}

std::string quoted(const std::string& path) {
    std::string s = "'";
    for (const char c : path) s += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return s + "'";
}

/// Returns what addr2line prints of an address in a file: of each function that is inlined there,
/// innermost first, a line with its name and one with its place.
std::string functions_at(const std::string& file, uintptr_t address) {
    char hexadecimal[2 * sizeof address + 3];
    std::snprintf(hexadecimal, sizeof hexadecimal, "0x%zx", static_cast<std::size_t>(address));
    const std::string command =
        "addr2line -f -C -i -e " + quoted(file) + " " + hexadecimal + " 2>/dev/null";
    std::string text;
    const std::unique_ptr<FILE, int (*)(FILE*)> output(popen(command.c_str(), "r"), pclose);
    char part[4096];
    while (output) {
        const std::size_t n = std::fread(part, 1, sizeof part, output.get());
        if (n == 0) break;
        text.append(part, n);
    }
    return text;
}

Dl_info module_of(uintptr_t address) {
    Dl_info in{};
    dladdr(reinterpret_cast<void*>(address), &in);
    return in;
}

/// Returns the program's line at a return address, empty if it is not known, or nullopt if all that
/// is there belongs to the library.
std::optional<std::string> line_at(void* frame) {
    const uintptr_t address = reinterpret_cast<uintptr_t>(frame) - 1;  // inside of the call
    const Dl_info in = module_of(address);
    if (!in.dli_fbase || !in.dli_fname) return "";
    const bool in_program = in.dli_fbase == module_of(getauxval(AT_PHDR)).dli_fbase;
    // A static library is a part of the program, and told from it by the names of functions.
    if (!in_program &&
        in.dli_fbase == module_of(reinterpret_cast<uintptr_t>(&current_call_site)).dli_fbase)
        return std::nullopt;
    const std::string file =
        in_program ? "/proc/" + std::to_string(getpid()) + "/exe" : std::string(in.dli_fname);
    const auto* header = static_cast<const ElfW(Ehdr)*>(in.dli_fbase);
    const uintptr_t base = header->e_type == ET_DYN ? reinterpret_cast<uintptr_t>(in.dli_fbase) : 0;
    const std::string text = functions_at(file, address - base);
    std::string_view left = text;
    const auto next = [&left] {
        const std::size_t end = left.find('\n');
        const std::string_view line = left.substr(0, end);
        left.remove_prefix(end == std::string_view::npos ? left.size() : end + 1);
        return line;
    };
    while (!left.empty()) {
        const std::string_view function = next();
        std::string_view place = next();
        if (is_own(function) || is_own_file(place)) continue;
        if (place.empty() || place[0] == '?')
            return std::string(function.starts_with("?") ? "" : function);
        place.remove_prefix(place.rfind('/') + 1);
        return std::string(place.substr(0, place.find(' ')));  // no discriminator
    }
    if (text.empty()) return "";
    return std::nullopt;
}

}  // namespace

call_site current_call_site() {
    call_site s;
    s.count = backtrace(s.frames.data(), call_site::most);
    return s;
}

std::string line_of(const call_site& site) {
    // The lines that are known: each costs a process. Guarded by the mutex.
    static std::mutex mutex;
    static auto& known = *new std::map<void*, std::optional<std::string>>;
    const std::lock_guard lock(mutex);
    bool inside = false;  // what walks the stack may be the system's, or a sanitizer's
    for (int i = 0; i < site.count; ++i) {
        void* const frame = site.frames[static_cast<std::size_t>(i)];
        const auto [at, fresh] = known.try_emplace(frame);
        if (fresh) at->second = line_at(frame);
        if (at->second && inside) return *at->second;
        inside = inside || !at->second;
    }
    return "";
}

}  // namespace sinter::runtime
