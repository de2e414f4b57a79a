// SPDX-License-Identifier: Apache-2.0
#include "roam/transport/detail/simulated.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "roam/core/detail/prefetch.hpp"
#include "roam/core/error.hpp"
#include "roam/core/random.hpp"
#include "transport/bulk_matcher.hpp"
#include "transport/level_costs.hpp"
#include "transport/pair_times.hpp"
#include "transport/routing_note.hpp"
#include "transport/shared_links.hpp"
#include "transport/simulated_rank.hpp"

namespace roam::transport {

namespace {

using core::Buffer;
using core::MpscNode;
using Kind = RoutingNote::Kind;
using NextMessage = Endpoint::NextMessage;
using simulation::Arrival;
using simulation::Departure;
using simulation::Intake;
using simulation::Later;
using simulation::RareState;
using simulation::SimulatedRank;

}  // namespace

class SimulatedNetwork::State {
 public:
  State(const SimulatedNetworkParameters& parameters, std::int32_t ranks, const core::Clock& clock,
        std::uint64_t seed)
      : parameters_(parameters),
        clock_(clock),
        virtual_clock_(dynamic_cast<const core::VirtualClock*>(&clock)),
        seed_(seed),
        random_(seed),
        shared_(parameters.levels, ranks),
        ranks_(static_cast<std::size_t>(ranks)),
        rare_(static_cast<std::size_t>(ranks)) {
    for (const NetworkLevel& level : parameters.levels) links_.emplace_back(level);
    jittered_ = parameters.jitter_delay > Duration::zero();
    for (const LevelCosts& link : links_) {
      jittered_ = jittered_ || link.jitter > 0;
      contended_ = contended_ || link.contention > 0;
      least_overhead_ = std::min(least_overhead_, link.overhead);
    }
    turn_ = least_delay();
    capabilities_.ordered = !parameters.reorder;
    capabilities_.hands_over = parameters.shares_memory;
    capabilities_.max_message_bytes = parameters.max_message_bytes;
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    for (std::int32_t rank = 0; rank < size(); ++rank) {
      drop_arrivals(Rank(rank));
      drop_departures(Rank(rank));
    }
  }

  void send(Rank source, Rank destination, Kind kind, BulkTag tag, Buffer data);
  void receive_bulk(Rank rank, Rank source, BulkTag tag, std::size_t bytes, Buffer target);
  std::size_t progress(Rank rank, Sink& sink, std::size_t limit);
  void close(Rank rank);
  void lose(Rank rank, Duration notice);
  void take_out(Rank rank);

  SimulatedRank& at(Rank rank) { return ranks_[rank.index()]; }
  const SimulatedRank& at(Rank rank) const { return ranks_[rank.index()]; }
  RareState& rare(Rank rank) { return rare_[rank.index()]; }
  const RareState& rare(Rank rank) const { return rare_[rank.index()]; }
  std::int32_t size() const { return static_cast<std::int32_t>(ranks_.size()); }
  const Capabilities& capabilities() const { return capabilities_; }
  Instant next_arrival(Rank rank) const;
  void look_ahead(Rank rank, int step) const;
  NextMessage next_message(Rank rank, std::size_t index) const;
  Duration least_delay() const {
    // From its last claim a message may take as little as the least of each.
    if (shared_.any()) return 2 * least_overhead_ + shared_.least_latency();
    Duration least = Duration::max();
    for (const LevelCosts& link : links_) least = std::min(least, 2 * link.overhead + link.latency);
    return least;
  }
  bool shares_links() const { return shared_.any(); }
  Instant next_claim() const {
    if (shared_.next() == never) return never;
    return shared_.next() - least_overhead_ + Duration(1);
  }
  void claim();

  void set_delays(Delays delays) {
    delays_ = std::move(delays);
    jittered_ = true;
  }

  Listener listener;
  Totals totals;
  bool driver_claims = false;

 private:
  // The time up to which every rank has acted; a handler that computes is ahead of it.
  Instant settled() const {
    return virtual_clock_ != nullptr ? virtual_clock_->now() - virtual_clock_->offset()
                                     : clock_.now();
  }
  /// The innermost level on which both ranks meet.
  [[nodiscard]] const LevelCosts& link_between(Rank a, Rank b) const {
    return links_[level_between(a, b)];
  }
  [[nodiscard]] std::size_t level_between(Rank a, Rank b) const {
    std::size_t level = 0;
    std::int32_t group_of_a = a.value();
    std::int32_t group_of_b = b.value();
    for (; level + 1 < links_.size(); ++level) {
      const LevelCosts& link = links_[level];
      if (link.parents.empty()) {
        group_of_a = a.value() / link.group;
        group_of_b = b.value() / link.group;
      } else {
        group_of_a = link.parents[static_cast<std::size_t>(group_of_a)];
        group_of_b = link.parents[static_cast<std::size_t>(group_of_b)];
      }
      if (group_of_a == group_of_b) break;
    }
    return level;
  }
  Instant arrival_time(Rank source, Rank destination, std::size_t bytes, Instant now);
  Instant jittered(const Flight& flight, Instant arrival, Instant now);
  bool is_closed(Rank rank) const { return closed_ranks_ > 0 && rare(rank).closed; }
  void fly(Rank source, Rank destination, std::size_t level, Instant now, Buffer data);
  void depart(Rank source, Rank destination, Instant now, Buffer data);
  void start_departures(Rank source);
  void put_under_way(Rank destination, Instant time, Buffer data);
  void take_in(Rank rank, Instant now);
  std::size_t deliver_one(Rank rank, Sink& sink, Buffer data);
  void drop_arrivals(Rank rank);
  void drop_departures(Rank rank);
  void drop_last_arrivals(Rank rank, Rank source);
  BulkMatcher& matcher(Rank rank) {
    std::unique_ptr<BulkMatcher>& matcher = rare(rank).matcher;
    if (!matcher) matcher = std::make_unique<BulkMatcher>();
    return *matcher;
  }

  const SimulatedNetworkParameters parameters_;
  const core::Clock& clock_;
  const core::VirtualClock* const virtual_clock_;  // the same clock, if it is one
  const std::uint64_t seed_;
  core::Random random_;
  Capabilities capabilities_;
  std::vector<LevelCosts> links_;
  bool jittered_ = false;
  bool contended_ = false;
  std::uint64_t next_sequence_ = 0;
  Duration least_overhead_ = Duration::max();
  Duration turn_{0};  // the longest that ranks may take
  SharedLinks shared_;
  std::vector<SimulatedRank> ranks_;
  std::vector<RareState> rare_;
  std::int32_t closed_ranks_ = 0;
  PairTimes pair_times_;
  Delays delays_;
};

Instant SimulatedNetwork::State::arrival_time(Rank source, Rank destination, std::size_t bytes,
                                              Instant now) {
  const LevelCosts& link = link_between(source, destination);
  Instant arrival = now + link.overhead;
  if (source != destination) {
    SimulatedRank& sender = at(source);
    const Duration transfer = link.transfer(bytes);
    const Instant start = std::max(arrival, sender.interface_free);
    sender.interface_free = start + transfer + link.gap;
    arrival = start + transfer + link.latency + link.overhead;
  }
  if (!jittered_) return arrival;  // in order already: every term grows with the order of sending
  Flight alone;
  alone.sequence = shared_.any() ? rare(source).departed++ : 0;
  alone.sent = now;
  alone.source = source;
  alone.destination = destination;
  return jittered(alone, arrival, now);
}

// All arrivals up to `now` have been decided. Where ranks share links, messages get here in an
// order that depends on who drives; then each draws for itself.
[[gnu::noinline]] Instant SimulatedNetwork::State::jittered(const Flight& flight, Instant arrival,
                                                            Instant now) {
  std::optional<core::Random> own;
  if (shared_.any()) {
    core::Random of_source(seed_ ^ (flight.source.index() + 1));
    own.emplace(core::Random(of_source() ^ flight.sequence)());
  }
  core::Random& random = own ? *own : random_;
  const LevelCosts& link = link_between(flight.source, flight.destination);
  const auto delay = static_cast<double>((arrival - flight.sent).count());
  arrival += Duration(std::llround(random.unit() * link.jitter * delay));
  arrival += Duration(random.below(static_cast<std::uint64_t>(parameters_.jitter_delay.count())));
  if (delays_) arrival += delays_(flight.source, flight.destination);
  if (parameters_.reorder) return arrival;
  // A rank whose turn is over may be ahead of this one.
  return pair_times_.keep_order(flight.source, flight.destination, arrival, now - turn_);
}

namespace {
Buffer copy_of(const Buffer& data) {
  Buffer copy = Buffer::allocate(data.size());
  copy.append(data.data(), data.size());
  return copy;
}
}  // namespace

void SimulatedNetwork::State::put_under_way(Rank destination, Instant time, Buffer data) {
  std::vector<Arrival>& heap = at(destination).arrivals;
  // Allocates at once what nearly every rank needs sooner or later: space for some messages under
  // way to it.
  if (heap.capacity() == 0) heap.reserve(8);
  heap.push_back({time, next_sequence_++, data.release()});
  std::ranges::push_heap(heap, Later());
  // Not in the past: that can be if nobody has called in time to start a departure.
  if (listener) listener(destination, std::max(time, settled()));
}

/// Onto links that others use, too; claim() decides when it arrives.
void SimulatedNetwork::State::fly(Rank source, Rank destination, std::size_t level, Instant now,
                                  Buffer data) {
  const LevelCosts& link = links_[level];
  SimulatedRank& sender = at(source);
  Flight flight;
  flight.sequence = rare(source).departed++;
  flight.sent = now;
  flight.head = std::max(now + link.overhead, sender.interface_free);
  flight.tail = flight.head + link.transfer(data.size());
  sender.interface_free = flight.tail + link.gap;
  flight.data = std::move(data);
  flight.source = source;
  flight.destination = destination;
  flight.level = static_cast<std::uint32_t>(level);
  shared_.enter(std::move(flight));
}

void SimulatedNetwork::State::claim() {
  const Instant now = shared_.next();
  std::optional<Flight> through = shared_.pass();
  if (!through) return;
  Flight& flight = *through;
  if (is_closed(flight.destination)) {
    at(flight.source).unsent_bytes -= flight.data.size();
    return;
  }
  const Instant unjittered = flight.tail + shared_.least_latency() + links_[flight.level].overhead;
  const Instant arrival = jittered_ ? jittered(flight, unjittered, now) : unjittered;
  put_under_way(flight.destination, arrival, std::move(flight.data));
}

void SimulatedNetwork::State::depart(Rank source, Rank destination, Instant now, Buffer data) {
  if (shared_.any() && source != destination && !is_closed(destination)) {
    const std::size_t level = level_between(source, destination);
    if (shared_.on(level)) {
      fly(source, destination, level, now, std::move(data));
      return;
    }
  }
  const Instant arrival = arrival_time(source, destination, data.size(), now);
  if (is_closed(destination)) {
    at(source).unsent_bytes -= data.size();
  } else {
    put_under_way(destination, arrival, std::move(data));
  }
}

void SimulatedNetwork::State::start_departures(Rank source) {
  std::vector<Departure>& departures = at(source).departures;
  while (!departures.empty() && departures.front().time <= settled()) {
    std::ranges::pop_heap(departures, Later());
    const Departure departure = departures.back();
    departures.pop_back();
    depart(source, departure.destination, departure.time, Buffer::adopt(departure.node));
  }
}

void SimulatedNetwork::State::send(Rank source, Rank destination, Kind kind, BulkTag tag,
                                   Buffer data) {
  assert(destination.value() >= 0 && destination.value() < size());
  if (closed_ranks_ > 0 && rare(source).is_lost) return;
  if (!data) data = Buffer::allocate(0);
  data.set_note(RoutingNote::pack(kind, source, tag));
  ++totals.messages;
  totals.bytes += data.size();
  at(source).unsent_bytes += data.size();
  start_departures(source);
  const Instant now = clock_.now();
  if (now <= settled()) {
    depart(source, destination, now, std::move(data));
    return;
  }
  std::vector<Departure>& departures = at(source).departures;
  departures.push_back({{now, next_sequence_++, data.release()}, destination});
  std::ranges::push_heap(departures, Later());
  if (listener) listener(source, now);
}

Instant SimulatedNetwork::State::next_arrival(Rank rank) const {
  const SimulatedRank& self = at(rank);
  Instant arrival = self.arrivals.empty() ? never : self.arrivals.front().time;
  if (contended_) {
    const std::unique_ptr<Intake>& intake = rare(rank).intake;
    if (intake && !intake->late.empty()) arrival = std::min(arrival, intake->late.front().time);
  }
  // Nobody knows yet where what claims a link next arrives, nor when.
  if (shared_.any() && !driver_claims) arrival = std::min(arrival, next_claim());
  return self.departures.empty() ? arrival : std::min(arrival, self.departures.front().time);
}

namespace {
constexpr std::size_t most_looked_at = 3;        // of the messages under way to a rank
constexpr std::size_t short_message_bytes = 64;  // prefetched of each
}  // namespace

void SimulatedNetwork::State::look_ahead(Rank rank, int step) const {
  const SimulatedRank& self = at(rank);
  if (step == 0) return core::prefetch_to_write(&self);
  if (step == 1)
    return core::prefetch_to_write(self.arrivals.data(), most_looked_at * sizeof(Arrival));
  for (std::size_t i = 0; i < std::min(most_looked_at, self.arrivals.size()); ++i)
    Buffer::look_ahead(self.arrivals[i].node, short_message_bytes);
}

NextMessage SimulatedNetwork::State::next_message(Rank rank, std::size_t index) const {
  const std::vector<Arrival>& arrivals = at(rank).arrivals;
  if (index >= std::min(most_looked_at, arrivals.size())) return {};
  const Buffer::View message = Buffer::look_at(arrivals[index].node);
  const RoutingNote note = RoutingNote::unpack(message.note);
  if (note.kind != Kind::message) return {note.source, {}};
  return {note.source, message.data};
}

void SimulatedNetwork::State::receive_bulk(Rank rank, Rank source, BulkTag tag, std::size_t bytes,
                                           Buffer target) {
  // Data that arrived before its announcement is delivered by the next progress(): it is treated as
  // arriving a second time, now.
  std::optional<BulkMatch> match = matcher(rank).expect(source, tag, bytes, std::move(target));
  if (!match) return;
  std::optional<BulkMatch> none =
      matcher(rank).expect(source, tag, bytes, std::move(match->target));
  assert(!none);
  at(source).unsent_bytes += match->data.size();
  match->data.set_note(RoutingNote::pack(Kind::bulk, source, tag));
  put_under_way(rank, clock_.now(), std::move(match->data));
}

/// Lets arrivals pass through the interface, one after the other. All that arrives up to now is
/// known by now.
void SimulatedNetwork::State::take_in(Rank rank, Instant now) {
  SimulatedRank& self = at(rank);
  std::unique_ptr<Intake>& intake = rare(rank).intake;
  if (!intake) intake = std::make_unique<Intake>();
  while (!self.arrivals.empty() && self.arrivals.front().time <= now) {
    std::ranges::pop_heap(self.arrivals, Later());
    Arrival arrival = self.arrivals.back();
    self.arrivals.pop_back();
    Buffer data = Buffer::adopt(arrival.node);
    const Rank source = RoutingNote::unpack(data.note()).source;
    if (source != rank) {
      const Duration busy = link_between(source, rank).intake(data.size());
      arrival.time = std::max(arrival.time, intake->free + busy);
      intake->free = arrival.time;
    }
    arrival.node = data.release();
    const auto after = std::ranges::upper_bound(intake->late, arrival.time, {}, &Arrival::time);
    intake->late.insert(after, arrival);
    if (listener && arrival.time > now) listener(rank, arrival.time);
  }
}

std::size_t SimulatedNetwork::State::progress(Rank rank, Sink& sink, std::size_t limit) {
  start_departures(rank);
  if (shared_.any() && !driver_claims) {
    for (const Instant now = settled(); next_claim() <= now;) claim();
  }
  SimulatedRank& self = at(rank);
  const Instant now = clock_.now();
  std::size_t delivered = 0;
  if (contended_) {
    take_in(rank, now);
    std::deque<Arrival>& late = rare(rank).intake->late;
    for (; delivered < limit && !late.empty() && late.front().time <= now;) {
      MpscNode* node = late.front().node;
      late.pop_front();
      delivered += deliver_one(rank, sink, Buffer::adopt(node));
    }
    return delivered;
  }
  while (delivered < limit && !self.arrivals.empty() && self.arrivals.front().time <= now) {
    std::ranges::pop_heap(self.arrivals, Later());
    MpscNode* node = self.arrivals.back().node;
    self.arrivals.pop_back();
    delivered += deliver_one(rank, sink, Buffer::adopt(node));
  }
  return delivered;
}

std::size_t SimulatedNetwork::State::deliver_one(Rank rank, Sink& sink, Buffer data) {
  const RoutingNote note = RoutingNote::unpack(data.note());
  at(note.source).unsent_bytes -= data.size();
  if (note.kind == Kind::message) {
    sink.message(note.source, std::move(data));
    return 1;
  }
  if (note.kind == Kind::loss) {
    sink.peer_failed(note.source, "it was lost in the simulation");
    return 1;
  }
  std::optional<BulkMatch> match = matcher(rank).arrive(note.source, note.tag, std::move(data));
  if (!match) return 0;
  // Copied into memory of the receiver, as a network would do, and as late as possible.
  if (!match->target && !capabilities_.hands_over) match->data = copy_of(match->data);
  deliver(sink, note.source, note.tag, std::move(*match));
  return 1;
}

void SimulatedNetwork::State::drop_arrivals(Rank rank) {
  const auto drop = [this](const Arrival& arrival) {
    const Buffer dropped = Buffer::adopt(arrival.node);
    at(RoutingNote::unpack(dropped.note()).source).unsent_bytes -= dropped.size();
  };
  std::ranges::for_each(at(rank).arrivals, drop);
  at(rank).arrivals = {};
  Intake* const intake = rare(rank).intake.get();
  if (intake == nullptr) return;
  std::ranges::for_each(intake->late, drop);
  intake->late.clear();
}

void SimulatedNetwork::State::close(Rank rank) {
  if (!std::exchange(rare(rank).closed, true)) ++closed_ranks_;
  drop_arrivals(rank);
}

void SimulatedNetwork::State::drop_departures(Rank rank) {
  for (const Departure& departure : at(rank).departures) Buffer::adopt(departure.node).reset();
  at(rank).departures.clear();
}

/// Of what is under way between two ranks, a random number of the first ones is left.
void SimulatedNetwork::State::drop_last_arrivals(Rank rank, Rank source) {
  std::vector<Arrival>& heap = at(rank).arrivals;
  std::vector<Arrival> from_there;
  std::erase_if(heap, [&](const Arrival& arrival) {
    const bool is_from_there =
        RoutingNote::unpack(Buffer::look_at(arrival.node).note).source == source;
    if (is_from_there) from_there.push_back(arrival);
    return is_from_there;
  });
  std::ranges::sort(from_there, {}, &Arrival::sequence);
  const std::size_t kept = random_.below(from_there.size() + 1);
  for (std::size_t i = 0; i < from_there.size(); ++i) {
    if (i < kept) {
      heap.push_back(from_there[i]);
    } else {
      Buffer::adopt(from_there[i].node).reset();
    }
  }
  std::ranges::make_heap(heap, Later());
}

void SimulatedNetwork::State::lose(Rank lost, Duration notice) {
  if (rare(lost).is_lost) return;
  start_departures(lost);
  drop_departures(lost);
  rare(lost).is_lost = true;
  close(lost);
  for (std::int32_t i = 0; i < size(); ++i) {
    const Rank rank(i);
    if (rank == lost || is_closed(rank)) continue;
    drop_last_arrivals(rank, lost);
    Buffer news = Buffer::allocate(0);
    news.set_note(RoutingNote::pack(Kind::loss, lost, 0));
    const Duration later(random_.below(static_cast<std::uint64_t>(notice.count()) + 1));
    put_under_way(rank, settled() + later, std::move(news));
  }
}

void SimulatedNetwork::State::take_out(Rank rank) {
  if (rank.value() < 0 || rank.value() >= size()) {
    throw Error("no endpoint for rank " + std::to_string(rank.value()) + ": the job has " +
                std::to_string(size()) + " ranks");
  }
  if (std::exchange(rare(rank).taken_out, true)) {
    throw Error("the endpoint of rank " + std::to_string(rank.value()) +
                " has been handed out already");
  }
}

class SimulatedNetwork::Port final : public Endpoint {
 public:
  Port(State& state, Rank rank) : state_(state), rank_(rank) {}
  ~Port() override { state_.close(rank_); }

  Rank rank() const override { return rank_; }
  std::int32_t size() const override { return state_.size(); }
  const Capabilities& capabilities() const override { return state_.capabilities(); }
  void send(Rank destination, Buffer&& data) override {
    state_.send(rank_, destination, Kind::message, 0, std::move(data));
  }
  void send_bulk(Rank destination, BulkTag tag, Buffer&& data) override {
    state_.send(rank_, destination, Kind::bulk, tag, std::move(data));
  }
  void receive_bulk(Rank source, BulkTag tag, std::size_t size, Buffer target) override {
    state_.receive_bulk(rank_, source, tag, size, std::move(target));
  }
  std::size_t progress(Sink& sink, std::size_t limit) override {
    return state_.progress(rank_, sink, limit);
  }
  std::size_t unsent_bytes() const override { return state_.at(rank_).unsent_bytes; }
  void set_waker(std::function<void()> /*waker*/) override {}
  Instant next_arrival() const override { return state_.next_arrival(rank_); }
  void look_ahead(int step) const override { state_.look_ahead(rank_, step); }
  NextMessage next_message(std::size_t index) const override {
    return state_.next_message(rank_, index);
  }
  void close(bool /*aborting*/) override { state_.close(rank_); }

 private:
  State& state_;
  const Rank rank_;
};

SimulatedNetwork::SimulatedNetwork(const SimulatedNetworkParameters& parameters, std::int32_t ranks,
                                   const core::Clock& clock, std::uint64_t seed) {
  if (ranks < 1) throw ConfigError("simulated network: needs at least 1 rank");
  check(parameters);
  state_ = std::make_unique<State>(parameters, ranks, clock, seed);
}

SimulatedNetwork::~SimulatedNetwork() = default;

void SimulatedNetwork::set_listener(Listener listener) { state_->listener = std::move(listener); }
void SimulatedNetwork::set_delays(Delays delays) { state_->set_delays(std::move(delays)); }
void SimulatedNetwork::lose(Rank rank, Duration notice) { state_->lose(rank, notice); }
Duration SimulatedNetwork::least_delay() const { return state_->least_delay(); }
bool SimulatedNetwork::shares_links() const { return state_->shares_links(); }
void SimulatedNetwork::leave_claims_to_driver() { state_->driver_claims = true; }
Instant SimulatedNetwork::next_claim() const { return state_->next_claim(); }
void SimulatedNetwork::claim() { state_->claim(); }
SimulatedNetwork::Totals SimulatedNetwork::totals() const { return state_->totals; }
std::int32_t SimulatedNetwork::size() const { return state_->size(); }

std::vector<Rank> SimulatedNetwork::local_ranks() const {
  std::vector<Rank> ranks;
  for (std::int32_t rank = 0; rank < size(); ++rank) ranks.emplace_back(rank);
  return ranks;
}

std::unique_ptr<Endpoint> SimulatedNetwork::endpoint(Rank rank) {
  state_->take_out(rank);
  return std::make_unique<Port>(*state_, rank);
}

void SimulatedNetwork::abort(int status) { std::_Exit(status); }

}  // namespace roam::transport
