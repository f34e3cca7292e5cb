// Handles that programs hold, and whether they still mean something.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace kernloop::softgpu {

// A handle is an address: its object's, unless given. Looking up a handle that was never given, or was removed, yields
// nullptr.
template <typename T>
class HandleRegistry {
 public:
  uint64_t add(std::shared_ptr<T> object) {
    const uint64_t handle = reinterpret_cast<uint64_t>(object.get());
    return add_as(handle, std::move(object));
  }
  uint64_t add_as(uint64_t handle, std::shared_ptr<T> object) {
    std::lock_guard lock(mutex_);
    objects_[handle] = std::move(object);
    return handle;
  }
  std::shared_ptr<T> find(uint64_t handle) const {
    std::lock_guard lock(mutex_);
    auto found = objects_.find(handle);
    return found == objects_.end() ? nullptr : found->second;
  }
  std::shared_ptr<T> remove(uint64_t handle) {
    std::lock_guard lock(mutex_);
    auto node = objects_.extract(handle);
    return node.empty() ? nullptr : std::move(node.mapped());
  }
  std::vector<std::shared_ptr<T>> all() const {
    std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<T>> objects;
    for (const auto& [handle, object] : objects_) objects.push_back(object);
    return objects;
  }
  // The caller owns them then.
  std::vector<std::shared_ptr<T>> take_all() {
    std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<T>> objects;
    for (auto& [handle, object] : objects_) objects.push_back(std::move(object));
    objects_.clear();
    return objects;
  }
  // No object is removed meanwhile, and the caller never becomes an owner.
  template <typename Visit>
  void for_each(Visit visit) const {
    std::lock_guard lock(mutex_);
    for (const auto& [handle, object] : objects_) visit(*object);
  }

 private:
  mutable std::mutex mutex_;
  std::map<uint64_t, std::shared_ptr<T>> objects_;
};

}  // namespace kernloop::softgpu
