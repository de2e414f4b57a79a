// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "roam/exec/context.hpp"

namespace roam::testing {

/// @cond
/// The harness as a program under test sees it; found through the rank that runs on this thread.
class Probe {
 public:
  Probe() = default;
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;
  /// Reports that an invariant of the program does not hold.
  virtual void violated(std::string_view what) = 0;
  [[nodiscard]] virtual void* state() = 0;

 protected:
  ~Probe() = default;
};

/// The probe of the schedule that runs on this thread; nullptr outside of handlers and main
/// programs of a simulated schedule. Never inlined, so that coroutines may call it.
[[nodiscard]] Probe* current_probe();
/// @endcond

/// States an invariant of the program under test, anywhere in its handlers and main programs: where
/// it does not hold, the schedule has failed. In a real run a violation throws roam::Error.
void check(bool holds, std::string_view what);

/// @cond
/// The state that the scenario shares among all ranks of this schedule (Scenario::state): a ledger,
/// a reference result. Throws roam::Error outside of a schedule, or if the scenario has none.
[[nodiscard]] void* current_state();
/// @endcond
/// The state that the scenario shares among all ranks of this schedule (Scenario::state), of type
/// T: a ledger, a reference result. Throws roam::Error outside of a schedule, or if the scenario
/// has none.
template <class T>
[[nodiscard]] T& state() {
  return *static_cast<T*>(current_state());
}

}  // namespace roam::testing
