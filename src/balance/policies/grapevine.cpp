// SPDX-License-Identifier: Apache-2.0
// Gossip while the program runs (Menon and Kale, "A distributed dynamic load balancer for iterative
// applications", SC 2013, made continuous). A rank short of work tells others, which spread the
// rumour; a rank with spare work picks one of those it has heard of at random, less loaded ones
// with higher probability, and gives without being asked. No rank knows all others, and none gets
// many requests.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "offers.hpp"
#include "other_ranks.hpp"
#include "roam/balance/registry.hpp"
#include "roam/balance/transfer.hpp"
#include "roam/core/error.hpp"

namespace roam::balance {
namespace {

// All of the following are chosen; studies/real_runs and tests/balance (Policies) check their
// effect.

// Number of rumours in one message, and remembered.
constexpr std::size_t most_told = 4;
constexpr std::size_t most_known = 64;
// Round trips for which a rumour is believed. If it is older, or from before there was work to
// give, work is offered to the rank instead of given.
constexpr double freshness = 64;
// Seconds. If the next look would be later than this, it is taken after this time.
constexpr double longest_outlook = 1e6;
// The longest pause between the messages of a rank without work, which become less and less
// frequent.
constexpr Duration longest_pause = std::chrono::seconds(1);
// News shorten the pause between offers to this, if it has become longer.
constexpr Duration longest_silence = std::chrono::milliseconds(10);
// Approximate number of messages over whose senders the mean load is estimated.
constexpr double samples = 8;
struct GrapevineSettings {
  std::int32_t fanout = 2;
  std::int32_t hops = 3;
  double low_seconds = 0;  // 0: from measured latencies
};

/// A report about a rank that was short of work.
struct Rumour {
  RankLoad load;
  double age = 0;  // seconds
  std::int32_t rank = 0;
  std::uint32_t padding = 0;
};

class Grapevine final : public Policy {
 public:
  Grapevine(const GrapevineSettings& settings, PolicyHost& host)
      : settings_(settings), host_(host), offers_(host) {}

  Instant balance(Instant now) override;
  void receive(Rank source, std::span<const std::byte> message) override;

 private:
  enum class Kind : std::uint32_t { rumour, offer, gift };
  struct Note {
    RankLoad load;  // of the sender
    std::array<Rumour, most_told> told;
    Kind kind = Kind::rumour;
    std::uint32_t count = 0;  // number of rumours that follow
    std::uint32_t hops = 0;   // hops left
    std::uint32_t padding = 0;
  };
  struct Known {
    Rank rank;
    RankLoad load;
    Instant when;
  };

  [[nodiscard]] double low_seconds() const {
    if (settings_.low_seconds > 0) return settings_.low_seconds;
    return 2 * (host_.round_trip_seconds() + host_.move_seconds(0));
  }
  [[nodiscard]] static double lasting(const RankLoad& load) {
    return load.seconds_until_idle(load.rate());
  }
  [[nodiscard]] bool is_short_of_work(const RankLoad& load) const {
    return lasting(load) < low_seconds();
  }
  /// True if it has so little work that others should know.
  [[nodiscard]] bool has_little(const RankLoad& load) const {
    return lasting(load) < std::max(low_seconds(), mean_ / 2);
  }
  void send(Rank to, Note note);

  // with little work
  [[nodiscard]] Instant murmur(const RankLoad& load, Instant now);
  void tell_some();
  [[nodiscard]] Instant whisper(Instant now);
  void on_offer(Rank source);

  // in between
  [[nodiscard]] bool hear(Rank rank, const RankLoad& load, double age);
  void tell(Rank to, std::uint32_t hops, bool with_own);
  void on_rumour(Rank source, const Note& note);

  // with work to spare
  [[nodiscard]] Instant give_away(const RankLoad& load);
  [[nodiscard]] double share_for(const RankLoad& taker);
  [[nodiscard]] std::size_t choose(const RankLoad& load);
  void forget_old_rumours();

  const GrapevineSettings settings_;
  PolicyHost& host_;
  std::vector<Known> known_;  // ranks short of work; the last one heard of is last
  Offers offers_;
  Settling settling_;
  Instant can_give_since_ = never;
  double mean_ = 0;   // how long the work of other ranks lasts on average, as far as heard
  double level_ = 0;  // how long the work here lasted when others were last told
  Instant next_whisper_{0};
  Duration pause_{0};
};

void Grapevine::send(Rank to, Note note) {
  note.load = host_.load();
  core::Packer packer = host_.message();
  packer.write(&note, sizeof note);
  host_.send(to, std::move(packer));
}

void Grapevine::receive(Rank source, std::span<const std::byte> message) {
  const Note note = read_note<Note>(message, "grapevine");
  if (note.count > most_told || note.hops > 32) {
    throw MalformedMessage("grapevine: message out of range");
  }
  for (std::size_t i = 0; i < note.count; ++i) {
    const Rumour& rumour = note.told[i];
    check_load(rumour.load);
    if (rumour.rank < 0 || rumour.rank >= host_.size() || !std::isfinite(rumour.age) ||
        rumour.age < 0) {
      throw MalformedMessage("grapevine: a rumour of no rank or age");
    }
  }
  mean_ += (lasting(note.load) - mean_) / samples;
  switch (note.kind) {
    case Kind::rumour:
      return on_rumour(source, note);
    case Kind::offer:
      return on_offer(source);
    case Kind::gift:
      pause_ = Duration::zero();
      next_whisper_ = host_.now();
      return;
  }
  throw MalformedMessage("grapevine: unknown kind of message");
}

Instant Grapevine::balance(Instant now) {
  if (host_.size() == 1) return never;
  const RankLoad load = host_.load();
  settling_.watch(host_, load);
  if (is_short_of_work(load)) return whisper(now);
  pause_ = Duration::zero();
  const double low = low_seconds();
  const double lasts = lasting(load);
  const Instant dry = now + from_seconds(std::clamp(lasts - low, low / 4, longest_outlook));
  return std::min({give_away(load), murmur(load, now), dry});
}

// --- with little work ---

/// Tells others whenever half of the work that was left is done: log n times for n seconds of work.
Instant Grapevine::murmur(const RankLoad& load, Instant now) {
  const double lasts = lasting(load);
  if (lasts > level_ || level_ == 0) level_ = lasts;
  if (lasts > level_ / 2) return now + from_seconds(std::min(lasts - level_ / 2, longest_outlook));
  level_ = lasts;
  if (has_little(load)) tell_some();
  return now + from_seconds(std::min(lasts / 2, longest_outlook));
}

void Grapevine::tell_some() {
  for (std::int32_t i = 0; i < settings_.fanout; ++i) {
    tell(random_other_rank(host_), static_cast<std::uint32_t>(settings_.hops), true);
  }
}

Instant Grapevine::whisper(Instant now) {
  // From then on it waits for offers: a rank that gets work asks others for ranks without any.
  if (pause_ > longest_pause) return never;
  if (now < next_whisper_) return next_whisper_;
  const Duration shortest = from_seconds(4 * host_.round_trip_seconds());
  pause_ = std::max(2 * pause_, shortest);
  next_whisper_ = now + pause_ / 2 + from_seconds(seconds(pause_) * host_.random().unit());
  tell_some();
  return next_whisper_;
}

void Grapevine::on_offer(Rank source) {
  if (has_little(host_.load())) {
    return tell(source, 0, true);
  }
  forget_old_rumours();
  if (!known_.empty()) tell(source, 0, false);
}

// --- in between ---

/// Takes note of a rank's load; true if it is news.
bool Grapevine::hear(Rank rank, const RankLoad& load, double age) {
  if (rank == host_.rank() || !has_little(load)) return false;
  const Instant when = host_.now() - from_seconds(std::min(age, longest_outlook));
  const auto found = std::ranges::find(known_, rank, &Known::rank);
  const Duration believed = from_seconds(freshness * host_.round_trip_seconds());
  const bool is_news = found == known_.end() || found->when + believed / 2 < when;
  if (found != known_.end()) {
    if (found->when >= when) return false;
    known_.erase(found);
  } else if (known_.size() == most_known) {
    known_.erase(known_.begin());
  }
  known_.push_back({rank, load, when});
  return is_news;
}

void Grapevine::tell(Rank to, std::uint32_t hops, bool with_own) {
  Note note;
  note.hops = hops;
  if (with_own) note.told[note.count++] = {host_.load(), 0, host_.rank().value()};
  for (auto one = known_.rbegin(); one != known_.rend() && note.count < most_told; ++one) {
    if (one->rank == to) continue;
    note.told[note.count++] = {one->load, seconds(host_.now() - one->when), one->rank.value()};
  }
  if (note.count > 0) send(to, note);
}

void Grapevine::on_rumour(Rank, const Note& note) {
  bool is_news = false;
  for (std::size_t i = 0; i < note.count; ++i) {
    is_news = hear(Rank(note.told[i].rank), note.told[i].load, note.told[i].age) || is_news;
  }
  if (!is_news) return;
  if (!offers_.are_wanted() || offers_.pause() > longest_silence) offers_.hear_of_hunger();
  if (note.hops == 0) return;
  for (std::int32_t i = 0; i < settings_.fanout; ++i) {
    tell(random_other_rank(host_), note.hops - 1, false);
  }
}

// --- with work to spare ---

void Grapevine::forget_old_rumours() {
  const Instant oldest =
      std::max(can_give_since_ == never ? Instant(0) : can_give_since_,
               host_.now() - from_seconds(freshness * host_.round_trip_seconds()));
  std::erase_if(known_, [&](const Known& one) {
    if (one.when >= oldest) return false;
    offers_.remember(one.rank);
    return true;
  });
}

/// Chooses a taker at random, with a probability proportional to how much less it has to do.
std::size_t Grapevine::choose(const RankLoad& load) {
  const double wait = lasting(load);
  std::vector<double> sums;
  double sum = 0;
  for (const Known& one : known_) {
    sum += std::max(0.0, wait - one.load.seconds_until_idle(one.load.rate(load)));
    sums.push_back(sum);
  }
  const auto found = std::ranges::upper_bound(sums, sum * host_.random().unit());
  return std::min(static_cast<std::size_t>(found - sums.begin()), sums.size() - 1);
}

/// The work to give to a rank: half of what would lift it to the mean without bringing this rank
/// below; the other half is left for others, which may have heard of it, too.
double Grapevine::share_for(const RankLoad& taker) {
  if (mean_ <= 0) return std::numeric_limits<double>::max();  // the mean is not known
  const RankLoad own = host_.load();
  const double room = (mean_ - taker.seconds_until_idle(own.rate())) * taker.workers;
  const double surplus = (lasting(own) - mean_) * own.workers;
  return std::max(0.0, std::min(room, surplus) / 2);
}

Instant Grapevine::give_away(const RankLoad& load) {
  const double settles_in = settling_.seconds_left(host_, load);
  if (!has_spare(host_, load) || settles_in > 0) {
    can_give_since_ = never;
    return settles_in > 0 ? host_.now() + from_seconds(settles_in) : never;
  }
  if (can_give_since_ == never) can_give_since_ = host_.now();
  forget_old_rumours();
  while (!known_.empty() && has_spare(host_, host_.load())) {
    const std::size_t chosen = choose(host_.load());
    const Known taker = known_[chosen];
    known_.erase(known_.begin() + static_cast<std::ptrdiff_t>(chosen));
    const WorkRequest request{taker.rank, taker.load, share_for(taker.load),
                              taker.load.idle_workers()};
    if (give(host_, request, "grapevine").objects == 0) continue;
    Note note;
    note.kind = Kind::gift;
    send(taker.rank, note);
    offers_.hear_of_hunger();
  }
  const Offers::Plan plan = offers_.plan(host_.load(), 0, low_seconds(), true);
  Note note;
  note.kind = Kind::offer;
  for (const Rank to : plan.to) send(to, note);
  return plan.next;
}

const PolicyRegistrar registrar{
    {.name = "grapevine",
     .description = "rumours of ranks short of work; who has some gives to one of them by chance",
     .parameters = {{.name = "fanout",
                     .description = "ranks that each one tells",
                     .default_value = "2",
                     .minimum = 1,
                     .maximum = 16,
                     .is_integer = true},
                    {.name = "hops",
                     .description = "times a rumour is passed on",
                     .default_value = "3",
                     .minimum = 0,
                     .maximum = 16,
                     .is_integer = true},
                    {.name = "low_seconds",
                     .description =
                         "work per worker below which a rank is short of it; 0: from measured "
                         "latencies",
                     .default_value = "0",
                     .minimum = 0,
                     .maximum = 1e6}},
     .create = [](const Parameters& parameters, PolicyHost& host) -> std::unique_ptr<Policy> {
       GrapevineSettings settings;
       settings.fanout = parameters.integer("fanout");
       settings.hops = parameters.integer("hops");
       settings.low_seconds = parameters.number("low_seconds");
       return std::make_unique<Grapevine>(settings, host);
     }}};

}  // namespace
}  // namespace roam::balance
