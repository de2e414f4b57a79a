// SPDX-License-Identifier: Apache-2.0
#include "costs_file.hpp"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace synthetic {

namespace {

// Reads a number and the character that ends it.
double take_number(const char*& at, const char* end, char terminator) {
  double value = 0;
  const auto [stop, error] = std::from_chars(at, end, value);
  const bool is_ended = terminator == 0 ? stop == end : stop != end && *stop == terminator;
  if (error != std::errc() || !is_ended || !std::isfinite(value) || value < 0) {
    throw std::runtime_error("seconds,weight,bytes are three numbers of 0 or more");
  }
  at = stop == end ? end : stop + 1;
  return value;
}

}  // namespace

std::vector<Cost> read_costs(const std::string& path, double scale) {
  constexpr double most_bytes = 1e9;
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": " + std::strerror(errno));
  std::string line;
  if (!std::getline(file, line) || line != "seconds,weight,bytes") {
    throw std::runtime_error(path + ":1: the first line is to be seconds,weight,bytes");
  }
  std::vector<Cost> costs;
  for (int number = 2; std::getline(file, line); ++number) {
    try {
      const char* at = line.data();
      const char* const end = at + line.size();
      Cost cost;
      cost.seconds = scale * take_number(at, end, ',');
      cost.weight = take_number(at, end, ',');
      const double bytes = take_number(at, end, 0);
      if (bytes > most_bytes) throw std::runtime_error("an object has at most 1e9 bytes");
      cost.bytes = static_cast<std::uint64_t>(bytes);
      costs.push_back(cost);
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(path + ":" + std::to_string(number) + ": " + error.what());
    }
  }
  if (costs.empty()) throw std::runtime_error(path + ": there is no object in it");
  return costs;
}

}  // namespace synthetic
