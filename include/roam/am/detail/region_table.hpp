// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "roam/am/detail/region_pin.hpp"
#include "roam/am/remote_access.hpp"
#include "roam/core/detail/buffer.hpp"
#include "roam/core/detail/spin_lock.hpp"
#include "roam/exec/ready_item.hpp"

namespace roam::am {

class Messenger;

/// The memory of one rank that others may access: allocated for them, or exposed by its owner.
/// Every access goes through pin(), which checks it. Thread-safe. It outlives its rank as long as
/// transfers are under way (after an abort), and is therefore shared.
class RegionTable : public std::enable_shared_from_this<RegionTable> {
 public:
  struct Found {
    AccessFault fault = AccessFault::none;
    std::uint64_t region_bytes = 0;  // the region's size, if there is a region
    RegionPin pin;                   // if there is no fault
  };
  struct Id {
    std::uint32_t region;
    std::uint64_t generation;
  };
  enum class Kind : std::uint8_t { allocated, exposed };

  explicit RegionTable(Messenger& messenger) : messenger_(&messenger) {}
  RegionTable(const RegionTable&) = delete;
  RegionTable& operator=(const RegionTable&) = delete;
  ~RegionTable();

  /// Allocates memory, all bytes zero, aligned at least to cache lines. Throws std::bad_alloc.
  [[nodiscard]] Id allocate(std::uint64_t bytes, std::uint32_t alignment);
  [[nodiscard]] Id expose(std::span<std::byte> memory);

  /// Checks an access, without overflow whatever the numbers. If it succeeds, the region is not
  /// freed until the pin is gone. `is_landed` says that data for the region has arrived: then a
  /// region that is being closed is accepted too.
  [[nodiscard]] Found pin(const Access& access, bool is_landed = false);
  struct Checked {
    AccessFault fault = AccessFault::none;
    std::uint64_t region_bytes = 0;  // the region's size, if there is a region
  };
  /// Checks an access as pin() does and calls change(memory) at once, under the table's lock.
  /// `change` may take only a few instructions.
  template <class Change>
  [[nodiscard]] Checked change(const Access& access, Change&& change) {
    const core::LockGuard guard(lock_);
    Slot* slot = nullptr;
    std::byte* place = nullptr;
    const AccessFault fault = locate(access, false, slot, place);
    if (fault == AccessFault::none) std::forward<Change>(change)(place);
    return {fault, slot == nullptr ? 0 : slot->memory.size()};
  }
  /// Ends a region: new accesses are refused from here on. Its memory is freed, or returned to its
  /// owner, with its last pin; then `closed` is pushed to the engine, at once if there is no pin.
  /// If the call is refused, `closed` is left to the caller.
  [[nodiscard]] Found close(const Access& access, Kind kind, exec::ReadyItem* closed);
  /// Closes an exposed region and makes progress until no pin is left; reports an error where it
  /// cannot wait (see Exposed).
  void end_exposure(const Access& access);
  /// The number of pins of a region; 0 if it does not exist (any more).
  [[nodiscard]] std::uint32_t pins(std::uint32_t region, std::uint64_t generation) const;

  /// Calls the messenger's end_lending(), if the rank still has one.
  void end_lending(std::size_t bytes);
  /// Called when the rank ends: forgets its messenger.
  void disconnect();

 private:
  friend class RegionPin;
  struct Slot {
    // The number of the present or last region in this slot; never repeats.
    std::uint64_t generation = 0;
    std::span<std::byte> memory;
    std::unique_ptr<std::byte, void (*)(void*)> storage{nullptr, nullptr};  // if allocated
    exec::ReadyItem* closed = nullptr;
    std::uint32_t pins = 0;
    std::uint32_t next_free = 0;
    Kind kind = Kind::allocated;
    bool is_open = false;
    bool exists = false;  // open, or closed and pinned
  };
  [[nodiscard]] Id insert(Kind kind, std::span<std::byte> memory,
                          std::unique_ptr<std::byte, void (*)(void*)> storage);
  [[nodiscard]] AccessFault look_up(const Access& access, bool is_landed, Slot*& slot)
      ROAM_REQUIRES(lock_);
  /// Sets the slot if there is a region, and the place if there is no fault.
  [[nodiscard]] AccessFault locate(const Access& access, bool is_landed, Slot*& slot,
                                   std::byte*& place) ROAM_REQUIRES(lock_);
  void unpin(std::uint32_t region);
  [[nodiscard]] std::unique_ptr<std::byte, void (*)(void*)> remove(std::uint32_t region)
      ROAM_REQUIRES(lock_);

  mutable core::SpinLock lock_;
  Messenger* messenger_ ROAM_GUARDED_BY(lock_);  // nullptr once the rank has ended
  std::vector<Slot> slots_ ROAM_GUARDED_BY(lock_);
  std::uint32_t first_free_ ROAM_GUARDED_BY(lock_) = 0;  // index + 1, 0: none
};

/// Lends pinned memory of a region to a buffer, which receives data into it or sends data from it.
class PinnedLender final : public core::Lender {
 public:
  /// A buffer for data that is received into the pinned memory.
  [[nodiscard]] static core::Buffer for_landing(RegionPin&& pin);
  /// A buffer to send the pinned memory from; it counts as work of the program until it is gone.
  [[nodiscard]] static core::Buffer for_sending(RegionPin&& pin, Messenger& messenger,
                                                std::shared_ptr<RegionTable> table);
  void take_back(std::span<std::byte> memory) noexcept override;

 private:
  PinnedLender(RegionPin&& pin, std::shared_ptr<RegionTable> table)
      : table_(std::move(table)), pin_(std::move(pin)) {}
  std::shared_ptr<RegionTable> table_;  // set if the lending is counted
  RegionPin pin_;
};

}  // namespace roam::am
