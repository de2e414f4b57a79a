// SPDX-License-Identifier: Apache-2.0
#include "chains.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>

#include "roam/offload/strategy.hpp"

namespace roam::offload {

std::vector<Quota> cut_chain(std::span<const RankStep> ranks) {
  std::vector<Quota> quotas;
  std::uint64_t total = 0;
  for (const RankStep& rank : ranks) total += rank.tasks;
  const auto count = static_cast<std::uint64_t>(ranks.size());
  const auto cut = [&](std::uint64_t piece) { return piece * total / count; };
  std::uint64_t begin = 0;
  std::uint64_t piece = 0;
  for (const RankStep& rank : ranks) {
    const std::uint64_t end = begin + rank.tasks;
    std::uint64_t may_go = rank.tasks - std::min(rank.tasks, rank.keeps);
    while (piece > 0 && cut(piece) > begin) --piece;
    for (; piece < count && cut(piece) < end; ++piece) {
      const auto to = static_cast<std::int32_t>(piece);
      const std::uint64_t shared = std::min(end, cut(piece + 1)) - std::max(begin, cut(piece));
      const std::uint64_t tasks = std::min(shared, may_go);
      if (to == rank.rank || tasks == 0) continue;
      quotas.push_back({rank.rank, to, static_cast<std::uint32_t>(tasks)});
      may_go -= tasks;
    }
    begin = end;
  }
  return quotas;
}

namespace {

/// Cuts the chain when the first step is known, and again when the numbers of tasks have changed:
/// the baseline that the paper compares reactive strategies with. It does not take times into
/// account.
class Chains final : public Strategy {
 public:
  [[nodiscard]] std::vector<Quota> decide(const StepView& step) override {
    std::vector<std::uint32_t> tasks;
    tasks.reserve(step.ranks.size());
    for (const RankStep& rank : step.ranks) tasks.push_back(rank.tasks);
    if (tasks != tasks_) {
      tasks_ = std::move(tasks);
      quotas_ = cut_chain(step.ranks);
    }
    return quotas_;
  }

 private:
  std::vector<std::uint32_t> tasks_;
  std::vector<Quota> quotas_;
};

const StrategyRegistrar ccp{
    {.name = "ccp",
     .description = "Cuts the chain of all ranks' tasks into equal pieces (reduced "
                    "chains-on-chains); knows numbers of tasks, not times",
     .parameters = {},
     .create = [](const plugin::Parameters&, std::int32_t) -> std::unique_ptr<Strategy> {
       return std::make_unique<Chains>();
     }}};

}  // namespace

}  // namespace roam::offload
