#include "jit/codegen/c_like/compiler.hpp"

#include <cstdlib>
#include <sstream>

namespace sinter::codegen {

namespace {

/// Returns "13.0"; empty if the library does not say.
std::string release_of(void* library, const rtc_names& names) {
    const std::string symbol = std::string(names.prefix) + "Version";
    const auto version = reinterpret_cast<int (*)(int*, int*)>(dlsym(library, symbol.c_str()));
    int major = 0, minor = 0;
    if (!version || version(&major, &minor) != 0) return "";
    return std::to_string(major) + "." + std::to_string(minor);
}

int major_of(const std::string& release) { return std::atoi(release.c_str()); }

}  // namespace

/// Opens the first library that the driver is not too old for; if there is none, the first.
void rtc_library::open(const rtc_names& names, std::span<const char* const> places) {
    const std::string driver = names.driver ? names.driver() : "";
    for (const char* place : places) {
        // Never closed: some of the libraries do not survive it.
        void* const library = dlopen(place, RTLD_NOW | RTLD_LOCAL);
        if (!library) continue;
        const std::string release = release_of(library, names);
        const bool too_new = !driver.empty() && major_of(release) > major_of(driver);
        if (handle_ && too_new) continue;
        handle_ = library;
        path_ = place;
        version_ = release;
        why_not_here_ = too_new ? name_ + " " + release + " (" + path_ +
                                      ") is newer than the driver, " + driver +
                                      ", which does not run its code"
                                : "";
        if (!too_new) return;
    }
}

rtc_library::rtc_library(const rtc_names& names) : name_(names.vendor), threads_(names.threads) {
    const char* instead = (runtime::environment().*names.variable).c_str();
    const std::span<const char* const> places =
        *instead ? std::span<const char* const>(&instead, 1) : names.places;
    open(names, places);
    if (!handle_) {
        why_not_ = name_ + " is not installed; looked for";
        for (const char* place : places) why_not_ += std::string(" ") + place;
        why_not_here_ = why_not_;
        return;
    }
    const auto need = [&](auto& function, const std::string& name) {
        const std::string symbol = names.prefix + name;
        if (!find(symbol.c_str(), function) && why_not_.empty())
            why_not_ = path_ + " has no " + symbol;
    };
    const std::string get_code = std::string("Get") + names.code;
    int (*version)(int*, int*) = nullptr;
    need(create_, "CreateProgram");
    need(compile_, "CompileProgram");
    need(destroy_, "DestroyProgram");
    need(log_size_, "GetProgramLogSize");
    need(log_, "GetProgramLog");
    need(code_size_, get_code + "Size");
    need(code_, get_code);
    need(version, "Version");
    if (names.virtual_code) {
        const std::string get_virtual = std::string(names.prefix) + "Get" + names.virtual_code;
        find((get_virtual + "Size").c_str(), virtual_size_);
        find(get_virtual.c_str(), virtual_);
    }
    if (!why_not_.empty()) why_not_here_ = why_not_;
}

device_code rtc_library::compile(const std::string& text, const std::string& options) {
    device_code result;
    if (!why_not_.empty()) {
        result.error = why_not_;
        return result;
    }
    std::unique_lock lock(mutex_, std::defer_lock);
    if (!threads_) lock.lock();
    program p = nullptr;
    if (const int error = create_(&p, text.c_str(), "sinter", 0, nullptr, nullptr)) {
        result.error = name_ + " refuses the program, error " + std::to_string(error);
        return result;
    }
    std::vector<std::string> words;
    std::istringstream in(options);
    for (std::string word; in >> word;) words.push_back(word);
    std::vector<const char*> list;
    for (const std::string& word : words) list.push_back(word.c_str());
    const int failed = compile_(p, static_cast<int>(list.size()), list.data());
    std::size_t size = 0;
    if (failed) {
        result.error = name_ + " error " + std::to_string(failed);
        if (log_size_(p, &size) == 0 && size > 1) {
            std::string log(size, '\0');
            if (log_(p, log.data()) == 0) result.error += ":\n" + log;
        }
    } else if (code_size_(p, &size) == 0 && size > 0) {
        result.bytes.resize(size);
        if (code_(p, result.bytes.data()) != 0) result.bytes.clear();
    } else if (virtual_size_ && virtual_ && virtual_size_(p, &size) == 0 && size > 0) {
        result.bytes.resize(size);
        if (virtual_(p, result.bytes.data()) != 0) result.bytes.clear();
    }
    if (result.bytes.empty() && result.error.empty()) result.error = name_ + " gave no code";
    destroy_(&p);
    return result;
}

}  // namespace sinter::codegen
