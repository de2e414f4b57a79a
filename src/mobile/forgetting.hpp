// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "messages.hpp"
#include "roam/mobile/detail/issued_calls.hpp"
#include "roam/mobile/detail/residents.hpp"

namespace roam::mobile {

/// Limits what a rank knows of objects with another home. Before a rank forgets an object that it
/// has called, it must know that none of its calls is still under way, because its next call will
/// be number 0 again. So it sends a last call behind the others, which the object answers when it
/// runs, and by which the object forgets the rank in turn. Calls issued meanwhile wait here for the
/// answer.
class Forgetting {
 public:
  Forgetting(Residents& residents, IssuedCalls& issued);
  /// Called when an entry has been added; the shard has `foreign` entries of objects with another
  /// home.
  void has_grown(std::size_t foreign) {
    if (is_beyond_limit(foreign) && !is_timer_set_.exchange(true, std::memory_order_relaxed))
      set_timer(Duration::zero());
  }
  /// Called when a rank that is going to forget this object has no call under way to it.
  void close_stream(Resident& resident, Rank origin) ROAM_EXCLUDES(inside_shard);
  /// Answers a last call.
  static void tell_closed(am::Messenger& messenger, Rank origin, ObjectId id);
  void add_to(ObjectSpaceStats& stats) const {
    stats.locations_forgotten = forgotten_.load(std::memory_order_relaxed);
  }

 private:
  /// The result of one step of the search.
  struct Forgotten {
    bool is_over = false;  // true: the shard had more than its share
    bool was_found = false;
    CallHeader close;  // the last call, to be sent to `location`
    Rank location;     // no_rank: nothing has to be sent
  };
  [[nodiscard]] bool is_beyond_limit(std::size_t foreign) const {
    return foreign * residents_.directory().shard_count() > residents_.options().directory_limit;
  }
  void set_timer(Duration delay);
  void forget_unused() ROAM_EXCLUDES(inside_shard);
  [[nodiscard]] Forgotten forget_one(Directory::Shard& shard) ROAM_EXCLUDES(inside_shard);
  [[nodiscard]] Forgotten pick_unused(Directory::Shard& shard) ROAM_REQUIRES(inside_shard);
  void closed(ObjectId id) ROAM_EXCLUDES(inside_shard);
  void on_closed(const Closed& message) ROAM_EXCLUDES(inside_shard) { closed(message.object); }

  Residents& residents_;
  IssuedCalls& issued_;
  std::atomic<bool> is_timer_set_{false};
  std::atomic<std::uint64_t> forgotten_{0};
};

}  // namespace roam::mobile
