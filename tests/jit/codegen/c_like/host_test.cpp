// The text as plain C++: the system's compiler compiles it in one go, it is loaded, and its results
// are compared with the interpreter, bit for bit. Blocks and threads are one here; lanes are loops.
#include "tests/jit/codegen/c_like/beside_interpreter.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <bit>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace sinter;
using namespace sinter::testing;
using kernel_ir::kernel_call_data;

namespace {

class folder {
public:
    folder() {
        std::string path = (std::filesystem::temp_directory_path() / "sinter-text-XXXXXX").string();
        if (mkdtemp(path.data())) path_ = path;
    }
    ~folder() {
        std::error_code ignored;
        if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
    }
    folder(const folder&) = delete;
    folder& operator=(const folder&) = delete;

    std::string file(const char* name) const { return path_ + "/" + name; }

private:
    std::string path_;
};

std::string contents(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

/// A program turned into functions of this process, which stay loaded.
class host_program {
public:
    explicit host_program(const std::vector<kernel>& kernels)
        : host_program(kernels, std::vector<codegen::loop_shape>(kernels.size())) {}

    host_program(const std::vector<kernel>& kernels, std::vector<codegen::loop_shape> shapes)
        : kernels_(kernels), shapes_(std::move(shapes)) {
        std::vector<codegen::c_like_subject> subjects;
        for (std::size_t n = 0; n < kernels.size(); n++)
            subjects.push_back({&kernels[n], shapes_[n]});
        program_ = codegen::print_program(codegen::host_dialect, subjects);
        const folder f;
        std::ofstream(f.file("text.cpp")) << program_.text;
        const std::string command =
            // Compiled for this processor and with the pass that contracts, so that contraction
            // would be possible.
            "g++ -x c++ -std=c++17 -O1 -march=native -fexpensive-optimizations -shared -fPIC -w "
            "-ffp-contract=off "
            "-fno-math-errno -fno-strict-aliasing '" +
            f.file("text.cpp") + "' -o '" + f.file("text.so") + "' 2> '" + f.file("log") + "'";
        const int failed = std::system(command.c_str());
        INFO(contents(f.file("log")));
        REQUIRE(failed == 0);
        library_ = dlopen(f.file("text.so").c_str(), RTLD_NOW | RTLD_LOCAL);
        REQUIRE(library_ != nullptr);
    }

    std::string run(std::size_t n, kernel_call_data& data, int64_t, int64_t) const {
        void* function = dlsym(library_, program_.functions[n].name.c_str());
        if (!function) return "it is not there";
        call_by_value(function, argument_of(kernels_[n], shapes_[n], program_.functions[n].by_rows,
                                            data.call()));
        return "";
    }

private:
    /// Structs passed by value that are larger than this are on the stack as a whole. So a larger
    /// struct can be passed for a smaller one: the callee does not read the rest.
    struct arguments {
        uint64_t words[160];
    };
    static void call_by_value(void* function, const std::vector<uint64_t>& words) {
        arguments a{};
        REQUIRE(words.size() <= std::size(a.words));
        std::copy(words.begin(), words.end(), a.words);
        reinterpret_cast<void (*)(arguments)>(function)(a);
    }

    const std::vector<kernel>& kernels_;
    std::vector<codegen::loop_shape> shapes_;
    codegen::c_like_program program_;
    void* library_ = nullptr;
};

bool has_compiler() {
    if (std::system("g++ --version > /dev/null 2>&1") == 0) return true;
    MESSAGE("[SKIP] the text was not run: no g++");
    return false;
}

}  // namespace

TEST_CASE("c_like on the host: rows, casts, reductions and random kernels equal the interpreter") {
    if (!has_compiler()) return;
    const plain_subjects subjects(test::long_run(), test::cases(60, 4));
    check_subjects(host_program(subjects.kernels), subjects, 5);
}

TEST_CASE("c_like on the host: kernels of elements in every form equal the interpreter") {
    if (!has_compiler()) return;
    const form_subjects subjects(test::cases(80, 4), test::seed());
    check_forms(host_program(subjects.kernels, subjects.shapes), subjects);
}
