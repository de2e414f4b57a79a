// SPDX-License-Identifier: Apache-2.0
#include "parallel/recorder.hpp"

#include <algorithm>
#include <cstdio>
#include <roam/roam.hpp>
#include <string>
#include <utility>

#include "output/npy.hpp"

namespace seismic {

void Recorder::note(std::int32_t receiver, std::int32_t part, std::int64_t sample,
                    const std::array<double, 3>& velocity) {
  const std::lock_guard guard(mutex_);
  const auto place = static_cast<std::size_t>(receiver);
  if (parts_.size() <= place) parts_.resize(place + 1);
  parts_[place][sample].push_back({part, velocity});
}

void Recorder::note_pixels(const Raster& raster, std::int64_t frame,
                           std::span<const std::int32_t> pixels,
                           std::span<const float> velocities) {
  const std::lock_guard guard(mutex_);
  std::vector<float>& values = frames_[frame];
  values.resize(3 * raster.pixels());
  for (std::size_t k = 0; k < pixels.size(); ++k) {
    const auto pixel = static_cast<std::size_t>(pixels[k]);
    if (pixel >= raster.pixels()) throw roam::Error("a pixel outside of the picture");
    std::copy_n(velocities.begin() + static_cast<std::ptrdiff_t>(3 * k), 3,
                values.begin() + static_cast<std::ptrdiff_t>(3 * pixel));
  }
}

void Recorder::note_snapshot(const Mesh& mesh, const VerticalMap& map, const Settings& settings,
                             std::int64_t snapshot, double seconds, std::int32_t first,
                             std::int32_t piece, std::int32_t rank,
                             std::span<const float> velocity) {
  constexpr std::size_t values = 3 * snapshot_points * snapshot_points * snapshot_points;
  Pending complete;
  {
    const std::lock_guard guard(mutex_);
    Pending& pending = pending_[snapshot];
    pending.snapshot.points = snapshot_points;
    pending.snapshot.velocity.resize(values * mesh.cells.size());
    pending.snapshot.piece.resize(mesh.cells.size());
    pending.snapshot.rank.resize(mesh.cells.size());
    const auto begin = static_cast<std::size_t>(first);
    const std::size_t cells = velocity.size() / values;
    std::copy(velocity.begin(), velocity.end(),
              pending.snapshot.velocity.begin() + static_cast<std::ptrdiff_t>(values * begin));
    std::fill_n(pending.snapshot.piece.begin() + first, cells, piece);
    std::fill_n(pending.snapshot.rank.begin() + first, cells, rank);
    pending.cells += cells;
    if (pending.cells < mesh.cells.size()) return;
    complete = std::move(pending);
    pending_.erase(snapshot);
  }
  char name[32];
  std::snprintf(name, sizeof name, "waves_%05lld.vtu", static_cast<long long>(snapshot));
  write_vtu(settings.folder / name, mesh, map, complete.snapshot);
  const std::lock_guard guard(mutex_);
  series_[snapshot] = {seconds, name};
}

Samples Recorder::samples(std::size_t receivers) const {
  const std::lock_guard guard(mutex_);
  Samples samples(receivers);
  for (std::size_t r = 0; r < std::min(receivers, parts_.size()); ++r) {
    for (const auto& [sample, unordered] : parts_[r]) {
      std::vector<Part> parts = unordered;
      std::sort(parts.begin(), parts.end(),
                [](const Part& a, const Part& b) { return a.part < b.part; });
      std::array<double, 3> velocity{};
      for (const Part& part : parts) {
        for (std::size_t c = 0; c < 3; ++c) velocity[c] += part.velocity[c];
      }
      samples[r].push_back(velocity);
    }
  }
  return samples;
}

void Recorder::write(const Settings& settings) const {
  const std::lock_guard guard(mutex_);
  if (!series_.empty()) {
    std::vector<SeriesEntry> series;
    for (const auto& [number, entry] : series_) series.push_back(entry);
    write_pvd(settings.folder / "waves.pvd", series);
  }
  if (frames_.empty()) return;
  const Raster raster = make_raster(settings);
  std::vector<float> values;
  for (const auto& [number, frame] : frames_) {
    values.insert(values.end(), frame.begin(), frame.end());
  }
  write_npy(settings.folder / "surface.npy", values,
            {frames_.size(), static_cast<std::size_t>(raster.count[1]),
             static_cast<std::size_t>(raster.count[0]), 3});
}

}  // namespace seismic
