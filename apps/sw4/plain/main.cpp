// SPDX-License-Identifier: Apache-2.0
// Plain MPI: one region of the grid for each process. After predictor and corrector, edges go to
// the lower neighbour along x, then to the upper one, then the same along y.
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <exception>
#include <vector>

#include "output/progress_line.hpp"
#include "run/report.hpp"
#include "run/wave.hpp"
#include "settings/settings_error.hpp"

namespace sw4 {
namespace {

/// One process's part of a run.
class Part {
 public:
  Part(const Wave& wave, const std::array<std::int32_t, 2>& blocks, std::int32_t rank)
      : wave_(wave),
        patch_(wave.patch(
            region_of(wave.settings().grid, blocks, rank % blocks[0], rank / blocks[0]))),
        traces_(patch_.receivers().size()) {
    const std::array<std::int32_t, 2> place{rank % blocks[0], rank / blocks[0]};
    for (std::size_t axis = 0; axis < 2; ++axis) {
      const std::int32_t away = axis == 0 ? 1 : blocks[0];
      if (place[axis] > 0) lower_[axis] = rank - away;
      if (place[axis] + 1 < blocks[axis]) upper_[axis] = rank + away;
    }
    record();
  }

  /// `progress` is told after each step, if there is one.
  void run(seismic::ProgressLine* progress) {
    const double begin = MPI_Wtime();
    for (std::int64_t step = 0; step < wave_.steps(); ++step) {
      patch_.predict(wave_.rates(step));
      exchange();
      patch_.finish_predictor();
      patch_.correct(wave_.step(), wave_.bends(step));
      exchange();
      patch_.finish_corrector();
      record();
      if (progress != nullptr)
        progress->show(static_cast<double>(step + 1) * wave_.step(), MPI_Wtime() - begin);
    }
  }

  /// The traces of all receivers, on rank 0.
  [[nodiscard]] std::vector<Trace> gather(std::int32_t rank) const {
    std::vector<Trace> all(wave_.settings().receivers.size());
    const auto count = static_cast<int>(3 * (wave_.steps() + 1));
    for (std::size_t r = 0; r < traces_.size(); ++r) {
      const std::int32_t number = patch_.receivers()[r].receiver;
      if (rank == 0) {
        all[static_cast<std::size_t>(number)] = traces_[r];
      } else {
        MPI_Send(traces_[r].data(), count, MPI_DOUBLE, 0, number, MPI_COMM_WORLD);
      }
    }
    if (rank != 0) return {};
    for (std::size_t r = 0; r < all.size(); ++r) {
      if (!all[r].empty()) continue;
      all[r].resize(static_cast<std::size_t>(wave_.steps() + 1));
      MPI_Recv(all[r].data(), count, MPI_DOUBLE, MPI_ANY_SOURCE, static_cast<int>(r),
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return all;
  }

 private:
  void exchange() {
    for (std::size_t axis = 0; axis < 2; ++axis) {
      shift(static_cast<int>(axis), Side::lower, lower_[axis], upper_[axis]);
      shift(static_cast<int>(axis), Side::upper, upper_[axis], lower_[axis]);
    }
  }

  /// The edge at `side` goes to `to`; that of `from` comes and is the halo of the other side.
  void shift(int axis, Side side, int to, int from) {
    const std::size_t size = patch_.edge_size(axis);
    sent_.resize(size);
    received_.resize(size);
    if (to != MPI_PROC_NULL) patch_.copy_edge(axis, side, sent_);
    MPI_Sendrecv(sent_.data(), static_cast<int>(size), MPI_DOUBLE, to, 0, received_.data(),
                 static_cast<int>(size), MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (from == MPI_PROC_NULL) return;
    patch_.set_halo(axis, side == Side::lower ? Side::upper : Side::lower, received_);
  }

  void record() {
    for (std::size_t r = 0; r < traces_.size(); ++r)
      traces_[r].push_back(patch_.read(patch_.receivers()[r]));
  }

  const Wave& wave_;
  Patch patch_;
  std::vector<Trace> traces_;  // of the patch's receivers
  std::array<int, 2> lower_{MPI_PROC_NULL, MPI_PROC_NULL};
  std::array<int, 2> upper_{MPI_PROC_NULL, MPI_PROC_NULL};
  std::vector<double> sent_;
  std::vector<double> received_;
};

void run(const Wave& wave, const std::array<std::int32_t, 2>& blocks, std::int32_t rank) {
  Part part(wave, blocks, rank);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  seismic::ProgressLine progress(static_cast<double>(wave.steps()) * wave.step());
  part.run(rank == 0 ? &progress : nullptr);
  MPI_Barrier(MPI_COMM_WORLD);
  const double seconds = MPI_Wtime() - begin;
  const std::vector<Trace> traces = part.gather(rank);
  if (rank != 0) return;
  wave.write(traces);
  print_figures(wave, blocks[0] * blocks[1], seconds);
}

/// The exit status. All ranks read the same and go wrong alike; rank 0 says so.
int main_of(int argc, char** argv, std::int32_t ranks, std::int32_t rank) {
  CommonOptions options;
  CLI::App app(
      "Seismic waves by finite differences of order 4 (summation by parts), with MPI alone.");
  app.add_option("file", options.file, "parameter file (TOML)")->required();
  app.add_option("--folder", options.folder, "write there, not where the file says");
  app.add_option("--spacing", options.spacing, "of the grid, m, instead of the file's")
      ->check(CLI::PositiveNumber);
  try {
    app.parse(argc, argv);
    const Wave wave(settings_of(options));
    const auto blocks = cut_of(wave.settings().grid, ranks);
    check_blocks(wave.settings(), blocks);
    run(wave, blocks, rank);
    return 0;
  } catch (const CLI::ParseError& error) {
    if (rank != 0) return error.get_exit_code() == 0 ? 0 : 2;
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const seismic::SettingsError& error) {
    if (rank == 0) std::fprintf(stderr, "sw4_mpi: %s\n", error.what());
    return 2;
  }
}

}  // namespace
}  // namespace sw4

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 0;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int status = 1;
  try {
    status = sw4::main_of(argc, argv, ranks, rank);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "sw4_mpi: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return status;
}
