// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace roam::core {

/// Pointers found by tokens, for answers that find their way back over the wire. The low half of a
/// token is a place in the table, the high half the place's generation, which changes with each
/// use, so that stale or forged tokens find nothing (within 2^32 uses of a place). No token is 0.
/// Does not own what the pointers point to. One thread at a time.
template <class T>
class SlotTable {
 public:
  /// Adds a pointer, which must not be nullptr, and returns its token.
  [[nodiscard]] std::uint64_t add(T* value) {
    if (first_free_ == 0) {
      slots_.emplace_back();
      first_free_ = static_cast<std::uint32_t>(slots_.size());
    }
    const std::uint32_t index = first_free_ - 1;
    Slot& slot = slots_[index];
    first_free_ = slot.next_free;
    slot.value = value;
    ++used_;
    return (std::uint64_t{slot.generation} << 32) | index;
  }
  /// The pointer of this token; nullptr if the token is not (or no longer) known.
  [[nodiscard]] T* find(std::uint64_t token) const {
    const auto index = static_cast<std::uint32_t>(token);
    if (index >= slots_.size()) return nullptr;
    const Slot& slot = slots_[index];
    return slot.generation == static_cast<std::uint32_t>(token >> 32) ? slot.value : nullptr;
  }
  /// Like find(), and removes the pointer.
  T* take(std::uint64_t token) {
    T* const value = find(token);
    if (value != nullptr) free(static_cast<std::uint32_t>(token));
    return value;
  }
  /// Removes and returns all pointers.
  [[nodiscard]] std::vector<T*> take_all() {
    std::vector<T*> all;
    for (std::uint32_t index = 0; index < slots_.size(); ++index) {
      if (slots_[index].value == nullptr) continue;
      all.push_back(slots_[index].value);
      free(index);
    }
    return all;
  }
  /// Calls visit(value) for each pointer.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Slot& slot : slots_) {
      if (slot.value != nullptr) visit(*slot.value);
    }
  }
  [[nodiscard]] std::size_t size() const { return used_; }

 private:
  struct Slot {
    T* value = nullptr;
    std::uint32_t generation = 1;
    std::uint32_t next_free = 0;
  };
  void free(std::uint32_t index) {
    Slot& slot = slots_[index];
    if (++slot.generation == 0) slot.generation = 1;
    slot.value = nullptr;
    slot.next_free = first_free_;
    first_free_ = index + 1;
    --used_;
  }
  std::vector<Slot> slots_;
  std::uint32_t first_free_ = 0;  // index + 1, 0: none
  std::size_t used_ = 0;
};

}  // namespace roam::core
