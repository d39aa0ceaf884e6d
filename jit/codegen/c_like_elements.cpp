// Kernels of element values alone: a loop over all n1 x n0 elements.
#include "jit/codegen/c_like_text.hpp"

namespace sinter::codegen {
namespace {

class elements_printer : kernel_text {
public:
    using kernel_text::kernel_text;

    std::string print(const std::string& name) {
        open_kernel(name);
        print_elements();
        close();
        return std::move(text_);
    }

private:
    void print_elements() {
        const std::string type = index_type(), all = cast_index("(k.n1 * k.n0)");
        open("for (" + type + " n = " + cast_index("(" + std::string(to_.thread) + ")") + "; n < " +
             all + "; n += " + cast_index("(" + std::string(to_.threads) + ")") + ") {");
        if (shape_.row_dims == 0) {
            line("const " + type + " element = n;");
        } else {
            line("const " + type + " row = n / " + cast_index("k.n0") + ";");
            line("const " + type + " element = n - row * " + cast_index("k.n0") + ";");
        }
        find_offsets("row", "rows", 'r', shape_.row_dims);
        find_offsets("element", "elements", 'e', shape_.element_dims);
        const kernel_ir::stage& s = order_.stages[0];
        values(s.before);
        values(s.elements);
        values(s.stores);
        close();
    }
};

}  // namespace

std::string c_elements_kernel(const dialect& to, const kernel_ir::kernel& k,
                              const loop_shape& shape, const std::string& name) {
    return elements_printer(to, k, shape).print(name);
}

}  // namespace sinter::codegen
