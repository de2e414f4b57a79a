// SPDX-License-Identifier: Apache-2.0
// Every strategy of Roam places every object once, for whatever it is given; bad ones are found
// out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "roam/testing/conformance.hpp"

namespace roam::testing::strategy_conformance_test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(StrategyConformance, all_of_roam) {
  for (const placement::StrategyKind* kind : placement::strategies()) {
    EXPECT_THAT(check_strategy(*kind, 100), IsEmpty()) << kind->name;
  }
}

/// Leaves objects where they are, with one mistake.
class Wrong final : public placement::Strategy {
 public:
  enum class Fault : std::uint8_t { out_of_range, loses, moves_pinned, draws };
  Wrong(Fault fault, int* calls) : fault_(fault), calls_(calls) {}
  [[nodiscard]] placement::Placement place(const placement::LoadGraph& graph,
                                           const Machine& machine) const override {
    placement::Placement placement = graph.rank;
    if (placement.empty()) return placement;
    if (fault_ == Fault::out_of_range) placement[0] = machine.ranks;
    if (fault_ == Fault::loses) placement.pop_back();
    const bool moves =
        fault_ == Fault::moves_pinned || (fault_ == Fault::draws && ++*calls_ % 2 == 0);
    if (!moves) return placement;
    for (std::size_t i = 0; i < graph.size(); ++i) {
      if (fault_ == Fault::moves_pinned || !graph.is_pinned(i)) {
        placement[i] = (placement[i] + 1) % machine.ranks;
      }
    }
    return placement;
  }

 private:
  const Fault fault_;
  int* const calls_;
};

Faults check_wrong(Wrong::Fault fault) {
  int calls = 0;
  return check_strategy([&] { return std::make_unique<Wrong>(fault, &calls); }, 20);
}

TEST(StrategyConformance, finds_out_bad_ones) {
  EXPECT_THAT(check_wrong(Wrong::Fault::out_of_range), Contains(HasSubstr("one rank: ")));
  EXPECT_THAT(check_wrong(Wrong::Fault::loses), Contains(HasSubstr("one rank: ")));
  EXPECT_THAT(check_wrong(Wrong::Fault::moves_pinned), Contains(HasSubstr("all pinned: ")));
  EXPECT_THAT(check_wrong(Wrong::Fault::draws), Contains(HasSubstr("another placement")));
}

}  // namespace
}  // namespace roam::testing::strategy_conformance_test
