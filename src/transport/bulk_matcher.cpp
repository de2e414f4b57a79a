// SPDX-License-Identifier: Apache-2.0
#include "transport/bulk_matcher.hpp"

#include <cassert>
#include <cstring>
#include <string>

namespace roam::transport {

std::optional<BulkMatch> BulkMatcher::expect(Rank source, BulkTag tag, std::size_t bytes,
                                             core::Buffer target) {
  assert(!target || target.size() == bytes);
  const Key key{source, tag};
  // lower_bound, not find, because it gives the oldest of several equal keys.
  const auto found = arrived_.lower_bound(key);
  if (found != arrived_.end() && found->first == key) {
    BulkMatch match{std::move(found->second), bytes, std::move(target)};
    arrived_.erase(found);
    return match;
  }
  expected_.emplace(key, Expected{bytes, std::move(target)});
  return std::nullopt;
}

std::optional<BulkMatch> BulkMatcher::arrive(Rank source, BulkTag tag, core::Buffer data) {
  const Key key{source, tag};
  const auto found = expected_.lower_bound(key);
  if (found != expected_.end() && found->first == key) {
    BulkMatch match{std::move(data), found->second.bytes, std::move(found->second.target)};
    expected_.erase(found);
    return match;
  }
  arrived_.emplace(key, std::move(data));
  return std::nullopt;
}

void deliver(Sink& sink, Rank source, BulkTag tag, BulkMatch match) {
  if (match.data.size() == match.expected_bytes) {
    if (match.target) {
      if (match.expected_bytes > 0)
        std::memcpy(match.target.data(), match.data.data(), match.expected_bytes);
      match.data = std::move(match.target);  // this frees the sender's buffer
    }
    sink.bulk(source, tag, std::move(match.data));
    return;
  }
  const std::string reason = "bulk transfer " + std::to_string(tag) + " has " +
                             std::to_string(match.data.size()) + " bytes where " +
                             std::to_string(match.expected_bytes) + " were announced";
  sink.peer_failed(source, reason.c_str());
}

}  // namespace roam::transport
