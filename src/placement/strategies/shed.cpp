// SPDX-License-Identifier: Apache-2.0
#include "shed.hpp"

#include <numeric>

#include "ranks_by_slack.hpp"

namespace roam::placement {

namespace {

/// The objects of the ranks, largest first, from which some have been taken. Finds the remaining
/// neighbours of a size in amortised O(log n): positions that were taken point to the next one,
/// with path halving.
class Stock {
 public:
  Stock(const LoadGraph& graph, const ObjectLists& lists)
      : graph_(graph), lists_(lists), smaller_(lists.total() + 1), larger_(lists.total() + 1) {
    std::iota(smaller_.begin(), smaller_.end(), std::uint32_t{0});
    std::iota(larger_.begin(), larger_.end(), std::uint32_t{0});
  }
  static constexpr std::size_t none = SIZE_MAX;

  /// The position of the largest object of rank r with at most `seconds`.
  [[nodiscard]] std::size_t at_most(std::size_t r, double seconds) {
    const std::size_t at = find(smaller_, first_at_most(r, seconds));
    return at < lists_.end(r) ? at : none;
  }
  /// The position of the smallest object of rank r with at least `seconds`.
  [[nodiscard]] std::size_t at_least(std::size_t r, double seconds) {
    std::size_t at = first_at_most(r, seconds);
    while (at < lists_.end(r) && size(at) == seconds) ++at;
    // Positions are shifted by one, so that 0 stands for "before the first".
    const std::size_t found = find(larger_, at);
    return found > lists_.begin(r) ? found - 1 : none;
  }
  void take(std::size_t at) {
    smaller_[at] = static_cast<std::uint32_t>(at + 1);
    larger_[at + 1] = static_cast<std::uint32_t>(at);
  }
  [[nodiscard]] double size(std::size_t at) const { return graph_.seconds[lists_.at(at)]; }

 private:
  [[nodiscard]] std::size_t first_at_most(std::size_t r, double seconds) const {
    std::size_t low = lists_.begin(r);
    std::size_t high = lists_.end(r);
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (size(middle) <= seconds) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }
  static std::size_t find(std::vector<std::uint32_t>& next, std::size_t at) {
    while (next[at] != at) {
      next[at] = next[next[at]];
      at = next[at];
    }
    return at;
  }

  const LoadGraph& graph_;
  const ObjectLists& lists_;
  std::vector<std::uint32_t> smaller_;
  std::vector<std::uint32_t> larger_;
};

struct Shedding {
  double seconds;
  ObjectIndex object;
};

/// Chooses the objects that rank r gives away: as few as suffice, each of which fits on some rank.
void choose(Stock& stock, const ObjectLists& lists, std::size_t r, double excess, double largest,
            core::Random* random, std::vector<Shedding>& chosen) {
  while (excess > 0) {
    // The smallest single object that suffices; else the largest that does not.
    std::size_t at = stock.at_least(r, excess);
    if (at == Stock::none || stock.size(at) > largest) {
      double limit = std::min(excess, largest);
      if (random != nullptr) limit *= 1 - 0.5 * random->unit() * random->unit();
      at = stock.at_most(r, limit);
      if (at == Stock::none && random != nullptr) at = stock.at_most(r, std::min(excess, largest));
    }
    if (at == Stock::none || stock.size(at) <= 0) return;
    stock.take(at);
    excess -= stock.size(at);
    chosen.push_back({stock.size(at), lists.at(at)});
  }
}

}  // namespace

void shed(const LoadGraph& graph, const ObjectLists& lists, RankWork& work, Placement& placement,
          core::Random* random) {
  Stock stock(graph, lists);
  RanksBySlack ranks(work, false);
  std::vector<std::size_t> donors;
  for (std::size_t r = 0; r < work.ranks(); ++r) {
    if (work.slack(r) < 0) donors.push_back(r);
  }
  // An object that fits nowhere in one round never will, since slack only shrinks: the next round
  // chooses others.
  while (true) {
    std::vector<Shedding> chosen;
    for (const std::size_t r : donors) {
      if (work.slack(r) < 0) {
        choose(stock, lists, r, -work.slack(r), ranks.largest(), random, chosen);
      }
    }
    if (chosen.empty()) return;
    std::ranges::stable_sort(chosen, std::ranges::greater{}, &Shedding::seconds);
    for (const auto& [seconds, object] : chosen) {
      std::size_t to = ranks.closest(seconds);
      if (to == RanksBySlack::none) continue;
      if (random != nullptr && random->below(4) == 0) to = ranks.emptiest();
      ranks.take_out(to);
      work.move(seconds, static_cast<std::size_t>(placement[object]), to);
      ranks.put_back(to);
      placement[object] = static_cast<std::int32_t>(to);
    }
    // A rank that gave more than it had to can take something.
    std::erase_if(donors, [&](std::size_t r) {
      if (work.slack(r) < 0) return false;
      ranks.put_back(r);
      return true;
    });
  }
}

}  // namespace roam::placement
