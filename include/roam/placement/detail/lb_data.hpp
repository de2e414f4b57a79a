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
    /// The objects in the same order as the tasks: by rank of the file, then as they are listed.
    /// Objects that cannot migrate are pinned. Their bytes are the user-defined
    /// "task_serialized_bytes"; coordinates are the index, if every object has one; memory comes
    /// from the user-defined entries about memory.
    LoadGraph graph;
    /// Number of communications that are not in the graph: those whose sender or receiver is no
    /// object of this phase, and those of other kinds than SendRecv (broadcasts, reductions).
    std::uint64_t other_communications = 0;
    /// True if the file does not list this phase but declares it identical to the one before.
    bool is_identical_to_previous = false;
  };
  std::int32_t ranks = 0;
  std::vector<Phase> phases;  ///< in the order of their ids
  /// The files as they were read, including everything that Roam does not interpret.
  std::shared_ptr<const LbDocuments> documents;
};

/// Reads the files of a job of any number of ranks, in any order, plain or compressed with Brotli
/// (vt names both ".json"). The rank of a file stands in its metadata, its tasks, or its name
/// ("data.12.json"). With `phase`, only that phase is read, and errors in others are ignored.
/// Throws ConfigError (file, place, what was found, what is allowed) for a file that cannot be
/// read, is not in this format or contains duplicates, and for files of different jobs of Roam.
[[nodiscard]] LbData read_lb_data(std::span<const std::string> paths,
                                  std::optional<std::int64_t> phase = {});

/// The text of one file; `origin` stands for the file's name in messages.
struct LbText {
  std::string origin;
  std::string text;
  bool was_compressed = false;
};
[[nodiscard]] LbData parse_lb_data(std::span<const LbText> files,
                                   std::optional<std::int64_t> phase = {});

/// The files to be written, named "data.RANK.json": what was read, but objects that `graph.rank`
/// now places on another rank are in the file of that rank, together with the communications that
/// were listed beside them. Everything else is as it was read. Ranks that had no file and got
/// objects get a new one.
[[nodiscard]] std::vector<LbText> lb_files(const LbData& data);

/// Writes these files to a folder, which is created if it does not exist; files that were
/// compressed are compressed again. Throws ConfigError, before anything is written, if the folder
/// contains one of the files that were read, or data files that would not be overwritten.
void write_lb_data(const LbData& data, const std::string& folder);

}  // namespace roam::placement
