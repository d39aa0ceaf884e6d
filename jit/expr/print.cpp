// Printing in libtorch's layout: columns of numbers, then dtype and sizes. Large tensors are shown
// by their corners.
#include "jit/expr/front.hpp"

#include "jit/expr/element.hpp"
#include "runtime/fp_environment.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <ostream>

namespace sinter::inline v1 {
namespace {

constexpr int64_t shown_whole = 1000;  // elements, before only corners are shown
constexpr int64_t corner = 3;
constexpr int64_t gap = -1;
constexpr std::size_t line_width = 80;

/// The indices of one dimension that are shown, with `gap` where some are left out.
std::vector<int64_t> shown(int64_t size, bool whole) {
    std::vector<int64_t> list;
    for (int64_t i = 0; i < size; ++i) {
        if (!whole && size > 2 * corner && i == corner) {
            list.push_back(gap);
            i = size - corner;
        }
        list.push_back(i);
    }
    return list;
}

/// How floating numbers of one tensor are written: all alike, so that columns line up; fixed ones
/// that are large or small as multiples of a power of ten.
enum class notation { whole, fixed, scientific };
struct style {
    notation how = notation::whole;
    double scale = 1;
};

int exponent_of(double magnitude) {
    return magnitude == 0 ? 1 : static_cast<int>(std::floor(std::log10(magnitude))) + 1;
}

style choose_style(const std::vector<double>& finite) {
    if (finite.empty()) return {};
    double low = std::abs(finite[0]), high = low;
    bool whole = true;
    for (double v : finite) {
        low = std::min(low, std::abs(v));
        high = std::max(high, std::abs(v));
        whole = whole && v == std::floor(v);
    }
    const int first = exponent_of(low), last = exponent_of(high);
    if (whole) return {last > 9 ? notation::scientific : notation::whole};
    if (last - first > 4) return {notation::scientific};
    const bool near_one = last >= 0 && last <= 5;
    return {notation::fixed, near_one ? 1 : std::pow(10.0, last - 1)};
}

std::string spell(double v, const style& s) {
    if (std::isnan(v)) return "nan";  // its sign means nothing
    std::ostringstream out;
    if (s.how == notation::whole)
        out << std::setprecision(0) << std::fixed << v;
    else if (s.how == notation::fixed)
        out << std::setprecision(4) << std::fixed << v / s.scale;
    else
        out << std::setprecision(4) << std::scientific << v;
    return out.str();
}

/// The elements that are shown, as texts of one width.
class texts {
public:
    texts(const TensorImpl& t, const char* data) : dtype_(t.dtype), data_(data), shape_(*t.shape) {
        const bool whole = shape_.numel <= shown_whole;
        for (int d = 0; d < shape_.ndim; ++d) lists_.push_back(shown(shape_.sizes()[d], whole));
        std::vector<double> finite;
        for_each([&](int64_t offset) {
            const double v = number(offset).toDouble();
            if (std::isfinite(v)) finite.push_back(v);
        });
        style_ = choose_style(finite);
        // One more column than digits: the place of a sign, whether or not there is one.
        for_each([&](int64_t offset) {
            const std::string s = text(offset);
            width_ = std::max(width_, s.size() + (s[0] != '-'));
        });
    }

    const std::vector<int64_t>& list(int d) const { return lists_[static_cast<std::size_t>(d)]; }
    std::size_t width() const { return width_; }
    /// The line above each matrix that says what its numbers are multiples of, if not of 1.
    std::string scale_line(const std::string& indent) const {
        if (style_.scale == 1) return "";
        std::ostringstream out;
        out << indent << std::setprecision(4) << style_.scale << " *\n";
        return out.str();
    }

    std::string text(int64_t offset) const {
        const Scalar s = number(offset);
        return s.isFloatingPoint() ? spell(s.toDouble(), style_) : std::to_string(s.toLong());
    }

private:
    Scalar number(int64_t offset) const {
        return front::load(data_ + offset * static_cast<int64_t>(elementSize(dtype_)), dtype_);
    }
    template <class F>
    void for_each(const F& f) const {
        std::vector<int64_t> sizes;
        for (const auto& l : lists_) sizes.push_back(static_cast<int64_t>(l.size()));
        const geometry_ptr places = make_contiguous(sizes);
        for (int64_t i = 0; i < places->numel; ++i) {
            int64_t offset = shape_.offset;
            bool hidden = false;
            for (int d = 0; d < shape_.ndim; ++d) {
                const int64_t place = i / places->strides()[d] % places->sizes()[d];
                const int64_t index = list(d)[static_cast<std::size_t>(place)];
                hidden = hidden || index == gap;
                offset += index * shape_.strides()[d];
            }
            if (!hidden) f(offset);
        }
    }

    ScalarType dtype_;
    const char* data_;
    const geometry& shape_;
    std::vector<std::vector<int64_t>> lists_;
    style style_;
    std::size_t width_ = 0;
};

/// The matrix of the last two dimensions, or the column of the only one, from `offset` on.
void print_matrix(std::ostream& out, const texts& t, const geometry& g, int64_t offset,
                  const std::string& indent) {
    const int row_dim = g.ndim == 1 ? 0 : g.ndim - 2;
    static const std::vector<int64_t> one{0};
    const std::vector<int64_t>& rows = t.list(row_dim);
    const std::vector<int64_t>& columns = g.ndim == 1 ? one : t.list(g.ndim - 1);
    const int64_t row_stride = g.strides()[row_dim];
    const int64_t column_stride = g.ndim == 1 ? 0 : g.strides()[g.ndim - 1];
    const std::size_t room = line_width - indent.size();
    const std::size_t per_line = std::max<std::size_t>(1, room / (t.width() + 1));
    if (per_line >= columns.size()) out << t.scale_line(indent);
    for (std::size_t begin = 0; begin < columns.size(); begin += per_line) {
        const std::size_t end = std::min(columns.size(), begin + per_line);
        if (per_line < columns.size())
            out << (begin > 0 ? "\n" : "") << indent << "Columns " << begin + 1 << " to " << end
                << '\n'
                << t.scale_line(indent);
        for (int64_t r : rows) {
            out << indent;
            for (std::size_t c = begin; c < end; ++c) {
                const bool hidden = r == gap || columns[c] == gap;
                const std::string cell =
                    hidden ? "..." : t.text(offset + r * row_stride + columns[c] * column_stride);
                out << (c > begin ? " " : "") << std::setw(static_cast<int>(t.width())) << cell;
            }
            out << '\n';
        }
    }
}

/// One matrix after another, each under its leading indices.
void print_stack(std::ostream& out, const texts& t, const geometry& g) {
    const auto lead = static_cast<std::size_t>(g.ndim - 2);
    std::vector<std::size_t> at(lead, 0);
    bool first = true;
    for (;;) {
        if (!first) out << '\n';
        first = false;
        int64_t offset = g.offset;
        bool hidden = false;
        out << '(';
        for (std::size_t d = 0; d < lead; ++d) {
            const int64_t index = t.list(static_cast<int>(d))[at[d]];
            hidden = hidden || index == gap;
            offset += index * g.strides()[d];
            if (index == gap)
                out << "...,";
            else
                out << index + 1 << ',';
        }
        out << ".,.) = \n";
        if (!hidden) print_matrix(out, t, g, offset, " ");
        std::size_t d = lead;
        while (d > 0 && ++at[d - 1] == t.list(static_cast<int>(d) - 1).size()) at[--d] = 0;
        if (d == 0) return;
    }
}

void print_scalar(std::ostream& out, const Scalar& s) {
    if (!s.isFloatingPoint())
        out << s.toLong();
    else if (std::isnan(s.toDouble()))
        out << "nan";
    else
        out << s.toDouble();
    out << '\n';
}

std::string spell(const TensorImpl& t, const char* data) {
    const runtime::fp_environment environment;  // a style is chosen by the size of the numbers
    const geometry& g = *t.shape;
    std::ostringstream text;  // with flags of its own
    if (g.ndim == 0) {
        const auto item = static_cast<int64_t>(elementSize(t.dtype));
        print_scalar(text, front::load(data + g.offset * item, t.dtype));
    } else if (g.numel > 0) {
        const texts shown_texts(t, data);
        if (g.ndim <= 2)
            print_matrix(text, shown_texts, g, g.offset, "");
        else
            print_stack(text, shown_texts, g);
    }
    text << "[ CPU" << t.dtype << "Type{";
    for (int d = 0; d < g.ndim; ++d) text << (d > 0 ? "," : "") << g.sizes()[d];
    text << "} ]";
    return text.str();
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const tensor_base& tensor) {
    if (!tensor.defined()) return out << "[ Tensor (undefined) ]";
    const TensorImpl& t = front::body("print", tensor);
    const char* data = front::values(t, flush_reason::print);
    return out << spell(t, data);
}

}  // namespace sinter::inline v1
