// SPDX-License-Identifier: Apache-2.0
#include "roam/trace/detail/chrome_trace.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

#include "roam/core/error.hpp"
#include "trace/json_text.hpp"
#include "trace/output_file.hpp"

namespace roam::trace {

namespace {

constexpr int format = 1;  // the format of the object "roam" that roam report reads

std::string_view name_of(OffloadTrip::Outcome outcome) {
  constexpr std::string_view names[] = {"away", "used", "late", "sent back", "not sent", "lost"};
  return names[std::min(static_cast<std::size_t>(outcome), std::size(names) - 1)];
}

/// Separates the elements of a list, one to a line.
class Separator {
 public:
  std::string_view next() { return std::exchange(is_first_, false) ? "\n" : ",\n"; }

 private:
  bool is_first_ = true;
};

class Writer {
 public:
  Writer(OutputFile& file, const RunTrace& run) : json_(file), run_(run) {}

  void write() {
    json_ << "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[";
    for (const RankTrace& rank : run_.rank_traces) {
      if (rank.events.empty() && rank.migrations.empty() && rank.notes.empty() &&
          rank.trips.trips.empty())
        continue;
      names(rank);
      handlers(rank);
      migrations(rank);
      notes(rank);
      trips(rank);
      visits(rank);
      dropped(rank);
    }
    json_ << "\n],\"roam\":{\"format\":" << format;
    json_.member("program", quoted(run_.program)).member("transport", quoted(run_.transport));
    json_.member("balancer", quoted(run_.balancer)).member("ranks", run_.ranks);
    if (run_.helpers > 0) json_.member("helpers", run_.helpers);
    json_.member("workers_per_rank", run_.workers_per_rank);
    json_.member("simulated", std::string_view(run_.simulated ? "true" : "false"));
    levels();
    json_.member("makespan_seconds", run_.makespan_seconds);
    if (!run_.ended_by.empty()) json_.member("ended_by", quoted(run_.ended_by));
    std::uint64_t dropped = 0;
    for (const RankTrace& rank : run_.rank_traces) dropped += rank.dropped_events;
    json_.member("dropped_events", dropped);
    workers();
    ranks_detail();
    decisions();
    traffic();
    phases();
    offload();
    offload_trips();
    flow();
    json_ << "}}\n";
  }

 private:
  JsonText& event(std::string_view quoted_name, char phase, Rank process, std::uint32_t thread) {
    return json_ << events_.next() << "{\"name\":" << quoted_name << ",\"ph\":\""
                 << std::string_view(&phase, 1) << "\",\"pid\":" << process.value()
                 << ",\"tid\":" << thread;
  }

  void metadata(std::string_view kind, Rank process, std::uint32_t thread,
                const std::string& name) {
    event(kind, 'M', process, thread) << ",\"args\":{\"name\":" << quoted(name) << "}}";
  }

  void names(const RankTrace& trace) {
    const Rank rank = trace.rank;
    metadata("\"process_name\"", rank, 0, "rank " + std::to_string(rank.value()));
    event("\"process_sort_index\"", 'M', rank, 0)
        << ",\"args\":{\"sort_index\":" << rank.value() << "}}";
    std::uint32_t threads = run_.workers_per_rank;
    for (const HandlerEvent& e : trace.events) threads = std::max(threads, e.worker + 1);
    for (std::uint32_t t = 0; t < threads; ++t) {
      const std::uint32_t beyond = t < run_.workers_per_rank ? 0 : t - run_.workers_per_rank + 1;
      metadata("\"thread_name\"", rank, t,
               beyond == 0   ? "worker " + std::to_string(t)
               : beyond == 1 ? "communication"
                             : "other threads");
    }
  }

  void handlers(const RankTrace& trace) {
    std::vector<std::string> labels;
    for (const std::string& label : trace.labels) labels.push_back(quoted(label));
    for (const HandlerEvent& e : trace.events) {
      if (e.label >= labels.size()) {
        throw Error("the trace of rank " + std::to_string(trace.rank.value()) +
                    " refers to label " + std::to_string(e.label) + " of " +
                    std::to_string(labels.size()) + "; it is not written");
      }
      event(labels[e.label], 'X', trace.rank, e.worker) << ",\"cat\":\"handler\",\"ts\":";
      json_.microseconds(e.begin) << ",\"dur\":";
      json_.microseconds(std::max(e.end - e.begin, Duration::zero()));
      if (e.object) json_ << ",\"args\":{\"object\":" << e.object << "}";
      json_ << "}";
    }
  }

  void migrations(const RankTrace& trace) {
    for (const MigrationEvent& m : trace.migrations) {
      event("\"migrate\"", 'i', m.from, 0) << ",\"cat\":\"migration\",\"ts\":";
      json_.microseconds(m.time) << ",\"s\":\"p\",\"args\":{\"object\":" << m.object;
      json_.member("from", m.from.value()).member("to", m.to.value()).member("bytes", m.bytes);
      json_ << "}}";
    }
  }

  void notes(const RankTrace& trace) {
    for (const NoteEvent& note : trace.notes) {
      event(quoted(note.text), 'i', trace.rank, 0)
          << ",\"cat\":" << quoted(note.category) << ",\"ts\":";
      json_.microseconds(note.time) << ",\"s\":\"p\"}";
    }
  }

  // An event in the life of an offloaded task: all those of one trip have the same number, by which
  // viewers draw them in one line.
  void trip_event(std::string_view quoted_name, char phase, Rank process, Rank home,
                  std::uint64_t token, Instant time) {
    event(quoted_name, phase, process, 0)
        << ",\"cat\":\"offload\",\"id\":\"" << home.value() << "." << token << "\",\"ts\":";
    json_.microseconds(time);
  }

  void trips(const RankTrace& trace) {
    const Rank home = trace.rank;
    for (const OffloadTrip& trip : trace.trips.trips) {
      const std::string name = quoted(trace.trips.labels.at(trip.label));
      const auto mark = [&](std::string_view what, Instant time) {
        if (time == OffloadTrip::never) return;
        trip_event(what, 'n', home, home, trip.token, time);
        json_ << "}";
      };
      trip_event(name, 'b', home, home, trip.token, trip.spawned);
      json_ << ",\"args\":{\"victim\":" << trip.victim;
      json_.member("outcome", quoted(name_of(trip.outcome))) << "}}";
      mark("\"sent\"", trip.sent);
      mark("\"computed at home\"", trip.recomputed);
      mark("\"back\"", trip.back);
      mark("\"delivered\"", trip.delivered);
      trip_event(name, 'e', home, home, trip.token,
                 std::max({trip.sent, trip.back, trip.recomputed, trip.delivered}));
      json_ << "}";
    }
  }

  void visits(const RankTrace& trace) {
    for (const OffloadVisit& visit : trace.trips.visits) {
      trip_event("\"begun\"", 'n', trace.rank, visit.home, visit.token, visit.begun);
      json_ << "}";
      trip_event("\"returned\"", 'n', trace.rank, visit.home, visit.token, visit.ended);
      json_ << "}";
    }
  }

  // Writes a note where the recorded events end, for people who look at the timeline.
  void dropped(const RankTrace& trace) {
    if (trace.dropped_events == 0) return;
    Instant last{0};
    for (const HandlerEvent& e : trace.events) last = std::max(last, e.end);
    for (const MigrationEvent& m : trace.migrations) last = std::max(last, m.time);
    event(quoted(std::to_string(trace.dropped_events) + " events dropped"), 'i', trace.rank, 0)
        << ",\"cat\":\"trace\",\"ts\":";
    json_.microseconds(last) << ",\"s\":\"p\"}";
  }

  void workers() {
    json_ << ",\"workers\":[";
    Separator separator;
    for (const RankTrace& trace : run_.rank_traces) {
      for (const WorkerSummary& w : trace.workers) {
        json_ << separator.next() << "{\"rank\":" << trace.rank.value();
        json_.member("worker", w.worker).member("busy_seconds", w.busy_seconds);
        json_.member("idle_seconds", w.idle_seconds);
        json_.member("overhead_seconds", w.overhead_seconds);
        json_.member("handlers_run", w.handlers_run) << "}";
      }
    }
    json_ << "]";
  }

  void ranks_detail() {
    json_ << ",\"ranks_detail\":[";
    Separator separator;
    for (const RankTrace& trace : run_.rank_traces) {
      json_ << separator.next() << "{\"rank\":" << trace.rank.value();
      json_.member("dropped_events", trace.dropped_events);
      place(trace);
      for (const Counter& counter : trace.counters) figure(counter);
      json_ << "}";
    }
    json_ << "]";
  }

  // Where it ran.
  void place(const RankTrace& trace) {
    if (trace.host.empty()) return;
    json_.member("host", quoted(trace.host)) << ",\"processors\":[";
    for (std::size_t i = 0; i < trace.processors.size(); ++i) {
      if (i > 0) json_ << ",";
      json_ << trace.processors[i];
    }
    json_ << "]";
    json_.member("bound", std::string_view(trace.is_bound ? "true" : "false"));
  }

  // Writes a figure; a whole number is written as one, however large.
  void figure(const Counter& counter) {
    json_ << "," << quoted(counter.name) << ":";
    if (counter.value == std::trunc(counter.value) && std::abs(counter.value) < 0x1p53) {
      json_ << static_cast<std::int64_t>(counter.value);
    } else {
      json_ << counter.value;
    }
  }

  void decisions() {
    std::vector<const RecordedDecision*> sorted;
    for (const RankTrace& trace : run_.rank_traces) {
      for (const RecordedDecision& d : trace.decisions) sorted.push_back(&d);
    }
    std::ranges::stable_sort(sorted, {}, [](const RecordedDecision* d) { return d->time_seconds; });
    json_ << ",\"decisions\":[";
    Separator separator;
    for (const RecordedDecision* d : sorted) {
      json_ << separator.next() << "{\"time_seconds\":" << d->time_seconds;
      json_.member("policy", quoted(d->policy)).member("from", d->from.value());
      json_.member("to", d->to.value()).member("object", d->object);
      json_.member("load_seconds", d->load_seconds).member("bytes", d->bytes);
      json_.member("gain_seconds", d->gain_seconds).member("cost_seconds", d->cost_seconds);
      if (d->stay_seconds >= 0) json_.member("stay_seconds", d->stay_seconds);
      json_.member("move_seconds", d->move_seconds);
      json_.member("outcome", quoted(d->outcome)).member("reason", quoted(d->reason)) << "}";
    }
    json_ << "]";
  }

  // Writes the levels of the network, innermost first; each as a machine's description has it.
  void levels() {
    if (run_.levels.empty()) return;
    json_ << ",\"levels\":[";
    Separator separator;
    for (const TraceLevel& level : run_.levels) {
      json_ << separator.next() << "{\"name\":" << quoted(level.name);
      json_.member("group_ranks", level.group_ranks);
      if (!level.parents.empty()) {
        json_ << ",\"parents\":[";
        Separator between;
        for (const std::int32_t parent : level.parents) json_ << between.next() << parent;
        json_ << "]";
      }
      json_ << "}";
    }
    json_ << "]";
  }

  // Writes the traffic between ranks: [from, to, messages, bytes].
  void traffic() {
    json_ << ",\"traffic\":[";
    Separator separator;
    for (const RankTrace& trace : run_.rank_traces) {
      for (const TrafficFrom& t : trace.traffic) {
        json_ << separator.next() << "[" << t.from.value() << "," << trace.rank.value() << ","
              << t.messages << "," << t.bytes << "]";
      }
    }
    json_ << "]";
  }

  void phases() {
    json_ << ",\"phases\":[";
    Separator separator;
    for (const RankTrace& trace : run_.rank_traces) {
      for (const PhaseEnd& p : trace.phases) {
        json_ << separator.next() << "{\"phase\":" << p.phase;
        json_.member("time_seconds", p.time_seconds).member("seconds", p.seconds);
        json_.member("objects", p.objects).member("max_load_seconds", p.max_load_seconds);
        json_.member("mean_load_seconds", p.mean_load_seconds);
        json_.member("expected_max_seconds", p.expected_max_seconds);
        json_.member("expected_mean_seconds", p.expected_mean_seconds);
        json_.member("predicted_max_seconds", p.predicted_max_seconds);
        json_.member("moved_objects", p.moved_objects).member("gain_seconds", p.gain_seconds);
        json_.member("gain_phases", p.gain_phases).member("cost_seconds", p.cost_seconds);
        json_.member("decision_seconds", p.decision_seconds) << "}";
      }
    }
    json_ << "]";
  }

  void offload() {
    for (const RankTrace& trace : run_.rank_traces) {
      if (trace.offload.strategy.empty()) continue;
      json_ << ",\"offload\":{\"strategy\":" << quoted(trace.offload.strategy);
      json_.member("steps_left_out", trace.offload.steps_left_out) << ",\"steps\":[";
      Separator separator;
      for (const OffloadStep& step : trace.offload.steps) {
        json_ << separator.next();
        offload_step(step);
      }
      json_ << "]}";
      return;  // only rank 0 has it
    }
  }

  // Writes a step of offloading. waits: [from, to, seconds]; flows: [from, to, offloaded, allowed].
  void offload_step(const OffloadStep& step) {
    json_ << "{\"step\":" << step.step << ",\"time_seconds\":" << roam::seconds(step.time);
    json_.member("seconds", step.seconds).member("relaxation", step.relaxation);
    json_.member("critical", step.critical.value()).member("victim", step.victim.value());
    json_.member("tasks", step.tasks).member("offloaded", step.offloaded);
    json_.member("allowed", step.allowed).member("recomputed", step.recomputed);
    json_.member("in_vain", step.in_vain).member("emergencies", step.emergencies);
    json_.member("waits_left_out", step.waits_left_out);
    json_.member("flows_left_out", step.flows_left_out) << ",\"emergency_reasons\":{";
    const char* comma = "";
    for (const OffloadEmergencies& one : step.emergencies_by_reason)
      json_ << std::string_view(std::exchange(comma, ",")) << quoted(one.reason) << ":"
            << one.times;
    json_ << "},\"blacklisted\":[";
    comma = "";
    for (const std::int32_t rank : step.blacklisted)
      json_ << std::string_view(std::exchange(comma, ",")) << rank;
    json_ << "],\"blacklist_reasons\":[";
    comma = "";
    for (const std::string& reason : step.blacklist_reasons)
      json_ << std::string_view(std::exchange(comma, ",")) << quoted(reason);
    json_ << "],\"waits\":[";
    comma = "";
    for (const OffloadWait& w : step.waits) {
      json_ << std::string_view(std::exchange(comma, ",")) << "[" << w.from.value() << ","
            << w.to.value() << "," << w.seconds << "]";
    }
    json_ << "],\"flows\":[";
    comma = "";
    for (const OffloadFlow& f : step.flows) {
      json_ << std::string_view(std::exchange(comma, ",")) << "[" << f.from.value() << ","
            << f.to.value() << "," << f.offloaded << "," << f.allowed << "]";
    }
    json_ << "]}";
  }

  // Writes the round trips of offloaded tasks, one object for each rank that has any. trips:
  // [token, label, victim, outcome, spawned, sent, back, computed at home, delivered], visits:
  // [token, home, arrived, begun, ended]; times in seconds, null if it did not happen.
  void offload_trips() {
    Separator ranks;
    for (const RankTrace& trace : run_.rank_traces) {
      const OffloadTrips& all = trace.trips;
      if (all.trips.empty() && all.visits.empty()) continue;
      const std::string_view separator = ranks.next();
      json_ << (separator == "\n" ? std::string_view(",\"offload_trips\":[\n") : separator);
      json_ << "{\"rank\":" << trace.rank.value();
      json_.member("left_out", all.left_out) << ",\"labels\":[";
      const char* comma = "";
      for (const std::string& label : all.labels)
        json_ << std::string_view(std::exchange(comma, ",")) << quoted(label);
      json_ << "],\"trips\":[";
      Separator trips;
      for (const OffloadTrip& trip : all.trips) {
        json_ << trips.next() << "[" << trip.token << "," << trip.label << "," << trip.victim << ","
              << quoted(name_of(trip.outcome));
        for (const Instant time :
             {trip.spawned, trip.sent, trip.back, trip.recomputed, trip.delivered})
          time_or_null(time);
        json_ << "]";
      }
      json_ << "],\"visits\":[";
      Separator visits;
      for (const OffloadVisit& visit : all.visits) {
        json_ << visits.next() << "[" << visit.token << "," << visit.home;
        for (const Instant time : {visit.arrived, visit.begun, visit.ended}) time_or_null(time);
        json_ << "]";
      }
      json_ << "]}";
    }
    if (ranks.next() != "\n") json_ << "]";
  }

  void time_or_null(Instant time) {
    if (time == OffloadTrip::never) {
      json_ << ",null";
    } else {
      json_ << "," << roam::seconds(time);
    }
  }

  // Writes the flow programs, one object for each rank with tasks. tasks: [label, parent, worker,
  // begin, end, busy, parcel, its use], times in seconds, null if the task did not run; edges:
  // [before, task, datum]; stalls: [begin, end].
  void flow() {
    Separator ranks;
    for (const RankTrace& trace : run_.rank_traces) {
      const FlowTrace& flow = trace.flow;
      if (flow.tasks.empty()) continue;
      const std::string_view separator = ranks.next();
      json_ << (separator == "\n" ? std::string_view(",\"flow\":[\n") : separator);
      json_ << "{\"rank\":" << trace.rank.value();
      json_.member("left_out", flow.left_out) << ",\"labels\":[";
      const char* comma = "";
      for (const std::string& label : flow.labels)
        json_ << std::string_view(std::exchange(comma, ",")) << quoted(label);
      json_ << "],\"tasks\":[";
      Separator tasks;
      for (const FlowTask& task : flow.tasks) flow_task(tasks, task);
      json_ << "],\"edges\":[";
      comma = "";
      for (const FlowEdge& e : flow.edges) {
        json_ << std::string_view(std::exchange(comma, ",")) << "[" << e.before << "," << e.task
              << "," << e.datum << "]";
      }
      json_ << "],\"stalls\":[";
      comma = "";
      for (const FlowStall& s : flow.stalls) {
        json_ << std::string_view(std::exchange(comma, ",")) << "[" << roam::seconds(s.begin) << ","
              << roam::seconds(s.end) << "]";
      }
      json_ << "]}";
    }
    if (ranks.next() != "\n") json_ << "]";
  }

  void flow_task(Separator& tasks, const FlowTask& task) {
    json_ << tasks.next() << "[" << task.label << ","
          << (task.parent == FlowTask::none ? std::int64_t{-1} : std::int64_t{task.parent}) << ","
          << task.worker << ",";
    for (const Instant time : {task.begin, task.end}) {
      if (time == FlowTask::never) {
        json_ << "null,";
      } else {
        json_ << roam::seconds(time) << ",";
      }
    }
    json_ << roam::seconds(task.busy) << "," << task.parcel << "," << task.parcel_use << "]";
  }

  JsonText json_;
  const RunTrace& run_;
  Separator events_;
};

}  // namespace

void write_chrome_trace(const std::string& path, const RunTrace& run) {
  OutputFile file(path);
  Writer(file, run).write();
  file.commit();
}

}  // namespace roam::trace
