// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "output/vtu.hpp"
#include "parallel/raster.hpp"
#include "solve/receivers.hpp"

namespace seismic {

/// Collects on rank 0 what subdomains record, and writes it. The files do not depend on the order
/// in which it arrives. Thread-safe.
class Recorder {
 public:
  /// A cell's part of a receiver at a sample.
  void note(std::int32_t receiver, std::int32_t part, std::int64_t sample,
            const std::array<double, 3>& velocity);
  /// Velocities of pixels at a frame; pixels behind `raster` throw roam::Error.
  void note_pixels(const Raster& raster, std::int64_t frame, std::span<const std::int32_t> pixels,
                   std::span<const float> velocities);
  /// Adds the part of a snapshot from one piece, from its cell `first` on; the last piece completes
  /// and writes the file. `seconds`: time of the snapshot.
  void note_snapshot(const Mesh& mesh, const VerticalMap& map, const Settings& settings,
                     std::int64_t snapshot, double seconds, std::int32_t first, std::int32_t piece,
                     std::int32_t rank, std::span<const float> velocity);

  /// The seismograms, to be called when all parts have come; parts are summed in their order.
  [[nodiscard]] Samples samples(std::size_t receivers) const;
  /// Writes pictures of the surface and the list of snapshots. Blocks.
  void write(const Settings& settings) const;

 private:
  struct Part {
    std::int32_t part;
    std::array<double, 3> velocity;
  };
  struct Pending {
    Snapshot snapshot;
    std::size_t cells = 0;  // number of cells that have come
  };

  mutable std::mutex mutex_;
  std::vector<std::map<std::int64_t, std::vector<Part>>> parts_;  // [receiver][sample]
  std::map<std::int64_t, std::vector<float>> frames_;
  std::map<std::int64_t, Pending> pending_;
  std::map<std::int64_t, SeriesEntry> series_;
};

}  // namespace seismic
