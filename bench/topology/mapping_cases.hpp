// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "../../tests/support/communication_instances.hpp"

namespace bench {

/// Something to map, and the value to be reached.
struct MappingCase {
  std::string name;
  instances::Instance instance;
  std::string tree;
  double imbalance;     ///< allowed
  double reference;     ///< optimum, best known or hand-made; ratios are over it
  double target_ratio;  ///< over the reference, of the median
  double target_ms;
  bool is_large = false;
};

/// Optima that are known, and LeanMD against bricks of 2 x 2 x 2 cells for each node.
inline std::vector<MappingCase> known_cases() {
  const char* const cluster = "8:2:4@100:10:1";
  constexpr double brick = 1943;
  return {{"ring 64", instances::ring(64), cluster, 0, 10752, 1, 3},
          {"ring 128", instances::ring(128), cluster, 0, 11008, 1, 3},
          {"ring 256", instances::ring(256), cluster, 0, 11136, 1, 3},
          {"torus 4^3", instances::torus(4), cluster, 0, 9984, 1, 3},
          {"torus 8^3", instances::torus(8), cluster, 0, 39936, 1, 3},
          {"ring 56, a core of each node barred", instances::ring(56),
           "8:2:4@100:10:1!0,9,18,27,36,45,54,63", 0, 10704, 1, 1000},
          {"LeanMD 4^3", instances::leanmd(4), cluster, 0.01, brick * 64, 1, 5},
          {"LeanMD 8^3", instances::leanmd(8), "64:2:4@100:10:1", 0.01, brick * 512, 1.02, 60},
          {"LeanMD 16^3", instances::leanmd(16), "512:2:4@100:10:1", 0.01, brick * 4096, 1.03, 600,
           true},
          {"LeanMD 20^3", instances::leanmd(20), "1000:2:4@100:10:1", 0.01, brick * 8000, 1.03,
           1500, true}};
}

inline std::ifstream open_or_exit(const std::string& path) {
  std::ifstream file(path);
  if (file) return file;
  std::fprintf(stderr, "cannot read %s\n", path.c_str());
  std::exit(1);
}

/// What is known of files, by their names; reference 0: nothing.
struct KnownFile {
  const char* stem;
  double reference;
  double target_ratio;
  double target_ms;
};
inline KnownFile known_file(const std::string& path) {
  const std::string stem = std::filesystem::path(path).stem().stem().string();
  for (const KnownFile& known : {KnownFile{"amg", 56923625, 1, 10},
                                 {"btmz", 94142119, 1, 50},
                                 {"cg", 31837200, 1, 10},
                                 {"lulesh", 54691200, 1, 10},
                                 {"4elt", 34800, 1, 600},
                                 {"copter2", 412000, 1, 1200},
                                 {"nug30", 6124, 1, 500},
                                 {"sko64", 48498, 1.0015, 1000},
                                 {"wil100", 273038, 1.002, 3000},
                                 {"tho150", 8133398, 1.004, 3000},
                                 {"esc128", 64, 1, 3000}}) {
    if (stem == known.stem) return known;
  }
  return {"", 0, 1, 0};
}

/// A graph in the format of METIS without weights, on 2:8:4 within 3 %.
inline MappingCase read_metis(const std::string& path) {
  std::ifstream file = open_or_exit(path);
  std::string line;
  do {
    std::getline(file, line);
  } while (line.starts_with("%"));
  instances::Instance instance;
  std::istringstream(line) >> instance.objects;
  for (std::uint32_t v = 0; v < instance.objects && std::getline(file, line); ++v) {
    std::istringstream numbers(line);
    for (std::uint32_t u = 0; numbers >> u;) {
      if (u - 1 > v) instance.communications.push_back({v, u - 1, 1});
    }
  }
  const KnownFile known = known_file(path);
  return {std::filesystem::path(path).stem().string(),
          std::move(instance),
          "2:8:4@100:10:1",
          0.03,
          known.reference,
          known.target_ratio,
          known.target_ms,
          true};
}

/// A matrix of bytes between ranks as comma-separated values, on 8:2:4. Weights are those of both
/// directions on a scale of 10,000.
inline MappingCase read_matrix(const std::string& path) {
  std::ifstream file = open_or_exit(path);
  std::vector<double> bytes;
  for (std::string line; std::getline(file, line);) {
    std::istringstream values(line);
    for (std::string value; std::getline(values, value, ',');) bytes.push_back(std::stod(value));
  }
  const auto size = static_cast<std::uint32_t>(std::lround(std::sqrt(bytes.size())));
  const auto both = [&](std::uint32_t a, std::uint32_t b) {
    return bytes[std::size_t{a} * size + b] + bytes[std::size_t{b} * size + a];
  };
  double most = 0;
  for (std::uint32_t a = 0; a < size; ++a) {
    for (std::uint32_t b = 0; b < a; ++b) most = std::max(most, both(a, b));
  }
  instances::Instance instance{size, {}, {}};
  for (std::uint32_t a = 0; a < size; ++a) {
    for (std::uint32_t b = 0; b < a; ++b) {
      if (both(a, b) > 0)
        instance.communications.push_back({a, b, std::ceil(1e4 * both(a, b) / most)});
    }
  }
  const KnownFile known = known_file(path);
  return {std::filesystem::path(path).stem().stem().string(),
          std::move(instance),
          "8:2:4@100:10:1",
          0,
          known.reference,
          known.target_ratio,
          known.target_ms};
}

/// A quadratic assignment problem in QAPLIB's format.
struct QapCase {
  std::string name;
  instances::Instance instance;
  std::vector<double> distances;
  KnownFile known;
};
inline QapCase read_qaplib(const std::string& path) {
  std::ifstream file = open_or_exit(path);
  std::uint32_t size = 0;
  file >> size;
  std::vector<double> distances(std::size_t{size} * size);
  for (double& distance : distances) file >> distance;
  instances::Instance instance{size, {}, {}};
  for (std::uint32_t a = 0; a < size; ++a) {
    for (std::uint32_t b = 0; b < size; ++b) {
      double amount = 0;
      file >> amount;
      if (a != b && amount > 0) instance.communications.push_back({a, b, amount});
    }
  }
  return {std::filesystem::path(path).stem().string(), std::move(instance), std::move(distances),
          known_file(path)};
}

}  // namespace bench
