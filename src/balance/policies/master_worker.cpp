// SPDX-License-Identifier: Apache-2.0
// Master and workers (PREMA, appendix I.1, figure 12, made complete): a rank short of work asks the
// master, which gives it several objects at once - a share of what it has, so fewer and fewer
// towards the end (guided self-scheduling) - or puts the rank on a waiting list and serves it when
// work comes.
#include <algorithm>
#include <cmath>
#include <deque>
#include <string>

#include "roam/balance/registry.hpp"
#include "roam/balance/transfer.hpp"
#include "roam/core/error.hpp"
#include "roam/core/machine.hpp"

namespace roam::balance {
namespace {

// Seconds. If the next look would be later than this, it is taken after this time. Chosen:
// practically never.
constexpr double longest_outlook = 1e6;

struct Settings {
  Rank master = 0;
  double low_seconds = 0;  // 0: from measured latencies
  double share = 0.5;
};

enum class Kind : std::uint32_t {
  request,   // to the master
  withdraw,  // work came from elsewhere: leave the waiting list
  given,
  wait
};

struct Note {
  RankLoad load;  // of the sender
  std::uint32_t count = 0;
  Kind kind = Kind::request;
};

class MasterWorker final : public Policy {
 public:
  MasterWorker(const Settings& settings, PolicyHost& host) : settings_(settings), host_(host) {}

  Instant balance(Instant now) override {
    if (host_.size() == 1) return never;
    return host_.rank() == settings_.master ? serve_waiting() : ask_if_low(now);
  }
  void receive(Rank source, std::span<const std::byte> message) override;

 private:
  struct Waiting {
    Rank rank;
    Note request;
  };
  Instant serve_waiting();
  Instant ask_if_low(Instant now);
  bool serve(Rank worker, const Note& request);
  void send(Rank to, Kind kind, std::uint32_t count);
  [[nodiscard]] double low_seconds() const {
    if (settings_.low_seconds > 0) return settings_.low_seconds;
    return 2 * (host_.round_trip_seconds() + host_.move_seconds(0));
  }

  const Settings settings_;
  PolicyHost& host_;
  std::deque<Waiting> waiting_;  // on the master
  Settling settling_;            // on the master
  bool has_asked_ = false;       // on a worker: true until the master has given something
};

void MasterWorker::send(Rank to, Kind kind, std::uint32_t count) {
  Note note;
  note.load = host_.load();
  note.count = count;
  note.kind = kind;
  core::Packer packer = host_.message();
  packer.write(&note, sizeof note);
  host_.send(to, std::move(packer));
}

void MasterWorker::receive(Rank source, std::span<const std::byte> message) {
  const Note note = read_note<Note>(message, "master_worker");
  const bool is_master = host_.rank() == settings_.master;
  if (is_master != (note.kind == Kind::request || note.kind == Kind::withdraw) ||
      note.kind > Kind::wait) {
    throw MalformedMessage("master_worker: message to the wrong rank");
  }
  switch (note.kind) {
    case Kind::request:
      if (!serve(source, note)) {
        waiting_.push_back({source, note});
        send(source, Kind::wait, 0);
      }
      return;
    case Kind::withdraw:
      std::erase_if(waiting_, [source](const Waiting& w) { return w.rank == source; });
      return;
    case Kind::given:
      has_asked_ = false;
      return;
    case Kind::wait:
      return;
  }
}

bool MasterWorker::serve(Rank worker, const Note& request) {
  const RankLoad load = host_.load();
  settling_.watch(host_, load);
  if (settling_.seconds_left(host_, load) > 0) return false;
  const double share = settings_.share * load.queued_total(load.rate(request.load)) / host_.size();
  const Transfer given = give(host_, {worker, request.load, share, request.count}, "master_worker");
  if (given.objects == 0) return false;
  send(worker, Kind::given, given.objects);
  return true;
}

Instant MasterWorker::serve_waiting() {
  const RankLoad load = host_.load();
  settling_.watch(host_, load);
  if (waiting_.empty()) return never;
  if (const double left = settling_.seconds_left(host_, load); left > 0) {
    return host_.now() + from_seconds(left);
  }
  while (!waiting_.empty() && serve(waiting_.front().rank, waiting_.front().request)) {
    waiting_.pop_front();
  }
  return never;
}

Instant MasterWorker::ask_if_low(Instant now) {
  const RankLoad load = host_.load();
  const double lasts = load.seconds_until_idle(load.rate());
  const double low = low_seconds();
  if (lasts >= low) {
    // A single new object does not count: the work must last several times the threshold.
    if (has_asked_ && lasts > 4 * low) {
      has_asked_ = false;
      send(settings_.master, Kind::withdraw, 0);
    }
    return now + from_seconds(std::clamp(lasts - low, low / 4, longest_outlook));
  }
  if (!has_asked_) {
    has_asked_ = true;
    send(settings_.master, Kind::request, std::max(load.idle_workers(), 1U));
  }
  return never;
}

const PolicyRegistrar registrar{
    {.name = "master_worker",
     .description = "ranks short of work ask one master rank",
     .parameters = {{.name = "master",
                     .description = "the rank that gives work",
                     .default_value = "0",
                     .minimum = 0,
                     .maximum = max_ranks - 1,
                     .is_integer = true},
                    {.name = "low_seconds",
                     .description =
                         "work per worker below which a rank asks; 0: from measured latencies",
                     .default_value = "0",
                     .minimum = 0,
                     .maximum = 1e6},
                    {.name = "share",
                     .description =
                         "the part of an even share of the master's work given in one answer",
                     .default_value = "0.5",
                     .minimum = 0,
                     .maximum = 1}},
     .create = [](const Parameters& parameters, PolicyHost& host) -> std::unique_ptr<Policy> {
       return std::make_unique<MasterWorker>(
           Settings{Rank(parameters.integer("master")), parameters.number("low_seconds"),
                    parameters.number("share")},
           host);
     },
     .check =
         [](const Parameters& parameters, std::int32_t ranks) {
           if (parameters.integer("master") < ranks) return;
           throw ConfigError("parameter master of policy master_worker is rank " +
                             std::to_string(parameters.integer("master")) +
                             "; the job has ranks 0 to " + std::to_string(ranks - 1));
         }}};

}  // namespace
}  // namespace roam::balance
