// Prints in libtorch's layout: columns of numbers, then dtype and sizes. Its oddities (rows after
// "Columns", rows below a factor) are kept, because programs compare printed text.
#include "ops/common/op_checks.hpp"

#include "ops/common/devices.hpp"
#include "runtime/base/fp_environment.hpp"
#include "runtime/strided/walk.hpp"
#include "runtime/types/element.hpp"

#include <sinter/functions/print.hpp>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <iomanip>
#include <iostream>

namespace sinter::inline v1 {
namespace {

/// The common format of all numbers of one vector or matrix.
enum class number_style { shortest, fixed, scientific };
struct style {
    number_style how = number_style::shortest;
    int width = 0;
    double scale = 1;
};

int exponent_of(double magnitude) {
    return magnitude == 0 ? 1 : static_cast<int>(std::floor(std::log10(magnitude))) + 1;
}

style choose_style(const double* v, int64_t n) {
    bool whole = true, any = false;
    double low = 0, high = 0;
    for (int64_t i = 0; i < n; ++i) {
        if (!std::isfinite(v[i])) continue;
        whole = whole && v[i] == std::ceil(v[i]);
        const double magnitude = std::abs(v[i]);
        if (!any) low = high = magnitude;
        any = true;
        low = std::min(low, magnitude);
        if (v[i] > high) high = magnitude;  // negative numbers do not count, as in libtorch
    }
    const int first = any ? exponent_of(low) : 1, last = any ? exponent_of(high) : 1;
    if (whole)
        return last > 9 ? style{number_style::scientific, 11}
                        : style{number_style::shortest, last + 1};
    if (last - first > 4) {
        const bool long_exponent = std::abs(last) > 99 || std::abs(first) > 99;
        return {number_style::scientific, long_exponent ? 12 : 11};
    }
    if (last > 5 || last < 0) return {number_style::fixed, 7, std::pow(10.0, last - 1)};
    return {number_style::fixed, last == 0 ? 7 : last + 6};
}

class printer {
public:
    printer(std::ostream& out, int64_t line_size, std::streamsize precision)
        : out_(out), line_size_(line_size), precision_(precision) {}

    void scalar(double v) {
        write(v, {});
        out_ << '\n';
    }

    void vector(const double* v, int64_t n) {
        const style s = choose_style(v, n);
        scale_line(s);
        for (int64_t i = 0; i < n; ++i) {
            write(v[i], s);
            out_ << '\n';
        }
    }

    void matrix(const double* v, int64_t rows, int64_t columns, int indent) {
        const style s = choose_style(v, rows * columns);
        const std::string margin(static_cast<std::size_t>(indent), ' ');
        const int64_t per_line = std::max<int64_t>(1, (line_size_ - indent) / (s.width + 1));
        out_ << margin;
        for (int64_t begin = 0; begin < columns; begin += per_line) {
            const int64_t end = std::min(columns, begin + per_line);
            if (per_line < columns)
                out_ << (begin > 0 ? "\n" : "") << "Columns " << begin + 1 << " to " << end
                     << margin;
            if (s.scale != 1) {
                scale_line(s);
                out_ << margin;
            }
            for (int64_t r = 0; r < rows; ++r) {
                if (r > 0) out_ << margin << (s.scale != 1 ? " " : "");
                for (int64_t c = begin; c < end; ++c) {
                    if (c > begin) out_ << ' ';
                    write(v[r * columns + c], s);
                }
                out_ << '\n';
            }
        }
    }

    /// Prints each matrix under its leading indices. The first index varies fastest.
    void stack(const double* v, IntArrayRef sizes) {
        const std::size_t lead = sizes.size() - 2;
        const int64_t rows = sizes[lead], columns = sizes[lead + 1];
        const geometry_ptr places = make_contiguous(sizes);
        std::vector<int64_t> at(lead, 0);
        for (bool first = true;; first = false) {
            if (!first) out_ << '\n';
            int64_t offset = 0;
            out_ << '(';
            for (std::size_t d = 0; d < lead; ++d) {
                out_ << at[d] + 1 << ',';
                offset += at[d] * places->strides()[d];
            }
            out_ << ".,.) = \n";
            matrix(v + offset, rows, columns, 1);
            std::size_t d = 0;
            while (d < lead && ++at[d] == sizes[d]) at[d++] = 0;
            if (d == lead) return;
        }
    }

private:
    void write(double v, const style& s) {
        out_ << std::setw(s.width);
        if (std::isnan(v)) {
            out_ << "nan";
            return;
        }
        out_.unsetf(std::ios::floatfield);
        if (s.how != number_style::shortest)
            out_.setf(s.how == number_style::fixed ? std::ios::fixed : std::ios::scientific,
                      std::ios::floatfield);
        out_ << std::setprecision(s.how == number_style::shortest ? static_cast<int>(precision_)
                                                                  : 4)
             << v / s.scale;
    }

    void scale_line(const style& s) {
        if (s.scale == 1) return;
        // The precision also applies to the numbers that follow, as in libtorch.
        out_.unsetf(std::ios::floatfield);
        out_ << std::setprecision(4) << s.scale << " *\n";
    }

    std::ostream& out_;
    int64_t line_size_;
    std::streamsize precision_;
};

/// Sets the rounding mode to nearest, so that digits do not depend on the program's mode. The C
/// library prints numbers in a mode that fp_environment does not set.
class rounding_to_nearest {
public:
    rounding_to_nearest() { std::fesetround(FE_TONEAREST); }
    ~rounding_to_nearest() { std::fesetround(saved_); }
    rounding_to_nearest(const rounding_to_nearest&) = delete;

private:
    int saved_ = std::fegetround();
};

/// Returns the text of a tensor. Numbers take the locale and precision of `out`. `place` is the
/// device of the original, of which `t` may be a copy.
std::string spell(const TensorImpl& t, runtime::device_index place, const char* data,
                  int64_t line_size, const std::ostream& out) {
    const rounding_to_nearest rounding;
    const runtime::fp_environment environment;  // the choice of a style computes with the numbers
    const geometry& g = *t.shape;
    const auto item = static_cast<int64_t>(elementSize(t.dtype));
    ops::warn_of_cast(t.dtype, kDouble);  // this layout has no imaginary parts; repr shows them
    std::vector<double> v;
    v.reserve(static_cast<std::size_t>(g.numel));
    runtime::for_each_element({&g}, 0, g.numel, [&](int64_t offset) {
        v.push_back(runtime::load(data + offset * item, t.dtype).toComplexDouble().real());
    });
    std::ostringstream text;
    text.exceptions(std::ios::badbit);  // throws if memory runs out, instead of truncating the text
    text.imbue(out.getloc());
    printer p(text, line_size, out.precision());
    if (g.ndim == 0)
        p.scalar(v[0]);
    else if (g.numel > 0 && g.ndim == 1)
        p.vector(v.data(), g.numel);
    else if (g.numel > 0 && g.ndim == 2)
        p.matrix(v.data(), g.sizes()[0], g.sizes()[1], 0);
    else if (g.numel > 0)
        p.stack(v.data(), g.sizes_ref());
    text << (place == runtime::main_memory ? "[ CPU" : "[ CUDA") << t.dtype << "Type{";
    for (int d = 0; d < g.ndim; ++d) text << (d > 0 ? "," : "") << g.sizes()[d];
    text << "} ]";
    return text.str();
}

}  // namespace

std::ostream& print(std::ostream& out, const tensor_base& tensor, int64_t line_size) {
    if (!tensor.defined()) return out << "[ Tensor (undefined) ]";
    const TensorImpl& t = ops::body("print", tensor);
    const Tensor here = ops::on_host(tensor);
    const TensorImpl& h = *here.unsafeGetTensorImpl();
    const char* data = ops::values(h, flush_reason::print);
    return out << spell(h, t.device, data, line_size, out);
}

void print(const tensor_base& tensor, int64_t line_size) { print(std::cout, tensor, line_size); }

std::ostream& operator<<(std::ostream& out, const tensor_base& tensor) {
    return print(out, tensor, 80);
}

}  // namespace sinter::inline v1
