// The lines and values of a kernel's source: the part that map kernels and kernels by rows share.
#pragma once

#include "jit/codegen/c_like/kernel.hpp"
#include "jit/kernel_ir/rows/rare.hpp"
#include "jit/kernel_ir/schedule.hpp"

#include <map>
#include <vector>

namespace sinter::codegen {

class kernel_text {
public:
    kernel_text(const dialect& to, const kernel_ir::kernel& k, const loop_shape& shape)
        : to_(to),
          k_(k),
          shape_(shape),
          order_(make_schedule(k)),
          rare_owners_(kernel_ir::rare_owners(k.body)) {}

    virtual ~kernel_text() = default;

protected:
    static std::string number(int64_t n) { return std::to_string(n); }
    static std::string value_name(kernel_ir::value_id v) { return "v" + number(v); }
    const kernel_ir::instr& at(kernel_ir::value_id v) const {
        return k_.body[static_cast<std::size_t>(v)];
    }

    // ---- lines

    void line(const std::string& text) { text_ += std::string(depth_ * 4, ' ') + text + "\n"; }
    void open(const std::string& text);
    void close();
    void barrier();
    void declare(const char* type, const std::string& name, const std::string& value);
    /// Prints the function's head including its opening brace.
    void open_kernel(const std::string& name);

    // ---- values

    std::string index_type() const { return shape_.wide ? "i64" : "u32"; }
    std::string cast_index(const std::string& value) const {
        return shape_.wide ? value : "(u32)" + value;
    }
    /// Prints values in order. Those that a `rare` choice owns are in a branch of it.
    void values(const std::vector<kernel_ir::value_id>& list);
    void value(kernel_ir::value_id v);
    /// Declares the offset of every operand for an index over these dimensions: `r3` (row) and `e3`
    /// (element) for operand 3.
    void find_offsets(const std::string& index, const std::string& dims, char prefix, int count);
    /// Returns the stride of an operand along a dimension as text; empty if the operand is constant
    /// there.
    std::string stride_of(std::size_t o, const std::string& dims, int d) const;

    /// Element loads whose value is already in a variable, and that variable.
    std::map<kernel_ir::value_id, std::string> loaded_;
    /// The condition for touching the memory of a row; empty if there is none.
    std::string live_;

    /// The text of a load, of an index and of a store.
    virtual std::string load(const kernel_ir::instr& i) const;
    virtual std::string index(const kernel_ir::instr& i) const;
    virtual void store(const kernel_ir::instr& i);
    /// Returns what a store writes.
    std::string stored(const kernel_ir::instr& store) const;
    /// Returns the condition under which a guard raises its status.
    virtual std::string raises(const kernel_ir::instr& i) const;

    const dialect& to_;
    const kernel_ir::kernel& k_;
    const loop_shape shape_;
    const kernel_ir::schedule order_;
    std::string text_;

private:
    std::string address(const kernel_ir::instr& i) const;
    std::string scalar(const kernel_ir::instr& i) const;
    void rare_choice(kernel_ir::value_id v, const std::vector<kernel_ir::value_id>& owned);

    const std::vector<kernel_ir::value_id> rare_owners_;
    std::size_t depth_ = 0;
};

}  // namespace sinter::codegen
