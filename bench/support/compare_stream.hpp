// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <roam/roam.hpp>
#include <vector>

#include "job.hpp"
#include "message_stream.hpp"
#include "raw_mpi.hpp"

namespace bench {

/// A row: what Roam does (seconds per message, the median of so many repetitions; on rank 0),
/// against the windows raw MPI sends.
struct StreamCase {
  RowName name;
  Windows raw;
  std::function<roam::Task<double>(int count)> ours;
};

inline StreamCase stream_case(RowName name, const Windows& raw, int burst) {
  const Stream stream{raw.bytes, raw.messages(), burst};
  return {std::move(name), raw, [stream](int count) { return message_stream(stream, count); }};
}

/// All cases, `settings.repeats` times, the two sides of each in turn, over the networks that
/// `make_network` makes, one per job. `per` is what the seconds of a message are divided by for the
/// report: 1, or bytes.
template <class MakeNetwork, class Per>
void compare_streams(RawMpi& mpi, const Settings& settings, const std::vector<StreamCase>& cases,
                     Report& report, MakeNetwork make_network, Per per) {
  const int count = settings.is_short ? 5 : 15;
  roam::Options options;
  options.workers = 1;
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    for (const StreamCase& one : cases) {
      const double raw = mpi.one_way_windows(one.raw, count);
      const auto network = make_network();
      const double ours =
          measure_on_rank_0(*network, options, [&](roam::Runtime&) { return one.ours(count); });
      report.add(one.name, raw / per(one), ours / per(one));
    }
  }
}

}  // namespace bench
