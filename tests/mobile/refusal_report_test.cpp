// SPDX-License-Identifier: Apache-2.0
// M6: the report on a migration that was refused is about that migration, even if the object has
// set out again, to another rank, by the time the report is made.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/simulated.hpp"

namespace refusal_report_test {

namespace {

struct Parcel {
  int value = 0;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(value);
  }
};

/// Sends the object of rank 0 to rank 2 as soon as it is back from a refusal.
class SendsOnAtOnce final : public roam::exec::SimChoices {
 public:
  Preemption preemption(std::uint32_t engine) override {
    if (engine != 0 || !is_refused || has_sent) return {};
    has_sent = objects->migrate_idle(id, 2);
    return {.acted = has_sent};
  }
  roam::mobile::ObjectSpace* objects = nullptr;
  roam::ObjectId id;
  bool is_refused = false;
  bool has_sent = false;
};

TEST(RefusalReport, M6_is_about_the_migration_that_was_refused) {
  SendsOnAtOnce choices;
  roam::SimulatedJobOptions options = roam::testing::simulated(3, 1, 2);
  options.choices = &choices;
  roam::SimulatedJob job(options);
  choices.objects = &job.runtime(0).objects();
  std::vector<roam::mobile::MigrationOutcome> outcomes;
  choices.objects->add_migration_listener(
      [&](const roam::mobile::MigrationOutcome& outcome) { outcomes.push_back(outcome); });
  job.runtime(1).objects().set_admission([&](roam::ObjectId, std::uint64_t) -> std::string {
    choices.is_refused = true;
    return "no room";
  });
  EXPECT_TRUE(job.run([&](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() == 0) {
      const auto parcel = rt.create<Parcel>();
      choices.id = parcel.id();
      parcel.migrate(1);
    }
    co_await rt.quiescence();
  })) << job.error();
  ASSERT_TRUE(choices.has_sent);
  ASSERT_EQ(outcomes.size(), 2U);
  EXPECT_FALSE(outcomes[0].moved);
  EXPECT_EQ(outcomes[0].target, roam::Rank(1));
  EXPECT_EQ(outcomes[0].refusal, "no room");
  EXPECT_GT(outcomes[0].duration, roam::Duration(0));
  EXPECT_TRUE(outcomes[1].moved);
  EXPECT_EQ(outcomes[1].target, roam::Rank(2));
}

}  // namespace

}  // namespace refusal_report_test
