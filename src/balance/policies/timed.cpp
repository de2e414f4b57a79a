// SPDX-License-Identifier: Apache-2.0
#include "timed.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <string>
#include <utility>

#include "roam/am/detail/message_layout.hpp"
#include "roam/core/error.hpp"
#include "roam/placement/detail/note_lists.hpp"

namespace roam::balance {

namespace {

/// Kind of a message between the policies of two ranks; the message begins with it.
enum class Kind : std::uint32_t { ask, report, orders, wake };

/// Sent by the parent in the tree of ranks.
struct Ask {
  std::uint32_t round = 0;
  static constexpr auto fields(auto& m) { return std::tie(m.round); }
};

/// Sent by rank 0: the objects that the receiver has to move.
struct OrderedMoves {
  placement::MovesOfAll all;
  double imbalance = 0;
  std::vector<placement::ObjectNote> moves;
  static constexpr auto fields(auto& m) { return std::tie(m.all, m.imbalance, m.moves); }
};

template <class Message>
void send(PolicyHost& host, Rank to, Kind kind, const Message& message) {
  core::Packer packer = host.message();
  core::pack(packer, kind);
  am::write_field(packer, message);
  host.send(to, std::move(packer));
}

double since(double& before, double total) {
  // The total is smaller than before if a phase of the program has ended, since counting then
  // starts anew.
  const double difference = total < before ? total : total - before;
  before = total;
  return difference;
}

bool is_time(double value) { return std::isfinite(value) && value >= 0; }

}  // namespace

/// What one rank reports to rank 0 in a round.
struct TimedStrategy::RankReport {
  std::int32_t rank = 0;
  bool is_enabled = true;
  bool is_active = true;  // false: nothing has run since the last round, and nothing runs
  placement::RankLoads loads;
  std::vector<topology::Place> place;  // of the rank, in its first report; else none
  template <class Archive>
  void serialize(Archive& archive) {
    archive(rank, is_enabled, is_active, loads, place);
  }
  void check(std::int32_t size) const {
    const placement::PhaseLoads& of = loads.of;
    if (rank < 0 || rank >= size || !(std::isfinite(loads.capacity) && loads.capacity > 0) ||
        !is_time(loads.background_seconds) || of.seconds.size() != of.objects.size() ||
        of.bytes.size() != of.objects.size() ||
        (!of.coordinates.empty() && of.coordinates.size() != of.objects.size()) ||
        (!loads.stays.empty() && loads.stays.size() != of.objects.size()) ||
        !is_time(loads.call_scale) || !std::ranges::all_of(of.seconds, is_time)) {
      throw MalformedMessage("timed: loads that cannot be");
    }
  }
};

/// Sent by a child: its own report and those of the ranks below it in the tree.
struct TimedStrategy::Answer {
  std::uint32_t round = 0;
  std::vector<RankReport> reports;
  static constexpr auto fields(auto& m) { return std::tie(m.round, m.reports); }
};

struct TimedStrategy::Orders {
  Instant due;
  placement::MovesOfAll all;
  double imbalance = 0;
  std::vector<std::vector<placement::ObjectNote>> moves;  // by rank
};

/// The load model below all others: the work that has come per interval since the object was last
/// looked at, computed from what the object has run and what waits for it. An object seen for the
/// first time counts as having got no new work: all of it waits or has run.
class TimedStrategy::NewLoad final : public PhaseModel {
 public:
  void set_rounds_per_interval(double rounds) { rounds_per_interval_ = rounds; }
  [[nodiscard]] double expect(const mobile::ResidentView&, double seconds,
                              Past& past) const override {
    if (past.empty()) past.push_back(seconds);
    return rounds_per_interval_ * std::max(0.0, seconds - std::exchange(past.front(), seconds));
  }
  [[nodiscard]] bool remembers() const override { return true; }
  [[nodiscard]] std::string name() const override { return "of what comes"; }

 private:
  double rounds_per_interval_ = 1;
};

TimedStrategy::TimedStrategy(const PluginChoice& choice, double interval_seconds, PolicyHost& host,
                             const TimedRank& rank)
    : rebalancing_({rank.space, rank.models, host, rank.speed, rank.network, rank.location},
                   {{.choice = choice}}),
      kind_(*rebalancing_.choose(0, 0)->kind),
      interval_(interval_seconds),
      host_(host),
      here_(rank),
      // The coordinates of an object cannot be read while it runs.
      tells_of_what_stays_(kind_.uses_links && !kind_.uses_coordinates),
      next_round_(from_seconds(interval_seconds)),
      pause_(from_seconds(interval_seconds)) {
  auto new_load = std::make_unique<NewLoad>();
  new_load_ = new_load.get();
  if (kind_.uses_links && host.size() > 1) rebalancing_.record_calls();
  here_.models.add(std::move(new_load));
}

TimedStrategy::~TimedStrategy() = default;

core::RankTree TimedStrategy::tree() const { return {host_.rank(), host_.size()}; }

Instant TimedStrategy::balance(Instant now) {
  if (host_.size() == 1) return never;
  if (host_.rank() != 0) {
    if (!was_active_ && !has_reported_ && host_.load().running > 0) send_wake();
    return never;
  }
  if (orders_ != nullptr) {
    if (now < orders_->due) return orders_->due;
    send_orders();
  }
  if (answers_due_ > 0) return never;
  if (next_round_ == never && host_.load().running > 0) next_round_ = now + pause_;
  if (now < next_round_) return next_round_;
  begin_round();
  return never;
}

void TimedStrategy::receive(Rank source, std::span<const std::byte> message) {
  core::Unpacker bytes(message);
  const auto kind = core::unpack<Kind>(bytes);
  if (kind == Kind::ask && source == tree().parent()) {
    return ask(am::read_field<Ask>(bytes).round);
  }
  if (kind == Kind::report && answers_due_ > 0) {
    auto answer = am::read_field<Answer>(bytes);
    if (answer.round != round_) throw MalformedMessage("timed: an answer to another question");
    for (const RankReport& one : answer.reports) one.check(host_.size());
    --answers_due_;
    return collect(std::move(answer.reports));
  }
  if (kind == Kind::orders && source == Rank(0)) {
    const auto order = am::read_field<OrderedMoves>(bytes);
    for (const placement::ObjectNote& note : order.moves) {
      placement::check_note(note, host_.size());
    }
    return carry_out(order.moves, order.all, order.imbalance);
  }
  if (kind == Kind::wake && host_.rank() == 0) {
    is_woken_ = true;
    if (next_round_ == never && answers_due_ == 0) next_round_ = host_.now() + pause_;
    return;
  }
  throw MalformedMessage("timed: a message that nobody should send");
}

void TimedStrategy::send_wake() {
  has_reported_ = true;
  core::Packer packer = host_.message();
  core::pack(packer, Kind::wake);
  host_.send(0, std::move(packer));
}

// --- a round: the question goes down the tree, and the answers up ---

void TimedStrategy::begin_round() {
  begun_ = host_.now();
  is_woken_ = false;
  ask(round_ + 1);
}

void TimedStrategy::ask(std::uint32_t round) {
  round_ = round;
  const auto below = tree().children();
  for (const Rank child : below) send(host_, child, Kind::ask, Ask{round});
  answers_due_ = below.size();
  reports_.clear();
  std::vector<RankReport> own;
  try {
    own.push_back(measure());
  } catch (...) {  // thrown by a load model of the program
    report_failure();
    own.emplace_back();
    own.front().rank = host_.rank().value();
    own.front().is_enabled = false;
  }
  was_active_ = own.front().is_active;
  has_reported_ = false;
  collect(std::move(own));
}

void TimedStrategy::collect(std::vector<RankReport>&& reports) {
  std::ranges::move(reports, std::back_inserter(reports_));
  if (answers_due_ > 0) return;
  if (host_.rank() == 0) return conclude();
  send(host_, *tree().parent(), Kind::report, Answer{round_, std::move(reports_)});
}

TimedStrategy::RankReport TimedStrategy::measure() {
  const Instant now = host_.now();
  const double elapsed = seconds(now - std::exchange(measured_at_, now));
  const double rounds_per_interval = elapsed > 0 ? interval_ / elapsed : 0;
  const RankLoad load = host_.load();
  const double rate = load.rate();
  RankReport report;
  report.rank = host_.rank().value();
  report.is_enabled = here_.is_enabled.load(std::memory_order_relaxed);
  report.loads = rebalancing_.measured();
  placement::RankLoads& loads = report.loads;
  loads.call_scale = rounds_per_interval;
  // The part of the objects with a running handler that is not done yet.
  loads.background_seconds = std::max(0.0, load.total(rate) - load.queued_total(rate));
  new_load_->set_rounds_per_interval(rounds_per_interval);
  here_.models.begin_round();
  const double total = here_.space.for_each_resident([&](const mobile::ResidentView& object) {
    const mobile::Record& record = object.record;
    const double modelled = here_.pending ? here_.pending(object.id, record) : -1;
    const double waits =
        modelled >= 0 ? modelled : record.pending_seconds + rate * record.pending_weight;
    const double comes = here_.models.expect(object, record.phase_seconds * here_.speed + waits);
    if (object.is_bound && !tells_of_what_stays_) {
      loads.background_seconds += comes;
      return;
    }
    rebalancing_.add(loads, object, object.is_bound ? comes : waits + comes);
    if (tells_of_what_stays_) loads.stays.push_back(object.is_bound ? 1 : 0);
  });
  here_.models.end_round();
  const double ran = since(ran_before_, total);
  loads.background_seconds += rounds_per_interval * other_work(ran);
  report.is_active = load.running > 0 || ran > 0;
  if (rebalancing_.has_place_to_tell()) report.place.push_back(rebalancing_.tell_place());
  return report;
}

/// The work of this rank since the last round apart from its objects' calls.
double TimedStrategy::other_work(double ran_seconds) {
  const double worked = since(worked_before_, seconds(rebalancing_.time_at_work()));
  return here_.speed * std::max(0.0, worked - ran_seconds);
}

/// Reports an exception of the program's code, which runs inside progress here, where it would be
/// taken for an error of the runtime.
void TimedStrategy::report_failure() {
  here_.space.engine().report_error("rank " + std::to_string(host_.rank().value()) +
                                    ", balancing by time: " + words_of(std::current_exception()));
}

// --- rank 0 decides ---

void TimedStrategy::conclude() {
  std::ranges::sort(reports_, {}, &RankReport::rank);
  std::vector<placement::RankLoads> loads;
  bool is_anybody_active = is_woken_;
  bool are_all_enabled = true;
  for (RankReport& report : reports_) {
    if (report.rank != static_cast<std::int32_t>(loads.size())) {
      throw MalformedMessage("timed: a rank that tells twice, or not at all");
    }
    is_anybody_active = is_anybody_active || report.is_active;
    are_all_enabled = are_all_enabled && report.is_enabled;
    for (const topology::Place& place : report.place) rebalancing_.take_place(loads.size(), place);
    loads.push_back(std::move(report.loads));
  }
  reports_.clear();
  if (loads.size() != static_cast<std::size_t>(host_.size())) {
    throw MalformedMessage("timed: ranks that do not tell");
  }
  const Duration interval = from_seconds(interval_);
  std::optional<Orders> orders;
  try {
    if (are_all_enabled) orders = decide(loads);
  } catch (...) {  // thrown by a strategy of the program
    report_failure();
  }
  pause_ = orders ? interval : std::min(2 * pause_, longest_pause * interval);
  next_round_ = is_anybody_active ? std::max(host_.now(), begun_ + pause_) : never;
  if (!orders) return;
  orders_ = std::make_unique<Orders>(std::move(*orders));
  if (orders_->due <= host_.now()) send_orders();
}

std::optional<TimedStrategy::Orders> TimedStrategy::decide(
    const std::vector<placement::RankLoads>& loads) {
  const placement::GatheredLoads gathered = rebalancing_.gathered(loads);
  const placement::LoadGraph& graph = gathered.graph;
  const placement::Quality before = placement::assess(graph, gathered.machine, graph.rank);
  if (rebalancing_.promise().settle(before.imbalance) == Promise::Fate::broken) {
    return std::nullopt;
  }
  if (before.max_seconds - before.mean_seconds <= host_.move_seconds(1) &&
      !kind_.moves_without_gain) {
    return std::nullopt;
  }
  Decided decided = rebalancing_.decide(loads, gathered, before.max_seconds, false);
  if (!decided.prospect.is_worth_it) return std::nullopt;
  rebalancing_.promise().give(before.imbalance, decided.prospect.after.imbalance);
  return Orders{host_.now() + rebalancing_.deciding_time(graph), decided.all, before.imbalance,
                std::move(decided.moves)};
}

void TimedStrategy::send_orders() {
  const std::unique_ptr<Orders> orders = std::move(orders_);
  for (std::size_t r = 1; r < orders->moves.size(); ++r) {
    if (orders->moves[r].empty()) continue;
    send(host_, static_cast<std::int32_t>(r), Kind::orders,
         OrderedMoves{orders->all, orders->imbalance, std::move(orders->moves[r])});
  }
  carry_out(orders->moves.front(), orders->all, orders->imbalance);
}

// Objects that have left or begun to run in the meantime stay: the next round sees them.
void TimedStrategy::carry_out(const std::vector<placement::ObjectNote>& moves,
                              const placement::MovesOfAll& all, double imbalance) {
  if (!here_.is_enabled.load(std::memory_order_relaxed)) return;
  (void)rebalancing_.carry_out(moves, all, imbalance, "round " + std::to_string(round_));
}

}  // namespace roam::balance
