#include "jit/codegen/c_like/gpu_compiler.hpp"

#include <charconv>

namespace sinter::codegen {

device_code compile(const gpu_compiler& c, const std::string& text,
                    const std::string& architecture) {
    rtc_library& library = c.library();
    if (library.why_not().empty() && !c.knows(library, architecture))
        return {{}, unknown_architecture(library, architecture, c.architectures(library)), true};
    return library.compile(text, c.options(architecture));
}

std::string unknown_architecture(const rtc_library& compiler, const std::string& architecture,
                                 const std::vector<std::string>& known) {
    std::string list;
    for (const std::string& name : known) list += (list.empty() ? "" : ", ") + name;
    const int wanted = architecture_number(architecture);
    const bool older = wanted >= 0 && !known.empty() && wanted < architecture_number(known.front());
    const std::string what = compiler.name() + " " + compiler.version();
    return "[jit] " + what + " does not compile for this architecture; got " + architecture +
           ", expected " + (list.empty() ? "one that it is known to take" : "one of " + list) +
           "; try " + (older ? "an older " : "a newer ") + compiler.name();
}

int architecture_number(const std::string& architecture) {
    const std::size_t at = architecture.find('_');
    int number = -1;
    if (at == std::string::npos) return -1;
    const char* const end = architecture.data() + architecture.size();
    const auto read = std::from_chars(architecture.data() + at + 1, end, number);
    const std::string suffix(read.ptr, end);
    return read.ec == std::errc() && (suffix.empty() || suffix == "a" || suffix == "f") ? number
                                                                                        : -1;
}

}  // namespace sinter::codegen
