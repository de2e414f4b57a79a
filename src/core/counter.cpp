// SPDX-License-Identifier: Apache-2.0
#include "roam/core/counter.hpp"

#include <algorithm>

namespace roam {

void join_counters(Counters& all, const Counters& others) {
  for (const Counter& other : others) {
    const auto mine = std::ranges::find(all, other.name, &Counter::name);
    if (mine == all.end()) {
      all.push_back(other);
    } else {
      mine->value = other.kind == Counter::Kind::most ? std::max(mine->value, other.value)
                                                      : mine->value + other.value;
    }
  }
}

void subtract_counters(Counters& counters, const Counters& baseline) {
  for (Counter& counter : counters) {
    if (counter.kind == Counter::Kind::total) counter.value -= value_of(baseline, counter.name);
  }
}

double value_of(const Counters& counters, const std::string& name) {
  const auto found = std::ranges::find(counters, name, &Counter::name);
  return found == counters.end() ? 0 : found->value;
}

}  // namespace roam
