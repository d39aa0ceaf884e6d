// The state of a running program: a pool of named values, and the words of one statement.
#pragma once

#include "tests/golden/program.hpp"

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace sinter::golden {

class program_machine {
public:
    explicit program_machine(const program_run& how) : how_(how) {}

    /// Runs one statement; returns what it prints, or an empty text.
    std::string step(const std::string& statement);

    // The words after the statement's name.
    bool is_tensor(std::size_t i) const { return words_.at(i).size() == 1 && slot(i) < pool; }
    /// Returns the value of a name. A named expression becomes a tensor here.
    Tensor& t(std::size_t i);
    int64_t n(std::size_t i) const;
    std::vector<int64_t> list(std::size_t i) const;
    Scalar s(std::size_t i) const;
    ScalarType dtype(std::size_t i) const;
    bool flag(std::size_t i) const { return words_.at(i) == "true"; }
    const std::string& word(std::size_t i) const { return words_.at(i); }

    /// Returns f(tensor) or f(number).
    template <class F>
    void with(std::size_t i, const F& f) {
        if (is_tensor(i))
            f(t(i));
        else
            f(s(i));
    }

    /// Stores the statement's new values.
    void put(const Tensor& value) { put_at(0, value); }
    template <class... T>
    void put(const std::tuple<T...>& values) {
        std::apply([this](const T&... v) { put_each(v...); }, values);
    }
    /// Stores a new value that stays an expression until its name is read.
    template <class E>
    void put_expression(E&& e);

    /// Returns a tensor over memory that the machine owns.
    Tensor blob(ScalarType dtype, const std::vector<int64_t>& sizes,
                const std::vector<int64_t>& strides, int64_t seed);
    void drop(std::size_t i) { slots_[slot(i)] = {}; }
    void switch_mode(Mode mode) {
        if (how_.mode == Mode::lazy) set_mode(mode);
    }
    void print(std::string text) { printed_ = std::move(text); }

private:
    static constexpr std::size_t pool = 12;

    struct named {
        virtual ~named() = default;
        virtual Tensor take() = 0;
    };
    template <class E>
    struct named_expression;
    struct value {
        Tensor tensor;
        std::unique_ptr<named> expression;  // or this
    };

    std::size_t slot(std::size_t i) const {
        return static_cast<std::size_t>(words_.at(i)[0] - 'a');
    }
    void put_at(std::size_t which, const Tensor& value);
    template <class... T>
    void put_each(const T&... values) {
        std::size_t which = 0;
        (put_at(which++, values), ...);
    }

    program_run how_;
    std::vector<std::string> names_, words_;
    std::array<value, pool> slots_;
    std::deque<std::vector<std::max_align_t>> memory_;
    std::string printed_;
};

template <class E>
struct program_machine::named_expression final : named {
    explicit named_expression(E&& e) : e(std::move(e)) {}
    Tensor take() override { return e; }
    E e;
};

template <class E>
void program_machine::put_expression(E&& e) {
    value& v = slots_[static_cast<std::size_t>(names_.at(0)[0] - 'a')];
    v.tensor = Tensor();
    v.expression = std::make_unique<named_expression<std::remove_cvref_t<E>>>(std::forward<E>(e));
}

using statement_function = void (*)(program_machine& m);
/// Returns null if there is no such statement.
statement_function find_statement(const std::string& name);

/// Returns dtype, sizes and CRC-32 of the elements, with every NaN the same. `in_place` reads them
/// in the tensor's memory.
std::string digest(const Tensor& t, bool in_place = false);

}  // namespace sinter::golden
