// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roam/balance/load_graph.hpp"

namespace roam::balance {

/// Recorded loads of a job in vt's format "LBDatafile", one JSON file per rank: phases with tasks
/// (an object, its rank, its time in seconds) and communications (bytes and messages from object to
/// object). The schema stands in vt's documentation and in the LB analysis framework.
struct LbData {
  struct Object {
    std::uint64_t id = 0;      ///< vt's id, or its seq_id where a file gives that instead
    std::string entity;        ///< JSON: whatever the file says of the object, to be written again
    std::string user_defined;  ///< JSON; may be empty
  };
  struct Phase {
    std::int64_t id = 0;
    std::vector<Object> objects;
    /// The same objects in the same order. Not migratable ones are pinned; bytes are the user
    /// defined "task_serialized_bytes", coordinates the index, where every object has them.
    LoadGraph graph;
    /// Messages of or to entities that are no objects of this phase, and those of other kinds than
    /// SendRecv (broadcasts, reductions): not in the graph.
    std::uint64_t other_communications = 0;
  };
  std::int32_t ranks = 0;
  std::vector<Phase> phases;  ///< in the order of their ids
};

/// Reads files of any number of ranks, as they are or compressed with Brotli (".json" all the same,
/// as vt writes them). The rank of a file stands in its metadata, its tasks, or its name
/// ("data.12.json"). Throws ConfigError (file, place, what was found, what is allowed) for a file
/// that cannot be read, is no such data, or says the same twice.
[[nodiscard]] LbData read_lb_data(std::span<const std::string> paths);

/// The same from text; `origin` stands for the file's name in messages.
struct LbText {
  std::string origin;
  std::string text;
};
[[nodiscard]] LbData parse_lb_data(std::span<const LbText> files);

/// The file of one rank: the phases with the tasks that are on it. Links are listed where their
/// first object is.
[[nodiscard]] std::string lb_text(const LbData& data, std::int32_t rank);

}  // namespace roam::balance
