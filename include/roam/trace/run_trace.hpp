// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "roam/core/object_id.hpp"
#include "roam/core/types.hpp"

namespace roam::trace {

// Plain values: everything that a trace file says. Those without a serialize() travel as bytes.

struct WorkerSummary {
  std::uint32_t worker = 0;
  double busy_seconds = 0;
  double idle_seconds = 0;
  double overhead_seconds = 0;
  std::uint64_t handlers_run = 0;
};

struct RankSummary {
  Rank rank = 0;
  std::uint64_t messages_sent = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t messages_received = 0;
  std::uint64_t migrations_out = 0;
  std::uint64_t migrations_in = 0;
  std::uint64_t migrated_bytes_out = 0;
  std::uint64_t forwarded_calls = 0;
  /// Events that did not fit the event log and are missing from the trace.
  std::uint64_t dropped_events = 0;
  /// Memory of messages: the most that had arrived and waited, the most that waited to be sent; and
  /// how often a sender was held back.
  std::uint64_t most_held_bytes = 0;
  std::uint64_t most_waiting_bytes = 0;
  std::uint64_t times_held_back = 0;
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

/// One verdict of a balancing policy or strategy.
struct Decision {
  double time_seconds = 0;
  std::string policy;
  Rank from;
  Rank to;  ///< no_rank: refused before a target was chosen
  ObjectId object;
  double load_seconds = 0;
  std::uint64_t bytes = 0;
  double gain_seconds = 0;  ///< predicted
  double cost_seconds = 0;  ///< predicted
  std::string outcome;      ///< "moved", "refused", ...
  std::string reason;

  template <class Archive>
  void serialize(Archive& archive) {
    std::int32_t source = from.value();
    std::int32_t target = to.value();
    std::uint64_t name = object.value();
    archive(time_seconds, policy, source, target, name, load_seconds, bytes, gain_seconds,
            cost_seconds, outcome, reason);
    from = source;
    to = target;
    object = ObjectId(name);
  }
};

/// What one rank adds to the trace; ranks in other processes send theirs to the one that writes the
/// file.
struct RankTrace {
  RankSummary summary;
  std::vector<WorkerSummary> workers;
  std::vector<std::string> labels;
  std::vector<HandlerEvent> events;
  std::vector<MigrationEvent> migrations;
  std::vector<Decision> decisions;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(summary, workers, labels, events, migrations, decisions);
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
  std::vector<RankTrace> rank_traces;
};

}  // namespace roam::trace
