// Lines of a kernel's text, and its values: what kernels of elements and of rows print alike.
#pragma once

#include "jit/codegen/c_like/kernel.hpp"
#include "jit/kernel_ir/schedule.hpp"

#include <map>

namespace sinter::codegen {

class kernel_text {
public:
    kernel_text(const dialect& to, const kernel_ir::kernel& k, const loop_shape& shape)
        : to_(to), k_(k), shape_(shape), order_(make_schedule(k)) {}

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
    /// The function's head, up to the brace that opens it.
    void open_kernel(const std::string& name);

    // ---- values

    std::string index_type() const { return shape_.wide ? "i64" : "u32"; }
    std::string cast_index(const std::string& value) const {
        return shape_.wide ? value : "(u32)" + value;
    }
    void values(const std::vector<kernel_ir::value_id>& list);
    void value(kernel_ir::value_id v);
    /// How far every operand is moved by an index over these dimensions: `r3` by the row, `e3` by
    /// the element, of operand 3.
    void find_offsets(const std::string& index, const std::string& dims, char prefix, int count);
    /// The stride of an operand along a dimension, as text; empty: it stands still.
    std::string stride_of(std::size_t o, const std::string& dims, int d) const;

    /// What loads of elements read instead of memory, where it is there already.
    std::map<kernel_ir::value_id, std::string> loaded_;
    /// What must hold for the memory of a row to be touched; empty: nothing.
    std::string live_;

    /// What an operand gives, and where a value goes.
    virtual std::string load(const kernel_ir::instr& i) const;
    virtual std::string index(const kernel_ir::instr& i) const;
    virtual void store(const kernel_ir::instr& i);
    /// When a guard raises its status.
    virtual std::string raises(const kernel_ir::instr& i) const;

    const dialect& to_;
    const kernel_ir::kernel& k_;
    const loop_shape shape_;
    const kernel_ir::schedule order_;
    std::string text_;

private:
    std::string address(const kernel_ir::instr& i) const;
    std::string scalar(const kernel_ir::instr& i) const;

    std::size_t depth_ = 0;
};

}  // namespace sinter::codegen
