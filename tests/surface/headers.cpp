#include "tests/surface/headers.hpp"

#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace sinter::test {

namespace fs = std::filesystem;

namespace {

std::string text_of(const fs::path& file) {
    std::ifstream in(file);
    if (!in) throw std::runtime_error("cannot read " + file.string());
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

std::vector<std::string> lines_of(const fs::path& file) {
    std::istringstream in(text_of(file));
    std::vector<std::string> lines;
    bool alone = false;  // the type of a function, whose name is in the next line
    for (std::string line; std::getline(in, line);) {
        if (alone) {
            lines.back() += " " + line;
        } else {
            lines.push_back(line);
        }
        alone = line == "SINTER_API Tensor";
    }
    return lines;
}

/// Returns true for sections of tensor.hpp without functions on tensors.
bool left_out(const std::string& section) {
    for (const char* title : {"information", "differentiation", "storage",
                              "values:", "operators that write", "inside the library"})
        if (section.rfind(title, 0) == 0) return true;
    return false;
}

/// Returns true if the name is not a function on tensors: a query, a file, a macro's parameter, an
/// alias.
bool no_operation(const std::string& name) {
    for (const char* other :
         {"load_npy", "load_npz", "load_pt", "load_safetensors", "from_numbers", "fromDLPack",
          "get_rng_state", "get_warnAlways", "get_fast_math",
          "are_deterministic_algorithms_enabled", "cuda", "name", "name##_", "imag", "gradcheck",
          "gradgradcheck", "make_dual", "can_device_access_peer", "enable_peer_access"})
        if (name == other) return true;
    return name.rfind("is_", 0) == 0 || name.rfind("special_", 0) == 0;
}

const std::regex free_function(
    R"(^(?:SINTER_API|inline) (?:Tensor&?|bool|std::vector<Tensor>|std::tuple<[^(]*>) (\w+)\(.*)");
const std::regex method(R"(^    (?:Tensor&?|std::vector<Tensor>|std::tuple<[^(]*>) (\w+)\(.*)");
const std::regex both(R"(^    SINTER_INDEXED\((\w+),.*)");
// Functions of PyTorch's namespaces include the namespace in their names.
const std::regex named_space(R"(^namespace sinter::inline v1::(windows|fft|nn::functional) \{)");
// A row of reduce.def that is all forms of a function.
const std::regex fold(R"(^FOLD\((\w+), same,.*)");
const std::regex special(R"(^SINTER_SPECIAL\((\w+)\))");
// Rows of macros: a function of linalg.hpp, one with its _out form, a method with its _ form.
const std::regex linear(R"(^SINTER_LINALG\([^,]*, (\w+),.*)");
const std::regex added(R"(^SINTER_ADDED\((\w+),.*)");
// A row of outs.def.
const std::regex written(R"(^SINTER_INTO\(\w+, \w+, (\w+),.*|^SINTER_INTO_ALL\(\w+, \d, (\w+),.*)");
const std::regex added_method(R"(^    SINTER_ADDED\((\w+)\))");

}  // namespace

std::map<std::string, declared> declared_functions(const fs::path& include) {
    std::set<std::string> functions, methods;
    for (const auto& file : fs::recursive_directory_iterator(include / "sinter")) {
        if (file.path().extension() != ".hpp" && file.path().filename() != "methods.inc") continue;
        const bool tensor =
            file.path().filename() == "tensor.hpp" || file.path().filename() == "methods.inc";
        std::string section, space;
        bool detail = false;
        for (const std::string& line : lines_of(file.path())) {
            if (line == "namespace sinter::inline v1::detail {" || line == "namespace detail {")
                detail = true;
            if (line == "}  // namespace sinter::inline v1::detail" ||
                line == "}  // namespace detail")
                detail = false;
            if (std::smatch m; std::regex_match(line, m, named_space)) space = m[1].str() + "::";
            if (line.rfind("}  // namespace sinter::inline v1", 0) == 0) space.clear();
            if (detail) continue;
            if (const auto at = line.find("// ---- "); at != std::string::npos)
                section = line.substr(at + 8);
            std::smatch m;
            if (std::regex_match(line, m, free_function)) functions.insert(space + m[1].str());
            if (std::regex_match(line, m, linear)) functions.insert("linalg_" + m[1].str());
            if (std::regex_match(line, m, added)) functions.insert({m[1], m[1].str() + "_out"});
            if (!tensor || left_out(section)) continue;
            if (std::regex_match(line, m, method)) methods.insert(m[1]);
            if (std::regex_match(line, m, both) || std::regex_match(line, m, added_method))
                methods.insert({m[1], m[1].str() + "_"});
        }
    }
    for (const std::string& line : lines_of(include / "sinter" / "expr" / "outs.def")) {
        std::smatch m;
        if (std::regex_match(line, m, written))
            functions.insert((m[1].matched ? m[1] : m[2]).str() + "_out");
    }
    for (const std::string& line : lines_of(include / "sinter" / "op" / "reduce.def"))
        if (std::smatch m; std::regex_match(line, m, fold)) {
            functions.insert({m[1].str(), m[1].str() + "_out"});
            methods.insert(m[1]);
        }
    for (const std::string& line : lines_of(include / "sinter" / "functions" / "special_pairs.def"))
        if (std::smatch m; std::regex_match(line, m, special))
            functions.insert({"special::" + m[1].str(), "special::" + m[1].str() + "_out"});
    std::map<std::string, declared> found;
    for (const std::string& f : functions) {
        if (no_operation(f)) continue;
        const std::string plain = f.back() == '_' ? f.substr(0, f.size() - 1) : f;
        const auto out = f.rfind("_out");
        if (out != std::string::npos && out + 4 == f.size())
            found[f.substr(0, out)].out = true;
        else if (plain != f && functions.count(plain))
            found[plain].in_place = true;
        else
            found[f].function = true;
    }
    for (const std::string& m : methods) {
        if (no_operation(m)) continue;
        const std::string plain = m.back() == '_' ? m.substr(0, m.size() - 1) : m;
        if (plain != m && (methods.count(plain) || functions.count(plain)))
            found[plain].in_place = true;
        else if (plain != m)
            found[m].in_place = true;
        else
            found[m].method = true;
    }
    return found;
}

std::map<std::string, std::string> other_functions(const fs::path& include) {
    static const std::regex any(R"(^(?:SINTER_API|inline) (?:[\w:<>&*, ]+ )?[&*]*(\w+)\(.*)");
    static const std::regex opens(R"(^(?:inline )?namespace ([\w: ]+) \{)");
    const auto operations = declared_functions(include);
    std::map<std::string, std::string> found;
    for (const auto& file : fs::recursive_directory_iterator(include / "sinter")) {
        if (file.path().extension() != ".hpp") continue;
        const std::string header = fs::relative(file.path(), include).string();
        if (header.find("/math/") != std::string::npos || header.find("/op/") != std::string::npos)
            continue;
        std::vector<std::string> inside;
        for (const std::string& line : lines_of(file.path())) {
            std::smatch m;
            if (std::regex_match(line, m, opens))
                inside.push_back(m[1].str().rfind("::detail") != std::string::npos ? "detail::"
                                 : m[1].str().rfind("sinter", 0) == 0              ? ""
                                                                      : m[1].str() + "::");
            if (line.rfind("}  // namespace", 0) == 0 && !inside.empty()) inside.pop_back();
            if (!std::regex_match(line, m, any)) continue;
            const std::string name = m[1];
            std::string scope;
            for (const std::string& s : inside) scope += s;
            const std::string plain = name.substr(0, name.size() - (name.back() == '_'));
            const bool is_operation = operations.count(name) || operations.count(plain) ||
                                      operations.count("nn::functional::" + name) ||
                                      operations.count("windows::" + name) ||
                                      operations.count("fft::" + name) ||
                                      name.find("_out") != std::string::npos;
            if (scope.find("detail::") != std::string::npos || name == "retain" ||
                name == "release" || name == "destroy" || name.rfind("special_", 0) == 0 ||
                (scope.empty() && is_operation))
                continue;
            found.emplace(scope + name, header);
        }
    }
    return found;
}

std::map<std::string, std::map<std::string, int>> called_in_tests(const fs::path& tests) {
    std::map<std::string, std::map<std::string, int>> calls;
    static const std::regex call(R"((linalg::)?(\w+)\()");
    for (const auto& file : fs::recursive_directory_iterator(tests)) {
        const std::string path = fs::relative(file.path(), tests).string();
        if (path.size() < 9 || path.substr(path.size() - 9) != "_test.cpp") continue;
        const std::string text = text_of(file.path());
        for (std::sregex_iterator i(text.begin(), text.end(), call), end; i != end; ++i)
            ++calls[((*i)[1].matched ? "linalg_" : "") + (*i)[2].str()][path];
    }
    return calls;
}

}  // namespace sinter::test
