// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <csignal>
#include <optional>
#include <string>

namespace roam {

/// While it lives, SIGTERM and SIGINT do not end the process, but come out of wait() on whatever
/// thread calls it. Signals for which the program has a handler, or which it ignores, stay the
/// program's; so do those it handles from later on. One at a time in a process gets the signals:
/// the first one.
class StopSignals {
 public:
  /// `catches`: else no handler is installed, and only wake() ends a wait. Throws roam::Error if
  /// the system has no more file descriptors.
  explicit StopSignals(bool catches);
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals();

  /// Until a signal comes, wake() is called, or so many milliseconds are over (-1: never). The
  /// signal, if it was one. One thread at a time.
  [[nodiscard]] std::optional<int> wait(int milliseconds);
  /// Ends a wait(), or the next one. Any thread.
  void wake() { write_byte(0); }

  /// "SIGTERM".
  [[nodiscard]] static std::string name(int signal);
  /// How a process says by its exit status that a signal ended it.
  [[nodiscard]] static int exit_status(int signal) { return 128 + signal; }

 private:
  static constexpr std::array<int, 2> signals{SIGTERM, SIGINT};
  void write_byte(unsigned char byte) const;

  std::array<int, 2> pipe_{-1, -1};
  bool has_signals_ = false;
};

}  // namespace roam
