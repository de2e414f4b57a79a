// SPDX-License-Identifier: Apache-2.0
#include "problem.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace prk_pic {

namespace {

void require(bool is_right, const char* words) {
  if (!is_right) throw std::invalid_argument(words);
}

}  // namespace

std::int64_t Problem::hops(int d) const {
  const std::int64_t count = patches[static_cast<std::size_t>(d)];
  const std::int64_t way = std::abs(displacement()[static_cast<std::size_t>(d)]);
  const std::int64_t width = grid / count;
  return std::min((way + width - 1) / width, count / 2);
}

std::string Problem::distribution_words() const {
  std::ostringstream words;
  switch (distribution) {
    case Distribution::geometric:
      words << "GEOMETRIC " << rho;
      break;
    case Distribution::sinusoidal:
      words << "SINUSOIDAL";
      break;
    case Distribution::linear:
      words << "LINEAR " << alpha << ' ' << beta;
      break;
    case Distribution::patch:
      words << "PATCH " << first[0] << ' ' << last[0] << ' ' << first[1] << ' ' << last[1];
      break;
  }
  return words.str();
}

void Problem::check() const {
  require(steps >= 1 && steps <= 1'000'000'000, "there must be 1 to 1000000000 steps");
  require(grid >= 2 && grid <= 1'000'000 && grid % 2 == 0,
          "the grid size must be an even number from 2 to 1000000");
  require(particles >= 1 && particles <= 1'000'000'000'000,
          "there must be 1 to 1000000000000 particles");
  require(k >= 0 && 2 * k + 1 < grid, "2 k + 1 must be positive and less than the grid size");
  require(std::abs(m) < grid, "m must be less than the grid size");
  require(distribution != Distribution::geometric || rho > 0, "rho must be positive");
  require(
      distribution != Distribution::linear || (beta >= 0 && beta >= alpha && beta + beta > alpha),
      "LINEAR needs beta >= 0, beta >= alpha and particles somewhere");
  if (distribution == Distribution::patch) {
    for (std::size_t d = 0; d < 2; ++d)
      require(0 <= first[d] && first[d] <= last[d] && last[d] < grid,
              "PATCH needs 0 <= xleft <= xright < grid size, and the same of y");
  }
  for (const std::int64_t count : patches)
    require(count >= 1 && count <= grid, "there must be 1 patch to one for each cell, each way");
}

}  // namespace prk_pic
