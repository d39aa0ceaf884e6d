// Attributes: the parameters of a hand-written operation, in a struct that the operation defines.
#pragma once

#include <sinter/core/geometry.hpp>
#include <sinter/core/intrusive_ptr.hpp>
#include <sinter/core/reference_count.hpp>
#include <sinter/dtype.hpp>

#include <utility>
#include <vector>

namespace sinter::inline v1 {

/// The type of one result of an operation that has several.
struct result_info {
    ScalarType dtype;
    geometry_ptr shape;  // dense, from offset 0

    bool operator==(const result_info& o) const {
        return dtype == o.dtype && shape->sizes_ref() == o.shape->sizes_ref() &&
               shape->strides_ref() == o.shape->strides_ref();
    }
};

/// The attributes of a node. Two nodes with equal operations, operands and attributes compute equal
/// results.
class op_attributes {
public:
    virtual ~op_attributes() = default;

    /// Returns the operation's struct. Throws std::bad_cast if it is not a T.
    template <class T>
    const T& as() const;
    bool operator==(const op_attributes& o) const { return results == o.results && same_as(o); }

    detail::reference_count references;
    std::vector<result_info> results;  // empty if there is one: the node's dtype and shape

private:
    virtual bool same_as(const op_attributes& o) const = 0;
};
using attributes_ptr = intrusive_ptr<const op_attributes>;

inline void retain(const op_attributes* a) { const_cast<op_attributes*>(a)->references.add(); }
inline void release(const op_attributes* a) {
    if (const_cast<op_attributes*>(a)->references.drop()) delete a;
}

namespace detail {

template <class T>
class attributes_of final : public op_attributes {
public:
    explicit attributes_of(T v) : value(std::move(v)) {}
    const T value;

private:
    bool same_as(const op_attributes& o) const override {
        const auto* other = dynamic_cast<const attributes_of*>(&o);
        return other && other->value == value;
    }
};

}  // namespace detail

template <class T>
const T& op_attributes::as() const {
    return dynamic_cast<const detail::attributes_of<T>&>(*this).value;
}

/// Returns attributes that hold `value`. Its operator== should be defaulted, so that no member is
/// forgotten.
template <class T>
attributes_ptr make_attributes(T value, std::vector<result_info> results = {}) {
    auto a = make_intrusive<detail::attributes_of<T>>(std::move(value));
    a->results = std::move(results);
    return attributes_ptr::adopt(a.detach());
}

/// The struct of an operation without parameters.
struct no_attributes {
    bool operator==(const no_attributes&) const = default;
};

}  // namespace sinter::inline v1
