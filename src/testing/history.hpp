// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "roam/mobile/detail/object_space.hpp"
#include "roam/mobile/detail/protocol_observer.hpp"
#include "roam/testing/check.hpp"
#include "roam/testing/report.hpp"
#include "testing/timeline.hpp"

namespace roam::testing {

/// A broken promise, and the object concerned.
struct Violation {
  std::string promise;
  std::string what;
  ObjectId object;
};

/// Follows the history of one simulated job step by step and checks it against the promises. One
/// thread.
class History final : public mobile::ProtocolObserver, public Probe {
 public:
  /// `senders_are_told`: senders are told the place of objects that their calls reached by a
  /// detour.
  History(std::int32_t ranks, bool compare_states, bool senders_are_told = true);

  void set_timeline(Timeline* timeline) { timeline_ = timeline; }
  void set_state(void* state) { state_ = state; }
  void set_at_quiescence(std::function<void()> then) { at_quiescence_ = std::move(then); }

  void happened(const mobile::ProtocolEvent& event) override;
  void violated(std::string_view what) override { violate("check", std::string(what), {}); }
  [[nodiscard]] void* state() override { return state_; }

  /// Records a violation; the first one counts.
  void violate(std::string promise, std::string what, ObjectId object);
  /// Called when no step is in progress: what ranks were told has to be known from now on.
  void settle();
  /// Called after a regular end of the job.
  void check_end();
  [[nodiscard]] const std::optional<Violation>& violation() const { return violation_; }
  [[nodiscard]] Totals& totals() { return totals_; }

  /// A random object, wherever it is, selected by `drawn`; none if no object lives.
  [[nodiscard]] ObjectId choose_object(std::uint64_t drawn) const;
  [[nodiscard]] Rank owner(ObjectId id) const;

 private:
  using Event = mobile::ProtocolEvent;
  enum class CallState : std::uint8_t { issued, accepted, started, ended, dead };
  struct CallRecord {
    CallState state = CallState::issued;
    bool external = false;  // issued by the harness; nothing waits for it
    bool exclusive = true;
    // At first; further arrivals need not be answered with the object's place.
    bool arrived = false;
    bool has_access = false;
    bool closes = false;  // the last call of its origin, which then begins at number 0 again
    std::uint32_t stream = 0;
    std::uint32_t forwards = 0;
    std::uint64_t number = 0;                    // among all calls issued
    const exec::Execution* execution = nullptr;  // while it runs
  };
  /// The calls of one rank to one object: by number, anew after each close.
  struct CallsOfRank {
    std::vector<std::vector<CallRecord*>> series = std::vector<std::vector<CallRecord*>>(1);
    std::size_t arriving = 0;  // all earlier series have arrived
  };
  struct ObjectRecord {
    ObjectId id;
    Rank owner;
    bool in_transit = false;
    bool destroyed = false;
    bool exclusive_running = false;
    std::uint32_t shared_running = 0;
    std::uint32_t version = 0;
    std::uint64_t digest = 0;
    std::vector<CallRecord*> running;     // started and not ended
    std::vector<std::uint64_t> accepted;  // the order in which they have to start
    std::size_t started = 0;
    std::vector<CallsOfRank> calls;  // by origin
    // For each, the last call started.
    std::vector<std::pair<std::uint32_t, std::uint64_t>> streams;
    std::vector<std::uint32_t> heard;  // by rank: the newest version known there
  };
  /// Rank `at` has to tell rank `to` where the object is.
  struct Debt {
    Rank at;
    Rank to;
    ObjectId object;
  };

  struct News {
    Rank at;
    std::uint32_t version;
    ObjectId object;
  };

  void check_ended(const ObjectRecord& object);
  void object_step(const Event& event);
  void call_step(const Event& event);
  void place_step(const Event& event);
  void verdict(const Event& event);

  void created(const Event& event);
  void packed(const Event& event, ObjectRecord& object);
  void installed(const Event& event, ObjectRecord& object);
  void refused(const Event& event, ObjectRecord& object);
  void issued(const Event& event, ObjectRecord& object);
  void withdrawn(const Event& event, ObjectRecord& object);
  void accepted(const Event& event, ObjectRecord& object, CallRecord& call);
  void started(const Event& event, ObjectRecord& object, CallRecord& call);
  void ended(ObjectRecord& object, CallRecord& call);
  void put_back(ObjectRecord& object, CallRecord& call);
  static void take_access(ObjectRecord& object, CallRecord& call);
  static void give_up_access(ObjectRecord& object, CallRecord& call);
  void regained(const Event& event, ObjectRecord& object, CallRecord& call);
  [[nodiscard]] static bool is_in_order(ObjectRecord& object, const CallRecord& call);
  void dead(const Event& event, ObjectRecord& object);
  void arrived(const Event& event, CallRecord& call);

  [[nodiscard]] ObjectRecord* find(ObjectId id);
  [[nodiscard]] CallRecord* call_of(const Event& event, ObjectRecord& object);
  [[nodiscard]] static CallRecord* running(const Event& event, ObjectRecord& object);
  [[nodiscard]] std::uint32_t stream_of();
  [[nodiscard]] std::uint64_t digest_of(const Event& event) const;
  void finish(CallRecord& call, CallState state);

  const std::size_t ranks_;
  const bool compare_states_;
  const bool senders_are_told_;
  Timeline* timeline_ = nullptr;
  void* state_ = nullptr;
  std::function<void()> at_quiescence_;
  std::vector<std::vector<ObjectRecord>> objects_;  // by home and serial number
  std::deque<CallRecord> calls_;
  /// The calls issued by one sender; see stream_of() for how long it counts as one.
  struct Stream {
    std::uint32_t number = 0;
    std::uint64_t run = 0;  // run of its worker; 0: any, until the call has ended
  };
  std::unordered_map<const exec::Execution*, Stream> streams_;
  std::uint32_t next_stream_ = 1;
  std::vector<Debt> debts_;
  std::vector<News> news_;       // received in the present event
  std::uint64_t under_way_ = 0;  // calls of the program that have not ended
  std::optional<Violation> violation_;
  Totals totals_;
};

}  // namespace roam::testing
