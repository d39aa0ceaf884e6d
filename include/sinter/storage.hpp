// The memory that views share, as a list of elements.
#pragma once

#include <sinter/tensor.hpp>

#include <iosfwd>
#include <iterator>
#include <string>

namespace sinter::inline v1 {

/// The address of memory and its device. Owns nothing.
class DataPtr {
public:
    /// Holds null on the CPU, or this address.
    ///@{
    DataPtr() = default;
    DataPtr(void* data, Device device) : data_(data), device_(device) {}
    ///@}
    /// Returns the address.
    ///@{
    void* get() const { return data_; }
    void* mutable_get() const { return data_; }
    void* operator->() const { return data_; }
    ///@}
    /// Returns true unless the address is null.
    explicit operator bool() const { return data_ != nullptr; }
    /// Returns the device of the memory.
    Device device() const { return device_; }
    /// Returns true if the address is null.
    friend bool operator==(const DataPtr& p, std::nullptr_t) { return !p.data_; }

private:
    void* data_ = nullptr;
    Device device_ = kCPU;
};

/// The elements of a tensor's storage, in memory order. Keeps the memory alive; views see what is
/// written here, and writes of views are seen here. All methods run at once.
class SINTER_API TypedStorage {
public:
    /// An element: a number to read, assign and print.
    class SINTER_API reference {
    public:
        /// Returns the element's value, converted to T as Scalar::to().
        ///@{
        operator Scalar() const;  // NOLINT
        template <class T>
        T to() const {
            return Scalar(*this).to<T>();
        }
        ///@}
        /// Writes the element. Throws ValueError if the dtype does not hold the value.
        ///@{
        const reference& operator=(const Scalar& value) const;
        // A write, of itself too.
        const reference& operator=(const reference& other) const {  // NOLINT
            return *this = Scalar(other);
        }
        ///@}
        /// Refers to the same element.
        reference(const reference&) = default;
        // By value: an element that is true equals 1.
        /// Returns true if the values are equal; an element that is true equals 1.
        ///@{
        friend bool operator==(const reference& a, const Scalar& b) { return same(a, b); }
        friend bool operator==(const reference& a, const reference& b) {
            return same(a, Scalar(b));
        }
        ///@}

    private:
        friend class TypedStorage;
        static bool same(const Scalar& a, const Scalar& b);
        reference(const TypedStorage* of, int64_t at) : of_(of), at_(at) {}
        const TypedStorage* of_;
        int64_t at_;
    };
    /// An input iterator over the elements.
    class iterator {
    public:
        /// The types of an input iterator.
        ///@{
        using iterator_category = std::input_iterator_tag;
        using value_type = Scalar;
        using difference_type = std::ptrdiff_t;
        using pointer = void;
        using reference = TypedStorage::reference;
        ///@}
        /// Points to nothing, or to one element.
        ///@{
        iterator() = default;
        iterator(const TypedStorage* of, int64_t at) : of_(of), at_(at) {}
        ///@}
        /// Returns the element.
        reference operator*() const { return (*of_)[at_]; }
        /// Goes to the next element.
        ///@{
        iterator& operator++() {
            ++at_;
            return *this;
        }
        iterator operator++(int) {
            iterator old = *this;
            ++at_;
            return old;
        }
        ///@}
        /// Returns true if both are at the same index.
        bool operator==(const iterator& o) const { return at_ == o.at_; }

    private:
        const TypedStorage* of_ = nullptr;
        int64_t at_ = 0;
    };

    /// Returns the number of elements, or of bytes.
    ///@{
    int64_t size() const;
    std::size_t nbytes() const;
    ///@}
    /// Returns the dtype of the elements, or the device of the memory.
    ///@{
    ScalarType dtype() const;
    Device device() const;
    ///@}
    /// Returns the address of the first element, valid until resize_ or set_. Throws Error for
    /// read-only memory and if T is not the dtype's type.
    ///@{
    void* data() const;
    DataPtr data_ptr() const { return {data(), device()}; }
    template <class T>
    T* data_ptr() const {
        return whole().data_ptr<T>();
    }
    ///@}
    /// Returns an element; negative indices count from the end. Throws IndexError out of range.
    reference operator[](int64_t index) const;
    /// Returns an iterator to the first element, or past the last.
    ///@{
    iterator begin() const { return {this, 0}; }
    iterator end() const { return {this, size()}; }
    ///@}
    /// Sets all elements to this value; returns the storage.
    const TypedStorage& fill_(const Scalar& value) const;
    /// Returns true if both are the same memory.
    bool is_alias_of(const TypedStorage& other) const { return of_.is_alias_of(other.of_); }

private:
    friend class tensor_base;
    explicit TypedStorage(Tensor of) : of_(std::move(of)) {}
    Tensor whole() const;  // all elements, as a vector
    Tensor of_;
};

/// Prints the element's value.
SINTER_API std::ostream& operator<<(std::ostream& out, const TypedStorage::reference& element);
/// Prints one value a line, then `[torch.FloatTensor of size 10]`.
SINTER_API std::ostream& operator<<(std::ostream& out, const TypedStorage& storage);

}  // namespace sinter::inline v1
