#include "ops/benchmark/callgrind_file.hpp"

#include "runtime/base/fail.hpp"

#include <sinter/error.hpp>

#include <charconv>
#include <string_view>
#include <unordered_map>

namespace sinter::benchmark_text {
namespace {

using benchmark::FunctionCount, benchmark::FunctionCounts;
using std::string_view;

/// Names by number: "(7) name" gives number 7 a name, "(7)" means it.
class name_table {
public:
    const std::string& operator()(string_view text) {
        const std::size_t end = text.find(')');
        if (text.empty() || text[0] != '(' || end == string_view::npos)
            return all_[std::string(text)] = text;
        std::string& name = all_[std::string(text.substr(0, end))];
        if (end + 2 < text.size()) name = text.substr(end + 2);
        return name;
    }

private:
    std::unordered_map<std::string, std::string> all_;
};

/// Returns a function's name for people. Code without symbols has an address, which differs from
/// run to run: kernels, for example.
std::string shown(const std::string& function, const std::string& object) {
    const std::string file = object.substr(object.find_last_of('/') + 1);
    const bool named = function.substr(0, 2) != "0x";
    return (named ? function : "???") + " [" + file + "]";
}

class reader {
public:
    void line(string_view text) {
        ++number_;
        const auto starts = [&text](string_view with) {
            return text.substr(0, with.size()) == with;
        };
        if (starts("events:") && text != "events: Ir") refuse(text, "events: Ir");
        if (starts("version:") && text != "version: 1") refuse(text, "version: 1");
        if (starts("fn=")) {
            function_ = shown(functions_(text.substr(3)), object_);
        } else if (starts("ob=")) {
            object_ = objects_(text.substr(3));
        } else if (starts("cob=")) {
            objects_(text.substr(4));
        } else if (starts("cfn=")) {
            functions_(text.substr(4));
        } else if (starts("calls=")) {
            of_call_ = true;
        } else if (!text.empty() &&
                   string_view("0123456789+-*").find(text[0]) != string_view::npos) {
            cost(text);
        }
    }

    callgrind_file result() && {
        return {FunctionCounts(std::move(exclusive_)), FunctionCounts(std::move(inclusive_))};
    }

private:
    /// A position and a number of instructions: of the function or, behind a call, of the callee.
    void cost(string_view text) {
        const std::size_t space = text.find(' ');
        const string_view digits = space == string_view::npos ? "" : text.substr(space + 1);
        int64_t count = 0;
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), count);
        if (error != std::errc() || end != digits.data() + digits.size() || function_.empty())
            refuse(text, "a position and a number behind a function");
        if (!of_call_) exclusive_.push_back({count, function_});
        inclusive_.push_back({count, function_});
        of_call_ = false;
    }

    [[noreturn]] void refuse(string_view text, const char* expected) const {
        runtime::fail("collect_callgrind", "a file of callgrind cannot be read",
                      runtime::text("line ", number_, ": ", text), expected,
                      "another version of valgrind");
    }

    int64_t number_ = 0;
    name_table functions_, objects_;
    std::string function_, object_;
    bool of_call_ = false;
    std::vector<FunctionCount> exclusive_, inclusive_;
};

}  // namespace

callgrind_file read_callgrind_file(std::istream& in) {
    reader r;
    for (std::string line; std::getline(in, line);) r.line(line);
    return std::move(r).result();
}

}  // namespace sinter::benchmark_text
