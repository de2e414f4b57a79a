// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// What every benchmark program understands.
struct Settings {
  int repeats = 15;
  bool is_short = false;
  std::string json;  ///< file for the results; empty: none
};

/// Reads [--short] [--repeats N] [--json FILE]; ends the program with status 2 at anything else.
inline Settings read_settings(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const bool has_value = i + 1 < argc;
    if (std::strcmp(argv[i], "--short") == 0) {
      settings.is_short = true;
      settings.repeats = std::min(settings.repeats, 7);
    } else if (std::strcmp(argv[i], "--repeats") == 0 && has_value && std::atoi(argv[i + 1]) > 0) {
      settings.repeats = std::atoi(argv[++i]);
    } else if (std::strcmp(argv[i], "--json") == 0 && has_value) {
      settings.json = argv[++i];
    } else {
      std::fprintf(stderr, "usage: %s [--short] [--repeats N] [--json FILE]; not %s\n", argv[0],
                   argv[i]);
      std::exit(2);
    }
  }
  return settings;
}

/// The value below which the fraction `q` lies.
inline double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

/// Times short blocks of equal work. On a shared machine some are interrupted, for milliseconds;
/// the median block is not.
class Blocks {
 public:
  void begin(int count, int rounds_per_block) {
    count_ = static_cast<std::size_t>(count);
    rounds_ = rounds_per_block;
    done_ = 0;
    seconds_.clear();
    start_ = Clock::now();
  }
  /// After every round; false when the last block is over.
  bool next() {
    if (++done_ < rounds_) return true;
    const Clock::time_point now = Clock::now();
    seconds_.push_back(std::chrono::duration<double>(now - start_).count());
    start_ = now;
    done_ = 0;
    return seconds_.size() < count_;
  }
  /// Of one round, in the median block.
  [[nodiscard]] double seconds_per_round() const { return quantile(seconds_, 0.5) / rounds_; }

 private:
  using Clock = std::chrono::steady_clock;
  std::size_t count_ = 0;
  int rounds_ = 1;
  int done_ = 0;
  Clock::time_point start_;
  std::vector<double> seconds_;
};

/// Rows of two sides measured in turn, a value each per repeat: prints and writes medians and the
/// ratios' spread.
class Report {
 public:
  Report(std::string name, std::string yardstick, std::string unit)
      : name_(std::move(name)), yardstick_(std::move(yardstick)), unit_(std::move(unit)) {}

  /// One repeat of a row, in seconds.
  void add(const std::string& row, double yardstick_seconds, double roam_seconds) {
    const double scale = unit_ == "ns" ? 1e9 : 1e6;
    auto found =
        std::find_if(rows_.begin(), rows_.end(), [&](const Row& r) { return r.name == row; });
    if (found == rows_.end()) found = rows_.insert(rows_.end(), Row{row, {}, {}, {}});
    found->yardstick.push_back(yardstick_seconds * scale);
    found->roam.push_back(roam_seconds * scale);
    found->ratio.push_back(roam_seconds / yardstick_seconds);
  }

  /// The table on standard output, and the JSON file if asked for.
  void finish(const Settings& settings) const {
    std::printf("%s (%s; medians of %d repeats)\n", name_.c_str(), unit_.c_str(), settings.repeats);
    std::printf("  %-34s %16s %10s %7s %15s\n", "", yardstick_.c_str(), "Roam", "ratio",
                "(min-max)");
    for (const Row& row : rows_) {
      std::printf("  %-34s %16.2f %10.2f %7.2f %7.2f-%.2f\n", row.name.c_str(),
                  quantile(row.yardstick, 0.5), quantile(row.roam, 0.5), quantile(row.ratio, 0.5),
                  quantile(row.ratio, 0), quantile(row.ratio, 1));
    }
    std::fflush(stdout);
    if (!settings.json.empty()) write(settings);
  }

 private:
  struct Row {
    std::string name;
    std::vector<double> yardstick, roam, ratio;
  };
  static nlohmann::json spread(const std::vector<double>& values) {
    return {{"median", quantile(values, 0.5)},
            {"min", quantile(values, 0)},
            {"max", quantile(values, 1)}};
  }
  void write(const Settings& settings) const {
    nlohmann::json rows = nlohmann::json::array();
    for (const Row& row : rows_) {
      rows.push_back({{"name", row.name},
                      {"yardstick", spread(row.yardstick)},
                      {"roam", spread(row.roam)},
                      {"ratio", spread(row.ratio)}});
    }
    std::ofstream file(settings.json);
    file << nlohmann::json{{"benchmark", name_},
                           {"yardstick", yardstick_},
                           {"unit", unit_},
                           {"repeats", settings.repeats},
                           {"rows", rows}}
                .dump(2)
         << '\n';
    if (!file) std::fprintf(stderr, "cannot write %s\n", settings.json.c_str());
  }

  std::string name_;
  std::string yardstick_;
  std::string unit_;
  std::vector<Row> rows_;
};

/// "8 B", "64 KiB", "4 MiB".
inline std::string size_name(std::size_t bytes) {
  if (bytes >= (1U << 20)) return std::to_string(bytes >> 20) + " MiB";
  return bytes >= 1024 ? std::to_string(bytes >> 10) + " KiB" : std::to_string(bytes) + " B";
}

/// Enough rounds for a block of some tens of microseconds where that is possible.
inline int rounds_for(std::size_t bytes) {
  return bytes <= 4096 ? 50 : bytes <= 65536 ? 5 : bytes <= (256U << 10) ? 2 : 1;
}
/// How many blocks: fewer of large transfers, whose blocks are long.
inline int blocks_for(std::size_t bytes, bool is_short) {
  const int most = is_short ? 20 : 60;
  return bytes <= 4096 ? most : bytes <= 65536 ? most / 2 : most / 4;
}

}  // namespace bench
