// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

namespace bench {

namespace {

nlohmann::json spread(const std::vector<double>& values) {
  return {{"median", quantile(values, 0.5)},
          {"min", quantile(values, 0)},
          {"quartile_1", quantile(values, 0.25)},
          {"quartile_3", quantile(values, 0.75)},
          {"max", quantile(values, 1)}};
}

}  // namespace

Unit unit_named(std::string_view name) {
  constexpr std::array units{Unit{"us", 1e6, false}, Unit{"ns", 1e9, false},
                             Unit{"million/s", 1e-6, true}, Unit{"GB/s", 1e-9, true}};
  return *std::find_if(units.begin(), units.end() - 1,
                       [name](const Unit& unit) { return unit.name == name; });
}

void write_json(const std::string& path, const nlohmann::json& results) {
  if (path.empty()) return;
  std::ofstream file(path);
  file << results.dump(2) << '\n';
  if (file.flush()) return;
  std::fprintf(stderr, "cannot write %s\n", path.c_str());
  std::exit(1);
}

void Report::add(const RowName& row, double yardstick_seconds, double roam_seconds) {
  auto found = std::find_if(rows_.begin(), rows_.end(),
                            [&](const Row& r) { return r.key.name == row.name; });
  if (found == rows_.end()) found = rows_.insert(rows_.end(), Row{row, {}, {}, {}});
  found->yardstick.push_back(unit_.value(yardstick_seconds));
  found->roam.push_back(unit_.value(roam_seconds));
  found->ratio.push_back(found->roam.back() / found->yardstick.back());
}

void Report::finish(const Settings& settings) const {
  std::printf("%s (%s; medians of %d repeats)\n", name_.c_str(), unit_.name.data(),
              settings.repeats);
  std::printf("  %-34s %16s %10s %7s %15s\n", "", yardstick_.c_str(), "Roam", "ratio", "(min-max)");
  for (const Row& row : rows_) {
    std::printf("  %-34s %16.2f %10.2f %7.2f %7.2f-%.2f\n", row.key.name.c_str(),
                quantile(row.yardstick, 0.5), quantile(row.roam, 0.5), quantile(row.ratio, 0.5),
                quantile(row.ratio, 0), quantile(row.ratio, 1));
  }
  std::fflush(stdout);
  write(settings);
}

void Report::write(const Settings& settings) const {
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

}  // namespace bench
