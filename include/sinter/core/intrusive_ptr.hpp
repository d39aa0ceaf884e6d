// A pointer to an object that counts its own references. `retain` and `release` are found by
// argument-dependent lookup, so that the pointee may be incomplete where the pointer is copied.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace sinter::inline v1 {

/// Owns one reference to an object that counts its references.
template <class T>
class intrusive_ptr {
public:
    /// Points to nothing.
    ///@{
    constexpr intrusive_ptr() noexcept = default;
    constexpr intrusive_ptr(std::nullptr_t) noexcept {}  // NOLINT
    ///@}
    /// Shares ownership of `p`.
    explicit intrusive_ptr(T* p) noexcept : p_(p) {
        if (p_) retain(p_);
    }
    /// Copies share ownership; the last pointer destroys the object.
    ///@{
    intrusive_ptr(const intrusive_ptr& o) noexcept : p_(o.p_) {
        if (p_) retain(p_);
    }
    intrusive_ptr(intrusive_ptr&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
    template <class U>
        requires(!std::is_same_v<U, T> && std::is_convertible_v<U*, T*>)
    intrusive_ptr(intrusive_ptr<U> o) noexcept : p_(o.detach()) {}  // NOLINT: as the pointer
    ~intrusive_ptr() {
        if (p_) release(p_);
    }
    intrusive_ptr& operator=(intrusive_ptr o) noexcept {
        swap(o);
        return *this;
    }
    ///@}

    /// Returns a pointer that takes over a reference of the caller.
    static intrusive_ptr adopt(T* p) noexcept {
        intrusive_ptr r;
        r.p_ = p;
        return r;
    }
    /// Gives the reference to the caller; the pointer is null then.
    T* detach() noexcept { return std::exchange(p_, nullptr); }
    /// Drops the reference.
    void reset() noexcept { intrusive_ptr().swap(*this); }
    /// Exchanges two pointers.
    void swap(intrusive_ptr& o) noexcept { std::swap(p_, o.p_); }

    /// Returns the object.
    ///@{
    T* get() const noexcept { return p_; }
    T& operator*() const noexcept { return *p_; }
    T* operator->() const noexcept { return p_; }
    ///@}
    /// Returns true unless the pointer is null.
    explicit operator bool() const noexcept { return p_ != nullptr; }
    /// Compares addresses.
    ///@{
    bool operator==(const intrusive_ptr& o) const noexcept { return p_ == o.p_; }
    bool operator==(std::nullptr_t) const noexcept { return p_ == nullptr; }
    ///@}

private:
    T* p_ = nullptr;
};

/// Returns the only pointer to a new object.
template <class T, class... A>
intrusive_ptr<T> make_intrusive(A&&... arguments) {
    T* p = new T(std::forward<A>(arguments)...);
    p->references.begin();
    return intrusive_ptr<T>::adopt(p);
}

}  // namespace sinter::inline v1
