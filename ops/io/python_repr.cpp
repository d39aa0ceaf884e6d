// Prints in the layout of Python's PyTorch.
#include "ops/common/op_checks.hpp"

#include "ops/common/devices.hpp"
#include "runtime/base/fork.hpp"
#include "runtime/base/fp_environment.hpp"
#include "runtime/types/dtypes.hpp"
#include "runtime/types/element.hpp"

#include <sinter/autograd/node.hpp>
#include <sinter/functions/print.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <mutex>

namespace sinter::inline v1 {
namespace {

struct settings {
    int64_t precision = 4, threshold = 1000, edgeitems = 3, linewidth = 80;
    optional<bool> sci_mode;
};

std::mutex settings_mutex;
std::mutex& settings_lock() { return settings_mutex; }
[[maybe_unused]] const runtime::held_at_fork<settings_lock> settings_at_fork(
    runtime::fork_order::print_options);
settings& shared() {
    static constinit settings s;
    return s;
}
settings current() {
    std::lock_guard lock(settings_mutex);
    return shared();
}

std::string in_format(double v, std::chars_format format, int64_t precision) {
    if (std::isnan(v)) return "nan";
    if (std::isinf(v)) return v < 0 ? "-inf" : "inf";
    std::string out(400 + static_cast<std::size_t>(precision), '\0');
    const auto end =
        std::to_chars(out.data(), out.data() + out.size(), v, format, static_cast<int>(precision));
    out.resize(static_cast<std::size_t>(end.ptr - out.data()));
    return out;
}

/// The common format of the numbers of one tensor, or of one part of complex numbers: whole numbers
/// with a point, fixed digits, or scientific; and the width of the widest number.
class notation {
public:
    notation(const settings& s, ScalarType type) : s_(s), real_(isFloatingType(type)) {}

    /// Call look for all numbers, then choose, then widen for all numbers.
    void look(const Scalar& s) {
        const double v = s.toDouble();
        if (!real_ || !std::isfinite(v) || v == 0) return;
        low_ = std::min(low_, std::abs(v));
        high_ = std::max(high_, std::abs(v));
        whole_ = whole_ && v == std::ceil(v);
    }
    void choose() {
        const bool spread = high_ / low_ > 1000 || high_ > 1e8 || (!whole_ && low_ < 1e-4);
        scientific_ = high_ != 0 && s_.sci_mode.value_or(spread);
    }
    void widen(const Scalar& s) {
        const double v = s.toDouble();
        if (!real_ || (std::isfinite(v) && v != 0)) width_ = std::max(width_, plain(s).size());
    }

    std::string padded(const Scalar& s) const {
        std::string text = plain(s);
        if (text.size() < width_) text.insert(0, width_ - text.size(), ' ');
        return text;
    }
    int64_t width() const { return static_cast<int64_t>(width_); }

private:
    std::string plain(const Scalar& s) const {
        if (s.isBoolean()) return s.toBool() ? "True" : "False";
        if (!s.isFloatingPoint()) return std::to_string(s.toLong());
        const double v = s.toDouble();
        if (scientific_) return in_format(v, std::chars_format::scientific, s_.precision);
        if (whole_)
            return in_format(v, std::chars_format::fixed, 0) + (std::isfinite(v) ? "." : "");
        return in_format(v, std::chars_format::fixed, s_.precision);
    }

    const settings& s_;
    bool real_;
    double low_ = INFINITY, high_ = 0;
    bool whole_ = true, scientific_ = false;
    std::size_t width_ = 1;
};

/// Formats one tensor.
class writer {
public:
    writer(const TensorImpl& t, const char* data, const settings& s)
        : t_(t),
          g_(*t.shape),
          data_(data),
          s_(s),
          summarised_(g_.numel > s.threshold),
          complex_(isComplexType(t.dtype)),
          parts_{{s, toRealValueType(t.dtype)}, {s, toRealValueType(t.dtype)}} {
        each_shown(0, g_.offset, [&](int64_t at) { each_part(at, &notation::look); });
        for (notation& n : parts_) n.choose();
        each_shown(0, g_.offset, [&](int64_t at) { each_part(at, &notation::widen); });
    }

    std::string text(int64_t indent) const { return part(0, g_.offset, indent); }

private:
    bool cut(int64_t size) const { return summarised_ && size > 2 * s_.edgeitems; }

    /// Calls f(index) for each index of a dimension that is shown, and f(-1) for a gap.
    template <class F>
    void shown(int64_t size, F f) const {
        for (int64_t i = 0; i < size; ++i) {
            if (cut(size) && i == s_.edgeitems) {
                f(-1);
                i = size - s_.edgeitems;
                if (i == size) break;
            }
            f(i);
        }
    }

    template <class F>
    void each_shown(int d, int64_t offset, const F& f) const {
        if (d == g_.ndim) return f(offset);
        shown(g_.sizes()[d], [&](int64_t i) {
            if (i >= 0) each_shown(d + 1, offset + i * g_.strides()[d], f);
        });
    }

    Scalar number(int64_t offset) const {
        return runtime::load(data_ + offset * static_cast<int64_t>(elementSize(t_.dtype)),
                             t_.dtype);
    }

    void each_part(int64_t offset, void (notation::*f)(const Scalar&)) {
        const Scalar s = number(offset);
        if (!complex_) return (parts_[0].*f)(s);
        (parts_[0].*f)(s.toComplexDouble().real());
        (parts_[1].*f)(s.toComplexDouble().imag());
    }

    std::string spelled(int64_t offset) const {
        const Scalar s = number(offset);
        if (!complex_) return parts_[0].padded(s);
        const complex<double> z = s.toComplexDouble();
        std::string imag = parts_[1].padded(z.imag());
        imag.erase(0, imag.find_first_not_of(' '));
        return parts_[0].padded(z.real()) + (imag[0] == '-' ? "" : "+") + imag + "j";
    }

    std::string part(int d, int64_t offset, int64_t indent) const {
        if (d == g_.ndim) return spelled(offset);
        if (d == g_.ndim - 1) return row(offset, indent);
        const std::string between = "," +
                                    std::string(static_cast<std::size_t>(g_.ndim - d - 1), '\n') +
                                    std::string(static_cast<std::size_t>(indent + 1), ' ');
        std::string out = "[";
        shown(g_.sizes()[d], [&](int64_t i) {
            if (out.size() > 1) out += between;
            out += i < 0 ? "..." : part(d + 1, offset + i * g_.strides()[d], indent + 1);
        });
        return out + "]";
    }

    std::string row(int64_t offset, int64_t indent) const {
        const int64_t element = parts_[0].width() + 2 + (complex_ ? parts_[1].width() + 1 : 0);
        const int64_t per_line = std::max<int64_t>(1, (s_.linewidth - indent) / element);
        std::string out = "[";
        int64_t count = 0;
        shown(g_.sizes()[g_.ndim - 1], [&](int64_t i) {
            if (count > 0)
                out += count % per_line == 0
                           ? ",\n" + std::string(static_cast<std::size_t>(indent + 1), ' ')
                           : ", ";
            out += i < 0 ? " ..." : spelled(offset + i * g_.strides()[g_.ndim - 1]);
            ++count;
        });
        return out + "]";
    }

    const TensorImpl& t_;
    const geometry& g_;
    const char* data_;
    const settings& s_;
    bool summarised_, complex_;
    notation parts_[2];  // the second is for imaginary parts
};

}  // namespace

void set_printoptions(const PrintOptions& o) {
    settings s = current();
    if (o.profile) {
        s = {};
        if (!std::strcmp(o.profile, "short")) {
            s.precision = 2;
            s.edgeitems = 2;
        } else if (!std::strcmp(o.profile, "full")) {
            s.threshold = INT64_MAX;
        } else if (std::strcmp(o.profile, "default") != 0) {
            ops::refuse_option<ValueError>("set_printoptions", "profile", o.profile,
                                           "\"default\", \"short\" or \"full\"", "default");
        }
    }
    const auto take = [](int64_t& to, const optional<int64_t>& from, const char* name) {
        if (!from) return;
        if (*from < 0)
            runtime::fail<ValueError>("set_printoptions", "an option is negative",
                                      runtime::text(name, " ", *from), "0 or more",
                                      "leaving it unset");
        to = *from;
    };
    take(s.precision, o.precision, "precision");
    take(s.threshold, o.threshold, "threshold");
    take(s.edgeitems, o.edgeitems, "edgeitems");
    take(s.linewidth, o.linewidth, "linewidth");
    s.sci_mode = o.sci_mode;
    std::lock_guard lock(settings_mutex);
    shared() = s;
}

PrintOptions get_printoptions() {
    const settings s = current();
    return {nullptr, s.precision, s.threshold, s.edgeitems, s.linewidth, s.sci_mode};
}

std::string repr(const tensor_base& tensor) {
    if (!tensor.defined()) return "tensor(undefined)";
    const runtime::device_index place = ops::body("repr", tensor).device;
    const Tensor here = ops::on_host(tensor);
    const TensorImpl& t = *here.unsafeGetTensorImpl();
    const char* data = ops::values(t, flush_reason::print);
    const runtime::fp_environment environment;
    const settings s = current();
    const bool empty = t.shape->numel == 0;
    constexpr int64_t indent = 7;  // of the text after "tensor("
    std::string out = "tensor(";
    out += empty ? std::string("[]") : writer(t, data, s).text(indent);
    std::vector<std::string> suffixes;
    if (empty && t.shape->ndim != 1) suffixes.push_back("size=" + repr_tuple(t.shape->sizes_ref()));
    const bool usual = t.dtype == get_default_dtype() ||
                       (!empty && t.dtype == toComplexType(get_default_dtype())) ||
                       (!empty && (t.dtype == kLong || t.dtype == kBool));
    if (place != runtime::main_memory)
        suffixes.push_back("device='" + ops::device_of(place).str() + "'");
    if (!usual) suffixes.push_back("dtype=" + repr(t.dtype));
    if (tensor.grad_fn())
        suffixes.push_back("grad_fn=<" + tensor.grad_fn()->name() + ">");
    else if (tensor.requires_grad())
        suffixes.emplace_back("requires_grad=True");
    const std::size_t line = out.rfind('\n');
    auto length =
        static_cast<int64_t>(line == std::string::npos ? out.size() + 2 : out.size() - line + 1);
    for (const std::string& suffix : suffixes) {
        const auto n = static_cast<int64_t>(suffix.size());
        if (length + n + 2 > s.linewidth) {
            out += ",\n" + std::string(indent, ' ') + suffix;
            length = indent + n;
        } else {
            out += ", " + suffix;
            length += n + 2;
        }
    }
    return out + ")";
}

std::string repr(const std::vector<Tensor>& tensors) {
    std::string out = "(";
    for (std::size_t i = 0; i < tensors.size(); ++i) out += (i > 0 ? ", " : "") + repr(tensors[i]);
    return out + (tensors.size() == 1 ? ",)" : ")");
}

std::string repr(const Scalar& value) {
    if (value.isBoolean()) return value.toBool() ? "True" : "False";
    if (value.isComplex()) {
        const complex<double> z = value.toComplexDouble();
        const auto part = [](double v) {  // whole numbers have no point
            std::string text = repr(Scalar(v));
            if (text.ends_with(".0")) text.resize(text.size() - 2);
            return text;
        };
        if (z.real() == 0 && !std::signbit(z.real())) return part(z.imag()) + "j";
        const std::string imag = part(z.imag());
        return "(" + part(z.real()) + (imag[0] == '-' ? "" : "+") + imag + "j)";
    }
    if (!value.isFloatingPoint()) return std::to_string(value.toLong());
    const double v = value.toDouble();
    if (!std::isfinite(v)) return in_format(v, std::chars_format::fixed, 0);
    char text[64];
    const auto spelled = [&](std::chars_format format) {
        return std::string(text, std::to_chars(text, text + sizeof text, v, format).ptr);
    };
    // Python chooses by the exponent of the first digit.
    std::string scientific = spelled(std::chars_format::scientific);
    const std::size_t e = scientific.find('e');
    const int exponent = std::atoi(scientific.c_str() + e + 1);
    if (exponent < -4 || exponent >= 16) return scientific;
    const std::string fixed = spelled(std::chars_format::fixed);
    return fixed.find('.') == std::string::npos ? fixed + ".0" : fixed;
}

std::string repr(ScalarType dtype) {
    const std::string name = info_of(dtype).python;
    return name.empty() ? "None" : "torch." + name;
}

std::string repr(const Device& device) {
    const std::string name = Device(device.type()).str();
    const std::string index =
        device.index() >= 0 ? runtime::text(", index=", static_cast<int>(device.index())) : "";
    return "device(type='" + name + "'" + index + ")";
}

std::string repr_size(IntArrayRef sizes) { return runtime::text("torch.Size(", sizes, ")"); }

std::string repr_tuple(IntArrayRef numbers) {
    std::string out = "(";
    for (std::size_t i = 0; i < numbers.size(); ++i)
        out += (i > 0 ? ", " : "") + std::to_string(numbers[i]);
    return out + (numbers.size() == 1 ? ",)" : ")");
}

}  // namespace sinter::inline v1
