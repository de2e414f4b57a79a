// SPDX-License-Identifier: Apache-2.0
// What recording loads costs a program of fine grain that balancing cannot help: two ranks of one
// process, one worker each, with 64 objects each whose calls take 1, 2, 5 and 20 us, all alike.
// With a policy in turn with none; the time of a call is that of the median block on the first
// rank.
//   bench_load_recording [--short] [--repeats N] [--json FILE]
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <roam/balance/registry.hpp>
#include <roam/roam.hpp>
#include <span>
#include <string>
#include <vector>

#include "../support/game.hpp"

namespace {

using roam::balance::Parameters;
using roam::balance::PolicyHost;

constexpr int objects = 64;

class Onlooker final : public roam::balance::Policy {
 public:
  explicit Onlooker(PolicyHost& host) : host_(host) {}
  [[nodiscard]] roam::Instant balance(roam::Instant) override {
    most_seconds_ = std::max(most_seconds_, host_.load().total());
    return roam::never;
  }
  void receive(roam::Rank, std::span<const std::byte>) override {}

 private:
  PolicyHost& host_;
  double most_seconds_ = 0;
};

const roam::balance::PolicyRegistrar registrar{
    {.name = "onlooker",
     .description = "looks at the loads and moves nothing",
     .parameters = {},
     .create = [](const Parameters&, PolicyHost& host) -> std::unique_ptr<roam::balance::Policy> {
       return std::make_unique<Onlooker>(host);
     }}};

/// A chain of multiplications that the compiler cannot shorten.
std::uint64_t churn(std::uint64_t value, std::uint64_t steps) {
  for (std::uint64_t i = 0; i < steps; ++i)
    value = value * 6364136223846793005U + 1442695040888963U;
  return value;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// The median of some tries.
double seconds_per_step() {
  constexpr std::uint64_t steps = 20000;
  std::vector<double> tries;
  std::uint64_t value = 1;
  for (int i = 0; i < 101; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    value = churn(value, steps);
    tries.push_back(seconds_since(begin) / steps);
  }
  if (value == 42) std::puts("");  // prevents the compiler from removing the computation
  return bench::quantile(tries, 0.5);
}

struct Piece {
  std::uint64_t value = 1;
  std::uint64_t steps = 0;
  void work() { value = churn(value, steps); }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(value, steps);
  }
};

// The objects by rank, for beat(), a function that stays on its rank, as an object need not.
std::array<std::vector<roam::mobile_ptr<Piece>>, 2> pieces;

/// Lets each piece of its rank work once, and then runs again.
void beat() {
  if (!bench::player().next()) return;
  const roam::Rank rank = roam::here().rank();
  for (const auto& piece : pieces[rank.index()]) piece.send<&Piece::work>();
  roam::here().send<&beat>(rank);
}

/// Seconds of a call on rank 0, while both ranks do the same.
double seconds_per_call(const std::string& balancer, std::uint64_t steps, int blocks, int beats) {
  roam::Options options;
  options.ranks = 2;
  options.ranks_given = true;
  options.workers = 1;
  options.transport = "in-process";
  options.balancer.name = balancer;
  options.pin.policy = roam::Pinning::Policy::compact;
  double seconds = 0;
  const auto program = [&](roam::Runtime& rt) -> roam::Task<> {
    auto& own = pieces[rt.rank().index()];
    own.clear();
    for (int i = 0; i < objects; ++i) own.push_back(rt.create<Piece>(Piece{1, steps}));
    co_await rt.barrier();
    const double round = co_await bench::play(blocks, beats, [&] { rt.send<&beat>(rt.rank()); });
    if (rt.rank() == 0) seconds = round / objects;
  };
  if (roam::run(options, program) != 0) std::exit(1);
  return seconds;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Settings settings = bench::read_settings(argc, argv);
  const double step = seconds_per_step();
  bench::Report report("loads recorded for a policy, time of a call", "none", "us");
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    for (const int grain_us : {1, 2, 5, 20}) {
      const auto steps = static_cast<std::uint64_t>(grain_us * 1e-6 / step);
      const int blocks = (settings.is_short ? 1000 : 3000) / grain_us;
      const double none = seconds_per_call("none", steps, blocks, 2);
      report.add("calls of " + std::to_string(grain_us) + " us", none,
                 seconds_per_call("onlooker", steps, blocks, 2));
    }
  }
  report.finish(settings);
  return 0;
}
