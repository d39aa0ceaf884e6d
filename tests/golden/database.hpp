// Calls of PyTorch's operator database (database.py): arguments by their types, and the forms of
// each overload.
#pragma once

#include "tests/golden/table.hpp"

#include <deque>
#include <map>
#include <optional>
#include <string>

namespace sinter::golden {

/// The arguments of a call as libtorch's overloads take them. Lists live as long as this object.
class database_arguments {
public:
    /// `outs`: the outputs, with their dtypes.
    database_arguments(const arguments& a, std::vector<Tensor> outs)
        : a_(a), outs_(std::move(outs)) {}

    Tensor& t(std::size_t i) const { return kept(a_.t(i)); }
    optional<Tensor> ot(std::size_t i) const {
        if (a_.is_none(i)) return nullopt;
        return a_.t(i);
    }
    std::vector<Tensor> tensors(std::size_t i) const { return a_.tensors(i); }
    std::vector<TensorIndex> indices(std::size_t i) const { return a_.indices(i); }
    Scalar s(std::size_t i) const { return a_.s(i); }
    optional<Scalar> os(std::size_t i) const { return a_.os(i); }
    ArrayRef<Scalar> scalars(std::size_t i) const { return numbers_.emplace_back(a_.scalars(i)); }
    int64_t n(std::size_t i) const { return a_.n(i); }
    optional<int64_t> on(std::size_t i) const { return a_.on(i); }
    IntArrayRef list(std::size_t i) const { return lists_.emplace_back(a_.list(i)); }
    OptionalIntArrayRef olist(std::size_t i) const {
        if (a_.is_none(i)) return nullopt;
        return list(i);
    }
    double d(std::size_t i) const { return a_.s(i).toDouble(); }
    optional<double> od(std::size_t i) const {
        if (a_.is_none(i)) return nullopt;
        return d(i);
    }
    ArrayRef<double> doubles(std::size_t i) const;
    optional<ArrayRef<double>> odoubles(std::size_t i) const {
        if (a_.is_none(i)) return nullopt;
        return doubles(i);
    }
    bool flag(std::size_t i) const { return a_.flag(i); }
    optional<bool> oflag(std::size_t i) const {
        if (a_.is_none(i)) return nullopt;
        return flag(i);
    }
    /// The notation has no blanks in a text.
    const std::string& text(std::size_t i) const;
    optional<std::string> otext(std::size_t i) const {
        if (a_.is_none(i)) return nullopt;
        return text(i);
    }
    ScalarType dtype(std::size_t i) const { return *a_.dtype(i); }
    optional<ScalarType> odtype(std::size_t i) const { return a_.dtype(i); }
    TensorOptions options(std::size_t i) const { return a_.options(i); }

    Tensor& out(std::size_t i) const { return outs_.at(i); }

private:
    Tensor& kept(const Tensor& t) const { return tensors_.emplace_back(t); }

    const arguments& a_;
    mutable std::vector<Tensor> outs_;
    mutable std::deque<Tensor> tensors_;
    mutable std::deque<std::vector<int64_t>> lists_;
    mutable std::deque<std::vector<Scalar>> numbers_;
    mutable std::deque<std::vector<double>> doubles_;
    mutable std::deque<std::string> texts_;
};

/// Returns no result if there is no such form.
using form = std::optional<results> (*)(const database_arguments& a);

struct overload {
    form function, method, in_place, out;
};
using overload_table = std::map<std::string, overload>;

const overload_table& overloads();

}  // namespace sinter::golden
