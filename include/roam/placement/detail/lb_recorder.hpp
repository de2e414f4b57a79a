// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cereal/types/array.hpp>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "roam/core/detail/call_edge.hpp"
#include "roam/core/types.hpp"

namespace roam::placement {

/// The loads of one rank's objects in a phase; the lists have one entry for each object.
struct PhaseLoads {
  std::vector<std::uint64_t> objects;  ///< their ids
  std::vector<double> seconds;
  std::vector<std::uint64_t> bytes;  ///< packed; 0: not known
  std::vector<CallEdge> calls;       ///< calls made by these objects, if they were counted
  std::vector<std::array<double, 3>> coordinates;  ///< empty: not asked for
  template <class Archive>
  void serialize(Archive& archive) {
    archive(objects, seconds, bytes, calls, coordinates);
  }
};

/// Stores the loads of one rank phase by phase and writes them in vt's format (see lb_data.hpp),
/// one file per rank: option --roam-lb-data. Thread-safe, since whichever thread notices that a job
/// fails writes them.
class LbRecorder {
 public:
  /// Creates the folder if it does not exist. Throws Error if that fails.
  LbRecorder(std::string folder, Rank rank, std::int32_t ranks);
  void add(const PhaseLoads& loads);
  /// Writes the file data.<rank>.json, replacing one that exists; rank 0 also removes the files
  /// that a job of more ranks has left there. `job`: see JobIdentity. Blocks. Throws Error with the
  /// path.
  void write(const std::string& job) const;

 private:
  void remove_older_files() const;

  const std::string folder_;
  const Rank rank_;
  const std::int32_t ranks_;
  mutable std::mutex mutex_;
  std::vector<PhaseLoads> phases_;  // under mutex_
};

}  // namespace roam::placement
