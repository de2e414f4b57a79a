// SPDX-License-Identifier: Apache-2.0
#include "settings/lists_reader.hpp"

#include <array>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "settings/file_reader.hpp"

namespace seismic {
namespace {

constexpr double infinity = std::numeric_limits<double>::max();
constexpr double tiny = std::numeric_limits<double>::min();
constexpr std::array<std::string_view, 3> rate_names{"brune", "gaussian", "table"};

SourceRate read_table(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw SettingsError(file.string() + ": cannot be read");
  std::vector<std::pair<double, double>> table;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::pair<double, double> entry;
    std::string rest;
    if (!(words >> entry.first >> entry.second) || words >> rest) {
      throw SettingsError(file.string() + ":" + std::to_string(number) +
                          ": must be a time and a rate");
    }
    table.push_back(entry);
  }
  try {
    return tabulated_rate(std::move(table));
  } catch (const std::invalid_argument& error) {
    throw SettingsError(file.string() + ": " + error.what());
  }
}

SourceRate read_rate(TomlReader reader, const std::filesystem::path& file) {
  SourceRate rate;
  switch (reader.choice("kind", rate_names)) {
    case 0:
      rate = brune_rate(reader.number("time", tiny, infinity));
      break;
    case 1:
      rate = gaussian_rate(reader.number("sigma", tiny, infinity),
                           reader.number("center", -infinity, infinity));
      break;
    default:
      rate = read_table(file.parent_path() / reader.text("file"));
  }
  reader.finish();
  return rate;
}

}  // namespace

std::vector<Layer> read_layers(TomlReader& reader) {
  std::vector<Layer> layers;
  for (TomlReader layer : reader.tables("material")) {
    layers.push_back(
        {layer.number("top", -infinity, infinity, 0.0),
         {layer.number("density", tiny, infinity), layer.number("p_speed", tiny, infinity),
          layer.number("s_speed", tiny, infinity)}});
    layer.finish();
    try {
      static_cast<void>(LayeredModel(layers));
    } catch (const std::invalid_argument& error) {
      layer.fail(error.what());
    }
  }
  if (layers.empty()) reader.fail("[[material]] is missing");
  return layers;
}

std::shared_ptr<const MaterialGrid> read_material_grid(TomlReader reader,
                                                       const std::filesystem::path& file) {
  const std::filesystem::path path = file.parent_path() / reader.text("file");
  reader.finish();
  return std::make_shared<const MaterialGrid>(read_file(path, MaterialGrid::read));
}

std::vector<MomentSource> read_sources(TomlReader& reader, const std::filesystem::path& file,
                                       const CheckPlace& check) {
  std::vector<MomentSource> sources;
  for (TomlReader source : reader.tables("source")) {
    sources.push_back({source.numbers<3>("position"), source.numbers<6>("moment"),
                       read_rate(source.table("rate"), file)});
    source.finish();
    check(source, sources.back().position);
  }
  return sources;
}

std::vector<Receiver> read_receivers(TomlReader& reader, const CheckPlace& check) {
  std::vector<Receiver> receivers;
  for (TomlReader receiver : reader.tables("receiver")) {
    receivers.push_back({receiver.text("name"), receiver.numbers<3>("position")});
    receiver.finish();
    check(receiver, receivers.back().position);
    const std::string& name = receivers.back().name;
    if (name.empty() || name.find_first_of("/\\,\"") != std::string::npos) {
      receiver.fail("name must be one that a file can have");
    }
    for (std::size_t k = 0; k + 1 < receivers.size(); ++k) {
      if (receivers[k].name == name) receiver.fail("two receivers are called " + name);
    }
  }
  return receivers;
}

}  // namespace seismic
