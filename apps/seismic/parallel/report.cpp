// SPDX-License-Identifier: Apache-2.0
#include "parallel/report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "output/npy.hpp"
#include "output/seismograms.hpp"
#include "parallel/mail.hpp"
#include "parallel/raster.hpp"
#include "parallel/recorder.hpp"
#include "parallel/step_log.hpp"

namespace seismic {
namespace {

/// The final mesh as a table: lower corner and size of each cell, its piece, and the piece's rank.
std::string mesh_table(const Era& era, const std::vector<std::int32_t>& ranks) {
  std::string text = "x,y,z,size,level,piece,rank\n";
  for (std::size_t k = 0; k < era.mesh().cells.size(); ++k) {
    const Cell& cell = era.mesh().cells[k];
    const std::int32_t piece = era.pieces().piece_of(static_cast<CellIndex>(k));
    char line[160];
    const int size = std::snprintf(
        line, sizeof line, "%.9g,%.9g,%.9g,%.9g,%d,%d,%d\n", cell.lower[0], cell.lower[1],
        cell.lower[2], cell.size, cell.key.level, piece, ranks.at(static_cast<std::size_t>(piece)));
    text.append(line, static_cast<std::size_t>(size));
  }
  return text;
}

std::string step_table(const std::vector<StepFigures>& all) {
  std::string text = "step,rank,seconds,busy,idle,spawned,offloaded,guests,objects\n";
  for (const StepFigures& f : all) {
    char line[200];
    const int size =
        std::snprintf(line, sizeof line, "%lld,%d,%.9g,%.9g,%.9g,%.0f,%.0f,%.0f,%.0f\n",
                      static_cast<long long>(f.step), f.rank, f.seconds, f.busy_seconds,
                      f.idle_seconds, f.spawned, f.offloaded, f.guests, f.objects);
    text.append(line, static_cast<std::size_t>(size));
  }
  return text;
}

/// A line for each era: its first step, and the cells of each root.
std::string meshes_table(const std::vector<MeshFigures>& meshes) {
  std::string text = "step,cells of each root in the order of the curve\n";
  for (const MeshFigures& mesh : meshes) {
    text += std::to_string(mesh.step);
    for (const std::int32_t cells : mesh.cells_of_roots) text += ',' + std::to_string(cells);
    text += '\n';
  }
  return text;
}

}  // namespace

void ParallelFigures::note_mesh(const Mesh& mesh, std::int64_t step) {
  MeshFigures& figures = meshes.emplace_back();
  figures.step = step;
  double part = 1.0;  // of the root that the curve is in: how much of it lies behind
  for (const Cell& cell : mesh.cells) {
    if (part > 1.0 - 1e-9) {
      part = 0.0;
      figures.cells_of_roots.push_back(0);
    }
    part += std::pow(cell.size / mesh.grid.size, 3);
    ++figures.cells_of_roots.back();
  }
  const std::size_t cells = mesh.cells.size();
  least_cells = least_cells == 0 ? cells : std::min(least_cells, cells);
  most_cells = std::max(most_cells, cells);
}

void ParallelFigures::note_steps(std::int64_t count, std::size_t cells, int order) {
  updates +=
      static_cast<double>(count) * static_cast<double>(cells) * quantities * std::pow(order + 1, 3);
}

void write_results(roam::Runtime& rt, const World& world, const Samples& samples,
                   const ParallelFigures& figures, const roam::RunSummary& summary) {
  const Settings& waves = world.waves();
  write_seismograms(waves.receivers, samples, waves.sampling, waves.folder);
  rt.local<Recorder>().write(waves);
  write_file(waves.folder / "mesh.csv", mesh_table(world.era(), rt.local<Mail>().ranks()));
  if (world.settings().report_steps > 0) {
    write_file(waves.folder / "steps.csv", step_table(rt.local<StepLog>().all()));
    write_file(waves.folder / "meshes.csv", meshes_table(figures.meshes));
  }
  nlohmann::json receivers = nlohmann::json::array();
  for (const Receiver& receiver : waves.receivers) {
    receivers.push_back({{"name", receiver.name}, {"position", receiver.position}});
  }
  nlohmann::json sources = nlohmann::json::array();
  for (const MomentSource& source : waves.sources) sources.push_back(source.position);
  const Raster raster = make_raster(waves);
  const double frame_interval =
      static_cast<double>(samples_between(waves.frames, waves.sampling)) * waves.sampling;
  const nlohmann::json description{
      {"title", waves.title},
      {"order", waves.order},
      {"sampling", waves.sampling},
      {"end", waves.end},
      {"origin", waves.grid.origin},
      {"cell", waves.grid.size},
      {"count", waves.grid.count},
      {"refinement", waves.grid.refinement},
      {"frames", waves.frames},
      {"frame_interval", frame_interval},
      {"sources", sources},
      {"seconds", figures.seconds},
      {"pixel", raster.pixel},
      {"pixels", raster.count},
      {"ranks", rt.size()},
      {"workers", rt.workers()},
      {"pieces", world.pieces()},
      {"receivers", receivers},
      {"steps", figures.steps},
      {"updates", figures.updates},
      {"busy_seconds", summary.mean_busy_seconds * rt.size() * rt.workers()}};
  write_file(waves.folder / "run.json", description.dump(1) + "\n");
}

void print_report(roam::Runtime& rt, const ParallelFigures& figures,
                  const roam::RunSummary& summary) {
  if (figures.least_cells == figures.most_cells) {
    std::printf("cells             %zu\n", figures.most_cells);
  } else {
    std::printf("cells             %zu to %zu\n", figures.least_cells, figures.most_cells);
  }
  std::printf("ranks             %d of %u workers\n", rt.size(), rt.workers());
  std::printf("steps             %lld\n", static_cast<long long>(figures.steps));
  std::printf("simulated         %.6g s\n", figures.simulated);
  std::printf("wall clock        %.2f s\n", figures.seconds);
  std::printf("unknowns a second %.4g million\n", figures.updates / figures.seconds * 1e-6);
  std::printf("work of a worker  %.2f s in the mean, %.2f s at most\n", summary.mean_busy_seconds,
              summary.max_busy_seconds);
  const auto count = [&](const char* name) { return roam::value_of(summary.counters, name); };
  std::printf("offloaded         %.0f of %.0f tasks\n", count("tasks_returned"),
              count("tasks_spawned"));
  std::printf("moves             %llu subdomains\n",
              static_cast<unsigned long long>(summary.migrations));
}

}  // namespace seismic
