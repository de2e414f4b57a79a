// SPDX-License-Identifier: Apache-2.0
#include "testing/minimise.hpp"

#include <algorithm>

namespace roam::testing {

namespace {

std::vector<DecisionId> without(const std::vector<DecisionId>& all, std::size_t begin,
                                std::size_t end) {
  std::vector<DecisionId> rest(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(begin));
  rest.insert(rest.end(), all.begin() + static_cast<std::ptrdiff_t>(end), all.end());
  return rest;
}

}  // namespace

std::vector<DecisionId> minimise(std::vector<DecisionId> decisions, const StillFails& still_fails,
                                 std::uint32_t most_runs) {
  std::ranges::sort(decisions);
  std::uint32_t runs = 0;
  const auto fails_with = [&](const std::vector<DecisionId>& some) {
    ++runs;
    bool fails = false;
    std::vector<DecisionId> made = still_fails(some, fails);
    if (!fails) return false;
    std::ranges::sort(made);
    decisions = std::move(made);  // allowed decisions that were not made are not needed
    return true;
  };
  if (runs < most_runs && fails_with({})) return decisions;
  std::size_t parts = 2;
  while (decisions.size() > 1 && runs < most_runs) {
    parts = std::min(parts, decisions.size());
    bool smaller = false;
    for (std::size_t part = 0; part < parts && runs < most_runs && !smaller; ++part) {
      const std::size_t begin = part * decisions.size() / parts;
      const std::size_t end = (part + 1) * decisions.size() / parts;
      smaller = fails_with(without(decisions, begin, end));
    }
    if (smaller) {
      parts = std::max<std::size_t>(parts - 1, 2);
    } else if (parts < decisions.size()) {
      parts *= 2;
    } else {
      break;
    }
  }
  return decisions;
}

}  // namespace roam::testing
