// A random einsum: an equation, operands of any dtype and layout, and its value by nested loops
// over all letters. Values are small whole numbers, so that every order gives the same result.
#pragma once

#include <sinter/sinter.hpp>

#include <algorithm>
#include <complex>
#include <map>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace sinter::test {

class labelled_case {
public:
    std::string equation;
    std::vector<Tensor> operands;
    std::vector<int64_t> path_numbers;
    OptionalIntArrayRef path;

    explicit labelled_case(std::mt19937_64& random) : random_(random) {
        constexpr ScalarType types[] = {kDouble, kFloat,    kLong,         kInt,
                                        kShort,  kChar,     kByte,         kHalf,
                                        kHalf,   kBFloat16, kComplexFloat, kComplexDouble};
        type_ = types[below(12)];
        // Dimensions of the ellipsis have separate letters, which the equation does not show.
        letters_ = "abcXYZ";
        letters_.resize(1 + below(6));
        dotted_ = below(3);
        for (char c : letters_ + dots(dotted_))
            sizes_[c] = below(12) == 0 ? below(2) : 1 + below(4);
        const auto count = below(8) == 0 ? 4 + below(6) : 1 + below(3);
        // Long enough that the rows of a matrix are processed separately.
        if (count <= 2 && below(3) == 0) sizes_[letters_[0]] = 32 + static_cast<int64_t>(below(9));
        for (std::size_t i = 0; i < count; ++i) add_operand(count);
        choose_output();
        // Larger whole numbers are not exact.
        if (type_ == kHalf && largest_value() > 2048) type_ = kFloat;
        if (type_ == kBFloat16 && largest_value() > 256) type_ = kFloat;
        for (const std::string& term : terms_) operands.push_back(make_operand(term));
        if (below(4) == 0) choose_path();
    }
    labelled_case(const labelled_case&) = delete;

    std::string describe() const {
        std::ostringstream out;
        out << equation << " of " << toString(type_);
        for (const Tensor& t : operands) out << " " << t.sizes() << " by " << t.strides();
        if (!path_numbers.empty()) out << " path " << IntArrayRef(path_numbers);
        return out.str();
    }

    Tensor by_hand() const {
        // The letters of the result come first, then the summed ones.
        std::string order = output_;
        for (const auto& [c, size] : sizes_)
            if (used(c) && order.find(c) == std::string::npos) order += c;
        std::vector<int64_t> sizes;
        for (char c : output_) sizes.push_back(full_size(c));
        std::vector<std::vector<std::complex<double>>> values;
        for (const Tensor& t : operands) values.push_back(elements(t));

        int64_t kept = 1, summed = 1;
        for (char c : order) (output_.find(c) == std::string::npos ? summed : kept) *= full_size(c);
        std::vector<std::complex<double>> result(static_cast<std::size_t>(kept));
        std::map<char, int64_t> at;
        for (int64_t i = 0; i < kept * summed; ++i) {
            int64_t rest = i;
            for (std::size_t k = order.size(); k-- > 0;) {
                at[order[k]] = rest % full_size(order[k]);
                rest /= full_size(order[k]);
            }
            std::complex<double> product = 1;
            for (std::size_t o = 0; o < operands.size(); ++o) product *= values[o][place(o, at)];
            result[static_cast<std::size_t>(i / summed)] += product;
        }
        std::vector<complex<double>> numbers(result.begin(), result.end());
        Tensor z = tensor(numbers, kComplexDouble).reshape(sizes);
        if (!isComplexType(type_)) z = real(z);
        // Wraps as integers do.
        if (isIntegralType(type_, false)) z = z.to(kLong);
        return z.to(result_type_of_sums());
    }

private:
    std::size_t below(std::size_t n) { return random_() % n; }
    static std::string dots(std::size_t n) { return std::string("123").substr(0, n); }

    bool used(char c) const {
        return std::ranges::any_of(
            terms_, [&](const std::string& t) { return t.find(c) != std::string::npos; });
    }

    void add_operand(std::size_t count) {
        const std::size_t dims = below(count > 3 ? 4 : 5);
        std::string term, text;
        // An ellipsis of the last few of its dimensions.
        const bool open = dotted_ > 0 && below(2) == 0;
        const std::size_t shown = open ? below(dotted_ + 1) : 0;
        const std::size_t where = below(dims + 1);
        for (std::size_t d = 0; d <= dims; ++d) {
            if (below(6) == 0) text += ' ';
            if (open && d == where) {
                term += dots(dotted_).substr(dotted_ - shown);
                text += "...";
            }
            if (d == dims) break;
            const char c = letters_[below(letters_.size())];
            if (sizes_[c] > 8 && term.find(c) != std::string::npos) continue;  // too large
            term += c;
            text += c;
        }
        open_ = open_ || open;
        widest_ = std::max(widest_, shown);
        terms_.push_back(term);
        equation += (terms_.size() > 1 ? "," : "") + text;
        // This operand may have size 1 for a letter.
        std::map<char, int64_t> own;
        for (char c : term) own[c] = below(6) == 0 ? 1 : sizes_[c];
        own_sizes_.push_back(own);
    }

    int64_t full_size(char c) const {
        int64_t size = 1;
        for (const auto& own : own_sizes_)
            if (const auto found = own.find(c); found != own.end() && found->second != 1)
                size = found->second;
        return size;
    }

    void choose_output() {
        const std::string all_dots = dots(dotted_).substr(dotted_ - widest_);
        std::string letters;
        for (char c : letters_)
            if (used(c)) letters += c;
        if (below(3) == 0) {
            output_ = all_dots;
            std::ranges::sort(letters);
            for (char c : letters) {
                std::size_t n = 0;
                for (const std::string& t : terms_)
                    n += static_cast<std::size_t>(std::ranges::count(t, c));
                if (n == 1) output_ += c;
            }
            return;
        }
        std::ranges::shuffle(letters, random_);
        letters.resize(below(letters.size() + 1));
        const bool open = below(2) == 0;
        const std::size_t where = below(letters.size() + 1);
        equation += below(3) == 0 ? " -> " : "->";
        for (std::size_t d = 0; d <= letters.size(); ++d) {
            if (open && d == where) {
                output_ += all_dots;
                equation += "...";
            }
            if (d == letters.size()) break;
            output_ += letters[d];
            equation += letters[d];
        }
    }

    double largest_value() const {
        double n = 1;
        for (const auto& [c, size] : sizes_)
            if (output_.find(c) == std::string::npos) n *= static_cast<double>(full_size(c));
        for (std::size_t i = 0; i < terms_.size(); ++i) n *= 2;
        return n;
    }

    /// Returns values from -2 to 2 in a random layout.
    Tensor make_operand(const std::string& term) {
        const auto& own = own_sizes_[operands.size()];
        std::vector<int64_t> sizes;
        for (char c : term) sizes.push_back(own.at(c));
        std::vector<int64_t> order(sizes.size()), back(sizes.size());
        for (std::size_t d = 0; d < order.size(); ++d) order[d] = static_cast<int64_t>(d);
        const std::size_t layout = below(5);
        if (layout == 1 || layout == 2) std::ranges::shuffle(order, random_);
        std::vector<int64_t> stored;
        for (std::size_t d = 0; d < order.size(); ++d) {
            stored.push_back(sizes[static_cast<std::size_t>(order[d])]);
            back[static_cast<std::size_t>(order[d])] = static_cast<int64_t>(d);
        }
        if (layout >= 2 && layout < 4)  // every second element in some dimensions
            for (int64_t& s : stored) s = below(2) == 0 ? s : 2 * s + 1;
        int64_t n = 1;
        for (int64_t s : stored) n *= s;
        std::vector<int64_t> numbers(static_cast<std::size_t>(n));
        for (int64_t& v : numbers)
            v = static_cast<int64_t>(below(type_ == kByte ? 3 : 5)) - (type_ == kByte ? 0 : 2);
        Tensor t = tensor(numbers, kLong).to(type_).reshape(stored);
        if (isComplexType(type_)) t = t * complex<double>(1, static_cast<double>(below(3)) - 1);
        for (std::size_t d = 0; d < order.size(); ++d) {
            const int64_t size = sizes[static_cast<std::size_t>(order[d])];
            if (stored[d] != size) t = t.slice(static_cast<int64_t>(d), 1, 1 + 2 * size, 2);
        }
        t = t.permute(back);
        if (layout == 4) t = t * 1;             // pending
        if (below(4) == 0 && !sizes.empty()) {  // repeated
            const auto d = static_cast<int64_t>(below(sizes.size()));
            const int64_t size = t.size(d);
            if (size > 0) t = t.narrow(d, 0, 1).expand(sizes);
        }
        return t;
    }

    void choose_path() {
        if (operands.size() == 1) path_numbers = {0};
        for (std::size_t left = operands.size(); left > 1; --left) {
            const std::size_t i = below(left);
            const std::size_t j = (i + 1 + below(left - 1)) % left;
            path_numbers.insert(path_numbers.end(),
                                {static_cast<int64_t>(i), static_cast<int64_t>(j)});
        }
        path = IntArrayRef(path_numbers);
    }

    static std::vector<std::complex<double>> elements(const Tensor& t) {
        const Tensor dense = view_as_real(t.cpu().to(kComplexDouble).contiguous()).contiguous();
        const double* p = dense.const_data_ptr<double>();
        std::vector<std::complex<double>> values;
        for (int64_t i = 0; i < t.numel(); ++i) values.emplace_back(p[2 * i], p[2 * i + 1]);
        return values;
    }

    std::size_t place(std::size_t operand, const std::map<char, int64_t>& at) const {
        int64_t place = 0;
        for (char c : terms_[operand]) {
            const int64_t size = own_sizes_[operand].at(c);
            place = place * size + (size == 1 ? 0 : at.at(c));
        }
        return static_cast<std::size_t>(place);
    }

    /// PyTorch's rule: sums of integers over letters of a single operand are Long.
    ScalarType result_type_of_sums() const {
        if (!isIntegralType(type_, true)) return type_;
        for (const auto& [c, size] : sizes_) {
            if (!used(c) || output_.find(c) != std::string::npos) continue;
            std::size_t having = 0;
            for (std::size_t i = 0; i < terms_.size(); ++i)
                if (const auto own = own_sizes_[i].find(c); own != own_sizes_[i].end())
                    having += own->second != 1 || terms_.size() == 1;
            if (having == 1) return kLong;
        }
        return type_;
    }

    std::mt19937_64& random_;
    ScalarType type_;
    std::string letters_, output_;
    std::size_t dotted_ = 0, widest_ = 0;
    bool open_ = false;
    std::vector<std::string> terms_;  // letters, and digits for dimensions of the ellipsis
    std::map<char, int64_t> sizes_;
    std::vector<std::map<char, int64_t>> own_sizes_;
};

}  // namespace sinter::test
