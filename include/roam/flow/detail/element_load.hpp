// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "roam/core/types.hpp"

namespace roam::flow {

/// The time taken by the tasks of one index of a collection since the last phase ended. Shared by
/// the collection and those tasks, which may outlive it. Any thread.
class ElementLoad {
 public:
  void add(Duration time) { nanoseconds_.fetch_add(time.count(), std::memory_order_relaxed); }
  /// Returns the time and resets it.
  [[nodiscard]] Duration take() {
    return Duration(nanoseconds_.exchange(0, std::memory_order_relaxed));
  }

 private:
  friend class ElementLoadRef;
  std::atomic<std::int64_t> nanoseconds_{0};
  std::atomic<std::uint32_t> references_{1};
};

/// A reference to an ElementLoad, or none.
class ElementLoadRef {
 public:
  ElementLoadRef() = default;
  [[nodiscard]] static ElementLoadRef make() {
    ElementLoadRef made;
    made.load_ = new ElementLoad;
    return made;
  }
  ElementLoadRef(const ElementLoadRef& other) : load_(other.load_) {
    if (load_ != nullptr) load_->references_.fetch_add(1, std::memory_order_relaxed);
  }
  ElementLoadRef(ElementLoadRef&& other) noexcept : load_(std::exchange(other.load_, nullptr)) {}
  ElementLoadRef& operator=(ElementLoadRef other) noexcept {
    std::swap(load_, other.load_);
    return *this;
  }
  ~ElementLoadRef() {
    if (load_ != nullptr && load_->references_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete load_;
  }
  [[nodiscard]] explicit operator bool() const { return load_ != nullptr; }
  [[nodiscard]] ElementLoad* operator->() const { return load_; }

 private:
  ElementLoad* load_ = nullptr;
};

}  // namespace roam::flow
