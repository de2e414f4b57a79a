// SPDX-License-Identifier: Apache-2.0
// One-way time between two ranks of one process, one worker each: a call of an object's method and
// an active message, in turn with two bare threads that hand 8 bytes over.
//   bench_remote_call [--short] [--repeats N] [--json FILE]
#include <cstdint>
#include <roam/roam.hpp>

#include "../support/message_ping_pong.hpp"
#include "../support/thread_pair.hpp"

namespace {

// Two of them on two ranks.
struct Paddle {
  roam::mobile_ptr<Paddle> other;
  bool counts = false;
  void meet(roam::mobile_ptr<Paddle> opponent, bool count) { other = opponent, counts = count; }
  void hit(std::uint64_t ball) {
    if (!counts || bench::player().next()) other.send<&Paddle::hit>(ball);
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(other, counts);
  }
};

roam::mobile_ptr<Paddle> make_paddle() { return roam::here().create<Paddle>(); }

struct Times {
  double message = 0;
  double call = 0;
};

Times roam_phase(int blocks) {
  roam::Options options;
  options.ranks = 2;
  options.ranks_given = true;
  options.workers = 1;
  options.transport = "in-process";
  options.pin = true;
  Times times;
  const auto program = [&](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() != 0) co_return;
    times.message = co_await bench::message_one_way(8, blocks, 50);
    const auto here = rt.create<Paddle>();
    const auto there = co_await rt.request<&make_paddle>(1);
    co_await here.call<&Paddle::meet>(there, true);
    co_await there.call<&Paddle::meet>(here, false);
    const auto begin = [&] { there.send<&Paddle::hit>(std::uint64_t{42}); };
    times.call = co_await bench::play(blocks, 50, begin) / 2;
  };
  if (roam::run(options, program) != 0) std::exit(1);
  return times;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Settings settings = bench::read_settings(argc, argv);
  const int blocks = settings.is_short ? 40 : 100;
  bench::Report report("two ranks in one process, one way, 8 B", "bare threads", "us");
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    const double bare = bench::ThreadPair::one_way(8, blocks, 50);
    const Times times = roam_phase(blocks);
    report.add("active message", bare, times.message);
    report.add("object call", bare, times.call);
  }
  report.finish(settings);
  return 0;
}
