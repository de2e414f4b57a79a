// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <csignal>
#include <optional>
#include <string>

namespace roam {

/// As long as it exists, SIGTERM and SIGINT do not end the process but are returned by wait() on
/// any thread that calls it. Signals for which the program has a handler, or which it ignores, are
/// not touched, nor those for which it sets a handler later. If there are several of these objects
/// in a process, the first one gets the signals.
class StopSignals {
 public:
  /// `catches`: install handlers; otherwise only wake() ends a wait. Throws roam::Error if the
  /// system has no more file descriptors.
  explicit StopSignals(bool catches);
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals();

  /// Waits until a signal comes, wake() is called, or `milliseconds` are over (-1: no limit).
  /// Returns the signal, if there was one. One thread at a time.
  [[nodiscard]] std::optional<int> wait(int milliseconds);
  /// Ends a wait(), or the next one. Any thread.
  void wake() { write_byte(0); }

  /// The name of a signal: "SIGTERM".
  [[nodiscard]] static std::string name(int signal);
  /// The exit status by which a process tells that a signal ended it.
  [[nodiscard]] static int exit_status(int signal) { return 128 + signal; }

 private:
  static constexpr std::array<int, 2> signals{SIGTERM, SIGINT};
  void write_byte(unsigned char byte) const;

  std::array<int, 2> pipe_{-1, -1};
  bool has_signals_ = false;
};

}  // namespace roam
