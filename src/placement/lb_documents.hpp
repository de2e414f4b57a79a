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

/// One phase of a file, as it stands in the file.
struct LbListedPhase {
  std::shared_ptr<const Json> json;
  std::size_t position = 0;  ///< in the file's list
};

/// One file of recorded loads as it was read. Writing starts from this text, so that everything
/// Roam does not interpret is preserved.
struct LbDocument {
  std::string origin;
  std::int32_t rank = 0;
  bool was_compressed = false;
  Json root;  ///< the whole file, with null in place of the list of phases
  /// Phases by id. Phases that the file declares identical to the one before share its text and its
  /// id.
  std::map<std::int64_t, LbListedPhase> phases;
  std::vector<std::int64_t> order;  ///< ids of the phases that are written out in the file
  /// Ids of phases that are not written out, being identical to the one before.
  std::set<std::int64_t> identical;
};

/// The files of a job by rank.
struct LbDocuments {
  std::vector<LbDocument> files;
  /// The only phase that was asked for, if one was.
  std::optional<std::int64_t> phase;
};

/// Throws ConfigError for a file that is not in the format, and for files that do not belong
/// together.
[[nodiscard]] LbDocuments parse_lb_documents(std::span<const LbText> files,
                                             std::optional<std::int64_t> phase);

/// The rank that a task is on.
[[nodiscard]] std::int32_t rank_of_task(const JsonPlace& task, std::int32_t rank_of_file);

/// The id of an object: vt writes "id"; some files of the LB analysis framework write "seq_id".
[[nodiscard]] std::uint64_t id_of(const JsonPlace& entity);
/// Whether an end of a communication is an object with an id.
[[nodiscard]] bool is_object(const JsonPlace& entity);

}  // namespace roam::placement
