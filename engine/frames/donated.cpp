#include "engine/frames/donated.hpp"

#include "engine/graph/pending.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <mutex>

namespace sinter::frames {

bool may_be_donated(const Storage& s) {
    return may_be_replaced(s) && !s.differentiated &&
           s.current->state.load(std::memory_order_acquire) != version_state::failed;
}

void take_value(Storage& s) {
    static const std::exception_ptr taken = std::make_exception_ptr(
        Error("[compile] the tensor was donated to a compiled function; got a read of it after the "
              "call, expected none; try the call's result, or clone() before the call"));
    const Version& old = *s.current;
    intrusive_ptr<Version> none = new_version(old.dtype, old.numel, old.device);
    none->error = taken;
    none->state.store(version_state::failed, std::memory_order_release);
    const intrusive_ptr<Version> before = s.current;  // may be destroyed, without the lock
    make_newest(s, none);
    intrusive_ptr<Buffer> memory;
    const std::lock_guard lock(home_lock());
    if (s.resident) s.resident->home = nullptr;
    s.resident = nullptr;
    memory.swap(s.main);
}

void take_values(std::span<TensorImpl* const> donated,
                 std::span<const intrusive_ptr<TensorImpl>> results) {
    for (const TensorImpl* t : donated) {
        if (!t || !may_be_donated(*t->storage)) continue;
        if (std::none_of(results.begin(), results.end(),
                         [t](const auto& r) { return r && r->storage == t->storage; }))
            take_value(*t->storage);
    }
}

}  // namespace sinter::frames
