// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include "roam/core/detail/buffer.hpp"
#include "roam/core/types.hpp"
#include "roam/transport/endpoint.hpp"

namespace roam::transport {

/// A bulk transfer that has both arrived and been announced.
struct BulkMatch {
  core::Buffer data;
  std::size_t expected_bytes;
  core::Buffer target;  // where the data has to be copied; empty: it stays where it is
};

/// Brings together bulk data and its announcement at the receiving rank, whichever comes first.
/// Equal (source, tag) match in order. For networks that hand over buffers. One thread at a time.
class BulkMatcher {
 public:
  /// Announces data. Returns the match if the data has arrived already.
  [[nodiscard]] std::optional<BulkMatch> expect(Rank source, BulkTag tag, std::size_t bytes,
                                                core::Buffer target);
  /// Hands in data that has arrived. Returns the match if it was announced.
  [[nodiscard]] std::optional<BulkMatch> arrive(Rank source, BulkTag tag, core::Buffer data);

 private:
  using Key = std::pair<Rank, BulkTag>;
  struct Expected {
    std::size_t bytes;
    core::Buffer target;
  };
  std::multimap<Key, Expected> expected_;
  std::multimap<Key, core::Buffer> arrived_;
};

/// Gives a match to the sink, after copying the data into the target if there is one. If its size
/// is not the announced one, the peer is reported as failed.
void deliver(Sink& sink, Rank source, BulkTag tag, BulkMatch match);

}  // namespace roam::transport
