// SPDX-License-Identifier: Apache-2.0
// Explores simulated schedules of the protocols of mobile objects, of offloaded tasks, of flow
// programs and of strategies that ranks decide together, some of each in turn, for a given time on
// several threads:
//   soak_schedules <seconds> [threads] [first seed] [mobile|offload|flow|balance: one of them
//   alone]
// Prints a line every ten seconds and one at the end; exits with 1 if a promise was violated.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "balance/topology_scenario.hpp"
#include "flow/chaos_scenario.hpp"
#include "mobile/chaos_scenario.hpp"
#include "offload/chaos_scenario.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using roam::testing::Report;
using roam::testing::Totals;

constexpr std::uint64_t schedules_per_part = 500;
constexpr std::size_t most_threads = 256;

// For the handler of a crash, which has nothing else to go by: the seeds under way.
std::atomic<std::uint64_t> seeds[most_threads];

void crashed(int signal) {
  std::fprintf(stderr, "\ncrash (signal %d) in one of the schedules with seeds", signal);
  for (const auto& seed : seeds) {
    if (seed.load() != 0) std::fprintf(stderr, " %llu", static_cast<unsigned long long>(seed));
  }
  std::fprintf(stderr, "\n");
  std::_Exit(1);
}

using Explore = Report (*)(const roam::testing::ExploreOptions& part);

Report explore_mobile(const roam::testing::ExploreOptions& part) {
  return explore(part, [](roam::testing::Schedule& schedule) {
    return chaos::make_scenario(schedule, chaos::draw_size(schedule));
  });
}

Report explore_part(roam::testing::ExploreOptions options,
                    const roam::testing::ExploreOptions& part,
                    const roam::testing::MakeScenario& scenario) {
  options.first_seed = part.first_seed;
  options.schedules = part.schedules;
  options.time_limit = part.time_limit;
  options.announce = part.announce;
  return explore(options, scenario);
}
Report explore_offload(const roam::testing::ExploreOptions& part) {
  return explore_part(roam::offload::chaos::explore_options(), part,
                      roam::offload::chaos::make_scenario);
}
Report explore_flow(const roam::testing::ExploreOptions& part) {
  return explore_part(roam::flow::chaos::explore_options(), part, roam::flow::chaos::make_scenario);
}

Report explore_balance(const roam::testing::ExploreOptions& part) {
  return explore_part(roam::balance::topology_chaos::explore_options(), part,
                      roam::balance::topology_chaos::make_scenario);
}

/// Of one name, or all.
std::vector<Explore> scenarios(const std::string& only) {
  std::vector<Explore> chosen;
  if (only.empty() || only == "mobile") chosen.push_back(&explore_mobile);
  if (only.empty() || only == "offload") chosen.push_back(&explore_offload);
  if (only.empty() || only == "flow") chosen.push_back(&explore_flow);
  if (only.empty() || only == "balance") chosen.push_back(&explore_balance);
  return chosen;
}

/// What all threads have done so far.
class Soak {
 public:
  Soak(double duration, std::uint64_t first, std::vector<Explore> choice)
      : choice_(std::move(choice)),
        end_(begin_ +
             std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(duration))),
        next_seed_(first) {}

  void work(std::size_t thread) {
    while (Clock::now() < end_ && !failed_.load()) {
      roam::testing::ExploreOptions options;
      options.first_seed = next_seed_.fetch_add(schedules_per_part);
      options.schedules = schedules_per_part;
      options.time_limit = end_ - Clock::now();
      options.announce = [thread](std::uint64_t seed) { seeds[thread].store(seed); };
      const Report report =
          choice_[options.first_seed / schedules_per_part % choice_.size()](options);
      const std::lock_guard guard(mutex_);
      totals_ += report.totals();
      if (!report.ok()) {
        failed_.store(true);
        std::cout << report << std::flush;
      }
    }
    running_.fetch_sub(1);
  }
  void watch(std::size_t threads) {
    running_.store(threads);
    std::vector<std::thread> all;
    for (std::size_t thread = 0; thread < threads; ++thread)
      all.emplace_back([this, thread] { work(thread); });
    auto next_line = begin_ + std::chrono::seconds(10);
    while (running_.load() > 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      if (Clock::now() < next_line) continue;
      next_line += std::chrono::seconds(10);
      print("");
    }
    for (std::thread& thread : all) thread.join();
    print("summary: ");
  }
  [[nodiscard]] bool failed() const { return failed_.load(); }

 private:
  void print(const char* prefix) {
    const std::lock_guard guard(mutex_);
    const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    std::printf(
        "%s%llu schedules in %.0f s (%.0f per second), %llu calls, %llu migrations, "
        "%llu violations\n",
        prefix, static_cast<unsigned long long>(totals_.schedules), seconds,
        static_cast<double>(totals_.schedules) / seconds,
        static_cast<unsigned long long>(totals_.calls),
        static_cast<unsigned long long>(totals_.migrations), failed_.load() ? 1ULL : 0ULL);
    std::fflush(stdout);
  }

  const std::vector<Explore> choice_;
  const Clock::time_point begin_ = Clock::now();
  const Clock::time_point end_;
  std::atomic<std::uint64_t> next_seed_;
  std::atomic<bool> failed_{false};
  std::atomic<std::size_t> running_{0};
  std::mutex mutex_;
  Totals totals_;  // under mutex_
};

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 600;
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t threads =
      std::min(argc > 2 ? static_cast<std::size_t>(std::atoll(argv[2])) : cores, most_threads);
  const std::uint64_t first = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
  for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL}) std::signal(signal, crashed);
  const std::vector<Explore> choice = scenarios(argc > 4 ? argv[4] : "");
  if (choice.empty()) {
    std::fprintf(stderr, "soak_schedules: there is no scenario %s\n", argv[4]);
    return 2;
  }
  Soak soak(seconds, first, choice);
  soak.watch(std::max<std::size_t>(threads, 1));
  return soak.failed() ? 1 : 0;
}
