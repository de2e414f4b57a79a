// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <roam/roam.hpp>
#include <string>
#include <utility>
#include <vector>

#include "job.hpp"
#include "message_ping_pong.hpp"
#include "raw_mpi.hpp"

namespace bench {

/// What the curves of one-way times show.
inline std::vector<std::size_t> curve_sizes(bool is_short) {
  std::vector<std::size_t> sizes{1, 8, 64, 512, 4096, 16384, 65536, 262144, 1 << 20};
  if (!is_short) sizes.push_back(4 << 20);
  return sizes;
}

/// Seconds one way, on rank 0 of a Roam job over `network`. With `pin`, ranks of one process on a
/// core each.
inline double roam_one_way(roam::transport::Network& network, roam::ProgressMode mode,
                           std::size_t bytes, bool is_short, bool pin = false) {
  roam::Options options;
  options.workers = 1;
  options.progress_mode = mode;
  if (pin) options.pin.policy = roam::Pinning::Policy::compact;
  return measure_on_rank_0(network, options, [=](roam::Runtime&) {
    return message_one_way(bytes, blocks_for(bytes, is_short), rounds_for(bytes));
  });
}

using MakeNetwork = std::function<std::unique_ptr<roam::transport::Network>()>;

/// The whole benchmark: active messages over the networks that `make_network` makes, one per job,
/// against raw MPI, size by size in turn in one pair of processes; small ones also over those of
/// `others`, by name.
inline int compare_ping_pong(int argc, char** argv, const char* title,
                             const MakeNetwork& make_network,
                             const std::vector<std::pair<std::string, MakeNetwork>>& others = {}) {
  const Settings settings = read_settings(argc, argv);
  RawMpi mpi(argc, argv);
  if (!mpi.has_two_ranks()) return 2;
  Report report(title, "MPI_Send+Recv", "us");
  const auto compare = [&](const std::string& series, const MakeNetwork& make,
                           roam::ProgressMode mode, std::size_t bytes) {
    const double raw = mpi.one_way(bytes, blocks_for(bytes, settings.is_short), rounds_for(bytes));
    const auto network = make();
    const double ours = roam_one_way(*network, mode, bytes, settings.is_short);
    report.add({size_name(bytes) + ", " + series, series, bytes}, raw, ours);
  };
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    for (const std::size_t bytes : curve_sizes(settings.is_short))
      compare("shared", make_network, roam::ProgressMode::shared, bytes);
    for (const std::size_t bytes : {8, 64, 512}) {
      compare("polling", make_network, roam::ProgressMode::polling, bytes);
      for (const auto& [name, make] : others)
        compare(name, make, roam::ProgressMode::shared, bytes);
    }
  }
  if (mpi.rank() == 0) report.finish(settings);
  return 0;
}

}  // namespace bench
