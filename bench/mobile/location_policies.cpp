// SPDX-License-Identifier: Apache-2.0
// What the three location policies cost, on a simulated machine of 64 ranks (every run gives the
// same figures): 256 objects, called and awaited by all ranks, while they move more or less often.
//   bench_location_policies [--short] [--repeats N] [--json FILE]      repeats: other seeds
#include <array>
#include <nlohmann/json.hpp>
#include <roam/roam.hpp>
#include <roam/runtime/simulated_job.hpp>
#include <vector>

#include "../support/report.hpp"

namespace {

constexpr std::int32_t rank_count = 64;
constexpr std::size_t object_count = 256;
constexpr std::array<roam::LocationPolicy, 3> policies{
    roam::LocationPolicy::lazy, roam::LocationPolicy::eager, roam::LocationPolicy::home};

struct Target {
  std::uint64_t calls = 0;
  std::uint64_t add() { return ++calls; }
};

struct Figures {
  double microseconds = 0;  // mean time of an awaited call
  double messages = 0;      // messages of all kinds for each call
  double forwarded = 0;     // for each call
  double updates = 0;       // for each call
};

struct Setting {
  roam::LocationPolicy policy;
  int moves_in_100_calls;
  int calls_of_each_rank;
  std::uint64_t seed;
};

roam::Task<> call_and_move(roam::Runtime& rt, const Setting& setting,
                           const std::vector<roam::mobile_ptr<Target>>& targets,
                           roam::Duration& waited) {
  roam::core::Random random(setting.seed * rank_count +
                            static_cast<std::uint64_t>(rt.rank().value()));
  for (int i = 0; i < setting.calls_of_each_rank; ++i) {
    if (random.below(100) < static_cast<std::uint64_t>(setting.moves_in_100_calls))
      targets[random.below(object_count)].migrate(
          static_cast<std::int32_t>(random.below(rank_count)));
    // Each rank prefers certain objects, as neighbours in a mesh do.
    const std::size_t favourite =
        static_cast<std::size_t>(rt.rank().value()) * 4 + random.below(16);
    const roam::Instant begin = rt.now();
    static_cast<void>(co_await targets[favourite % object_count].call<&Target::add>());
    waited += rt.now() - begin;
  }
}

Figures run(const Setting& setting) {
  roam::SimulatedJobOptions options;
  options.options.simulate = roam::Machine{};
  options.options.simulate->ranks = rank_count;
  options.options.seed = setting.seed;
  options.options.location_policy = setting.policy;
  roam::SimulatedJob job(options);
  std::vector<roam::mobile_ptr<Target>> targets(object_count);
  roam::Duration waited{0};
  const auto program = [&](roam::Runtime& rt) -> roam::Task<> {
    for (std::size_t i = 0; i < object_count; ++i) {
      if (i % rank_count == rt.rank().index()) targets[i] = rt.create<Target>();
    }
    co_await rt.quiescence();
    co_await call_and_move(rt, setting, targets, waited);
    co_await rt.quiescence();
  };
  if (!job.run(program)) {
    std::fprintf(stderr, "%s\n", job.error().c_str());
    std::exit(1);
  }
  const double calls = rank_count * setting.calls_of_each_rank;
  Figures figures;
  figures.microseconds = roam::seconds(waited) * 1e6 / calls;
  for (std::int32_t r = 0; r < rank_count; ++r) {
    const auto stats = job.runtime(r).objects().stats();
    figures.messages +=
        static_cast<double>(job.runtime(r).messenger().stats().messages_sent) / calls;
    figures.forwarded += static_cast<double>(stats.calls_forwarded) / calls;
    figures.updates += static_cast<double>(stats.location_updates) / calls;
  }
  return figures;
}

Figures mean_of(Setting setting, int seeds) {
  Figures mean;
  for (int seed = 1; seed <= seeds; ++seed) {
    setting.seed = static_cast<std::uint64_t>(seed);
    const Figures one = run(setting);
    mean.microseconds += one.microseconds / seeds;
    mean.messages += one.messages / seeds;
    mean.forwarded += one.forwarded / seeds;
    mean.updates += one.updates / seeds;
  }
  return mean;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Settings settings = bench::read_settings(argc, argv);
  const int seeds = settings.is_short ? 1 : std::min(settings.repeats, 5);
  nlohmann::json rows = nlohmann::json::array();
  std::printf("64 simulated ranks, 256 objects; for each awaited call:\n");
  std::printf("%16s %8s %10s %10s %10s %10s\n", "moves/100 calls", "policy", "us", "messages",
              "forwarded", "updates");
  for (const int moves : {0, 1, 10, 100}) {
    for (const auto policy : policies) {
      const Figures f = mean_of({policy, moves, settings.is_short ? 50 : 500, 1}, seeds);
      const std::string name(roam::to_string(policy));
      std::printf("%16d %8s %10.2f %10.2f %10.2f %10.2f\n", moves, name.c_str(), f.microseconds,
                  f.messages, f.forwarded, f.updates);
      rows.push_back({{"moves_in_100_calls", moves},
                      {"policy", name},
                      {"microseconds", f.microseconds},
                      {"messages", f.messages},
                      {"forwarded", f.forwarded},
                      {"updates", f.updates}});
    }
  }
  bench::write_json(settings.json, rows);
  return 0;
}
