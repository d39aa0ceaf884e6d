// Objects given out as opaque pointers. Any other pointer is an error and not a crash.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>

namespace gpu_emulator {

template <class T>
class handles {
public:
    void* give(std::shared_ptr<T> object) {
        void* handle = object.get();
        const std::lock_guard lock(mutex_);
        objects_[handle] = std::move(object);
        return handle;
    }
    std::shared_ptr<T> find(const void* handle) {
        const std::lock_guard lock(mutex_);
        const auto it = objects_.find(handle);
        return it == objects_.end() ? nullptr : it->second;
    }
    std::shared_ptr<T> take(const void* handle) {
        const std::lock_guard lock(mutex_);
        const auto it = objects_.find(handle);
        if (it == objects_.end()) return nullptr;
        std::shared_ptr<T> object = std::move(it->second);
        objects_.erase(it);
        return object;
    }

private:
    std::mutex mutex_;
    std::unordered_map<const void*, std::shared_ptr<T>> objects_;
};

}  // namespace gpu_emulator
