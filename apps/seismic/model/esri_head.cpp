// SPDX-License-Identifier: Apache-2.0
#include "model/esri_head.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <sstream>
#include <vector>

namespace seismic {
namespace {

constexpr double most_points = 20'000;  // along an axis

std::string lower_case(std::string word) {
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return word;
}

std::string first_word(const std::string& line) {
  std::istringstream words(line);
  std::string word;
  words >> word;
  return lower_case(word);
}

bool is_key(const std::string& word) {
  return !word.empty() && std::isalpha(static_cast<unsigned char>(word[0])) != 0 && word != "nan" &&
         word != "inf";
}

using Keys = std::map<std::string, double>;

Keys keys_of(LineReader& reader) {
  Keys keys;
  while (reader.next()) {
    const std::string key = first_word(reader.text());
    if (!is_key(key)) return keys;
    std::istringstream words(reader.text());
    std::string word, rest;
    double value = 0.0;
    if (!(words >> word >> value) || words >> rest || !std::isfinite(value)) {
      reader.fail(key + " must be a finite number");
    }
    keys[key] = value;
  }
  reader.fail("the grid ends before its elevations");
}

double value_of(const Keys& keys, const LineReader& reader, const char* key) {
  const auto found = keys.find(key);
  if (found == keys.end()) reader.fail(std::string(key) + " is missing before the elevations");
  return found->second;
}

}  // namespace

bool EsriHead::begins_with(const std::string& line) { return first_word(line) == "ncols"; }

EsriHead EsriHead::read(LineReader& reader) {
  const Keys keys = keys_of(reader);
  EsriHead head;
  const std::array<const char*, 2> counts{"ncols", "nrows"}, sizes{"dx", "dy"};
  const std::array<const char*, 2> corners{"xllcorner", "yllcorner"};
  const std::array<const char*, 2> centers{"xllcenter", "yllcenter"};
  for (std::size_t d = 0; d < 2; ++d) {
    const double count = value_of(keys, reader, counts[d]);
    if (!(count >= 2.0 && count <= most_points) || count != std::floor(count)) {
      reader.fail(std::string(counts[d]) + " must be a whole number from 2 to 20000");
    }
    head.count[d] = static_cast<std::size_t>(count);
    head.size[d] = value_of(keys, reader, keys.count("cellsize") != 0 ? "cellsize" : sizes[d]);
    if (!(head.size[d] > 0.0)) reader.fail("cellsize must be positive");
    head.is_corner[d] = keys.count(centers[d]) == 0;
    head.lowest[d] = value_of(keys, reader, head.is_corner[d] ? corners[d] : centers[d]);
  }
  const auto none = keys.find("nodata_value");
  head.has_no_data = none != keys.end();
  if (head.has_no_data) head.no_data = none->second;
  return head;
}

GridAxis EsriHead::axis(std::size_t d) const {
  std::vector<double> middles;
  const double first = lowest[d] + (is_corner[d] ? 0.5 * size[d] : 0.0);
  for (std::size_t k = 0; k < count[d]; ++k) {
    middles.push_back(first + size[d] * static_cast<double>(k));
  }
  return GridAxis(std::move(middles));
}

std::array<double, 2> EsriHead::margin() const {
  return {is_corner[0] ? 0.5 * size[0] : 0.0, is_corner[1] ? 0.5 * size[1] : 0.0};
}

}  // namespace seismic
