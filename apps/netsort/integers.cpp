// SPDX-License-Identifier: Apache-2.0
#include "integers.hpp"

#include <cstddef>

namespace netsort {

Integers input(const Settings& settings, std::int64_t begin, std::int64_t end) {
  Integers integers;
  integers.reserve(static_cast<std::size_t>(end - begin));
  const auto values = static_cast<std::uint64_t>(settings.largest) + 1;
  for (std::int64_t i = begin; i < end; ++i) {
    const std::uint64_t random = draw(settings.seed, static_cast<std::uint64_t>(i), 0);
    integers.push_back(static_cast<std::int32_t>(roam::core::Random(random).below(values)));
  }
  return integers;
}

Integers lower_half(const Integers& a, const Integers& b) {
  Integers half;
  half.reserve(a.size());
  auto x = a.begin();
  auto y = b.begin();
  while (half.size() < a.size()) half.push_back(*y < *x ? *y++ : *x++);
  return half;
}

Integers upper_half(const Integers& a, const Integers& b) {
  Integers half(a.size());
  auto x = a.rbegin();
  auto y = b.rbegin();
  for (auto place = half.rbegin(); place != half.rend(); ++place) *place = *x < *y ? *y++ : *x++;
  return half;
}

std::uint64_t fingerprint(std::span<const std::int32_t> integers, std::int64_t first) {
  std::uint64_t sum = 0;
  for (const std::int32_t value : integers)
    sum += draw(0, static_cast<std::uint64_t>(first++), static_cast<std::uint32_t>(value));
  return sum;
}

}  // namespace netsort
