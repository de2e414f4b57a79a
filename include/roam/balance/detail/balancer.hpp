// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "roam/balance/detail/handler_costs.hpp"
#include "roam/balance/detail/load_table.hpp"
#include "roam/balance/detail/look_pace.hpp"
#include "roam/balance/detail/model_stack.hpp"
#include "roam/balance/detail/work_cycles.hpp"
#include "roam/balance/policy.hpp"
#include "roam/core/detail/spin_lock.hpp"
#include "roam/core/machine.hpp"
#include "roam/core/plugin_choice.hpp"
#include "roam/exec/engine.hpp"
#include "roam/mobile/detail/object_space.hpp"
#include "roam/placement/detail/cost_model.hpp"
#include "roam/topology/detail/place.hpp"

namespace roam::balance {

/// Counters since start.
struct BalancerStats {
  std::uint64_t migrations_started = 0;
  std::uint64_t migrations_moved = 0;
  std::uint64_t migrations_refused = 0;
  std::uint64_t messages_sent = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t triggers = 0;  ///< calls of the policy's trigger
  /// Number of requests for work to which nothing was given, since moves would have cost more than
  /// they gain; then gain and cost of the one that would have gained most.
  std::uint64_t refused_requests = 0;
  double refused_gain_seconds = 0;
  double refused_cost_seconds = 0;
};

struct BalancerOptions {
  PluginChoice choice = {"none", {}};
  std::vector<PluginChoice> load_models = {{"persistence", {}}};
  /// Interval of a strategy that acts by time; 0: at the ends of phases.
  double phase_length_seconds = 0;
  double speed = 1;        ///< of this rank's workers
  std::uint64_t seed = 1;  ///< of the job
  /// The distances between the ranks of a simulated machine; must outlive the balancer. nullptr:
  /// all ranks are equally near.
  const std::vector<NetworkLevel>* network = nullptr;
  topology::RankLocation location = {};  ///< where this rank is, in real time
};

/// A message between the policies of two ranks; its contents are the policy's own. Quiescence does
/// not wait for it.
struct PolicyMessage {
  static constexpr am::MessageKind kind{"roam.balance", am::Counted::no, am::Behind::bytes};
};

/// Connects a rank to its balancing policy: maintains the load table, calls the policy, carries its
/// messages, moves objects for it and logs its decisions. With policy "none" it attaches to nothing
/// and costs nothing. Thread-safe unless said otherwise.
class Balancer final : public exec::Poller,
                       public mobile::LoadListener,
                       private PolicyHost,
                       private LoadTable::Source {
 public:
  /// Attaches itself to the object space (load and migration listener), the messenger (handler
  /// "roam.balance") and the engine (poller; also scheduler, if the policy is one). Must be
  /// constructed before the engine's first step and outlive its last. Throws ConfigError for a
  /// choice that check_policy or check_load_models refuses.
  Balancer(mobile::ObjectSpace& space, const BalancerOptions& options);
  ~Balancer() override;

  [[nodiscard]] bool has_policy() const { return policy_ != nullptr; }
  [[nodiscard]] const std::string& policy_name() const { return name_; }

  /// Starts or stops balancing by this rank (B5): while disabled it neither asks for work nor gives
  /// any. Objects under way still arrive. Any thread.
  void enable(bool enabled);
  [[nodiscard]] bool enabled() const { return enabled_.load(std::memory_order_relaxed); }

  /// Sets the program's own knowledge of loads, used instead of measured times. Must be called
  /// before the first object is created.
  void set_load_model(LoadModel model) {
    pending_model_ = model;
    table_.set_model(std::move(model));
  }

  /// The decisions of this rank in order, at most the first most_decisions.
  [[nodiscard]] std::vector<Decision> decisions() const;
  static constexpr std::size_t most_decisions = 1'000'000;
  [[nodiscard]] BalancerStats stats() const;

  // --- for Phases ---
  /// What a policy may see and do; Phases may use it at any time, on any thread.
  [[nodiscard]] PolicyHost& host() { return *this; }
  /// The models of what objects will take in the next phase. They are told of moves if the chosen
  /// balancer can make any.
  [[nodiscard]] ModelStack& models() { return models_; }

  // --- exec::Poller, mobile::LoadListener ---
  std::size_t poll(Instant now) override;
  [[nodiscard]] Instant next_due() const override;
  void notify(ObjectId id, const mobile::Record& record, mobile::Activity& activity,
              Change change) override;
  [[nodiscard]] double estimate(std::uint32_t handler, double weight,
                                const mobile::Record& record) override {
    return handler_costs_.estimate(handler, weight, record);
  }
  void measured(std::uint32_t handler, double weight, double run_seconds,
                mobile::Record& record) override;

 private:
  class PolicyScheduler;
  [[nodiscard]] std::unique_ptr<Policy> make_policy_of(const BalancerOptions& options);

  // LoadTable::Source
  [[nodiscard]] std::optional<mobile::LoadFacts> take(ObjectId id) override {
    return space_.take_changed_load(id);
  }

  // PolicyHost
  [[nodiscard]] Rank rank() const override { return space_.rank(); }
  [[nodiscard]] std::int32_t size() const override { return space_.messenger().size(); }
  [[nodiscard]] WorkerIndex workers() const override { return space_.engine().workers(); }
  [[nodiscard]] Instant now() const override { return space_.engine().now(); }
  [[nodiscard]] core::Random& random() override { return random_; }
  void send(Rank to, core::Packer&& message) override;
  [[nodiscard]] core::Packer message() override { return space_.messenger().begin(); }
  [[nodiscard]] RankLoad load() override;
  void for_each_movable(double limit, double rate,
                        const std::function<bool(const ObjectLoad&)>& visit) override;
  void for_each_movable_above(double limit, double rate,
                              const std::function<bool(const ObjectLoad&)>& visit) override;
  [[nodiscard]] double move_seconds(std::uint64_t bytes) const override;
  [[nodiscard]] double extra_move_seconds(std::uint64_t bytes) const override;
  [[nodiscard]] double round_trip_seconds() const override;
  void answered_after(double seconds) override;
  void came_from(const RankLoad& giver) override;
  [[nodiscard]] double start_up_seconds() const override;
  bool migrate(Decision decision) override;
  std::vector<ObjectId> migrate_together(std::vector<Decision> decisions) override;
  void gave_nothing(double gain_seconds, double cost_seconds) override;
  void log(Decision&& decision);    // under lock_
  void note_busy(ObjectId object);  // under lock_

  [[nodiscard]] ObjectLoad with_bytes(const ObjectLoad& load);
  [[nodiscard]] bool is_unmovable(ObjectId id) const;
  void touch();
  void hurry();
  void migration_ended(const mobile::MigrationOutcome& outcome);
  void on_message(const PolicyMessage&, am::Incoming&& message);

  mobile::ObjectSpace& space_;
  const std::string name_;
  core::Random random_;  // used in poll and on_message only, like the policy
  HandlerCosts handler_costs_;
  LoadTable table_;          // queried in poll and on_message only
  LoadModel pending_model_;  // only until the first object
  ModelStack models_;
  WorkCycles cycles_;  // used in poll and on_message only
  const bool is_real_time_;
  std::atomic<bool> enabled_{true};
  std::atomic<bool> has_changed_hands_{false};    // an object has come or left
  std::atomic<bool> touched_{true};               // set by any thread, cleared by poll
  std::atomic<bool> hurries_{true};               // like touched_, for changes that must not wait
  std::atomic<bool> was_empty_{true};             // written by poll: true if no object had work
  std::atomic<bool> has_unmovable_{false};        // set once
  std::atomic<std::int64_t> due_{never.count()};  // written by poll
  LookPace pace_;                                 // written by poll

  mutable core::SpinLock lock_;
  placement::CostModel costs_;                           // under lock_
  std::vector<Decision> decisions_;                      // under lock_
  std::unordered_map<ObjectId, std::size_t> under_way_;  // under lock_: index of its decision
  std::unordered_set<ObjectId> unmovable_;               // under lock_: refused for good
  BalancerStats stats_;                                  // under lock_

  std::unique_ptr<Policy> policy_;  // last: it is made when its host is complete
};

}  // namespace roam::balance
