// A program: the declarations of all kernels, each once, then the different kernels.
#include "jit/codegen/c_like/program.hpp"

#include "jit/codegen/c_like/kernel.hpp"
#include "jit/codegen/c_like/value.hpp"

#include <map>
#include <set>
#include <utility>

namespace sinter::codegen {

using kernel_ir::instr;
using kernel_ir::kernel;
using kernel_ir::opcode;

namespace {

/// Returns the key of a kernel. Its first byte distinguishes row level and primitive level.
std::string key_of(const kernel& k) {
    if (k.primitive) return "p" + kernel_ir::print(k);
    const std::vector<uint8_t> bytes = kernel_ir::serialize(k);
    return "r" + std::string(bytes.begin(), bytes.end());
}

/// The declarations before the kernels, each once.
class declarations {
public:
    explicit declarations(const dialect& to) : to_(to), text_(c_prelude(to)) {}

    void add(const kernel& k, const loop_shape& shape) {
        const bool rows = runs_by_rows(k);
        if (rows && operands_.insert(c_operand_type(shape)).second) text_ += c_operand(shape);
        if (rows && arguments_.insert(c_arguments_type(k, shape)).second)
            text_ += c_arguments(k, shape);
        for (const instr& i : k.body) {
            if (i.op == opcode::lookup && tables_.insert(i.row).second)
                text_ += c_table(to_, i.row);
            if (i.op == opcode::reduce && reductions_.insert({i.row, i.in}).second)
                text_ += c_reduction(to_, i.row, i.in);
        }
    }
    const std::string& text() const { return text_; }

private:
    const dialect& to_;
    std::string text_;
    std::set<std::string> operands_, arguments_;
    std::set<uint16_t> tables_;
    std::set<std::pair<uint16_t, ScalarType>> reductions_;
};

}  // namespace

c_like_program print_program(const dialect& to, std::span<const kernel> kernels) {
    std::vector<c_like_subject> subjects;
    for (const kernel& k : kernels) subjects.push_back({&k, {}});
    return print_program(to, subjects);
}

c_like_program print_program(const dialect& to, std::span<const c_like_subject> subjects) {
    c_like_program program;
    declarations declared(to);
    std::string functions;
    std::map<std::pair<std::string, loop_shape>, c_like_function> known;
    for (const c_like_subject& subject : subjects) {
        const kernel& k = *subject.k;
        loop_shape shape = subject.shape;
        if (!to.threaded) shape.rows = row_form::one_thread();
        auto [entry, is_new] = known.try_emplace({key_of(k), shape});
        if (is_new) {
            const kernel primitives = k.primitive ? k : kernel_ir::decompose(k);
            entry->second.name = "sinter_kernel_" + std::to_string(known.size() - 1);
            declared.add(primitives, shape);
            functions += c_kernel(to, primitives, shape, entry->second);
        }
        program.functions.push_back(entry->second);
    }
    program.distinct = known.size();
    program.text = declared.text() + functions;
    return program;
}

}  // namespace sinter::codegen
