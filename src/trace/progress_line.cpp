// SPDX-License-Identifier: Apache-2.0
#include "roam/trace/detail/progress_line.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace roam::trace {

namespace {

std::string grouped(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text.push_back(',');
    text.push_back(digits[i]);
  }
  return text;
}

std::string plural(std::uint64_t number, const char* noun) {
  return grouped(number) + " " + noun + (number == 1 ? "" : "s");
}

std::string time(Duration elapsed) {
  const std::int64_t tenths = elapsed / std::chrono::milliseconds(100);
  if (tenths < 6000) return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
  const std::int64_t minutes = tenths / 600;
  const std::int64_t hours = minutes / 60;
  const std::string rest =
      std::to_string(minutes % 60) + " min " + std::to_string(tenths / 10 % 60) + " s";
  return hours == 0 ? rest : std::to_string(hours) + " h " + rest;
}

std::string short_time(double seconds) {
  constexpr double milli = 1e-3;
  constexpr double micro = 1e-6;
  std::array<char, 32> text{};
  if (seconds >= 1) {
    std::snprintf(text.data(), text.size(), "%.3g s", seconds);
  } else if (seconds >= milli) {
    std::snprintf(text.data(), text.size(), "%.3g ms", seconds / milli);
  } else {
    std::snprintf(text.data(), text.size(), "%.3g us", seconds / micro);
  }
  return text.data();
}

// A bar of the part of the known work that has been done: it shrinks when work creates work.
std::string bar(std::uint64_t done, std::uint64_t pending) {
  constexpr std::size_t cells = 12;
  const double known = static_cast<double>(done) + static_cast<double>(pending);
  const double fraction = known > 0 ? static_cast<double>(done) / known : 0;
  std::string text(cells, ' ');
  std::fill_n(text.begin(), static_cast<std::size_t>(fraction * cells), '#');
  return "[" + text + "]";
}

}  // namespace

std::string to_string(const ProgressFigures& figures) {
  const double busy = std::clamp(figures.busy_fraction, 0.0, 1.0);  // NaN stays NaN
  const long percent = std::isfinite(busy) ? std::lround(100 * busy) : 0;
  return bar(figures.handlers_run, figures.pending) + " " + time(figures.elapsed) + "  " +
         plural(figures.handlers_run, "handler") + "  " + grouped(figures.pending) +
         " pending  busy " + std::to_string(percent) + " %  " +
         plural(figures.migrations, "migration");
}

std::string why_little_moved(const ProgressFigures& figures) {
  if (figures.refused_requests <= figures.migrations) return {};
  return "ranks short of work were given nothing " + plural(figures.refused_requests, "time") +
         ": moves would cost " + short_time(figures.refused_cost_seconds) + " and gain " +
         short_time(figures.refused_gain_seconds) + " at most";
}

ProgressLine::Style ProgressLine::style_of(std::FILE* stream) {
  const int descriptor = fileno(stream);
  if (descriptor < 0 || isatty(descriptor) == 0) return {};
  winsize window{};
  const bool known = ioctl(descriptor, TIOCGWINSZ, &window) == 0 && window.ws_col > 0;
  return {.in_place = true, .columns = known ? std::size_t{window.ws_col} : Style().columns};
}

ProgressLine::~ProgressLine() {
  if (shown_ == 0) return;
  std::fputc('\n', stream_);
  std::fflush(stream_);
}

bool ProgressLine::is_due(Instant now) {
  if (next_ == Instant::min()) next_ = now + (style_.in_place ? period_in_place : period_plain);
  return now >= next_ && !is_finished_;
}

void ProgressLine::show(Instant now, const ProgressFigures& figures) {
  if (!is_due(now)) return;
  next_ = now + (style_.in_place ? period_in_place : period_plain);
  write(figures);
}

void ProgressLine::finish(const ProgressFigures& figures) {
  if (is_finished_) return;
  is_finished_ = true;
  write(figures);
  if (style_.in_place) std::fputc('\n', stream_);
  if (const std::string why = why_little_moved(figures); !why.empty())
    std::fprintf(stream_, "%s\n", why.c_str());
  std::fflush(stream_);
  shown_ = 0;
}

void ProgressLine::write(const ProgressFigures& figures) {
  std::string line = to_string(figures);
  if (!style_.in_place) {
    line += '\n';
  } else {
    // The last column is not used, because some terminals go to the next line after it. Blanks
    // erase what is left of a longer line before.
    line.resize(std::min(line.size(), std::max<std::size_t>(style_.columns, 2) - 1));
    const std::size_t length = line.size();
    line.resize(std::max(length, shown_), ' ');
    shown_ = length;
    line.insert(0, 1, '\r');
  }
  std::fwrite(line.data(), 1, line.size(), stream_);
  std::fflush(stream_);
}

}  // namespace roam::trace
