// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "roam/core/types.hpp"
#include "roam/flow/detail/access.hpp"

namespace roam::flow {

class TaskReads;

/// The time taken by the tasks of one index of a collection since the last phase ended. Shared by
/// the collection and those tasks, which may outlive it. While it is counted what indices read of
/// each other, each task has one of its own, which adds to that of the index. Any thread.
class ElementLoad {
 public:
  ElementLoad();
  /// Of a task that reads this.
  explicit ElementLoad(std::unique_ptr<TaskReads> reads);
  ElementLoad(const ElementLoad&) = delete;
  ElementLoad& operator=(const ElementLoad&) = delete;
  ~ElementLoad();
  void add(Duration time) { nanoseconds_.fetch_add(time.count(), std::memory_order_relaxed); }
  /// A task has run for `time`; it still has its accesses.
  void took(Duration time, std::span<const Access> accesses) {
    if (reads_ != nullptr) [[unlikely]]
      return took_counted(time, accesses);
    add(time);
  }
  /// What the task reads; nullptr: that is not counted, or this is the load of an index.
  [[nodiscard]] TaskReads* reads() const { return reads_.get(); }
  /// Returns the time and resets it.
  [[nodiscard]] Duration take() {
    return Duration(nanoseconds_.exchange(0, std::memory_order_relaxed));
  }

 private:
  friend class ElementLoadRef;
  void took_counted(Duration time, std::span<const Access> accesses);

  const std::unique_ptr<TaskReads> reads_;
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
  [[nodiscard]] static ElementLoadRef make(std::unique_ptr<TaskReads> reads);
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
