// SPDX-License-Identifier: Apache-2.0
// A Cholesky decomposition by tiles, written line by line; Roam finds from the parameters of the
// tasks which of them need each other's results, and runs the others at the same time.
//   example_tasks [--roam-workers 4] [--roam-flow-backend serial]
#include <cmath>
#include <cstdio>
#include <roam/flow/flow.hpp>
#include <roam/roam.hpp>
#include <vector>

constexpr int size = 48;  // of a tile
using Tile = std::vector<double>;
using Tiles = std::vector<std::vector<roam::flow::Handle<Tile>>>;

double& at(Tile& tile, int i, int j) { return tile[static_cast<std::size_t>(i * size + j)]; }
double at(const Tile& tile, int i, int j) { return tile[static_cast<std::size_t>(i * size + j)]; }

void fill(roam::flow::Out<Tile> tile, int row, int column) {
  tile->resize(size * size);
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j)
      at(*tile, i, j) = 1.0 / (1 + std::abs(row * size + i - column * size - j)) +
                        (row == column && i == j ? 100.0 : 0.0);
  }
}
void factor(Tile& a) {
  for (int j = 0; j < size; ++j) {
    for (int k = 0; k < j; ++k) at(a, j, j) -= at(a, j, k) * at(a, j, k);
    at(a, j, j) = std::sqrt(at(a, j, j));
    for (int i = j + 1; i < size; ++i) {
      for (int k = 0; k < j; ++k) at(a, i, j) -= at(a, i, k) * at(a, j, k);
      at(a, i, j) /= at(a, j, j);
    }
    for (int i = 0; i < j; ++i) at(a, i, j) = 0;
  }
}
void solve(const Tile& diagonal, Tile& a) {
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) {
      for (int k = 0; k < j; ++k) at(a, i, j) -= at(a, i, k) * at(diagonal, j, k);
      at(a, i, j) /= at(diagonal, j, j);
    }
  }
}
void subtract(const Tile& left, const Tile& right, Tile& a) {
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) {
      for (int k = 0; k < size; ++k) at(a, i, j) -= at(left, i, k) * at(right, j, k);
    }
  }
}
void square(const Tile& left, Tile& a) { subtract(left, left, a); }

roam::Task<> program(roam::Runtime& rt) {
  if (rt.rank() != 0) co_return;
  constexpr std::size_t n = 6;
  roam::flow::Flow fl(rt);
  Tiles a(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      a[i].push_back(fl.data<Tile>());
      fl.work<&fill>(a[i][j], static_cast<int>(i), static_cast<int>(j));
    }
  }
  for (std::size_t k = 0; k < n; ++k) {
    fl.work<&factor>(a[k][k]);
    for (std::size_t i = k + 1; i < n; ++i) fl.work<&solve>(a[k][k], a[i][k]);
    for (std::size_t i = k + 1; i < n; ++i) {
      for (std::size_t j = k + 1; j < i; ++j) fl.work<&subtract>(a[i][k], a[j][k], a[i][j]);
      fl.work<&square>(a[i][k], a[i][i]);
    }
  }
  auto logarithm = fl.data(0.0);
  for (std::size_t k = 0; k < n; ++k) {
    fl.work(
        [](const Tile& diagonal, roam::flow::Accumulate<double, std::plus<>> sum) {
          for (int i = 0; i < size; ++i) sum(2 * std::log(at(diagonal, i, i)));
        },
        a[k][k], logarithm);
  }
  std::printf("logarithm of the determinant: %.10f\n", co_await logarithm.get());
}

int main(int argc, char** argv) { return roam::run(argc, argv, program); }
