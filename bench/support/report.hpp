// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
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
Unit unit_named(std::string_view name);

/// What a row measures: `series` and `bytes` tell a plot which curve and where, bytes 0: none.
struct RowName {
  std::string name;
  std::string series = {};
  std::size_t bytes = 0;
};

/// Writes results to a file, if one is named; ends the program with status 1 where that fails. Who
/// calls it includes <nlohmann/json.hpp>, which costs every file some seconds of compilation.
void write_json(const std::string& path, const nlohmann::json& results);

/// Rows of two sides measured in turn, a value each per repeat: prints and writes medians and the
/// ratios' spread.
class Report {
 public:
  Report(std::string name, std::string yardstick, std::string_view unit)
      : name_(std::move(name)), yardstick_(std::move(yardstick)), unit_(unit_named(unit)) {}

  /// One repeat of a row, in seconds per operation.
  void add(const RowName& row, double yardstick_seconds, double roam_seconds);
  void add(const std::string& row, double yardstick_seconds, double roam_seconds) {
    add(RowName{row}, yardstick_seconds, roam_seconds);
  }
  /// The table on standard output, and the JSON file if asked for.
  void finish(const Settings& settings) const;

 private:
  struct Row {
    RowName key;
    std::vector<double> yardstick, roam, ratio;
  };
  void write(const Settings& settings) const;

  std::string name_;
  std::string yardstick_;
  Unit unit_;
  std::vector<Row> rows_;
};

}  // namespace bench
