// SPDX-License-Identifier: Apache-2.0
#include "roam/testing/report.hpp"

#include <ostream>

namespace roam::testing {

Totals& Totals::operator+=(const Totals& other) {
  schedules += other.schedules;
  calls += other.calls;
  dead_calls += other.dead_calls;
  migrations += other.migrations;
  refused += other.refused;
  forwarded += other.forwarded;
  set_aside += other.set_aside;
  preemptions += other.preemptions;
  handlers += other.handlers;
  events += other.events;
  virtual_time += other.virtual_time;
  return *this;
}

std::ostream& operator<<(std::ostream& out, const Failure& failure) {
  out << "seed " << failure.seed << ": " << failure.promise << " is violated: " << failure.what
      << "\n";
  out << "of " << failure.disturbances << " disturbances these " << failure.decisions.size()
      << " are left after " << failure.replays << " replays:\n";
  for (const std::string& decision : failure.decisions) out << "  " << decision << "\n";
  out << "timeline:\n";
  for (const std::string& line : failure.timeline) out << "  " << line << "\n";
  return out;
}

std::ostream& operator<<(std::ostream& out, const Report& report) {
  const Totals& totals = report.totals();
  out << totals.schedules << " schedules: " << totals.calls << " calls, " << totals.migrations
      << " migrations, " << totals.refused << " refused, " << totals.forwarded << " forwardings, "
      << totals.set_aside << " calls set aside, " << totals.preemptions << " interruptions, "
      << totals.events << " events, " << (report.ok() ? 0 : 1) << " violations\n";
  if (report.failure()) out << *report.failure();
  return out;
}

}  // namespace roam::testing
