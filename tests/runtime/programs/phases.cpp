// SPDX-License-Identifier: Apache-2.0
// Phases of programs on whole jobs of every kind.
#include <vector>

#include "runtime/job_kinds.hpp"

namespace roam::programs::phases {

struct Phased {
  std::int64_t runs = 0;
  void work() { ++runs; }
  [[nodiscard]] std::int64_t count() const { return runs; }
};

// The job's balancer is none: what strategies do at the end of a phase is tested in tests/balance.
TEST_P(Programs, M10_a_phase_ends_on_every_rank_when_all_its_work_is_done) {
  run([](Runtime& rt) -> Task<> {
    std::vector<mobile_ptr<Phased>> mine;
    for (int i = 0; i < 5; ++i) mine.push_back(rt.create<Phased>());
    for (std::uint32_t phase = 0; phase < 3; ++phase) {
      for (const auto& object : mine) {
        object.migrate((rt.rank().value() + 1) % rt.size());
        object.send<&Phased::work>();
      }
      const balance::PhaseReport report = co_await rt.phase();
      EXPECT_EQ(report.phase, phase);
      EXPECT_EQ(report.objects, static_cast<std::uint64_t>(5 * rt.size()));
      EXPECT_EQ(report.moved_objects, 0U);
      EXPECT_GE(report.max_load_seconds, report.mean_load_seconds);
      EXPECT_GT(report.seconds, 0);
    }
    for (const auto& object : mine) EXPECT_EQ(co_await object.call<&Phased::count>(), 3);
  });
}

}  // namespace roam::programs::phases
