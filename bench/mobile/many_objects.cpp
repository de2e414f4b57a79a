// SPDX-License-Identifier: Apache-2.0
// Very many small objects in one process: created, called once each, destroyed; how long that takes
// and what memory the runtime needs for each beyond the program's own data. In turn with what a
// program might write instead: the same objects in a std::unordered_map under a mutex.
//   bench_many_objects [--short] [--repeats N] [--json FILE]      10 million; --short: 100 thousand
#include <cstdint>
#include <memory>
#include <mutex>
#include <roam/roam.hpp>
#include <unordered_map>
#include <vector>

#include "../support/report.hpp"
#include "../support/resident_memory.hpp"

namespace {

struct Small {
  std::uint64_t value = 0;
  void add(std::uint64_t n) { value += n; }
};

struct Phases {
  double create = 0;
  double call = 0;
  double destroy = 0;
  double bytes_each = 0;  // not counting the object itself
};

double seconds_of(roam::core::SteadyClock& clock, roam::Instant& since) {
  const roam::Instant now = clock.now();
  const double passed = roam::seconds(now - since);
  since = now;
  return passed;
}

double bytes_beyond(std::uint64_t kib_before, std::size_t objects) {
  return static_cast<double>(bench::resident_kib() - kib_before) * 1024 /
             static_cast<double>(objects) -
         static_cast<double>(sizeof(Small));
}

// The program stores the names: their memory is its own, and allocated before the count begins.
roam::Task<> create_call_destroy(roam::Runtime& rt, std::vector<roam::mobile_ptr<Small>>& names,
                                 Phases& phases) {
  roam::core::SteadyClock clock;
  const std::uint64_t before = bench::resident_kib();
  roam::Instant since = clock.now();
  for (auto& name : names) name = rt.create<Small>();
  phases.create = seconds_of(clock, since);
  phases.bytes_each = bytes_beyond(before, names.size());
  since = clock.now();
  for (const auto& name : names) name.send<&Small::add>(std::uint64_t{1});
  co_await rt.quiescence();
  phases.call = seconds_of(clock, since);
  for (const auto& name : names) name.destroy();
  co_await rt.quiescence();
  phases.destroy = seconds_of(clock, since);
}

Phases roam_phases(std::size_t objects) {
  roam::Options options;
  options.ranks = 1;
  options.workers = 1;
  options.transport = "in-process";
  Phases phases;
  std::vector<roam::mobile_ptr<Small>> names(objects, roam::mobile_ptr<Small>(roam::ObjectId(1)));
  const auto program = [&](roam::Runtime& rt) { return create_call_destroy(rt, names, phases); };
  if (roam::run(options, program) != 0) std::exit(1);
  return phases;
}

Phases map_phases(std::size_t objects) {
  Phases phases;
  roam::core::SteadyClock clock;
  std::mutex mutex;
  std::unordered_map<std::uint64_t, std::unique_ptr<Small>> map;
  const std::uint64_t before = bench::resident_kib();
  roam::Instant since = clock.now();
  for (std::uint64_t i = 0; i < objects; ++i) {
    const std::lock_guard guard(mutex);
    map.emplace(i, std::make_unique<Small>());
  }
  phases.create = seconds_of(clock, since);
  phases.bytes_each = bytes_beyond(before, objects);
  since = clock.now();
  for (std::uint64_t i = 0; i < objects; ++i) {
    const std::lock_guard guard(mutex);
    map.find(i)->second->add(1);
  }
  phases.call = seconds_of(clock, since);
  for (std::uint64_t i = 0; i < objects; ++i) {
    const std::lock_guard guard(mutex);
    map.erase(i);
  }
  phases.destroy = seconds_of(clock, since);
  return phases;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Settings settings = bench::read_settings(argc, argv);
  const std::size_t objects = settings.is_short ? 100'000 : 10'000'000;
  const auto each = static_cast<double>(objects);
  bench::Report report(std::to_string(objects) + " objects of 8 B, each", "map and mutex", "ns");
  Phases ours;
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    // The first to allocate pays for fresh memory, so Roam goes first every other time.
    Phases map;
    if (repeat % 2 == 0) map = map_phases(objects);
    ours = roam_phases(objects);
    if (repeat % 2 != 0) map = map_phases(objects);
    report.add("create", map.create / each, ours.create / each);
    report.add("call once", map.call / each, ours.call / each);
    report.add("destroy", map.destroy / each, ours.destroy / each);
    std::printf("%zu objects: %.1f s in all", objects, ours.create + ours.call + ours.destroy);
    // Later repeats reuse memory that the allocator has not returned, so that they would show no
    // growth.
    if (repeat == 0)
      std::printf("; %.0f bytes for each beyond its own (map: %.0f)", ours.bytes_each,
                  map.bytes_each);
    std::printf("\n");
  }
  report.finish(settings);
  return 0;
}
