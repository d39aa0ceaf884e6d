#include "core/compile/rtc.hpp"

#include "core/base/handles.hpp"
#include "core/base/occasions.hpp"
#include "core/base/settings.hpp"

#include <atomic>

namespace gpu_emulator {
namespace {

struct program {
    std::string text, name, log, code, architecture;
};

handles<program>& programs() {
    static handles<program>& all = *new handles<program>;
    return all;
}

}  // namespace

int rtc_create(void** made, const char* text, const char* name, int headers) {
    if (!made || !text || headers != 0) return rtc_invalid_input;
    auto p = std::make_shared<program>();
    p->text = text;
    p->name = name ? name : "default_program";
    *made = programs().give(std::move(p));
    return rtc_success;
}

int rtc_compile(void* handle, const char* prelude, read_options read, int count,
                const char* const* options) {
    const auto p = programs().find(handle);
    if (!p) return rtc_invalid_program;
    if (count < 0 || (count > 0 && !options)) return rtc_invalid_input;
    p->code.clear();
    p->log.clear();
    compile_request r;
    r.text = p->text;
    r.name = p->name;
    r.prelude = prelude;
    if (const int wrong = read({options, options + count}, r, p->log)) return wrong;
    if (happens(occasion::compile)) {
        p->log = "error: this compilation was made to fail\n";
        return rtc_compilation;
    }
    static std::atomic<int> running{0};
    if (running++ > 0) happens(occasion::compile_beside);
    compile_result result = compile(r);
    --running;
    p->log = std::move(result.log);
    p->code = std::move(result.code);
    p->architecture = r.architecture;
    return p->code.empty() ? rtc_compilation : rtc_success;
}

int rtc_destroy(void** handle) {
    if (!handle || !programs().take(*handle)) return rtc_invalid_program;
    *handle = nullptr;
    return rtc_success;
}

int rtc_log_size(void* handle, std::size_t* size) {
    const auto p = programs().find(handle);
    if (!p) return rtc_invalid_program;
    *size = p->log.size() + 1;
    return rtc_success;
}

int rtc_log(void* handle, char* log) {
    const auto p = programs().find(handle);
    if (!p) return rtc_invalid_program;
    log[p->log.copy(log, p->log.size())] = '\0';
    return rtc_success;
}

int rtc_code_size(void* handle, std::size_t* size) {
    const auto p = programs().find(handle);
    if (!p) return rtc_invalid_program;
    *size = p->code.size();
    return rtc_success;
}

int rtc_code(void* handle, char* code) {
    const auto p = programs().find(handle);
    if (!p || p->code.empty()) return rtc_invalid_program;
    p->code.copy(code, p->code.size());
    return rtc_success;
}

std::string rtc_architecture(void* handle) {
    const auto p = programs().find(handle);
    return p ? p->architecture : "";
}

std::vector<std::string> known_architectures(std::span<const char* const> usual) {
    const std::vector<std::string>& named = environment().architectures;
    return named.empty() ? std::vector<std::string>(usual.begin(), usual.end()) : named;
}

bool takes(const std::string& option, const char* name, std::string& value) {
    if (option.rfind(name, 0) != 0) return false;
    value = option.substr(std::char_traits<char>::length(name));
    return true;
}

}  // namespace gpu_emulator
