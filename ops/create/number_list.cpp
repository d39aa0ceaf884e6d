// Nested braces of numbers, and the tensors made from them.
#include "ops/common/devices.hpp"
#include "ops/common/op_checks.hpp"

#include <sinter/functions/functions.hpp>

#include "runtime/types/element.hpp"

#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

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

/// Returns the default dtype of a tensor of such numbers.
ScalarType own_dtype(ScalarType numbers) {
    if (numbers == kInt) return kLong;
    const bool is_default = numbers == kFloat || numbers == kDouble;
    return is_default ? get_default_dtype().toScalarType() : numbers;
}

/// Returns a list as in libtorch's errors: {1, 2}.
std::string spelled(const number_list& list) {
    std::string out;
    std::vector<std::pair<const number_list*, std::size_t>> path{{&list, 0}};
    while (!path.empty()) {
        auto& [now, next] = path.back();
        const bool begins = next == 0;
        if (!now->is_list() || next == now->size()) {
            if (!now->is_list()) out += runtime::text(now->value());
            if (now->is_list()) out += begins ? "{}" : "}";
            path.pop_back();
            continue;
        }
        out += begins ? "{" : ", ";
        path.emplace_back(&(*now)[next++], 0);
    }
    return out;
}

/// The contents of nested braces: the sizes, and the numbers from left to right.
struct contents {
    std::vector<int64_t> sizes;
    std::vector<const number_list*> numbers;
};

/// A list whose items before `next` have been read. All items must have the same sizes.
struct open_list {
    const number_list* list;
    std::size_t next = 0;
    std::vector<int64_t> sizes{};         // of the first item
    const number_list* number = nullptr;  // the first number in it, if any
};

/// Throws Error if the last item read differs from the first one of its list.
void require_alike(const open_list& l, const std::vector<int64_t>& sizes,
                   const number_list* number) {
    const number_list &first = (*l.list)[0], &item = (*l.list)[l.next - 1];
    if (sizes != l.sizes)
        runtime::fail("tensor",
                      runtime::text("Expected all sub-lists to have sizes: ", IntArrayRef(l.sizes),
                                    " (e.g. ", spelled(first), "), but got sub-list ",
                                    spelled(item), " with sizes: ", IntArrayRef(sizes)),
                      "a ragged list", "sub-lists of equal sizes", "padding the shorter ones");
    if (number && l.number && own_dtype(number->dtype()) != own_dtype(l.number->dtype()))
        runtime::fail(
            "tensor",
            runtime::text("Expected all elements of the tensor to have the same scalar type: ",
                          l.number->dtype(), ", but got element of scalar type: ", number->dtype()),
            "numbers of different types", "numbers of one type",
            "writing all of them alike, as in 1.0 and 2.0");
}

/// Inner lists are checked before outer ones, so that the errors are libtorch's.
contents contents_of(const number_list& list) {
    contents all;
    if (!list.is_list()) return {{}, {&list}};
    std::vector<open_list> path;
    path.push_back({&list});
    for (;;) {
        open_list& now = path.back();
        std::vector<int64_t> sizes;
        const number_list* number = nullptr;
        if (now.next < now.list->size()) {
            const number_list& item = (*now.list)[now.next++];
            if (item.is_list()) {
                if (path.size() == deepest)
                    runtime::fail<ValueError>("tensor", "the braces are nested too deeply",
                                              "more than 10 levels", "at most 10",
                                              "reshape() on a flat list");
                path.push_back({&item});
                continue;
            }
            all.numbers.push_back(number = &item);
        } else {
            sizes = std::move(now.sizes);
            sizes.insert(sizes.begin(), static_cast<int64_t>(now.list->size()));
            number = now.number;
            path.pop_back();
            if (path.empty()) {
                all.sizes = std::move(sizes);
                return all;
            }
        }
        open_list& around = path.back();
        if (around.next == 1) {
            around.sizes = std::move(sizes);
            around.number = number;
        } else {
            require_alike(around, sizes, number);
        }
    }
}

}  // namespace

Tensor tensor(const number_list& values, const TensorOptions& options) {
    const runtime::device_index place = ops::place_for("tensor", options);
    if (options.pinned_memory()) ops::require_pinnable("tensor", place);
    const auto [sizes, numbers] = contents_of(values);
    const ScalarType own = own_dtype(numbers.empty() ? kFloat : numbers[0]->dtype());
    const ScalarType dtype = options.dtype_or(own);
    runtime::require_dtype("tensor", dtype);
    Tensor result(make_empty(dtype, make_contiguous(sizes), runtime::main_memory));
    char* to = ops::fresh(*result.unsafeGetTensorImpl());
    for (const number_list* n : numbers) {
        runtime::require_fits("tensor", n->value(), dtype);
        runtime::store(to, dtype, n->value());
        to += elementSize(dtype);
    }
    return options.pinned_memory() ? ops::pinned(std::move(result)) : ops::moved(result, place);
}

Tensor detail::from_numbers(const Tensor& values, const TensorOptions& options) {
    const runtime::device_index place = ops::place_for("tensor", options);
    if (options.pinned_memory()) ops::require_pinnable("tensor", place);
    const ScalarType dtype = options.dtype_or(own_dtype(values.scalar_type()));
    runtime::require_dtype("tensor", dtype);
    if (values.is_complex() && !isComplexType(dtype))
        runtime::fail("tensor", "complex numbers do not fit the dtype",
                      runtime::text("a complex list for ", dtype), "a complex dtype",
                      "kComplexFloat, or real() of the complex tensor");
    const Tensor converted = values.to(dtype);
    return options.pinned_memory() ? converted.pin_memory() : ops::moved(converted, place);
}

Tensor tensor(std::initializer_list<number_list> values, const TensorOptions& options) {
    return tensor(number_list(values), options);
}

}  // namespace sinter::inline v1
