// One line of a file of reference values: a call in generate.py's notation, and PyTorch's result.
#pragma once

#include <sinter/sinter.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace sinter::golden {

/// How an operand is made, with the same integer formulas as in generate.py: `f32[2,3]s5.7t` is a
/// Float tensor of sizes (2, 3), of the special values from the 5th on (parameter 7), transposed in
/// memory. The parts of a complex element i are numbers 2i and 2i + 1 of the same formula.
struct recipe {
    ScalarType dtype = kFloat;
    std::vector<int64_t> sizes;
    char kind = 's';
    int64_t seed = 0, parameter = 1;
    char layout = 'c';
    // For operands of database.py, kinds 'i' (from `low` to `high`) and 'v' (these bits): their
    // memory layout.
    std::vector<int64_t> strides = {};
    int64_t offset = 0;
    double low = 0, high = 0;
    std::vector<uint64_t> bits = {};
};

/// Returns the tensor of a recipe, in fresh memory.
Tensor make(const recipe& r);
/// Returns an expression that gives the same tensor.
std::string written(const recipe& r);

/// An argument: None, a number, a text, a dtype, an operand, a slice, "..." or a list.
struct argument {
    enum class kind { none, number, text, dtype, operand, slice, ellipsis, list };
    kind which = kind::none;
    Scalar number;
    std::string text;
    ScalarType type = kFloat;
    recipe how;
    Tensor tensor;
    optional<int64_t> parts[3];
    std::vector<argument> items;
};

/// The arguments of one call, by position; a missing one is None.
class arguments {
public:
    explicit arguments(std::vector<argument> items) : items_(std::move(items)) {}

    /// Makes all operands again, since the call may write to them.
    void prepare();
    std::size_t size() const { return items_.size(); }
    bool is_tensor(std::size_t i) const { return at(i).which == argument::kind::operand; }
    bool is_list(std::size_t i) const { return at(i).which == argument::kind::list; }
    bool is_none(std::size_t i) const { return at(i).which == argument::kind::none; }
    bool is_text(std::size_t i) const { return at(i).which == argument::kind::text; }

    const Tensor& t(std::size_t i) const { return at(i).tensor; }
    const Scalar& s(std::size_t i) const { return at(i).number; }
    int64_t n(std::size_t i) const { return s(i).toLong(); }
    bool flag(std::size_t i, bool otherwise = false) const {
        return is_none(i) ? otherwise : s(i).toBool();
    }
    optional<int64_t> on(std::size_t i) const;
    optional<Scalar> os(std::size_t i) const;
    optional<ScalarType> dtype(std::size_t i) const;
    TensorOptions options(std::size_t i) const;
    const std::string& text(std::size_t i) const { return at(i).text; }
    std::vector<int64_t> list(std::size_t i) const;
    /// The size of a list of lists.
    std::size_t list_size(std::size_t i) const { return at(i).items.size(); }
    std::vector<int64_t> list_at(std::size_t i, std::size_t k) const;
    std::vector<Scalar> scalars(std::size_t i) const;
    std::vector<Tensor> tensors(std::size_t i) const;
    std::vector<TensorIndex> indices(std::size_t i) const;

    /// Returns the call as C++.
    std::string written(const std::string& name) const;

private:
    const argument& at(std::size_t i) const;
    std::vector<argument> items_;
};

/// The expected result of a call: elements by their bits.
struct expected_tensor {
    ScalarType dtype = kFloat;
    std::vector<int64_t> sizes;
    bool is_view = false;  // then strides and offset are compared too
    std::vector<int64_t> strides;
    int64_t offset = 0;
    int64_t step = 1;            // every step-th element is known
    std::vector<uint64_t> bits;  // for complex numbers: the two parts in turns
};

struct golden_call {
    std::string name;
    arguments args{{}};
    std::string error;    // the class of PyTorch's exception, if it refuses
    double bound = 0;     // largest absolute error; 0: the function's bound
    double relative = 0;  // additional bound, as a multiple of the value
    std::vector<expected_tensor> results;
};

/// Returns the tensor of a recipe of kind 'i' or 'v' (placed.cpp).
Tensor make_placed(const recipe& r);

/// Throws std::runtime_error if the line is not in the notation.
golden_call parse(const std::string& line);

/// Returns the bits of element `i`.
uint64_t bits_at(const void* memory, int64_t i, ScalarType dtype);

}  // namespace sinter::golden
