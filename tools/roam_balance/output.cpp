// SPDX-License-Identifier: Apache-2.0
#include "output.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "roam/topology/detail/mapping/measures.hpp"

namespace roam_balance {

using roam::placement::LbData;
using roam::placement::Quality;

namespace {

// A note is printed if more than this part of the objects moves for a small gain.
constexpr double many_objects = 0.5;
constexpr double small_gain = 0.01;
// A note is printed if this many times more objects move than are nearly sufficient.
constexpr double many_times = 2;
constexpr double little_slower = 0.02;

/// Suppresses imbalances that are due to rounding.
double shown(double imbalance) { return std::abs(imbalance) < 1e-12 ? 0 : imbalance; }

}  // namespace

void print_phase(const LbData::Phase& phase, const Quality& before) {
  std::printf(
      "phase %lld: %zu objects, imbalance %.4g (slowest rank %.6g s, mean %.6g s, no "
      "placement below %.6g s)\n",
      static_cast<long long>(phase.id), phase.objects.size(), shown(before.imbalance),
      before.max_seconds, before.mean_seconds, before.bound_seconds);
  if (phase.is_identical_to_previous) std::printf("  identical to the phase before\n");
  if (phase.graph.memory.is_known()) {
    std::printf("  memory: %.6g MB on the rank that needs most", before.max_memory_bytes / 1e6);
    if (phase.graph.memory.is_limited()) {
      std::printf(", allowed are %.6g MB", phase.graph.memory.limit_bytes / 1e6);
    }
    std::printf("\n");
  }
  if (phase.other_communications > 0) {
    std::printf("  %llu communications with others than objects of this phase do not count\n",
                static_cast<unsigned long long>(phase.other_communications));
  }
}

void print_header(const Layout& layout) {
  std::printf("  %-*s %10s %10s %9s %12s %12s", layout.strategy_width, "strategy", "imbalance",
              "max/bound", "moved", "moved MB", "remote MB");
  if (layout.has_memory) std::printf(" %12s", "memory MB");
  std::printf(" %10s\n", "decided ms");
}

void print_row(const std::string& strategy, const Layout& layout, const Quality& quality,
               double decision_seconds) {
  const double ratio =
      quality.bound_seconds > 0 ? quality.max_seconds / quality.bound_seconds : 1.0;
  std::printf("  %-*s %10.4g %10.5g %9llu %12.5g %12.5g", layout.strategy_width, strategy.c_str(),
              shown(quality.imbalance), ratio,
              static_cast<unsigned long long>(quality.moved_objects),
              static_cast<double>(quality.moved_bytes) / 1e6, quality.remote_bytes / 1e6);
  if (layout.has_memory) std::printf(" %12.6g", quality.max_memory_bytes / 1e6);
  std::printf(" %10.4g\n", 1e3 * decision_seconds);
}

void print_levels(const Layout& layout, const roam::placement::LoadGraph& graph,
                  const roam::placement::Placement& placement) {
  if (!layout.tree || graph.links.empty()) return;
  std::vector<roam::topology::Communication> communications;
  for (const auto& link : graph.links)
    communications.push_back({link.a, link.b, link.bytes, link.messages});
  const auto measures = roam::topology::measure(communications, *layout.tree, placement);
  std::printf("    communication in MB: %.5g hop-bytes", measures.hop_bytes / 1e6);
  for (std::size_t level = 0; level <= layout.tree->depth(); ++level) {
    const std::string& name = layout.tree->levels()[level].name;
    std::printf(level == layout.tree->depth() ? ", %.5g inside a %s" : ", %.5g across %s",
                measures.amount_by_level[level] / 1e6, name.c_str());
  }
  std::printf("\n");
}

void print_failure(const std::string& strategy, const Layout& layout, const std::string& reason) {
  std::printf("  %-*s %s\n", layout.strategy_width, strategy.c_str(), reason.c_str());
}

void print_notes(const std::string& strategy, const roam::placement::LoadGraph& graph,
                 const Quality& before, const Quality& after,
                 const std::optional<Quality>& modest) {
  const auto objects = static_cast<double>(graph.size());
  const auto moved = static_cast<double>(after.moved_objects);
  const double gain = before.max_seconds > 0 ? 1 - after.max_seconds / before.max_seconds : 0;
  if (modest && moved > many_times * static_cast<double>(modest->moved_objects) &&
      modest->max_seconds < (1 + little_slower) * after.max_seconds) {
    std::printf(
        "    %s moves %llu objects; with %llu (refine) the slowest rank is %.2g %% slower\n",
        strategy.c_str(), static_cast<unsigned long long>(after.moved_objects),
        static_cast<unsigned long long>(modest->moved_objects),
        100 * shown(modest->max_seconds / after.max_seconds - 1));
  } else if (moved > many_objects * objects && gain < small_gain) {
    std::printf("    %s moves %.3g %% of the objects, and the slowest rank is %.2g %% %s\n",
                strategy.c_str(), 100 * moved / objects, 100 * std::abs(shown(gain)),
                gain >= 0 ? "faster by it" : "slower then");
  }
  if (graph.memory.is_limited() && after.max_memory_bytes > graph.memory.limit_bytes) {
    std::printf("    %s: a rank would need more memory than is allowed\n", strategy.c_str());
  }
}

}  // namespace roam_balance
