// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "roam/balance/load.hpp"
#include "roam/core/random.hpp"
#include "roam/core/serialise.hpp"
#include "roam/core/types.hpp"
#include "roam/exec/ready_item.hpp"
#include "roam/mobile/detail/record.hpp"

namespace roam::balance {

/// What a policy may see and do on its rank. Its functions may be called from Policy::balance and
/// Policy::receive only, unless said otherwise.
class PolicyHost {
 public:
  PolicyHost() = default;
  PolicyHost(const PolicyHost&) = delete;
  PolicyHost& operator=(const PolicyHost&) = delete;
  virtual ~PolicyHost() = default;

  /// This rank.
  [[nodiscard]] virtual Rank rank() const = 0;
  /// The number of ranks of the job.
  [[nodiscard]] virtual std::int32_t size() const = 0;
  /// The number of workers of this rank.
  [[nodiscard]] virtual WorkerIndex workers() const = 0;
  /// The time on this rank's clock, virtual in a simulated run.
  [[nodiscard]] virtual Instant now() const = 0;
  /// Random number generator of this rank, seeded by the job's seed and the rank.
  [[nodiscard]] virtual core::Random& random() = 0;

  /// Sends a message to the policy of rank `to`: it arrives there in Policy::receive, in the order
  /// sent. Quiescence does not wait for it. `to` must be another rank of the job.
  virtual void send(Rank to, core::Packer&& message) = 0;
  /// An empty message to be filled for send().
  [[nodiscard]] virtual core::Packer message() = 0;

  /// The load of this rank now. Cheap: no scan over objects.
  [[nodiscard]] virtual RankLoad load() = 0;
  /// Visits the objects that could move now and have at most `limit` seconds of work when a weight
  /// of 1 counts `rate` seconds, largest first, until `visit` returns false. `visit` may migrate
  /// the object it is shown.
  virtual void for_each_movable(double limit, double rate,
                                const std::function<bool(const ObjectLoad&)>& visit) = 0;
  /// Visits the objects that could move now and have more than `limit` seconds of work, smallest
  /// first, until `visit` returns false.
  virtual void for_each_movable_above(double limit, double rate,
                                      const std::function<bool(const ObjectLoad&)>& visit) = 0;

  /// Predicted time to move an object of that size to another rank (0: of unknown size), from
  /// latency and bandwidth as measured in finished migrations.
  [[nodiscard]] virtual double move_seconds(std::uint64_t bytes) const = 0;
  /// Predicted time that one more object of that size adds to a message with others
  /// (migrate_together).
  [[nodiscard]] virtual double extra_move_seconds(std::uint64_t bytes) const {
    return move_seconds(bytes);
  }
  /// Approximate time from a question to another rank to its answer.
  [[nodiscard]] virtual double round_trip_seconds() const = 0;
  /// Reports that a question of the policy was answered after `seconds`, so that the predictions
  /// above are better than guesses before the first object has moved.
  virtual void answered_after(double /*seconds*/) {}
  /// Reports that objects have come from a rank with this load: new objects are expected to create
  /// as many others here as they did there.
  virtual void came_from(const RankLoad& /*giver*/) {}
  /// The longest time by which other ranks may have started later than this one.
  [[nodiscard]] virtual double start_up_seconds() const { return 0; }

  /// Starts to move decision.object to decision.to and records the decision for the trace (`when`,
  /// `from` and the outcome are filled in). Returns false if a handler has begun to run on the
  /// object.
  virtual bool migrate(Decision decision) = 0;
  /// Starts to move several objects to one rank, in as few messages as possible, and records the
  /// decisions. Returns those objects that have not moved.
  virtual std::vector<ObjectId> migrate_together(std::vector<Decision> decisions) {
    std::vector<ObjectId> stay;
    for (Decision& decision : decisions) {
      const ObjectId object = decision.object;
      if (!migrate(std::move(decision))) stay.push_back(object);
    }
    return stay;
  }
  /// Reports that a request was given nothing, since the best move (0: there was nothing to give)
  /// would have gained less than it costs.
  virtual void gave_nothing(double /*gain_seconds*/, double /*cost_seconds*/) {}
};

/// A load balancing policy: one object per rank, which communicates with its peers on the other
/// ranks (PREMA's ilb::scheduler, section 3.3 and figure 2: balance is dist_balance). The contract:
/// - balance and receive are called by one thread at a time and must not block or run long;
/// - event driven: no fixed-rate polling, no messages while nothing can be gained (B2), fruitless
///   attempts back off, silence when there is no work anywhere;
/// - an object moves only if what it gains exceeds what the move costs (B3);
/// - bytes from a peer are checked: receive throws roam::MalformedMessage.
class Policy {
 public:
  Policy() = default;
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;
  virtual ~Policy() = default;

  /// The trigger: loads have changed, messages have arrived, or the time last returned has come.
  /// Returns when it wants to be called even if nothing happens; `never` if it need not.
  [[nodiscard]] virtual Instant balance(Instant now) = 0;

  /// Receives a message from the policy of another rank. balance is called soon after.
  virtual void receive(Rank source, std::span<const std::byte> message) = 0;

  /// Reports that an object has come, is leaving, or its load has changed, as the host's load()
  /// will show: of several changes of load between two calls of balance only the first is reported.
  /// Called under a directory lock by any thread: must be quick, touch only its own (locked) state
  /// and call nothing of the host.
  virtual void notify(ObjectId, const mobile::Record&, mobile::LoadListener::Change) {}

  /// True if the policy also schedules the work within its rank: push and pop then replace the
  /// engine's own scheduler, under the contract of exec::Scheduler (any thread; every pushed item
  /// is popped once).
  [[nodiscard]] virtual bool schedules() const { return false; }
  /// exec::Scheduler::push(), if schedules().
  virtual void push(WorkerIndex, exec::ReadyItem*) {}
  /// exec::Scheduler::pop(), if schedules().
  [[nodiscard]] virtual exec::ReadyItem* pop(WorkerIndex) { return nullptr; }
};

}  // namespace roam::balance
