// SPDX-License-Identifier: Apache-2.0
#include "roam/exec/detail/thread_driver.hpp"

#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "roam/core/error.hpp"
#include "roam/exec/detail/backoff.hpp"

namespace roam::exec {

namespace {

// The helper's longest pause, in periods.
constexpr int longest_pauses = 4;

/// Restores the CPUs of the calling thread, which is the program's, at the end of the scope.
class AffinityKeeper {
 public:
  AffinityKeeper() { known_ = sched_getaffinity(0, sizeof before_, &before_) == 0; }
  AffinityKeeper(const AffinityKeeper&) = delete;
  AffinityKeeper& operator=(const AffinityKeeper&) = delete;
  ~AffinityKeeper() {
    if (known_) static_cast<void>(sched_setaffinity(0, sizeof before_, &before_));
  }

 private:
  cpu_set_t before_{};
  bool known_ = false;
};

void bind_to(std::int32_t processor) {
  cpu_set_t one;
  CPU_ZERO(&one);
  const bool is_in_set = processor >= 0 && processor < CPU_SETSIZE;
  if (is_in_set) CPU_SET(static_cast<std::size_t>(processor), &one);
  if (!is_in_set || sched_setaffinity(0, sizeof one, &one) != 0) {
    throw Error("cannot bind a worker to processor " + std::to_string(processor) + ": " +
                std::strerror(is_in_set ? errno : EINVAL) + "; run without --roam-pin");
  }
}

/// Until the end of the scope, the system ends sleeps of the calling thread when they are over, not
/// when it suits other timers: up to 50 us later.
class PunctualSleeps {
 public:
  PunctualSleeps() : before_ns_(prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0)) { set(slack_ns); }
  PunctualSleeps(const PunctualSleeps&) = delete;
  PunctualSleeps& operator=(const PunctualSleeps&) = delete;
  ~PunctualSleeps() { set(before_ns_); }

 private:
  static constexpr int slack_ns = 1000;
  void set(int nanoseconds) const {
    if (before_ns_ > slack_ns)
      static_cast<void>(prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(nanoseconds), 0, 0, 0));
  }

  int before_ns_;
};

/// Tells the network that somebody sleeps, until the end of the scope.
class Announcement {
 public:
  explicit Announcement(const std::function<void(int)>& count_sleepers) : count_(count_sleepers) {
    if (count_) count_(1);
  }
  Announcement(const Announcement&) = delete;
  Announcement& operator=(const Announcement&) = delete;
  ~Announcement() {
    if (count_) count_(-1);
  }

 private:
  const std::function<void(int)>& count_;
};

Backoff::Options backoff_options(const ThreadDriverOptions& options) {
  if (options.network_wakes)
    return {.spin = options.spin, .longest = options.longest_wakeable_sleep};
  return {
      .spin = options.spin, .longest = options.longest_sleep, .unsent_bytes = options.unsent_bytes};
}

}  // namespace

ThreadDriver::ThreadDriver(Engine& engine, const ThreadDriverOptions& options)
    : engine_(engine), options_(options) {
  engine_.set_waker(&parking_);
}

ThreadDriver::~ThreadDriver() {
  for (auto& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

void ThreadDriver::run() {
  const ProgressMode mode = engine_.options().progress;
  // A network that no other thread may call has this thread to itself.
  const bool communicates_here = mode == ProgressMode::dedicated && options_.main_thread_only;
  const auto start = [this](WorkerIndex w) {
    threads_.emplace_back([this, w] { guard([&] { work(w); }); });
  };
  guard([&] {
    try {
      for (WorkerIndex w = 1; w < engine_.workers(); ++w) start(w);
      if (communicates_here) {
        start(0);
      } else if (mode == ProgressMode::dedicated) {
        threads_.emplace_back([this] { guard([this] { communicate(); }); });
      } else if (mode == ProgressMode::shared && !options_.main_thread_only) {
        threads_.emplace_back([this] { guard([this] { help(); }); });
      }
    } catch (const std::system_error& error) {
      throw Error(std::string("cannot start the threads of a rank: ") + error.what() +
                  "; run it with fewer --roam-workers or --roam-ranks");
    }
  });
  guard([&] {
    if (communicates_here) return communicate();
    const AffinityKeeper keeper;
    work(0);
  });
  parking_.wake_all();
  helper_parking_.wake_all();
  for (auto& thread : threads_) thread.join();
  threads_.clear();
}

// An exception that leaves the engine is a failure of the runtime's own. It ends the job, but never
// this thread.
template <class Turning>
void ThreadDriver::guard(Turning turning) {
  try {
    turning();
  } catch (...) {
    engine_.report_failure("while its work ran");
    engine_.stop();
  }
}

void ThreadDriver::work(WorkerIndex worker) {
  if (!options_.processors.empty()) bind_to(options_.processors[worker]);
  const PunctualSleeps punctual_sleeps;
  Backoff backoff(backoff_options(options_));
  for (;;) {
    StepResult result = engine_.step(worker);
    if (result.kind == StepResult::Kind::stopped) break;
    if (result.kind == StepResult::Kind::ran) {
      backoff.reset();
      continue;
    }
    if (backoff.keep_spinning(result.at)) continue;
    const Parking::Ticket ticket = parking_.prepare();
    const Announcement announcement(options_.count_sleepers);
    result = engine_.step(worker);
    if (result.kind != StepResult::Kind::idle) {
      parking_.cancel();
      continue;
    }
    const Instant now = engine_.now();
    const Duration until_due = result.until == never ? never : result.until - now;
    parking_.wait(ticket, std::clamp(until_due, Duration::zero(), backoff.next_sleep(now)));
  }
  parking_.wake_all();
}

void ThreadDriver::communicate() {
  const PunctualSleeps punctual_sleeps;
  Backoff backoff(backoff_options(options_));
  while (!engine_.stopped()) {
    if (engine_.progress() > 0) {
      backoff.reset();
    } else if (!backoff.keep_spinning(engine_.now())) {
      const Parking::Ticket ticket = helper_parking_.prepare();
      if (engine_.progress() > 0) {
        helper_parking_.cancel();
        continue;
      }
      const Instant now = engine_.now();
      const Instant due = engine_.next_due();
      const Duration until_due = due == never ? never : due - now;
      helper_parking_.wait(ticket,
                           std::clamp(until_due, Duration::zero(),
                                      std::min(backoff.next_sleep(now), options_.longest_sleep)));
    }
  }
}

void ThreadDriver::help() {
  // Where the helper finds nothing, it comes less often: each time, a worker bound to this
  // processor is interrupted.
  Duration pause = options_.helper_period;
  while (!engine_.stopped()) {
    helper_parking_.wait(helper_parking_.prepare(), pause);
    pause = std::min(2 * pause, longest_pauses * options_.helper_period);
    // Idle workers make progress themselves; the helper only acts when all workers are inside long
    // handlers.
    if (engine_.busy_workers() < engine_.workers()) continue;
    if (engine_.now() - engine_.last_progress() < options_.helper_period) continue;
    while (engine_.progress() > 0) pause = options_.helper_period;
  }
}

}  // namespace roam::exec
