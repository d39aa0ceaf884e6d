// Writes C++ expressions and, for each, the run-time builder's calls for the same expression. Runs
// while the tests are built; its seed is fixed, so that the file never changes by itself.
//   generate OUTPUT_PREFIX FILES COUNT
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

namespace {

struct text {
    std::string expression, builder;
};

class generator {
public:
    explicit generator(unsigned seed) : random_(seed) {}

    /// Returns a float expression with about `operations` operations; never a bare number.
    text make(int operations) {
        if (operations <= 0) return leaf();
        const int kind = pick(10);
        if (kind < 5) return binary(operations);
        if (kind < 9) return unary(operations);
        return choice(operations);
    }

private:
    int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

    text leaf() {
        static const char* const names[] = {"a", "b", "c", "d"};
        const std::string n = names[pick(4)];
        return {n, "B(" + n + ")"};
    }
    text number() {
        static const char* const numbers[] = {"2.5", "3", "-0.0", "0.125", "7"};
        const std::string n = numbers[pick(5)];
        return {n, "B(Scalar(" + n + "))"};
    }

    static std::string apply(const std::string& row, std::initializer_list<std::string> operands) {
        std::string s = "B::apply(op::" + row + ", {";
        for (const std::string& o : operands) s += (s.back() == '{' ? "" : ", ") + o;
        return s + "})";
    }

    text binary(int operations) {
        static const char* const infix[][2] = {
            {"+", "add"}, {"-", "sub"}, {"*", "mul"}, {"/", "div"}};
        static const char* const named[] = {"maximum", "minimum", "fmax", "add", "mul"};
        const int left = pick(operations);
        const int side = pick(6);  // 0 and 1: a number is one operand
        const text l = side == 0 ? number() : make(left);
        const text r = side == 1 ? number() : make(operations - 1 - left);
        if (pick(4) > 0) {
            const auto& op = infix[pick(4)];
            return {"(" + l.expression + " " + op[0] + " " + r.expression + ")",
                    apply(op[1], {l.builder, r.builder})};
        }
        const std::string f = named[pick(5)];
        return {f + "(" + l.expression + ", " + r.expression + ")",
                apply(f, {l.builder, r.builder})};
    }

    text unary(int operations) {
        static const char* const named[] = {
            "exp",   "tanh", "sin", "abs", "square", "sigmoid", "relu",  "floor",
            "expm1", "sqrt", "neg", "erf", "log1p",  "cos",     "rsqrt", "reciprocal"};
        const text x = make(operations - 1);
        if (pick(8) == 0) return {"(-" + x.expression + ")", apply("neg", {x.builder})};
        const std::string f = named[pick(16)];
        return {f + "(" + x.expression + ")", apply(f, {x.builder})};
    }

    text choice(int operations) {
        static const char* const infix[][2] = {
            {"<", "lt"}, {">=", "ge"}, {"==", "eq"}, {"!=", "ne"}};
        const auto& op = infix[pick(4)];
        const text x = make(operations / 3), y = make(operations / 3), z = make(operations / 3);
        return {
            "where(" + x.expression + " " + op[0] + " 0.5, " + y.expression + ", " + z.expression +
                ")",
            apply("where", {apply(op[1], {x.builder, "B(Scalar(0.5))"}), y.builder, z.builder})};
    }

    std::mt19937 random_;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) return 2;
    const int files = std::atoi(argv[2]), count = std::atoi(argv[3]);
    generator g(20240229);
    for (int f = 0; f < files; ++f) {
        const std::string path = std::string(argv[1]) + std::to_string(f) + ".cpp";
        std::FILE* out = std::fopen(path.c_str(), "w");
        if (!out) return 1;
        std::fprintf(out, "#include \"tests/expr_types/same.hpp\"\n\n");
        for (int i = f; i < count; i += files) {
            const text t = g.make(1 + i % 12);
            std::fprintf(
                out,
                "static void expression_%d(const Tensor& a, const Tensor& b, const Tensor& c, "
                "const "
                "Tensor& d) {\n    (void)a, (void)b, (void)c, (void)d;\n    same(%d, %s,\n         "
                "%s);\n}\n",
                i, i, t.expression.c_str(), t.builder.c_str());
        }
        std::fprintf(
            out,
            "\nTEST_CASE(\"expression types equal the builder, part %d\") {\n    operands o;\n", f);
        for (int i = f; i < count; i += files)
            std::fprintf(out, "    expression_%d(o.a, o.b, o.c, o.d);\n", i);
        std::fprintf(out, "}\n");
        if (std::fclose(out) != 0) return 1;
    }
    return 0;
}
