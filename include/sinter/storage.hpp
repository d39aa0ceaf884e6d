// The memory that views share, as a list of elements.
#pragma once

#include <sinter/tensor.hpp>

#include <iosfwd>
#include <iterator>
#include <string>

namespace sinter::inline v1 {

/// Where memory begins, and on which device. Owns nothing.
class DataPtr {
public:
    DataPtr() = default;
    DataPtr(void* data, Device device) : data_(data), device_(device) {}
    void* get() const { return data_; }
    void* mutable_get() const { return data_; }
    void* operator->() const { return data_; }
    explicit operator bool() const { return data_ != nullptr; }
    Device device() const { return device_; }
    friend bool operator==(const DataPtr& p, std::nullptr_t) { return !p.data_; }

private:
    void* data_ = nullptr;
    Device device_ = kCPU;
};

/// Keeps the memory alive. Elements are read and written where they lie, so views see writes, and
/// writes of views are seen here.
class SINTER_API TypedStorage {
public:
    /// An element: a number to read, assign and print.
    class SINTER_API reference {
    public:
        operator Scalar() const;  // NOLINT
        template <class T>
        T to() const {
            return Scalar(*this).to<T>();
        }
        /// Converts; throws ValueError where the dtype does not hold the value.
        const reference& operator=(const Scalar& value) const;
        // A write, of itself too.
        const reference& operator=(const reference& other) const {  // NOLINT
            return *this = Scalar(other);
        }
        reference(const reference&) = default;
        // By value: an element that is true equals 1.
        friend bool operator==(const reference& a, const Scalar& b) { return same(a, b); }
        friend bool operator==(const reference& a, const reference& b) {
            return same(a, Scalar(b));
        }

    private:
        friend class TypedStorage;
        static bool same(const Scalar& a, const Scalar& b);
        reference(const TypedStorage* of, int64_t at) : of_(of), at_(at) {}
        const TypedStorage* of_;
        int64_t at_;
    };
    class iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = Scalar;
        using difference_type = std::ptrdiff_t;
        using pointer = void;
        using reference = TypedStorage::reference;
        iterator() = default;
        iterator(const TypedStorage* of, int64_t at) : of_(of), at_(at) {}
        reference operator*() const { return (*of_)[at_]; }
        iterator& operator++() {
            ++at_;
            return *this;
        }
        iterator operator++(int) {
            iterator old = *this;
            ++at_;
            return old;
        }
        bool operator==(const iterator& o) const { return at_ == o.at_; }

    private:
        const TypedStorage* of_ = nullptr;
        int64_t at_ = 0;
    };

    int64_t size() const;
    std::size_t nbytes() const;
    ScalarType dtype() const;
    Device device() const;
    /// The first element; good until resize_ or set_. Throws on read-only memory.
    void* data() const;
    DataPtr data_ptr() const { return {data(), device()}; }
    template <class T>
    T* data_ptr() const {
        return whole().data_ptr<T>();
    }
    /// From the end if negative; throws IndexError outside.
    reference operator[](int64_t index) const;
    iterator begin() const { return {this, 0}; }
    iterator end() const { return {this, size()}; }
    const TypedStorage& fill_(const Scalar& value) const;
    /// Whether both are the same memory.
    bool is_alias_of(const TypedStorage& other) const { return of_.is_alias_of(other.of_); }

private:
    friend class tensor_base;
    explicit TypedStorage(Tensor of) : of_(std::move(of)) {}
    Tensor whole() const;  // all elements, as a vector
    Tensor of_;
};

SINTER_API std::ostream& operator<<(std::ostream& out, const TypedStorage::reference& element);
/// One value a line, then `[torch.FloatTensor of size 10]`.
SINTER_API std::ostream& operator<<(std::ostream& out, const TypedStorage& storage);

}  // namespace sinter::inline v1
