// SPDX-License-Identifier: Apache-2.0
// Chains on chains: the objects in the order of their numbers are cut into consecutive parts, one
// for each rank, so that the slowest part is as fast as can be. Exact, by bisection over bottleneck
// values that occur (Pinar and Aykanat, "Fast optimal load balancing algorithms for 1D
// partitioning", J. Parallel Distrib. Comput. 64, 2004: EXACT-BISECT).
#include <algorithm>
#include <limits>
#include <numeric>

#include "common.hpp"
#include "roam/placement/strategy.hpp"

namespace roam::placement {
namespace {

class ChainsProblem {
 public:
  ChainsProblem(const LoadGraph& graph, const Machine& machine)
      : per_second_(capacities(machine)), fixed_(fixed_seconds(graph, machine)) {
    for (std::size_t i = 0; i < graph.size(); ++i) {
      if (!graph.is_pinned(i)) chain_.push_back(static_cast<ObjectIndex>(i));
    }
    sums_.resize(chain_.size() + 1);
    for (std::size_t k = 0; k < chain_.size(); ++k) {
      sums_[k + 1] = sums_[k] + graph.seconds[chain_[k]];
    }
    for (std::size_t r = 0; r < fixed_.size(); ++r) {
      least_ = std::max(least_, fixed_[r] / per_second_[r]);
    }
  }

  /// Computes the rank of each object of the chain.
  [[nodiscard]] std::vector<std::size_t> solve() {
    double low = least_;
    double high = std::numeric_limits<double>::infinity();
    // The mean is a lower bound and seldom a solution; from there the limit doubles.
    for (double guess = std::max(least_, mean()); high == std::numeric_limits<double>::infinity();
         guess = 2 * guess + std::numeric_limits<double>::min()) {
      if (probe(guess)) {
        high = reached_;
      } else {
        low = std::max(low, next_);
      }
    }
    // After each probe one of the two bounds is a time that some cut has, so they meet.
    while (low < high) {
      const double middle = low + (high - low) / 2;
      const double limit = middle < high ? middle : low;
      if (probe(limit)) {
        high = std::max(reached_, low);
        if (reached_ <= low) break;
      } else {
        if (next_ >= high) break;
        low = next_;
        if (probe(low)) {  // the next time that occurs: if it is feasible, no smaller one is
          high = low;
        }
      }
    }
    probe(high);
    return cuts_;
  }

  [[nodiscard]] const std::vector<ObjectIndex>& chain() const { return chain_; }

 private:
  [[nodiscard]] double mean() const {
    return (sums_.back() + std::accumulate(fixed_.begin(), fixed_.end(), 0.0)) /
           std::accumulate(per_second_.begin(), per_second_.end(), 0.0);
  }

  /// Fills rank after rank up to `limit` seconds. Returns true if all objects fit; `reached_` is
  /// then the time of the slowest rank. Otherwise `next_` is the least time at which a rank could
  /// have taken one object more. `cuts_[r]` ends the part of rank r.
  bool probe(double limit) {
    reached_ = least_;
    next_ = std::numeric_limits<double>::infinity();
    cuts_.assign(fixed_.size(), chain_.size());
    std::size_t begin = 0;
    for (std::size_t r = 0; r < fixed_.size(); ++r) {
      const std::size_t end = fill(begin, r, limit);
      if (end < chain_.size()) next_ = std::min(next_, time(begin, end + 1, r));
      reached_ = std::max(reached_, time(begin, end, r));
      cuts_[r] = begin = end;
    }
    return begin == chain_.size();
  }

  [[nodiscard]] double time(std::size_t begin, std::size_t end, std::size_t r) const {
    return (fixed_[r] + (sums_[end] - sums_[begin])) / per_second_[r];
  }

  [[nodiscard]] std::size_t fill(std::size_t begin, std::size_t r, double limit) const {
    // Uses the same expression as time(), so that the time of a cut, taken as limit, admits that
    // cut.
    std::size_t low = begin;
    std::size_t high = chain_.size();
    while (low < high) {
      const std::size_t middle = low + (high - low + 1) / 2;
      if (time(begin, middle, r) <= limit) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  std::vector<double> per_second_;
  std::vector<double> fixed_;
  std::vector<ObjectIndex> chain_;
  std::vector<double> sums_;
  double least_ = 0;
  double reached_ = 0;
  double next_ = 0;
  std::vector<std::size_t> cuts_;
};

class Chains final : public Strategy {
 public:
  [[nodiscard]] Placement place(const LoadGraph& graph, const Machine& machine) const override {
    ChainsProblem problem(graph, machine);
    const std::vector<std::size_t> cuts = problem.solve();
    Placement placement = graph.rank;
    std::size_t begin = 0;
    for (std::size_t r = 0; r < cuts.size(); ++r) {
      for (; begin < cuts[r]; ++begin) {
        placement[problem.chain()[begin]] = static_cast<std::int32_t>(r);
      }
    }
    return placement;
  }
};

const StrategyRegistrar chains_registrar{
    {.name = "chains",
     .description = "consecutive objects stay together; the exact optimum of such partitions",
     .parameters = {},
     .create = [](const plugin::Parameters&) -> std::unique_ptr<Strategy> {
       return std::make_unique<Chains>();
     },
     .seconds_per_object = 1.2e-7}};

}  // namespace
}  // namespace roam::placement
