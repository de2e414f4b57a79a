// SPDX-License-Identifier: Apache-2.0
#include "repack.hpp"

#include "ranks_by_slack.hpp"

namespace roam::placement {

namespace {

// Objects whose sizes differ by less than this part may change places in the order.
constexpr double disorder = 0.2;

std::vector<ObjectIndex> disordered(const LoadGraph& graph, std::span<const ObjectIndex> order,
                                    core::Random& random) {
  std::vector<std::pair<double, ObjectIndex>> sized;
  sized.reserve(order.size());
  for (const ObjectIndex object : order) {
    sized.emplace_back(-graph.seconds[object] * (1 + disorder * random.unit()), object);
  }
  std::ranges::sort(sized);
  std::vector<ObjectIndex> result(sized.size());
  std::ranges::transform(sized, result.begin(), [](const auto& object) { return object.second; });
  return result;
}

}  // namespace

void repack(const LoadGraph& graph, std::span<const ObjectIndex> order, RankWork& work,
            Placement& placement, core::Random* random) {
  std::vector<ObjectIndex> varied;
  if (random != nullptr) {
    varied = disordered(graph, order, *random);
    order = varied;
  }
  RanksBySlack ranks(work, true);
  for (const ObjectIndex object : order) {
    const double seconds = graph.seconds[object];
    auto to = static_cast<std::size_t>(graph.rank[object]);
    if (work.slack(to) < seconds) to = ranks.closest(seconds);
    if (to == RanksBySlack::none) to = ranks.emptiest();
    ranks.take_out(to);
    work.add(seconds, to);
    ranks.put_back(to);
    placement[object] = static_cast<std::int32_t>(to);
  }
}

}  // namespace roam::placement
