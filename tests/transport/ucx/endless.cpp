// SPDX-License-Identifier: Apache-2.0
// A job for tests that kill, stop or cut off one of its processes: a message, now short, now long,
// goes round the first N ranks (the program's argument); the other ranks have nothing to say. For
// ever, or until so many seconds (a second argument) are over: rank 0 then says how far it has
// come, and each receiver has seen that what came is what was sent, in order.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <roam/roam.hpp>
#include <string>
#include <vector>

namespace {

constexpr std::size_t long_message = 12'000;  // numbers

struct Round {
  std::int32_t ranks = 0;
  double seconds = 0;
  std::uint64_t hops = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(ranks, seconds, hops);
  }
};

std::vector<std::uint64_t> load(std::uint64_t hops) {
  std::vector<std::uint64_t> numbers(hops % 100 == 0 ? long_message : hops % 7);
  for (std::uint64_t& number : numbers) number = hops = hops * 6364136223846793005ULL + 1;
  return numbers;
}

void hop(Round round, std::vector<std::uint64_t> numbers) {
  roam::Runtime& here = roam::here();
  if (round.hops % static_cast<std::uint64_t>(round.ranks) !=
          static_cast<std::uint64_t>(here.rank().value()) ||
      numbers != load(round.hops)) {
    throw roam::Error("hop " + std::to_string(round.hops) + " brought something else");
  }
  if (round.seconds > 0 && here.rank() == 0 && roam::seconds(here.now()) > round.seconds) {
    std::printf("right after %llu hops\n", static_cast<unsigned long long>(round.hops));
    return;
  }
  ++round.hops;
  here.send<&hop>((here.rank().value() + 1) % round.ranks, round, load(round.hops));
}

/// Where a test waits for the job to be under way, each rank makes a file there.
void say_that_it_runs(roam::Runtime& rt) {
  if (const char* folder = std::getenv("TEST_RUNNING"))
    std::ofstream(std::string(folder) + "/running" + std::to_string(rt.rank().value()));
}

}  // namespace

int main(int argc, char** argv) {
  return roam::run(argc, argv, [&](roam::Runtime& rt) -> roam::Task<> {
    say_that_it_runs(rt);
    if (rt.rank() == 0) {
      const Round round{argc > 1 ? std::atoi(argv[1]) : rt.size(),
                        argc > 2 ? std::atof(argv[2]) : 0};
      hop(round, load(0));
    }
    co_await rt.quiescence();
  });
}
