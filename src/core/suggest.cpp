// SPDX-License-Identifier: Apache-2.0
#include "roam/core/detail/suggest.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace roam::core {

namespace {

std::string folded(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '_') c = '-';
  }
  return result;
}

/// The optimal string alignment distance: the number of edits and swaps of neighbouring characters,
/// where no substring is edited twice.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> previous(b.size() + 1);
  std::vector<std::size_t> current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        current[j] = std::min(current[j], before[j - 2] + 1);
      }
    }
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

}  // namespace

std::string closest_name(std::string_view given, std::span<const std::string> names) {
  constexpr std::size_t longest = 64;  // no name is longer; this limits the work for hostile input
  if (given.empty() || given.size() > longest) return {};
  const std::string wanted = folded(given);
  const std::string* best = nullptr;
  std::size_t best_distance = std::numeric_limits<std::size_t>::max();
  for (const std::string& name : names) {
    const std::string candidate = folded(name);
    std::size_t distance = edit_distance(wanted, candidate);
    const std::size_t shorter = std::min(wanted.size(), candidate.size());
    const bool beginning = shorter >= 3 && wanted.compare(0, shorter, candidate, 0, shorter) == 0;
    const std::size_t allowed = std::max<std::size_t>(1, wanted.size() / 3);
    if (distance > allowed && beginning)
      distance = allowed;  // counts as near, but after names that are nearer
    if (distance <= allowed && distance < best_distance && distance < candidate.size()) {
      best = &name;
      best_distance = distance;
    }
  }
  return best == nullptr ? std::string{} : *best;
}

std::string did_you_mean(std::string_view given, std::span<const std::string> names,
                         std::string_view prefix) {
  const std::string name = closest_name(given, names);
  if (name.empty()) return {};
  return "; did you mean " + std::string(prefix) + name + "?";
}

std::string join_names(std::span<const std::string> names) {
  std::string text;
  for (const std::string& name : names) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

}  // namespace roam::core
