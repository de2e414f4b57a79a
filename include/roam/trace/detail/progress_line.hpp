// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "roam/core/types.hpp"

namespace roam::trace {

/// What the progress line shows.
struct ProgressFigures {
  Duration elapsed{0};  ///< on the job's clock, virtual in a simulated run
  std::uint64_t handlers_run = 0;
  std::uint64_t pending = 0;   ///< ready handlers, or objects with work: what is still to do
  double busy_fraction = 0.0;  ///< of the workers' time since the line before, 0 to 1
  std::uint64_t migrations = 0;
  /// How often a rank short of work was given none because a move would have cost more than it
  /// would gain; below, gain and cost of the best of these moves.
  std::uint64_t refused_requests = 0;
  double refused_gain_seconds = 0;
  double refused_cost_seconds = 0;
};

/// The live line of --roam-progress. On a terminal it is rewritten in place, at most five times a
/// second; elsewhere a line is added every ten seconds. The caller provides figures and time. One
/// thread at a time. Failing writes are ignored.
class ProgressLine {
 public:
  struct Style {
    bool in_place = false;     ///< the stream is a terminal
    std::size_t columns = 80;  ///< longer lines are cut, in place only
  };
  static constexpr Duration period_in_place = std::chrono::milliseconds(200);
  static constexpr Duration period_plain = std::chrono::seconds(10);

  /// Writes to `stream`, which must outlive this object, in the style that suits it.
  explicit ProgressLine(std::FILE* stream = stderr) : ProgressLine(stream, style_of(stream)) {}
  ProgressLine(std::FILE* stream, Style style) : stream_(stream), style_(style) {}
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  /// Ends a line that has not been ended.
  ~ProgressLine();

  /// True if show() would write at `now`, an instant in real time; the first line comes one period
  /// after the first call. If it is false, the figures need not be gathered.
  [[nodiscard]] bool is_due(Instant now);
  /// Writes the line if is_due(now).
  void show(Instant now, const ProgressFigures& figures);
  /// Writes the last state and ends the line. If hardly anything has moved although ranks were
  /// short of work, a second line says why. Has an effect once.
  void finish(const ProgressFigures& figures);

 private:
  [[nodiscard]] static Style style_of(std::FILE* stream);
  void write(const ProgressFigures& figures);

  std::FILE* stream_;
  Style style_;
  Instant next_ = Instant::min();  // min: is_due() has not been called
  std::size_t shown_ = 0;          // the number of characters of the line on the screen
  bool is_finished_ = false;
};

/// The text of the line, "[########### ] 12.4 s  3,120 handlers  85 pending  busy 93 %  7
/// migrations". The bar shows which part of the work known so far has been done.
[[nodiscard]] std::string to_string(const ProgressFigures& figures);

/// Says why nothing, or hardly anything, has moved; empty if there is nothing to say.
[[nodiscard]] std::string why_little_moved(const ProgressFigures& figures);

}  // namespace roam::trace
