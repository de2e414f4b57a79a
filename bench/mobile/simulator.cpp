// SPDX-License-Identifier: Apache-2.0
// How fast simulated jobs are computed, on one core: handlers run per second of CPU time, from the
// first to the last, and memory by number of ranks, with 10 objects each. The handlers are calls,
// each of which issues the next: to an object of the same rank, or of one of the next eight.
//   bench_simulator [--short] [--from N] [--ranks N] [--json FILE]
//     --from, --ranks: jobs of 2, 32, ..., 131,072 ranks, from so many on and up to so many
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <roam/roam.hpp>
#include <roam/runtime/simulated_job.hpp>
#include <vector>

#include "../support/report.hpp"
#include "../support/resident_memory.hpp"
#include "../support/settings.hpp"

namespace {

constexpr std::size_t objects_each = 10;
constexpr std::int64_t calls_in_all = 4'000'000;

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/// A chain of calls. With `away`, each goes to another rank.
struct Link {
  std::uint64_t value = 0;
  void next(std::uint32_t left, bool away);
};

/// The data of the simulation that runs now, on this one thread.
struct Job {
  std::vector<roam::mobile_ptr<Link>> links;  // those of rank 0, of rank 1, ...
  std::uint64_t calls_done = 0;
  std::uint64_t last_call = 0;  // of the chains that run now
  double end = 0;
  double local_seconds = 0;
  double remote_seconds = 0;
  std::uint64_t calls_of_each_kind = 0;
};
std::unique_ptr<Job> job;

roam::mobile_ptr<Link> another(std::uint64_t draw, bool away) {
  const std::size_t ranks = job->links.size() / objects_each;
  const std::size_t step = 1 + draw % std::min<std::size_t>(8, ranks - 1);
  const std::size_t rank = (roam::here().rank().index() + (away ? step : 0)) % ranks;
  return job->links[rank * objects_each + (draw >> 32U) % objects_each];
}

void Link::next(std::uint32_t left, bool away) {
  value = (value + left) * 0x9e3779b97f4a7c15ULL;  // random enough to choose by
  if (++job->calls_done == job->last_call) job->end = cpu_seconds();
  if (left > 0) another(value ^ (value >> 29U), away).send<&Link::next>(left - 1, away);
}

/// Runs one chain on each rank. On rank 0, returns the CPU time until all have ended; the detection
/// of that end is not part of it.
roam::Task<double> chains(roam::Runtime& rt, std::uint32_t length, bool away) {
  co_await rt.quiescence();
  const double begin = cpu_seconds();
  if (rt.rank() == 0) job->last_call += length * (job->links.size() / objects_each);
  job->links[rt.rank().index() * objects_each].send<&Link::next>(length - 1, away);
  co_await rt.quiescence();
  co_return job->end - begin;
}

roam::Task<> program(roam::Runtime& rt, std::uint32_t length) {
  for (std::size_t i = 0; i < objects_each; ++i)
    job->links[rt.rank().index() * objects_each + i] = rt.create<Link>();
  const double local = co_await chains(rt, length, false);
  if (rt.rank() == 0) job->calls_of_each_kind = job->calls_done;
  const double remote = co_await chains(rt, length, true);
  if (rt.rank() != 0) co_return;
  job->local_seconds = local;
  job->remote_seconds = remote;
}

nlohmann::json measure(std::int32_t ranks, std::int64_t calls) {
  roam::SimulatedJobOptions options;
  options.options.simulate = roam::Machine{};
  options.options.simulate->ranks = ranks;
  options.options.simulate->workers_per_rank = 1;
  const auto length = static_cast<std::uint32_t>(std::max<std::int64_t>(1, calls / ranks));
  job = std::make_unique<Job>();
  job->links.resize(static_cast<std::size_t>(ranks) * objects_each);
  const std::uint64_t before = bench::resident_kib();
  roam::SimulatedJob simulated(options);
  if (!simulated.run([length](roam::Runtime& rt) { return program(rt, length); })) {
    std::fprintf(stderr, "%s\n", simulated.error().c_str());
    std::exit(1);
  }
  const auto expected = static_cast<std::uint64_t>(length) * static_cast<std::uint64_t>(ranks);
  if (job->calls_of_each_kind != expected || job->calls_done != 2 * expected) {
    std::fprintf(stderr, "not every call has run\n");
    std::exit(1);
  }
  const double gibibytes = static_cast<double>(bench::resident_kib() - before) / (1 << 20);
  const double local = static_cast<double>(expected) / job->local_seconds / 1e6;
  const double remote = static_cast<double>(expected) / job->remote_seconds / 1e6;
  std::printf("  %7d  %12.2f  %12.2f  %9.2f GiB\n", ranks, local, remote, gibibytes);
  std::fflush(stdout);
  return {{"ranks", ranks},
          {"local_calls_per_us", local},
          {"remote_calls_per_us", remote},
          {"memory_gib", gibibytes}};
}

}  // namespace

int main(int argc, char** argv) {
  int least = 2;
  int most = 131'072;
  const bench::Settings settings =
      bench::read_settings(argc, argv, {{"--from", &least}, {"--ranks", &most}});
  if (settings.is_short) most = std::min(most, 512);
  const std::int64_t calls = settings.is_short ? calls_in_all / 10 : calls_in_all;
  std::printf("simulated jobs, %zu objects per rank: million calls per second of one core\n",
              objects_each);
  std::printf("  %7s  %12s  %12s  %13s\n", "ranks", "same rank", "other rank", "memory");
  nlohmann::json rows = nlohmann::json::array();
  for (int ranks = 2; ranks <= most; ranks *= 16) {
    if (ranks >= least) rows.push_back(measure(ranks, calls));
  }
  bench::write_json(settings.json, {{"benchmark", "speed of simulation"}, {"rows", rows}});
  return 0;
}
