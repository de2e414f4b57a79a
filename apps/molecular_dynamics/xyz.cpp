// SPDX-License-Identifier: Apache-2.0
#include "molecular_dynamics/xyz.hpp"

#include <cstddef>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace md {

Configuration read_configuration(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  std::size_t number = 0;
  std::string line;
  const auto next = [&](const char* wanted) {
    ++number;
    if (std::getline(file, line)) return std::istringstream(line);
    throw std::runtime_error(path + ":" + std::to_string(number) + ": ends before " + wanted);
  };
  const auto refuse = [&](const char* wanted) {
    throw std::runtime_error(path + ":" + std::to_string(number) + ": is not " + wanted);
  };
  std::size_t count = 0;
  if (!(next("the number of atoms") >> count)) refuse("the number of atoms");
  double ignored = 0;
  Configuration result;
  const auto read = [&](const char* wanted) {
    Vec3 v;
    if (!(next(wanted) >> ignored >> v.x >> v.y >> v.z)) refuse(wanted);
    return v;
  };
  result.box = read("a number and the lengths of the box");
  for (std::size_t i = 0; i < count; ++i) {
    result.atoms.push_back(read("a number and the position of an atom"));
  }
  return result;
}

}  // namespace md
