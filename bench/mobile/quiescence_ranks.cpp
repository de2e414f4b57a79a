// SPDX-License-Identifier: Apache-2.0
// How the end of work is found on simulated machines of 2 to 131,072 ranks with 10 objects each:
// from the end of the last handler to the moment rank 0 knows, in virtual time and in rounds, which
// are travel times of one message. The work: a handler on every rank, spread over a binary tree,
// which calls each object of its rank. Once for quiescence of the whole job, once for an epoch.
//   bench_quiescence_ranks [--short] [--ranks N] [--json FILE]     --ranks: up to so many
#include <sys/resource.h>

#include <algorithm>
#include <bit>
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

constexpr int objects_each = 10;

struct Counter {
  std::uint64_t value = 0;
  void add(std::uint64_t n);
};

/// The measurements of the simulation that runs now, on this one thread.
struct Measured {
  roam::Instant last_work{0};
  roam::Duration quiescence{0};
  roam::Duration epoch{0};
  std::vector<std::vector<roam::mobile_ptr<Counter>>> objects;
  std::uint64_t work_done = 0;
};
std::unique_ptr<Measured> measured;

void Counter::add(std::uint64_t n) {
  value += n;
  ++measured->work_done;
  measured->last_work = std::max(measured->last_work, roam::here().now());
}

void spread() {
  roam::Runtime& rt = roam::here();
  const std::int64_t first = 2 * std::int64_t{rt.rank().value()} + 1;
  for (std::int64_t child = first; child < std::min<std::int64_t>(first + 2, rt.size()); ++child)
    rt.send<&spread>(static_cast<std::int32_t>(child));
  for (const auto& object : measured->objects[rt.rank().index()])
    object.send<&Counter::add>(std::uint64_t{1});
}

roam::Task<> program(roam::Runtime& rt) {
  for (int i = 0; i < objects_each; ++i)
    measured->objects[rt.rank().index()].push_back(rt.create<Counter>());
  co_await rt.quiescence();
  if (rt.rank() == 0) rt.send<&spread>(0);
  co_await rt.quiescence();
  if (rt.rank() != 0) co_return;
  measured->quiescence = rt.now() - measured->last_work;
  co_await rt.run_epoch([&rt] { rt.send<&spread>(0); });
  measured->epoch = rt.now() - measured->last_work;
}

double user_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

nlohmann::json measure(std::int32_t ranks) {
  roam::SimulatedJobOptions options;
  options.options.simulate = roam::Machine{};
  options.options.simulate->ranks = ranks;
  options.options.simulate->workers_per_rank = 1;
  const roam::NetworkLevel& network = options.options.simulate->network.back();
  const double round_seconds = network.latency_seconds + network.overhead_seconds;
  measured = std::make_unique<Measured>();
  measured->objects.resize(static_cast<std::size_t>(ranks));
  const double begin = user_seconds();
  const std::uint64_t before = bench::resident_kib();
  roam::SimulatedJob job(options);
  if (!job.run(&program)) {
    std::fprintf(stderr, "%s\n", job.error().c_str());
    std::exit(1);
  }
  if (measured->work_done != 2 * objects_each * static_cast<std::uint64_t>(ranks)) {
    std::fprintf(stderr, "not every call has run\n");
    std::exit(1);
  }
  const double memory = static_cast<double>(bench::resident_kib() - before) / 1024;
  const double quiescence = roam::seconds(measured->quiescence);
  const double epoch = roam::seconds(measured->epoch);
  std::printf("  %7d  %10.1f us %8.1f  %10.1f us %8.1f  %9.0f MiB %8.1f s\n", ranks,
              1e6 * quiescence, quiescence / round_seconds, 1e6 * epoch, epoch / round_seconds,
              memory, user_seconds() - begin);
  std::fflush(stdout);
  return {{"ranks", ranks},
          {"quiescence_us", 1e6 * quiescence},
          {"quiescence_rounds", quiescence / round_seconds},
          {"epoch_us", 1e6 * epoch},
          {"epoch_rounds", epoch / round_seconds},
          {"memory_mib", memory},
          {"seconds", user_seconds() - begin}};
}

}  // namespace

int main(int argc, char** argv) {
  int most = 131'072;
  const bench::Settings settings = bench::read_settings(argc, argv, {{"--ranks", &most}});
  if (settings.is_short) most = std::min(most, 256);
  std::printf("end of work on a simulated machine, %d objects per rank\n", objects_each);
  std::printf("  %7s  %13s %8s  %13s %8s  %13s %10s\n", "ranks", "quiescence", "rounds", "epoch",
              "rounds", "memory", "computed");
  nlohmann::json rows = nlohmann::json::array();
  for (int ranks = 2; ranks <= most; ranks *= 4) rows.push_back(measure(ranks));
  bench::write_json(settings.json, {{"benchmark", "end of work by ranks"}, {"rows", rows}});
  return 0;
}
