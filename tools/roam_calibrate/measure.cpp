// SPDX-License-Identifier: Apache-2.0
#include "measure.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace roam_calibrate {

/// The object that measurements call.
struct Probe {
  roam::mobile_ptr<Probe> self;
  std::uint64_t taken = 0;
  roam::Instant begin{0};
  double chain_seconds = 0;

  void name(roam::mobile_ptr<Probe> own) { self = own; }
  void echo() { ++taken; }
  void echo_bytes(std::vector<std::uint8_t> bytes) { taken += bytes.empty() ? 0 : 1; }
  /// Each call issues the next.
  void chain(std::uint64_t left, std::uint64_t all) {
    if (left == all) begin = roam::here().now();
    if (left > 0) return self.send<&Probe::chain>(left - 1, all);
    chain_seconds = roam::seconds(roam::here().now() - begin) / static_cast<double>(all);
  }
  [[nodiscard]] double seconds_of_chain() const { return chain_seconds; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(self, taken, chain_seconds);
  }
};

namespace {

using Pointer = roam::mobile_ptr<Probe>;

constexpr std::uint64_t chain_length = 20'000;
constexpr int round_trips = 2'000;
constexpr int flood_messages = 2'000;
constexpr std::size_t flood_bytes = 4096;  // too large to be combined with other messages
constexpr std::size_t small_data = std::size_t{1} << 20U;
constexpr std::size_t large_data = std::size_t{4} << 20U;
constexpr int transfers = 8;
constexpr double noise_seconds = 1e-3;
constexpr int noise_samples = 300;

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

double since(roam::Runtime& rt, roam::Instant begin) { return roam::seconds(rt.now() - begin); }

/// To be called by all ranks, so that the others are idle.
roam::Task<double> handler_seconds(roam::Runtime& rt, Pointer local) {
  if (rt.rank() == 0) local.send<&Probe::chain>(chain_length, chain_length);
  co_await rt.quiescence();
  co_return co_await local.call<&Probe::seconds_of_chain>();
}

roam::Task<double> round_trip_seconds(roam::Runtime& rt, Pointer other) {
  const roam::Instant begin = rt.now();
  for (int i = 0; i < round_trips; ++i) co_await other.call<&Probe::echo>();
  co_return since(rt, begin) / round_trips;
}

roam::Task<double> transfer_seconds(roam::Runtime& rt, Pointer other, std::size_t bytes) {
  const std::vector<std::uint8_t> data(bytes);
  const roam::Instant begin = rt.now();
  for (int i = 0; i < transfers; ++i) co_await other.call<&Probe::echo_bytes>(data);
  co_return since(rt, begin) / transfers;
}

struct Flood {
  double send_seconds;
  double message_seconds;
};

roam::Task<Flood> flood(roam::Runtime& rt, Pointer other) {
  const std::vector<std::uint8_t> data(flood_bytes);
  co_await other.call<&Probe::echo>();
  const roam::Instant begin = rt.now();
  for (int i = 0; i < flood_messages; ++i) other.send<&Probe::echo_bytes>(data);
  const double sending = since(rt, begin);
  co_await other.call<&Probe::echo>();  // ordered behind all of them
  co_return Flood{sending / flood_messages, since(rt, begin) / flood_messages};
}

roam::Task<LinkCosts> measure_link(roam::Runtime& rt, Pointer other, std::int32_t rank,
                                   int repeats) {
  std::vector<double> round_trip;
  std::vector<double> rate;
  std::vector<double> sending;
  std::vector<double> message;
  for (int i = 0; i < repeats; ++i) {
    round_trip.push_back(co_await round_trip_seconds(rt, other));
    const double small = co_await transfer_seconds(rt, other, small_data);
    const double large = co_await transfer_seconds(rt, other, large_data);
    rate.push_back(large > small ? double(large_data - small_data) / (large - small) : 1e15);
    const Flood flooded = co_await flood(rt, other);
    sending.push_back(flooded.send_seconds);
    message.push_back(flooded.message_seconds);
  }
  LinkCosts costs;
  costs.rank = rank;
  costs.one_way_seconds = median(round_trip) / 2;
  costs.bytes_per_second = median(rate);
  // The sender is busy for at most half of the one-way time.
  costs.send_seconds = std::min(median(sending), costs.one_way_seconds / 4);
  costs.gap_seconds = std::max(0.0, median(message) - double(flood_bytes) / costs.bytes_per_second);
  co_return costs;
}

/// Work that always takes the same time if it is not disturbed. Volatile: the compiler leaves it
/// between the two readings of the clock.
void work(std::uint64_t rounds) {
  volatile double x = 1;
  for (std::uint64_t i = 0; i < rounds; ++i) x = x * 0.999999 + 1e-6;
}

/// The noise: twice the average relative delay of the same work, as if delays were distributed
/// evenly from 0 on.
double noise_of(roam::Runtime& rt) {
  if (rt.options().simulate) return rt.options().simulate->noise;  // work takes no virtual time
  std::uint64_t rounds = 1000;
  for (double taken = 0; taken < noise_seconds; rounds *= 2) {
    const roam::Instant begin = rt.now();
    work(rounds);
    taken = since(rt, begin);
  }
  std::vector<double> taken;
  double sum = 0;
  for (int i = 0; i < noise_samples; ++i) {
    const roam::Instant begin = rt.now();
    work(rounds);
    taken.push_back(since(rt, begin));
    sum += taken.back();
  }
  // Not the smallest value: clocks have a finite resolution.
  std::ranges::sort(taken);
  const double undisturbed = taken[taken.size() / 20];
  return std::max(0.0, 2 * (sum / noise_samples / undisturbed - 1));
}

}  // namespace

roam::Task<Costs> measure(roam::Runtime& rt, int repeats) {
  const Pointer mine = rt.create<Probe>();
  mine.send<&Probe::name>(mine);
  const std::vector<Pointer> probes = co_await rt.allgather(mine);
  co_await rt.quiescence();
  Costs costs;
  std::vector<double> handler;
  for (int i = 0; i < repeats; ++i) handler.push_back(co_await handler_seconds(rt, mine));
  costs.handler_seconds = median(handler);
  if (rt.rank() == 0) {
    costs.noise = noise_of(rt);
    for (std::int32_t other = 1; other < rt.size(); other *= 2) {
      costs.links.push_back(
          co_await measure_link(rt, probes[static_cast<std::size_t>(other)], other, repeats));
    }
  }
  co_await rt.quiescence();
  co_return costs;
}

}  // namespace roam_calibrate
