// SPDX-License-Identifier: Apache-2.0
// Every scheduler of Roam keeps the contract of exec::Scheduler; bad ones are found out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <vector>

#include "roam/exec/detail/single_scheduler.hpp"
#include "roam/exec/detail/stealing_scheduler.hpp"
#include "roam/exec/schedulers.hpp"
#include "roam/testing/conformance.hpp"

namespace roam::testing::scheduler_conformance_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(SchedulerConformance, all_of_roam) {
  for (const exec::SchedulerKind* kind : exec::schedulers()) {
    const auto make = [kind](WorkerIndex workers) -> std::unique_ptr<exec::Scheduler> {
      auto scheduler = exec::make_scheduler({kind->name, {}}, workers);
      if (scheduler != nullptr) return scheduler;
      return std::make_unique<exec::StealingScheduler>(workers, 1);  // the engine's own
    };
    EXPECT_THAT(check_scheduler(make), IsEmpty()) << kind->name;
  }
}

/// A stack with one mistake.
class Wrong : public exec::Scheduler {
 public:
  enum class Fault : std::uint8_t { loses, repeats, lies };
  explicit Wrong(Fault fault) : fault_(fault) {}
  void push(WorkerIndex, exec::ReadyItem* item) override {
    const std::lock_guard guard(lock_);
    if (fault_ == Fault::loses && ++pushes_ % 100 == 0) return;
    items_.push_back(item);
    if (fault_ == Fault::repeats && ++pushes_ % 100 == 0) items_.push_back(item);
  }
  [[nodiscard]] exec::ReadyItem* pop(WorkerIndex) override {
    const std::lock_guard guard(lock_);
    if (items_.empty()) return nullptr;
    exec::ReadyItem* const item = items_.back();
    items_.pop_back();
    return item;
  }
  [[nodiscard]] bool keeps_push_order() const override { return fault_ == Fault::lies; }

 private:
  const Fault fault_;
  std::mutex lock_;
  int pushes_ = 0;
  std::vector<exec::ReadyItem*> items_;
};

Faults check_wrong(Wrong::Fault fault) {
  return check_scheduler([fault](WorkerIndex) { return std::make_unique<Wrong>(fault); });
}

TEST(SchedulerConformance, finds_out_bad_ones) {
  EXPECT_THAT(check_wrong(Wrong::Fault::loses), ::testing::Contains(HasSubstr("never came out")));
  EXPECT_THAT(check_wrong(Wrong::Fault::repeats), ::testing::Contains(HasSubstr("more than once")));
  EXPECT_THAT(check_wrong(Wrong::Fault::lies), ElementsAre(HasSubstr("keeps_push_order")));
}

}  // namespace
}  // namespace roam::testing::scheduler_conformance_test
