// SPDX-License-Identifier: Apache-2.0
#include "give_away.hpp"

#include <algorithm>
#include <queue>

namespace roam::placement {

namespace {

bool smaller(const ObjectNote& a, const ObjectNote& b) {
  return a.seconds != b.seconds ? a.seconds < b.seconds : a.object < b.object;
}

double time_of(const Member& member) {
  double seconds = member.fixed_seconds;
  for (const ObjectNote& note : member.objects) seconds += note.seconds;
  return seconds / member.capacity;
}

}  // namespace

std::vector<std::vector<ObjectNote>> give_away(std::span<Member> members,
                                               std::span<const Flow> flows) {
  std::vector<double> times;
  for (Member& member : members) {
    std::ranges::sort(member.objects, smaller);
    times.push_back(time_of(member));
  }
  std::vector<std::vector<ObjectNote>> given(flows.size());
  for (std::size_t f = 0; f < flows.size(); ++f) {
    double wanted = flows[f].seconds;
    std::priority_queue<std::pair<double, std::size_t>> givers;
    for (std::size_t m = 0; m < members.size(); ++m) givers.emplace(times[m], m);
    while (!givers.empty() && wanted > 0) {
      const std::size_t m = givers.top().second;
      givers.pop();
      auto& objects = members[m].objects;
      const auto above = std::ranges::upper_bound(objects, wanted, {}, &ObjectNote::seconds);
      if (above == objects.begin()) continue;  // no object of this member fits any more
      const auto chosen = above - 1;
      if (chosen->seconds <= 0) continue;
      wanted -= chosen->seconds;
      times[m] -= chosen->seconds / members[m].capacity;
      given[f].push_back(*chosen);
      objects.erase(chosen);
      givers.emplace(times[m], m);
    }
  }
  return given;
}

}  // namespace roam::placement
