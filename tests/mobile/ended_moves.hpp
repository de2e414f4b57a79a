// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "support/simulated.hpp"

namespace roam::testing {

/// Runs jobs of `options_of(seed)`, one after the other. Rank 1 ends each of them one event later
/// than the one before, counted from when rank 0's program says that its object has been sent off,
/// until one job comes to its regular end. `set_out(runtime)` is rank 0's program up to that point;
/// `ended()` is called while an ended job still exists, `gone(event)` when it does not.
template <class OptionsOf, class SetOut, class Ended, class Gone>
void end_at_every_event(OptionsOf&& options_of, SetOut&& set_out, Ended&& ended, Gone&& gone) {
  bool has_ended = false;
  for (std::uint64_t last = 1; !has_ended; ++last) {
    {
      SimulatedJob job(options_of(last));
      std::uint64_t events = 0;
      bool has_set_out = false;
      job.set_interruption([&](std::uint64_t) {
        if (has_set_out && ++events == last) job.runtime(Rank(1)).engine().report_error("enough");
      });
      has_ended = job.run([&](Runtime& rt) -> Task<> {
        if (rt.rank() == 0) {
          co_await set_out(rt, has_set_out);
        }
        co_await rt.quiescence();
      });
      if (!has_ended) {
        EXPECT_NE(job.error().find("enough"), std::string::npos) << job.error();
        ended();
      }
    }
    gone(last);
    ASSERT_LT(last, 1'000U);
  }
}

}  // namespace roam::testing
