// A pointer to an object that counts its own references. `retain` and `release` are found by
// argument-dependent look-up, so that the pointee may be incomplete where the pointer is copied.
#pragma once

#include <cstddef>
#include <utility>

namespace sinter::inline v1 {

template <class T>
class intrusive_ptr {
public:
    constexpr intrusive_ptr() noexcept = default;
    constexpr intrusive_ptr(std::nullptr_t) noexcept {}  // NOLINT
    /// Shares ownership of `p`.
    explicit intrusive_ptr(T* p) noexcept : p_(p) {
        if (p_) retain(p_);
    }
    intrusive_ptr(const intrusive_ptr& o) noexcept : p_(o.p_) {
        if (p_) retain(p_);
    }
    intrusive_ptr(intrusive_ptr&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
    ~intrusive_ptr() {
        if (p_) release(p_);
    }
    intrusive_ptr& operator=(intrusive_ptr o) noexcept {
        swap(o);
        return *this;
    }

    /// Takes over a reference that the caller owns.
    static intrusive_ptr adopt(T* p) noexcept {
        intrusive_ptr r;
        r.p_ = p;
        return r;
    }
    /// Gives the reference to the caller.
    T* detach() noexcept { return std::exchange(p_, nullptr); }
    void reset() noexcept { intrusive_ptr().swap(*this); }
    void swap(intrusive_ptr& o) noexcept { std::swap(p_, o.p_); }

    T* get() const noexcept { return p_; }
    T& operator*() const noexcept { return *p_; }
    T* operator->() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    bool operator==(const intrusive_ptr& o) const noexcept { return p_ == o.p_; }
    bool operator==(std::nullptr_t) const noexcept { return p_ == nullptr; }

private:
    T* p_ = nullptr;
};

/// A new object with one pointer to it.
template <class T, class... A>
intrusive_ptr<T> make_intrusive(A&&... arguments) {
    T* p = new T(std::forward<A>(arguments)...);
    p->references.begin();
    return intrusive_ptr<T>::adopt(p);
}

}  // namespace sinter::inline v1
