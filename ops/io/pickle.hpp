// Python's pickles as data: nothing is imported, called or built, as Python's own reader would.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::ops {

/// A value of a pickle.
struct pickle_value {
    enum class kind : uint8_t {
        none,
        boolean,
        integer,
        real,
        text,
        tuple,
        list,
        dict,
        global,
        call,
        persistent
    };
    kind is = kind::none;
    int64_t integer = 0;  // of a boolean, too
    double real = 0;
    std::string text;  // of a global its module and name: torch.FloatStorage
    /// A tuple's and a list's elements; a dict's keys and values in turns; a call's function and
    /// its tuple of arguments; what a persistent id says.
    std::vector<const pickle_value*> items;
};

class pickle {
public:
    /// A value of one byte takes a hundred in memory, so their number is bounded.
    static constexpr std::size_t most_values = 1'000'000;

    /// Reads a pickle. Throws ValueError if it is damaged, has an operation that tensors do not
    /// need or too many values, or names a global of which `allowed` returns false. `op`, `where`:
    /// for errors.
    pickle(const char* op, const std::string& where, std::string_view bytes,
           bool (*allowed)(const std::string& global));
    pickle(const pickle&) = delete;
    pickle& operator=(const pickle&) = delete;
    const pickle_value& root() const { return *root_; }

private:
    std::deque<pickle_value> values_;  // all of them; a value may be part of several, or of itself
    const pickle_value* root_ = nullptr;
};

/// The operations of a pickle that say values, for the writer of one.
class pickle_text {
public:
    pickle_text();
    pickle_text& op(char code) {
        bytes_ += code;
        return *this;
    }
    pickle_text& integer(int64_t n);
    pickle_text& text(std::string_view s);
    pickle_text& boolean(bool b) { return op(b ? '\x88' : '\x89'); }
    pickle_text& global(std::string_view module, std::string_view name);
    /// Ends the pickle and returns it.
    std::string end() { return bytes_ + '.'; }

private:
    std::string bytes_;
};

/// Operations by name.
namespace pickle_op {
constexpr char mark = '(', tuple = 't', empty_tuple = ')', empty_dict = '}', set_items = 'u',
               reduce = 'R', persistent = 'Q';
}  // namespace pickle_op

}  // namespace sinter::ops
