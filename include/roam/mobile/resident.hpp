// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "roam/core/object_id.hpp"
#include "roam/exec/ready_item.hpp"
#include "roam/mobile/call.hpp"
#include "roam/mobile/record.hpp"

namespace roam::mobile {

/// Calls in order, singly linked.
struct CallQueue {
  Call* first = nullptr;
  Call* last = nullptr;
  [[nodiscard]] bool empty() const { return first == nullptr; }
  void push(Call* call) {
    call->next = nullptr;
    (first == nullptr ? first : last->next) = call;
    last = call;
  }
  Call* pop() {
    Call* call = first;
    first = call->next;
    if (first == nullptr) last = nullptr;
    return call;
  }
  void append(CallQueue&& other) {
    if (other.empty()) return;
    (first == nullptr ? first : last->next) = other.first;
    last = other.last;
    other.first = other.last = nullptr;
  }
};

/// Which call of each origin rank an object expects next (M3). Sorted by rank.
class ExpectedSequences {
 public:
  [[nodiscard]] std::uint32_t& of(std::int32_t origin);
  [[nodiscard]] std::vector<std::pair<std::int32_t, std::uint32_t>>& entries() { return entries_; }
  [[nodiscard]] const std::vector<std::pair<std::int32_t, std::uint32_t>>& entries() const {
    return entries_;
  }

 private:
  std::vector<std::pair<std::int32_t, std::uint32_t>> entries_;
};

/// A mobile object that lives on this rank, with its inbox and access state. The ready item stands
/// for "this object has a call that may start". Everything but the reference count is guarded by
/// the lock of its directory shard.
class Resident final : public exec::ReadyItem {
 public:
  enum class State : std::uint8_t {
    settled,
    departing,   ///< to move as soon as no handler runs on it; no further one starts
    in_transit,  ///< packed and sent; the target has not answered yet
    gone         ///< moved or destroyed; only queued ready items still know it
  };
  Resident(ObjectSpace& owner, ObjectId object_id, const ObjectType& object_type, void* data)
      : space(owner), id(object_id), type(object_type), object(data) {}
  ~Resident();
  void run(exec::Context& context) override;
  void drop() override { release(); }
  void add_reference() { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  /// Whether the first call of the inbox may start now (M4).
  [[nodiscard]] bool can_start() const {
    if (state != State::settled || inbox.empty() || exclusive_running) return false;
    return !inbox.first->method().is_exclusive() || shared_running == 0;
  }
  [[nodiscard]] bool is_running() const { return exclusive_running || shared_running > 0; }

  ObjectSpace& space;
  const ObjectId id;
  const ObjectType& type;
  void* object;
  State state = State::settled;
  bool queued = false;  // its ready item is with the scheduler
  bool exclusive_running = false;
  std::uint32_t shared_running = 0;
  CallQueue inbox;
  CallQueue leaving;  // in_transit: the calls that were packed, kept until the target has them (M6)
  ExpectedSequences expected;
  std::map<std::pair<std::int32_t, std::uint32_t>, Call*> early;  // set aside until their turn
  Record record;
  std::uint32_t version = 0;  // of its location: grows by one with every move
  Rank target;                // departing, in_transit
  Rank next_target;           // asked to move on while in transit
  Instant departed{0};        // in transit: since when

 private:
  std::atomic<std::uint32_t> references_{1};
};

}  // namespace roam::mobile
