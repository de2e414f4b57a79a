// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "roam/core/counter.hpp"
#include "roam/core/object_id.hpp"
#include "roam/core/types.hpp"

namespace roam::trace {

// Plain values: everything that a trace file says. Those without a serialize() travel as bytes.

/// @cond
struct WorkerSummary {
  std::uint32_t worker = 0;
  double busy_seconds = 0;
  double idle_seconds = 0;
  double overhead_seconds = 0;
  std::uint64_t handlers_run = 0;
};

/// A handler, or a part of one between suspensions.
struct HandlerEvent {
  ObjectId object;  ///< none for a handler of the rank
  Instant begin{0};
  Instant end{0};
  std::uint32_t label = 0;   ///< index into RankTrace::labels
  std::uint32_t worker = 0;  ///< at and past the number of workers: communication and other threads
};

struct MigrationEvent {
  Instant time{0};
  ObjectId object;
  Rank from;
  Rank to;
  std::uint64_t bytes = 0;
};

/// Something that happened on a rank, as a room above has recorded it.
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

/// One decision of a balancing policy or strategy, as the trace has it.
struct RecordedDecision {
  double time_seconds = 0;
  std::string policy;
  Rank from;
  Rank to;  ///< no_rank: refused before a target was chosen
  ObjectId object;
  double load_seconds = 0;
  std::uint64_t bytes = 0;
  double gain_seconds = 0;   ///< predicted
  double cost_seconds = 0;   ///< predicted
  double stay_seconds = -1;  ///< predicted wait of its work, had it stayed; below 0: not known
  double move_seconds = 0;   ///< measured, of those that moved
  std::string outcome;       ///< "moved", "refused", ...
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

/// Messages that arrived from one rank, those within a rank left out.
struct TrafficFrom {
  Rank from;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

/// The end of a phase, as all ranks know it. Loads are of a rank, its work shared by its workers.
struct PhaseEnd {
  double time_seconds = 0;  ///< when the next one begins
  double seconds = 0;       ///< how long it was, without the balancing after it
  std::uint64_t objects = 0;
  double max_load_seconds = 0;
  double mean_load_seconds = 0;
  double expected_max_seconds = 0;  ///< of the next if nothing moved, as load models have it
  double expected_mean_seconds = 0;
  double predicted_max_seconds = 0;  ///< of the next, after what was moved
  std::uint64_t moved_objects = 0;
  double gain_seconds = 0;      ///< predicted, of the next
  double cost_seconds = 0;      ///< predicted, of the moves
  double decision_seconds = 0;  ///< 0: none was made
  std::uint32_t phase = 0;
  std::uint32_t padding = 0;
};

/// @endcond

/// In a step of offloading `from` waited for `to`: seconds of its workers.
struct OffloadWait {
  Rank from;           ///< who waited
  Rank to;             ///< for whom
  double seconds = 0;  ///< of its workers together
};

/// In a step of offloading `from` sent so many tasks to `to`, and might have sent `allowed`.
struct OffloadFlow {
  Rank from;                    ///< whose tasks
  Rank to;                      ///< who computed them
  std::uint32_t offloaded = 0;  ///< that were sent
  std::uint32_t allowed = 0;    ///< that might have been sent
};

/// A step of offloading that has been decided, summed over all ranks unless said otherwise.
struct OffloadStep {
  std::uint64_t step = 0;   ///< as StepView counts them
  Instant time{0};          ///< of the decision
  double seconds = 0;       ///< the longest of a rank
  double relaxation = 1;    ///< of the strategy
  Rank critical = no_rank;  ///< waits for nobody while others wait for it; no_rank: there is none
  Rank victim = no_rank;    ///< the optimal one: waits longest of those for whom nobody waits
  std::uint64_t tasks = 0;  ///< spawned
  std::uint64_t offloaded = 0;    ///< results of other ranks that were used
  std::uint64_t allowed = 0;      ///< by the quotas of the step
  std::uint64_t recomputed = 0;   ///< on their own rank while they were away
  std::uint64_t in_vain = 0;      ///< of such tasks, results that came too late: computed twice
  std::uint64_t emergencies = 0;  ///< times that a rank was delayed by a victim of its own
  std::vector<std::int32_t> blacklisted;  ///< ranks, after this step
  std::vector<OffloadWait> waits;         ///< the longest first
  std::vector<OffloadFlow> flows;         ///< the largest first
  std::uint64_t waits_left_out = 0;       ///< shorter than those
  std::uint64_t flows_left_out = 0;       ///< smaller than those

  template <class Archive>
  void serialize(Archive& archive) {
    std::int64_t nanoseconds = time.count();
    std::int32_t critical_rank = critical.value();
    std::int32_t victim_rank = victim.value();
    archive(step, nanoseconds, seconds, relaxation, critical_rank, victim_rank, tasks, offloaded,
            allowed, recomputed, in_vain, emergencies, blacklisted, waits, flows, waits_left_out,
            flows_left_out);
    time = Instant(nanoseconds);
    critical = critical_rank;
    victim = victim_rank;
  }
};

/// @cond
/// What rank 0 knows of offloading.
struct OffloadTrace {
  std::string strategy;  ///< empty: nothing was ever to be offloaded, or this is not rank 0
  std::vector<OffloadStep> steps;
  std::uint64_t steps_left_out = 0;  ///< earlier ones, for want of room

  template <class Archive>
  void serialize(Archive& archive) {
    archive(strategy, steps, steps_left_out);
  }
};

/// A task of a flow program; by its place in a list, in the order in which they were issued.
struct FlowTask {
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr Instant never = Instant::min();
  std::uint64_t parcel = 0;     ///< of the value that it sends or receives; 0: none
  Instant begin = never;        ///< of its body, the first time
  Instant end = never;          ///< of its body, the last time
  Duration busy{0};             ///< in its body, without other tasks that ran inside
  std::uint32_t label = 0;      ///< index into FlowTrace::labels
  std::uint32_t parent = none;  ///< whose child it is
  std::uint32_t worker = 0;
  std::uint32_t is_sent = 0;  ///< 1: the parcel is sent, 0: received
};

/// A task that used a datum after another one, and so waited for it, if need be.
struct FlowEdge {
  std::uint32_t before = 0;
  std::uint32_t task = 0;
  std::uint32_t datum = 0;  ///< index into FlowTrace::labels
};

/// A time in which whoever issued tasks was held back by a full window.
struct FlowStall {
  Instant begin{0};
  Instant end{0};
};

/// The tasks of flow programs of one rank, as far as they were recorded.
struct FlowTrace {
  std::vector<std::string> labels;
  std::vector<FlowTask> tasks;
  std::vector<FlowEdge> edges;
  std::vector<FlowStall> stalls;
  std::uint64_t left_out = 0;  ///< tasks that were issued after those

  template <class Archive>
  void serialize(Archive& archive) {
    archive(labels, tasks, edges, stalls, left_out);
  }
};

/// What one rank adds to the trace; ranks in other processes send theirs to the one that writes the
/// file.
struct RankTrace {
  Rank rank = 0;
  std::uint64_t dropped_events = 0;  ///< that did not fit the event log and are missing here
  std::vector<WorkerSummary> workers;
  std::vector<std::string> labels;
  std::vector<HandlerEvent> events;
  std::vector<MigrationEvent> migrations;
  std::vector<RecordedDecision> decisions;
  std::vector<TrafficFrom> traffic;
  std::vector<PhaseEnd> phases;  ///< of rank 0
  std::vector<NoteEvent> notes;
  OffloadTrace offload;  ///< of rank 0
  FlowTrace flow;
  Counters counters;  ///< the rank's figures, by name

  template <class Archive>
  void serialize(Archive& archive) {
    archive(rank, dropped_events, workers, labels, events, migrations, decisions, traffic, phases,
            notes, offload, flow, counters);
  }
};

/// A whole run.
struct RunTrace {
  std::string program;
  std::string transport;
  std::string balancer = "none";
  std::int32_t ranks = 1;
  std::uint32_t workers_per_rank = 1;
  bool simulated = false;  ///< times are virtual
  double makespan_seconds = 0;
  std::string ended_by;  ///< why it did not come to its regular end; empty: it did
  std::vector<RankTrace> rank_traces;
};

/// @endcond

}  // namespace roam::trace
