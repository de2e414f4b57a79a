// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "blocks.hpp"
#include "settings.hpp"

namespace bench {

/// How seconds per operation (per message, per byte) are shown: as a time or as a rate.
struct Unit {
  std::string_view name;
  double scale;
  bool is_rate;
  [[nodiscard]] double value(double seconds) const {
    return scale * (is_rate ? 1 / seconds : seconds);
  }
};

/// One of "us", "ns", "million/s" (of messages) and "GB/s" (of seconds per byte).
inline Unit unit_named(std::string_view name) {
  constexpr std::array units{Unit{"us", 1e6, false}, Unit{"ns", 1e9, false},
                             Unit{"million/s", 1e-6, true}, Unit{"GB/s", 1e-9, true}};
  return *std::find_if(units.begin(), units.end() - 1,
                       [name](const Unit& unit) { return unit.name == name; });
}

/// What a row measures: `series` and `bytes` tell a plot which curve and where, bytes 0: none.
struct RowName {
  std::string name;
  std::string series = {};
  std::size_t bytes = 0;
};

/// Writes results to a file, if one is named; ends the program with status 1 where that fails.
inline void write_json(const std::string& path, const nlohmann::json& results) {
  if (path.empty()) return;
  std::ofstream file(path);
  file << results.dump(2) << '\n';
  if (file.flush()) return;
  std::fprintf(stderr, "cannot write %s\n", path.c_str());
  std::exit(1);
}

/// Rows of two sides measured in turn, a value each per repeat: prints and writes medians and the
/// ratios' spread.
class Report {
 public:
  Report(std::string name, std::string yardstick, std::string_view unit)
      : name_(std::move(name)), yardstick_(std::move(yardstick)), unit_(unit_named(unit)) {}

  /// One repeat of a row, in seconds per operation.
  void add(const RowName& row, double yardstick_seconds, double roam_seconds) {
    auto found = std::find_if(rows_.begin(), rows_.end(),
                              [&](const Row& r) { return r.key.name == row.name; });
    if (found == rows_.end()) found = rows_.insert(rows_.end(), Row{row, {}, {}, {}});
    found->yardstick.push_back(unit_.value(yardstick_seconds));
    found->roam.push_back(unit_.value(roam_seconds));
    found->ratio.push_back(found->roam.back() / found->yardstick.back());
  }
  void add(const std::string& row, double yardstick_seconds, double roam_seconds) {
    add(RowName{row}, yardstick_seconds, roam_seconds);
  }

  /// The table on standard output, and the JSON file if asked for.
  void finish(const Settings& settings) const {
    std::printf("%s (%s; medians of %d repeats)\n", name_.c_str(), unit_.name.data(),
                settings.repeats);
    std::printf("  %-34s %16s %10s %7s %15s\n", "", yardstick_.c_str(), "Roam", "ratio",
                "(min-max)");
    for (const Row& row : rows_) {
      std::printf("  %-34s %16.2f %10.2f %7.2f %7.2f-%.2f\n", row.key.name.c_str(),
                  quantile(row.yardstick, 0.5), quantile(row.roam, 0.5), quantile(row.ratio, 0.5),
                  quantile(row.ratio, 0), quantile(row.ratio, 1));
    }
    std::fflush(stdout);
    write(settings);
  }

 private:
  struct Row {
    RowName key;
    std::vector<double> yardstick, roam, ratio;
  };
  static nlohmann::json spread(const std::vector<double>& values) {
    return {{"median", quantile(values, 0.5)},
            {"min", quantile(values, 0)},
            {"quartile_1", quantile(values, 0.25)},
            {"quartile_3", quantile(values, 0.75)},
            {"max", quantile(values, 1)}};
  }
  void write(const Settings& settings) const {
    nlohmann::json rows = nlohmann::json::array();
    for (const Row& row : rows_) {
      rows.push_back({{"name", row.key.name},
                      {"series", row.key.series},
                      {"bytes", row.key.bytes},
                      {"yardstick", spread(row.yardstick)},
                      {"roam", spread(row.roam)},
                      {"ratio", spread(row.ratio)}});
    }
    write_json(settings.json, {{"benchmark", name_},
                               {"yardstick", yardstick_},
                               {"unit", unit_.name},
                               {"repeats", settings.repeats},
                               {"rows", rows}});
  }

  std::string name_;
  std::string yardstick_;
  Unit unit_;
  std::vector<Row> rows_;
};

}  // namespace bench
