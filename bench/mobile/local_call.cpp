// SPDX-License-Identifier: Apache-2.0
// A call of a method with an 8-byte argument on an object of the same rank, one worker: issued,
// queued, scheduled, run. In turn with what a program might write instead: closures in a queue
// under a mutex.
//   bench_local_call [--short] [--repeats N] [--json FILE]
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <roam/roam.hpp>

#include "../support/game.hpp"

namespace {

constexpr int burst = 64;

struct Counter {
  std::uint64_t sum = 0;
  roam::mobile_ptr<Counter> self;

  void name(roam::mobile_ptr<Counter> own_name) { self = own_name; }
  void add(std::uint64_t n) { sum += n; }
  /// One call at a time: each call issues the next.
  void chain(std::uint64_t n) {
    sum += n;
    if (bench::player().next()) self.send<&Counter::chain>(n);
  }
  /// A burst of calls, then the next burst.
  void flood(std::uint64_t n) {
    if (!bench::player().next()) return;
    for (int i = 1; i < burst; ++i) self.send<&Counter::add>(n);
    self.send<&Counter::flood>(n);
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(sum, self);
  }
};

class Base {
 public:
  Base() = default;
  Base(const Base&) = delete;
  Base& operator=(const Base&) = delete;
  virtual ~Base() = default;
  virtual void add(std::uint64_t n) = 0;
};
class Plain final : public Base {
 public:
  void add(std::uint64_t n) override { sum_ += n; }
  [[nodiscard]] std::uint64_t sum() const { return sum_; }

 private:
  std::uint64_t sum_ = 0;
};

class ClosureQueue {
 public:
  void push(std::function<void()> closure) {
    const std::lock_guard guard(mutex_);
    queue_.push_back(std::move(closure));
  }
  bool run_one() {
    std::function<void()> closure;
    {
      const std::lock_guard guard(mutex_);
      if (queue_.empty()) return false;
      closure = std::move(queue_.front());
      queue_.pop_front();
    }
    closure();
    return true;
  }

 private:
  std::mutex mutex_;
  std::deque<std::function<void()>> queue_;
};

double closure_seconds(int calls_at_once, int blocks, int rounds) {
  Plain object;
  Base* base = &object;
  ClosureQueue queue;
  bench::Blocks times;
  times.begin(blocks, rounds);
  do {
    for (int i = 0; i < calls_at_once; ++i) {
      queue.push([base, n = std::uint64_t(i)] { base->add(n); });
    }
    while (queue.run_one()) {
    }
  } while (times.next());
  if (object.sum() == 42) std::puts("");  // the sum is wanted
  return times.seconds_per_round() / calls_at_once;
}

struct Times {
  double chain = 0;
  double flood = 0;
  double awaited = 0;
};

roam::Task<double> awaited_calls(roam::mobile_ptr<Counter> counter, int blocks) {
  bench::Blocks times;
  times.begin(blocks, 100);
  do {
    co_await counter.call<&Counter::add>(std::uint64_t{1});
  } while (times.next());
  co_return times.seconds_per_round();
}

Times roam_phase(int blocks) {
  roam::Options options;
  options.ranks = 1;
  options.workers = 1;
  options.transport = "in-process";
  options.pin.policy = roam::Pinning::Policy::compact;
  Times times;
  const auto program = [&](roam::Runtime& rt) -> roam::Task<> {
    const auto counter = rt.create<Counter>();
    co_await counter.call<&Counter::name>(counter);
    times.chain =
        co_await bench::play(blocks, 200, [&] { counter.send<&Counter::chain>(std::uint64_t{1}); });
    times.flood =
        co_await bench::play(blocks, 4, [&] { counter.send<&Counter::flood>(std::uint64_t{1}); }) /
        burst;
    times.awaited = co_await awaited_calls(counter, blocks);
  };
  if (roam::run(options, program) != 0) std::exit(1);
  return times;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Settings settings = bench::read_settings(argc, argv);
  const int blocks = settings.is_short ? 50 : 200;
  bench::Report report("call on the same rank, 8 B", "closure queue", "ns");
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    const Times times = roam_phase(blocks);
    const double one = closure_seconds(1, blocks, 200);
    report.add("one at a time", one, times.chain);
    report.add("in bursts of 64", closure_seconds(burst, blocks, 4), times.flood);
    report.add("one at a time, awaited", one, times.awaited);
  }
  report.finish(settings);
  return 0;
}
