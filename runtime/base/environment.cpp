#include "runtime/base/environment.hpp"

#include "runtime/base/device.hpp"

#include <sinter/error.hpp>

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace sinter::runtime {

// Not a dynamically initialised static, nor made under a lock: a child forked by another thread
// meanwhile would hang.
constinit std::atomic<const settings*> known_environment{nullptr};

namespace {

constexpr int64_t most_mib = int64_t{1} << 40;  // as bytes it fits 64 bits

int64_t quarter_of_memory_mb() {
    return std::max<int64_t>(static_cast<int64_t>(memory_bytes() >> 22), 1);
}

std::string default_cache_dir(const settings& s) {
    if (s.xdg_cache_home.starts_with('/')) return s.xdg_cache_home + "/sinter";
    return s.home.starts_with('/') ? s.home + "/.cache/sinter" : "";
}

[[noreturn]] void refuse(const char* name, const char* what, const std::string& got,
                         const std::string& expected) {
    throw ValueError("[" + std::string(name) + "] " + what + "; got " + got + ", expected " +
                     expected + "; try leaving it unset");
}

/// Reads variables, and adds each to the list of all.
class reader {
public:
    explicit reader(settings& s) : all_(s.all) {}

    /// Returns the position in a list, "(a, b, c)".
    std::size_t choice(const char* name, std::string_view list, std::size_t otherwise,
                       const char* meaning) {
        std::vector<std::string_view> words;
        for (list.remove_prefix(1); !list.empty();) {
            const std::size_t end = list.find_first_of(",)");
            words.push_back(list.substr(0, end));
            list.remove_prefix(std::min(end + 2, list.size()));
        }
        const char* text = filled(name);
        const auto found = text ? std::find(words.begin(), words.end(), text)
                                : words.begin() + static_cast<std::ptrdiff_t>(otherwise);
        if (found == words.end()) {
            std::string expected(words[0]);
            for (std::size_t i = 1; i < words.size(); ++i)
                expected.append(i + 1 < words.size() ? ", " : " or ").append(words[i]);
            refuse(name, "no such choice", text, expected);
        }
        add(name, std::string(*found), text, meaning);
        return static_cast<std::size_t>(found - words.begin());
    }

    bool on(const char* name, bool otherwise, const char* meaning) {
        return choice(name, "(on, off, 1, 0)", otherwise ? 0 : 1, meaning) % 2 == 0;
    }

    int64_t number(const char* name, int64_t least, int64_t most, int64_t otherwise,
                   const char* meaning) {
        int64_t value = otherwise;
        const char* text = filled(name);
        if (text) {
            const char* end = text + std::strlen(text);
            const auto [stop, error] = std::from_chars(text, end, value);
            if (error != std::errc() || stop != end || value < least || value > most)
                refuse(
                    name, "not such a number", text,
                    "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
        }
        add(name, value < least ? "" : std::to_string(value), text, meaning);
        return value;
    }

    std::string text(const char* name, const std::string& otherwise, const char* meaning) {
        const char* text = otherwise.empty() ? filled(name) : std::getenv(name);
        add(name, text ? text : otherwise, text, meaning);
        return text ? text : otherwise;
    }

private:
    /// Returns the value of a variable; null if it is unset or empty.
    static const char* filled(const char* name) {
        const char* text = std::getenv(name);
        return text && *text ? text : nullptr;
    }
    void add(const char* name, std::string value, const char* text, const char* meaning) {
        all_.push_back({name, std::move(value), text != nullptr, meaning});
    }

    std::vector<variable>& all_;
};

/// Throws ValueError if the processor lacks the level.
void check(isa_choice level) {
    const bool lacks =
        level == isa_choice::v4 ? !cpu_has_v4() : level == isa_choice::v3 && !cpu_has_v3();
    if (lacks)
        refuse("SINTER_ISA", "this CPU lacks the level", level == isa_choice::v4 ? "v4" : "v3",
               std::string("at most ") + cpu_level());
}

}  // namespace

const settings& read_environment() {
    auto made = std::make_unique<settings>();
    settings& s = *made;
    reader r(s);
#define CHOICE(field, variable, choices, meaning) \
    s.field = static_cast<field##_choice>(r.choice(#variable, #choices, 0, meaning));
#define SWITCH(field, variable, otherwise, meaning) s.field = r.on(#variable, otherwise, meaning);
#define NUMBER(field, variable, least, most, otherwise, meaning) \
    s.field = r.number(#variable, least, most, otherwise, meaning);
#define TEXT(field, variable, otherwise, meaning) s.field = r.text(#variable, otherwise, meaning);
#include "runtime/base/environment.def"
    check(s.isa);
    const settings* first = nullptr;  // another thread's, if it was faster
    return known_environment.compare_exchange_strong(first, made.get(), std::memory_order_acq_rel)
               ? *made.release()
               : *first;
}

const char* name_of(text_setting which) {
#define CHOICE(...)
#define SWITCH(...)
#define NUMBER(...)
#define TEXT(field, variable, ...) \
    if (which == &settings::field) return #variable;
#include "runtime/base/environment.def"
    return "";
}

std::string variables_of_libraries() {
    std::string text;
    for (char** v = environ; v && *v; ++v) {
        const std::string_view each = *v;
        if (each.starts_with("OPENBLAS_") || each.starts_with("OMP_"))
            text.append(text.empty() ? "" : " ").append(each);
    }
    return text;
}

bool is_set(const char* name) { return std::getenv(name) != nullptr; }

void with_variable(const char* name, const std::string& value, const std::function<void()>& f) {
    // The array of variables is swapped, since setenv may free one in which another thread reads.
    // Array and text stay for the same reason.
    struct variables {
        std::string added;
        std::vector<char*> array;
        variables* older;
    };
    static constinit std::atomic<variables*> newest{nullptr};
    auto* const with = new variables{std::string(name) + "=" + value, {}, nullptr};
    with->older = newest.exchange(with);
    char** const before = environ;
    for (char** each = before; each && *each; ++each) with->array.push_back(*each);
    with->array.insert(with->array.end(), {with->added.data(), nullptr});
    environ = with->array.data();
    struct restore {
        char **mine, **before;
        // If another thread has set a variable since, its array stays, with this variable in it.
        ~restore() {
            if (environ == mine) environ = before;
        }
    };
    const restore at_end{environ, before};
    f();
}

}  // namespace sinter::runtime
