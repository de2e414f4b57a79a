// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <roam/roam.hpp>
#include <vector>

#include "message_stream.hpp"
#include "raw_mpi.hpp"

namespace bench {

/// A row: what Roam sends, against the windows raw MPI sends.
struct StreamCase {
  RowName name;
  Stream ours;
  Windows raw;
};

/// Seconds per message on rank 0 of a Roam job over `network`, the median of `count` streams.
inline double roam_stream(roam::transport::Network& network, const Stream& stream, int count) {
  roam::Options options;
  options.workers = 1;
  double seconds = 0;
  const auto program = [&](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() == 0) seconds = co_await message_stream(stream, count);
  };
  if (roam::run(network, options, program) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  return seconds;
}

/// All cases, `settings.repeats` times, the two sides of each in turn. `per` is what the seconds of
/// a message are divided by for the report: 1, or bytes.
template <class MakeNetwork, class Per>
void compare_streams(RawMpi& mpi, const Settings& settings, const std::vector<StreamCase>& cases,
                     Report& report, MakeNetwork make_network, Per per) {
  const int count = settings.is_short ? 5 : 15;
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    for (const StreamCase& one : cases) {
      const double raw = mpi.one_way_windows(one.raw, count);
      const auto network = make_network();
      const double ours = roam_stream(*network, one.ours, count);
      report.add(one.name, raw / per(one), ours / per(one));
    }
  }
}

}  // namespace bench
