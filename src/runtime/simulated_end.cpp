// SPDX-License-Identifier: Apache-2.0
#include "simulated_end.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "quiet_thread.hpp"
#include "roam/runtime/simulated_job.hpp"

namespace roam {

namespace {
constexpr int patience_milliseconds = 500;  // for the event under way
constexpr int patience_after_records_milliseconds = 300;
}  // namespace

SimulatedEnd::SimulatedEnd(SimulatedJob& job, const Options& options)
    : job_(job), signals_(options.catch_signals), thread_(quiet_thread([this] { watch(); })) {}

SimulatedEnd::~SimulatedEnd() {
  is_over_.store(true);
  signals_.wake();
  thread_.join();
}

void SimulatedEnd::watch() {
  std::optional<int> signal;
  while (!signal) {
    signal = signals_.wait(-1);
    if (is_over_.load()) return;
  }
  signal_.store(*signal);
  job_.interrupt("the job was told to end by " + StopSignals::name(*signal));
  // From here on signals end the process: the program's code, or the disk, may take its time.
  signals_.release();
  static_cast<void>(signals_.wait(patience_milliseconds));
  if (is_over_.load()) return;
  job_.leave_records();  // waits if they are being written
  static_cast<void>(signals_.wait(patience_after_records_milliseconds));
  if (is_over_.load()) return;
  std::fprintf(stderr,
               "roam: the job was told to end by %s, while a handler ran that did not end\n",
               StopSignals::name(*signal).c_str());
  std::_Exit(StopSignals::exit_status(*signal));
}

}  // namespace roam
