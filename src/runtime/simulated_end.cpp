// SPDX-License-Identifier: Apache-2.0
#include "simulated_end.hpp"

#include <cstdio>
#include <cstdlib>

#include "quiet_thread.hpp"
#include "roam/runtime/simulated_job.hpp"

namespace roam {

namespace {
constexpr auto patience = std::chrono::milliseconds(500);  // for the current event
constexpr auto patience_after_records = std::chrono::milliseconds(300);
}  // namespace

SimulatedEnd::SimulatedEnd(SimulatedJob& job, const Options& options)
    : job_(job), signals_(options.catch_signals), thread_(quiet_thread([this] { watch(); })) {}

SimulatedEnd::~SimulatedEnd() {
  is_over_.store(true);
  signals_.wake();
  thread_.join();
}

// Ignores signals that come in the meantime: launchers send more than one.
bool SimulatedEnd::is_over_within(std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (is_over_.load()) return true;
    if (left.count() <= 0) return false;
    static_cast<void>(signals_.wait(static_cast<int>(left.count())));
  }
}

void SimulatedEnd::watch() {
  std::optional<int> signal;
  while (!signal) {
    signal = signals_.wait(-1);
    if (is_over_.load()) return;
  }
  signal_.store(*signal);
  job_.interrupt("the job was told to end by " + StopSignals::name(*signal));
  if (is_over_within(patience)) return;
  job_.leave_records();  // waits if they are being written already
  if (is_over_within(patience_after_records)) return;
  std::fprintf(stderr,
               "roam: the job was told to end by %s, while a handler ran that did not end\n",
               StopSignals::name(*signal).c_str());
  std::_Exit(StopSignals::exit_status(*signal));
}

}  // namespace roam
