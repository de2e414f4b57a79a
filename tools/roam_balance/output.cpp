// SPDX-License-Identifier: Apache-2.0
#include "output.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "roam/core/error.hpp"

namespace roam_balance {

using roam::balance::LbData;
using roam::balance::Quality;

void print_phase(const LbData::Phase& phase, const Quality& before) {
  std::printf(
      "phase %lld: %zu objects, imbalance %.4f (slowest rank %.6g s, mean %.6g s, no "
      "placement below %.6g s)\n",
      static_cast<long long>(phase.id), phase.objects.size(), before.imbalance, before.max_seconds,
      before.mean_seconds, before.bound_seconds);
  if (phase.other_communications > 0) {
    std::printf("  %llu communications with others than objects of this phase do not count\n",
                static_cast<unsigned long long>(phase.other_communications));
  }
}

void print_header(int width) {
  std::printf("  %-*s %10s %10s %9s %12s %12s %10s\n", width, "strategy", "imbalance", "max/bound",
              "moved", "moved MB", "remote MB", "decided ms");
}

void print_row(const std::string& strategy, int width, const Quality& quality,
               double decision_seconds) {
  const double ratio =
      quality.bound_seconds > 0 ? quality.max_seconds / quality.bound_seconds : 1.0;
  std::printf("  %-*s %10.4f %10.4f %9llu %12.3f %12.3f %10.2f\n", width, strategy.c_str(),
              quality.imbalance, ratio, static_cast<unsigned long long>(quality.moved_objects),
              static_cast<double>(quality.moved_bytes) / 1e6, quality.remote_bytes / 1e6,
              1e3 * decision_seconds);
}

void print_failure(const std::string& strategy, int width, const std::string& reason) {
  std::printf("  %-*s %s\n", width, strategy.c_str(), reason.c_str());
}

void write(const LbData& data, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw roam::ConfigError("--output " + folder + ": " + error.message());
  for (std::int32_t rank = 0; rank < data.ranks; ++rank) {
    const std::string path = folder + "/data." + std::to_string(rank) + ".json";
    std::ofstream file(path);
    file << roam::balance::lb_text(data, rank);
    file.close();
    if (!file) throw roam::ConfigError("--output: cannot write " + path);
  }
}

}  // namespace roam_balance
