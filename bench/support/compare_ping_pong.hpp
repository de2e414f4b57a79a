// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <roam/roam.hpp>
#include <string>
#include <vector>

#include "message_ping_pong.hpp"
#include "raw_mpi.hpp"

namespace bench {

using Sizes = std::vector<std::size_t>;

/// Seconds one way by size, on rank 0 of a Roam job over `network`.
inline std::vector<double> roam_one_way(roam::transport::Network& network, roam::ProgressMode mode,
                                        const Sizes& sizes, bool is_short) {
  roam::Options options;
  options.workers = 1;
  options.progress_mode = mode;
  std::vector<double> seconds;
  const auto program = [&](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() != 0) co_return;
    for (const std::size_t bytes : sizes) {
      seconds.push_back(
          co_await message_one_way(bytes, blocks_for(bytes, is_short), rounds_for(bytes)));
    }
  };
  if (roam::run(network, options, program) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  return seconds;
}

/// The whole benchmark: active messages over the networks that `make_network` makes, one per job,
/// against raw MPI in turn in one pair of processes.
template <class MakeNetwork>
int compare_ping_pong(int argc, char** argv, const char* title, MakeNetwork make_network) {
  RawMpi mpi(argc, argv);
  if (!mpi.has_two_ranks()) return 2;
  const Settings settings = read_settings(argc, argv);
  const Sizes small{8, 64, 512};
  Sizes all{8, 64, 512, 4096, 16384, 65536, 262144, 1 << 20};
  if (!settings.is_short) all.push_back(4 << 20);
  Report report(title, "MPI_Send+Recv", "us");
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    for (const auto mode : {roam::ProgressMode::shared, roam::ProgressMode::polling}) {
      const Sizes& sizes = mode == roam::ProgressMode::shared ? all : small;
      std::vector<double> raw;
      for (const std::size_t bytes : sizes) {
        raw.push_back(mpi.one_way(bytes, blocks_for(bytes, settings.is_short), rounds_for(bytes)));
      }
      const auto network = make_network();
      const std::vector<double> ours = roam_one_way(*network, mode, sizes, settings.is_short);
      for (std::size_t i = 0; i < ours.size(); ++i)
        report.add(size_name(sizes[i]) + ", " + std::string(to_string(mode)), raw[i], ours[i]);
    }
  }
  if (mpi.rank() == 0) report.finish(settings);
  return 0;
}

}  // namespace bench
