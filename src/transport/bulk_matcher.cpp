// SPDX-License-Identifier: Apache-2.0
#include "transport/bulk_matcher.hpp"

#include <string>

namespace roam::transport {

std::optional<BulkMatch> BulkMatcher::expect(Rank source, BulkTag tag, std::size_t bytes) {
  const Key key{source, tag};
  // lower_bound, not find: the oldest of several equal keys.
  const auto found = arrived_.lower_bound(key);
  if (found != arrived_.end() && found->first == key) {
    BulkMatch match{std::move(found->second), bytes};
    arrived_.erase(found);
    return match;
  }
  expected_.emplace(key, bytes);
  return std::nullopt;
}

std::optional<BulkMatch> BulkMatcher::arrive(Rank source, BulkTag tag, core::Buffer data) {
  const Key key{source, tag};
  const auto found = expected_.lower_bound(key);
  if (found != expected_.end() && found->first == key) {
    BulkMatch match{std::move(data), found->second};
    expected_.erase(found);
    return match;
  }
  arrived_.emplace(key, std::move(data));
  return std::nullopt;
}

void deliver(Sink& sink, Rank source, BulkTag tag, BulkMatch match) {
  if (match.data.size() == match.expected_bytes) {
    sink.bulk(source, tag, std::move(match.data));
    return;
  }
  const std::string reason = "bulk transfer " + std::to_string(tag) + " has " +
                             std::to_string(match.data.size()) + " bytes where " +
                             std::to_string(match.expected_bytes) + " were announced";
  sink.peer_failed(source, reason.c_str());
}

}  // namespace roam::transport
