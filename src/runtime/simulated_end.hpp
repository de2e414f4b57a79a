// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include "roam/runtime/options.hpp"
#include "stop_signals.hpp"

namespace roam {

class SimulatedJob;

/// Ends a simulated job at a signal: after the current event and with its records, or, if that
/// event takes longer than a second, by terminating the process.
class SimulatedEnd {
 public:
  /// `job` must outlive this.
  SimulatedEnd(SimulatedJob& job, const Options& options);
  SimulatedEnd(const SimulatedEnd&) = delete;
  SimulatedEnd& operator=(const SimulatedEnd&) = delete;
  ~SimulatedEnd();
  /// The signal that ended the job; 0: none.
  [[nodiscard]] int signal() const { return signal_.load(); }

 private:
  void watch();
  [[nodiscard]] bool is_over_within(std::chrono::milliseconds time);

  SimulatedJob& job_;
  StopSignals signals_;
  std::atomic<bool> is_over_{false};
  std::atomic<int> signal_{0};  // written by the thread
  std::thread thread_;
};

}  // namespace roam
