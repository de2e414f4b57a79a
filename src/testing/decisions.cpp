// SPDX-License-Identifier: Apache-2.0
#include "testing/decisions.hpp"

#include <array>
#include <cmath>

namespace roam::testing {

Decisions::Decisions(const ExploreOptions& options, std::uint64_t seed) : seed_(seed) {
  core::Random random(seed ^ 0x6a09e667f3bcc909ULL);
  using enum DecisionKind;
  set_rate(late_message, options.late_messages, random);
  set_rate(late_step, options.late_steps, random);
  set_rate(slow_rank, options.slow_ranks, random);
  set_rate(tie, options.shuffled_ties, random);
  set_rate(preemption, options.preemptions, random);
  set_rate(migration, options.migrations, random);
  set_rate(migration_inside, options.migrations, random);
  set_rate(refusal, options.refusals, random);
  set_rate(action, options.actions, random);
  set_rate(loss, options.lost_helpers, random);
}

// Schedules with many disturbances of one kind and few of another find errors that those with many
// of all kinds hide.
void Decisions::set_rate(DecisionKind kind, const Disturbance& disturbance, core::Random& random) {
  constexpr std::array<double, 4> intensities = {0, 0.25, 1, 2};
  const double share =
      std::min(1.0, disturbance.share * intensities[random.below(intensities.size())]);
  rates_[static_cast<std::size_t>(kind)] =
      static_cast<std::uint64_t>(std::llround(share * 4294967296.0));
}

}  // namespace roam::testing
