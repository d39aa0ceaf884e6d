// Nested braces of numbers, and the tensor that they make.
#include "jit/expr/front.hpp"
#include "jit/expr/places.hpp"

#include <sinter/functions.hpp>

#include "jit/expr/element.hpp"

#include <memory>
#include <new>

namespace sinter::inline v1 {

namespace {

number_list* copy_items(const number_list* from, std::size_t n) {
    if (n == 0) return nullptr;
    auto* to = static_cast<number_list*>(::operator new(n * sizeof(number_list)));
    try {
        std::uninitialized_copy_n(from, n, to);
    } catch (...) {
        ::operator delete(to);
        throw;
    }
    return to;
}

}  // namespace

number_list::number_list(std::initializer_list<number_list> list)
    : items_(copy_items(list.begin(), list.size())), size_(list.size()), is_list_(true) {}

number_list::number_list(const number_list& o)
    : value_(o.value_),
      dtype_(o.dtype_),
      items_(copy_items(o.items_, o.size_)),
      size_(o.size_),
      is_list_(o.is_list_) {}

number_list::~number_list() {
    std::destroy_n(items_, size_);
    ::operator delete(items_);
}

const number_list& number_list::operator[](std::size_t i) const { return items_[i]; }

namespace {

constexpr std::size_t deepest = 10;

/// The lengths of the first list of every level.
std::vector<int64_t> sizes_of(const number_list& list) {
    std::vector<int64_t> sizes;
    for (const number_list* l = &list; l->is_list(); l = &(*l)[0]) {
        sizes.push_back(static_cast<int64_t>(l->size()));
        if (sizes.size() > deepest)
            front::fail<ValueError>("tensor", "the braces are too deep", "more than 10 levels",
                                    "at most 10", "reshape");
        if (l->size() == 0) break;
    }
    return sizes;
}

/// The numbers from left to right; throws where lists of one level differ in length.
std::vector<const number_list*> numbers_of(const number_list& list,
                                           const std::vector<int64_t>& sizes) {
    struct place {
        const number_list* list;
        std::size_t next;
    };
    std::vector<const number_list*> numbers;
    std::vector<place> path;
    const number_list* now = &list;
    for (;;) {
        const std::size_t level = path.size();
        const int64_t length = now->is_list() ? static_cast<int64_t>(now->size()) : -1;
        const int64_t expected = level < sizes.size() ? sizes[level] : -1;
        if (length != expected) {
            const auto spell = [](int64_t n) {
                return n < 0 ? std::string("a number") : front::text("a list of ", n);
            };
            front::fail("tensor", "the lists are ragged",
                        spell(length) + front::text(" at depth ", level), spell(expected),
                        "lists of equal lengths");
        }
        if (now->is_list())
            path.push_back({now, 0});
        else
            numbers.push_back(now);
        while (!path.empty() && path.back().next == path.back().list->size()) path.pop_back();
        if (path.empty()) return numbers;
        now = &(*path.back().list)[path.back().next++];
    }
}

/// The dtype that a tensor of numbers has without being told.
ScalarType own_dtype(ScalarType numbers) {
    if (numbers == kInt) return kLong;
    const bool is_default = numbers == kFloat || numbers == kDouble;
    return is_default ? get_default_dtype().toScalarType() : numbers;
}

}  // namespace

Tensor tensor(const number_list& values, const TensorOptions& options) {
    const runtime::place_number place = front::place_for("tensor", options);
    if (options.pinned_memory()) front::require_pinnable("tensor", place);
    const std::vector<int64_t> sizes = sizes_of(values);
    const std::vector<const number_list*> numbers = numbers_of(values, sizes);
    const ScalarType own = own_dtype(numbers.empty() ? kFloat : numbers[0]->dtype());
    for (const number_list* n : numbers)
        if (own_dtype(n->dtype()) != own)
            front::fail("tensor", "the numbers are of different kinds",
                        front::text(numbers[0]->dtype(), " and ", n->dtype()), "one kind",
                        "writing all of them alike, as in 1.0 and 2.0");
    const ScalarType dtype = options.dtype_or(own);
    front::require_dtype("tensor", dtype);
    Tensor result(make_empty(dtype, make_contiguous(sizes), runtime::main_memory));
    char* to = front::fresh(*result.unsafeGetTensorImpl());
    for (const number_list* n : numbers) {
        front::require_fits("tensor", n->value(), dtype);
        front::store(to, dtype, n->value());
        to += elementSize(dtype);
    }
    return options.pinned_memory() ? front::pinned(std::move(result)) : front::moved(result, place);
}

Tensor detail::from_numbers(const Tensor& values, const TensorOptions& options) {
    const runtime::place_number place = front::place_for("tensor", options);
    if (options.pinned_memory()) front::require_pinnable("tensor", place);
    const ScalarType dtype = options.dtype_or(own_dtype(values.scalar_type()));
    front::require_dtype("tensor", dtype);
    if (values.is_complex() && !isComplexType(dtype))
        front::fail("tensor", "the numbers are complex", front::text("a list for ", dtype),
                    "a complex dtype", "real() of the tensor");
    const Tensor converted = values.to(dtype);
    return options.pinned_memory() ? converted.pin_memory() : front::moved(converted, place);
}

Tensor tensor(std::initializer_list<number_list> values, const TensorOptions& options) {
    return tensor(number_list(values), options);
}

}  // namespace sinter::inline v1
