// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "roam/core/counter.hpp"
#include "roam/core/object_id.hpp"
#include "roam/core/types.hpp"
#include "roam/trace/detail/offload_trips.hpp"

namespace roam::trace {

// All structs here are plain values that together contain everything a trace file says. Those
// without a serialize() are sent as bytes.

/// @cond
struct WorkerSummary {
  std::uint32_t worker = 0;
  double busy_seconds = 0;
  double idle_seconds = 0;
  double overhead_seconds = 0;
  std::uint64_t handlers_run = 0;
};

/// A run of a handler, or of a part of one between suspensions.
struct HandlerEvent {
  ObjectId object;  ///< none for a handler of the rank
  Instant begin{0};
  Instant end{0};
  std::uint32_t label = 0;  ///< index into RankTrace::labels
  /// Index of the worker. From the number of workers on: the communication thread or others.
  std::uint32_t worker = 0;
};

struct MigrationEvent {
  Instant time{0};
  ObjectId object;
  Rank from;
  Rank to;
  std::uint64_t bytes = 0;
};

/// Something that happened on a rank, as recorded by one of the rooms above.
struct NoteEvent {
  Instant time{0};
  std::string category;  ///< the room's name
  std::string text;

  template <class Archive>
  void serialize(Archive& archive) {
    std::int64_t nanoseconds = time.count();
    archive(nanoseconds, category, text);
    time = Instant(nanoseconds);
  }
};

/// One decision of a balancing policy or strategy, as the trace stores it.
struct RecordedDecision {
  double time_seconds = 0;
  std::string policy;
  Rank from;
  Rank to;  ///< no_rank: refused before a target was chosen
  ObjectId object;
  double load_seconds = 0;
  std::uint64_t bytes = 0;
  double gain_seconds = 0;  ///< predicted
  double cost_seconds = 0;  ///< predicted
  /// Predicted waiting time of its work if it had stayed; below 0: not known.
  double stay_seconds = -1;
  double move_seconds = 0;  ///< measured, for objects that moved
  std::string outcome;      ///< "moved", "refused", ...
  std::string reason;

  template <class Archive>
  void serialize(Archive& archive) {
    std::int32_t source = from.value();
    std::int32_t target = to.value();
    std::uint64_t name = object.value();
    archive(time_seconds, policy, source, target, name, load_seconds, bytes, gain_seconds,
            cost_seconds, stay_seconds, move_seconds, outcome, reason);
    from = source;
    to = target;
    object = ObjectId(name);
  }
};

/// Messages that arrived from one other rank.
struct TrafficFrom {
  Rank from;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

/// The end of a phase, as known to all ranks. A load is that of a rank; its workers share the work.
struct PhaseEnd {
  double time_seconds = 0;  ///< when the next phase begins
  double seconds = 0;       ///< the length of the phase, without the balancing after it
  std::uint64_t objects = 0;
  double max_load_seconds = 0;
  double mean_load_seconds = 0;
  /// Predicted by load models for the next phase if nothing had moved.
  double expected_max_seconds = 0;
  double expected_mean_seconds = 0;
  double predicted_max_seconds = 0;  ///< predicted for the next phase after the moves
  std::uint64_t moved_objects = 0;
  double gain_seconds = 0;      ///< predicted, for the next `gain_phases` phases together
  double cost_seconds = 0;      ///< predicted, for the moves
  double decision_seconds = 0;  ///< the time that the decision took; 0: none was made
  std::uint32_t phase = 0;
  std::uint32_t gain_phases = 1;
};

/// @endcond

/// How long the workers of `from` waited for `to` in a step of offloading.
struct OffloadWait {
  Rank from;           ///< the rank that waited
  Rank to;             ///< the rank that it waited for
  double seconds = 0;  ///< sum over its workers
};

/// How many tasks `from` sent to `to` in a step of offloading, and how many it might have sent.
struct OffloadFlow {
  Rank from;                    ///< the rank whose tasks they are
  Rank to;                      ///< the rank that computed them
  std::uint32_t offloaded = 0;  ///< the tasks that were sent
  std::uint32_t allowed = 0;    ///< the tasks that might have been sent
};

/// How often ranks were delayed by their victims for one reason in a step of offloading.
struct OffloadEmergencies {
  std::string reason;       ///< in words, as roam::offload::to_string(EmergencyReason) has it
  std::uint64_t times = 0;  ///< how often

  template <class Archive>
  void serialize(Archive& archive) {
    archive(reason, times);
  }
};

/// A step of offloading that has been decided, summed over all ranks unless said otherwise.
struct OffloadStep {
  std::uint64_t step = 0;  ///< the number of the step, as StepView counts
  Instant time{0};         ///< the time of the decision
  double seconds = 0;      ///< the length of the step on the rank where it was longest
  double relaxation = 1;   ///< the strategy's relaxation factor
  /// The rank that others wait for and that waits for nobody; no_rank: there is none.
  Rank critical = no_rank;
  /// The best victim: the rank that waits longest of those for whom nobody waits.
  Rank victim = no_rank;
  std::uint64_t tasks = 0;       ///< tasks spawned
  std::uint64_t offloaded = 0;   ///< tasks whose results from other ranks were used
  std::uint64_t allowed = 0;     ///< tasks that the quotas of the step allowed to be sent
  std::uint64_t recomputed = 0;  ///< tasks computed on their own rank while they were away
  /// Results of such tasks that came too late: the tasks were computed twice.
  std::uint64_t in_vain = 0;
  std::uint64_t emergencies = 0;  ///< how often a rank was delayed by one of its victims
  std::vector<OffloadEmergencies> emergencies_by_reason;  ///< the same; no reason twice
  std::vector<std::int32_t> blacklisted;       ///< ranks on the blacklist after this step
  std::vector<std::string> blacklist_reasons;  ///< why, one for each of `blacklisted`
  std::vector<OffloadWait> waits;              ///< the longest first
  std::vector<OffloadFlow> flows;              ///< the largest first
  std::uint64_t waits_left_out = 0;            ///< waits shorter than those listed
  std::uint64_t flows_left_out = 0;            ///< flows smaller than those listed

  template <class Archive>
  void serialize(Archive& archive) {
    std::int64_t nanoseconds = time.count();
    std::int32_t critical_rank = critical.value();
    std::int32_t victim_rank = victim.value();
    archive(step, nanoseconds, seconds, relaxation, critical_rank, victim_rank, tasks, offloaded,
            allowed, recomputed, in_vain, emergencies, emergencies_by_reason, blacklisted,
            blacklist_reasons, waits, flows, waits_left_out, flows_left_out);
    time = Instant(nanoseconds);
    critical = critical_rank;
    victim = victim_rank;
  }
};

/// @cond
/// The steps of offloading, as rank 0 knows them.
struct OffloadTrace {
  std::string strategy;  ///< empty: nothing was ever to be offloaded, or this is not rank 0
  std::vector<OffloadStep> steps;
  std::uint64_t steps_left_out = 0;  ///< earlier steps, for which there was no space

  template <class Archive>
  void serialize(Archive& archive) {
    archive(strategy, steps, steps_left_out);
  }
};

/// A task of a flow program. Tasks are numbered by their place in the list, in the order in which
/// they were issued.
struct FlowTask {
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr Instant never = Instant::min();
  std::uint64_t parcel = 0;     ///< the number of a value or reduction of several ranks; 0: none
  Instant begin = never;        ///< when its body began, the first time
  Instant end = never;          ///< when its body ended, the last time
  Duration busy{0};             ///< the time in its body, without other tasks that ran inside
  std::uint32_t label = 0;      ///< index into FlowTrace::labels
  std::uint32_t parent = none;  ///< index of the task whose child it is
  std::uint32_t worker = 0;
  /// 0: it receives the value, 1: sends it, 2: contributes to the reduction, 3: has its result.
  std::uint32_t parcel_use = 0;
};

/// A dependency: `task` used a datum after `before`, and so had to wait for it.
struct FlowEdge {
  std::uint32_t before = 0;
  std::uint32_t task = 0;
  std::uint32_t datum = 0;  ///< index into FlowTrace::labels
};

/// A time during which the issuing of tasks was held back because the window was full.
struct FlowStall {
  Instant begin{0};
  Instant end{0};
};

/// The recorded tasks of flow programs of one rank.
struct FlowTrace {
  std::vector<std::string> labels;
  std::vector<FlowTask> tasks;
  std::vector<FlowEdge> edges;
  std::vector<FlowStall> stalls;
  std::uint64_t left_out = 0;  ///< tasks that were issued after the recorded ones

  template <class Archive>
  void serialize(Archive& archive) {
    archive(labels, tasks, edges, stalls, left_out);
  }
};

/// What one rank contributes to the trace. Ranks in other processes send theirs to the rank that
/// writes the file.
struct RankTrace {
  Rank rank = 0;
  /// Events that did not fit into the event log and are missing here.
  std::uint64_t dropped_events = 0;
  std::vector<WorkerSummary> workers;
  std::vector<std::string> labels;
  std::vector<HandlerEvent> events;
  std::vector<MigrationEvent> migrations;
  std::vector<RecordedDecision> decisions;
  std::vector<TrafficFrom> traffic;
  std::vector<PhaseEnd> phases;  ///< of rank 0
  std::vector<NoteEvent> notes;
  OffloadTrace offload;  ///< of rank 0
  OffloadTrips trips;
  FlowTrace flow;
  Counters counters;  ///< the rank's figures, by name
  std::string host;   ///< the name of the machine it ran on; empty: not known, or simulated
  std::vector<std::int32_t> processors;  ///< that its workers may use, by the system's numbers
  bool is_bound = false;                 ///< to these: one for each worker

  template <class Archive>
  void serialize(Archive& archive) {
    archive(rank, dropped_events, workers, labels, events, migrations, decisions, traffic, phases,
            notes, offload, trips, flow, counters, host, processors, is_bound);
  }
};

/// A level of the network between ranks, as in a NetworkLevel.
struct TraceLevel {
  std::string name;
  std::int32_t group_ranks = 0;
  std::vector<std::int32_t> parents;
};

/// The trace of a whole run.
struct RunTrace {
  std::string program;
  std::string transport;
  std::string balancer = "none";
  std::int32_t ranks = 1;
  std::int32_t helpers = 0;  ///< the ranks after these, which ran only tasks of others
  std::uint32_t workers_per_rank = 1;
  bool simulated = false;          ///< times are virtual
  std::vector<TraceLevel> levels;  ///< of a simulated network with several, innermost first
  double makespan_seconds = 0;
  std::string ended_by;  ///< why it did not come to its regular end; empty: it did
  std::vector<RankTrace> rank_traces;
};

/// @endcond

}  // namespace roam::trace
