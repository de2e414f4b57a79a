// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roam/placement/load_graph.hpp"

namespace roam::placement {

struct LbDocuments;

/// Recorded loads of a job in vt's format "LBDatafile", one JSON file per rank: phases with tasks
/// (an object, its rank, its time in seconds) and communications (bytes and messages from object to
/// object). The schema stands in vt's documentation and in the LB analysis framework.
struct LbData {
  struct Object {
    std::uint64_t id = 0;  ///< vt's id, or its seq_id where a file gives that instead
    std::uint32_t file =
        0;  ///< where it was read: which of the files, in the order of their ranks,
    std::uint32_t task = 0;  ///< and which task of the phase there
  };
  struct Phase {
    std::int64_t id = 0;
    std::vector<Object> objects;
    /// The same objects in the same order: by rank of the file, then as they are listed. Not
    /// migratable ones are pinned; bytes are the user defined "task_serialized_bytes", coordinates
    /// the index, where every object has them; memory is what is user defined of it.
    LoadGraph graph;
    /// Messages of or to entities that are no objects of this phase, and those of other kinds than
    /// SendRecv (broadcasts, reductions): not in the graph.
    std::uint64_t other_communications = 0;
    /// The files say so instead of listing it.
    bool is_identical_to_previous = false;
  };
  std::int32_t ranks = 0;
  std::vector<Phase> phases;  ///< in the order of their ids
  /// The files as they were read, with all that stands there besides.
  std::shared_ptr<const LbDocuments> documents;
};

/// Reads files of any number of ranks, as they are or compressed with Brotli (".json" all the same,
/// as vt writes them), in any order. The rank of a file stands in its metadata, its tasks, or its
/// name ("data.12.json"). With `phase` that phase alone is read, and what is wrong with others does
/// not matter. Throws ConfigError (file, place, what was found, what is allowed) for a file that
/// cannot be read, is no such data, or says the same twice, and for files of different jobs of
/// Roam.
[[nodiscard]] LbData read_lb_data(std::span<const std::string> paths,
                                  std::optional<std::int64_t> phase = {});

/// The same from text; `origin` stands for the file's name in messages.
struct LbText {
  std::string origin;
  std::string text;
  bool was_compressed = false;
};
[[nodiscard]] LbData parse_lb_data(std::span<const LbText> files,
                                   std::optional<std::int64_t> phase = {});

/// The files to be written, named "data.RANK.json": what was read, with objects that `graph.rank`
/// has elsewhere now moved to the file of that rank, and with them the communications that are
/// listed where they were. All else is as it was read. For ranks that had no file and got objects,
/// there is a new one.
[[nodiscard]] std::vector<LbText> lb_files(const LbData& data);

/// Writes them to a folder, which is made if need be, compressed where they were. Throws
/// ConfigError, before anything is written, if the folder holds one of the files that were read, or
/// other data files than those it writes.
void write_lb_data(const LbData& data, const std::string& folder);

}  // namespace roam::placement
