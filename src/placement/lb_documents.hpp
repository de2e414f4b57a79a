// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "lb_json.hpp"
#include "roam/placement/detail/lb_data.hpp"

namespace roam::placement {

/// One phase of a file, as it stands there.
struct LbListedPhase {
  std::shared_ptr<const Json> json;
  std::size_t position = 0;  ///< in the file's list
};

/// One file of recorded loads as it was read. What is written later starts from here, so that
/// whatever Roam does not understand stays in it.
struct LbDocument {
  std::string origin;
  std::int32_t rank = 0;
  bool was_compressed = false;
  Json root;  ///< all but the list of phases, in place of which stands null
  /// By id. Phases that the file says are identical to the one before share its text, and its id.
  std::map<std::int64_t, LbListedPhase> phases;
  std::vector<std::int64_t> order;   ///< of the phases that are written out in the file
  std::set<std::int64_t> identical;  ///< phases that are not, being identical to the one before
};

/// The files of a job by rank.
struct LbDocuments {
  std::vector<LbDocument> files;
  /// The one phase that was asked for, if one was.
  std::optional<std::int64_t> phase;
};

/// Throws ConfigError for a file that is none, and for files that do not belong together.
[[nodiscard]] LbDocuments parse_lb_documents(std::span<const LbText> files,
                                             std::optional<std::int64_t> phase);

/// The rank that a task is on.
[[nodiscard]] std::int32_t rank_of_task(const JsonPlace& task, std::int32_t rank_of_file);

/// vt calls an object by its id; some files of the LB analysis framework by a seq_id.
[[nodiscard]] std::uint64_t id_of(const JsonPlace& entity);
/// Whether an end of a communication is an object with an id.
[[nodiscard]] bool is_object(const JsonPlace& entity);

}  // namespace roam::placement
