// SPDX-License-Identifier: Apache-2.0
// Conway's game of life on a torus of tiles, a collection whose elements wander between ranks. A
// glider moves by one cell in 4 generations: after 96 it has been around the 24 cells.
#include <cstdint>
#include <cstdio>
#include <roam/roam.hpp>
#include <vector>

constexpr int side = 8;            // cells of a tile
constexpr int stride = side + 2;   // with a margin of the neighbours' cells
const roam::Index<2> tiles{3, 3};  // at least 3 each way: 8 different neighbours

struct Tile {
  roam::Index<2> place;
  int margins = 0;  // that have come for this generation
  bool is_started = false;
  std::vector<std::uint8_t> cells = std::vector<std::uint8_t>(stride * stride);
  Tile() = default;
  explicit Tile(const roam::Index<2>& index) : place(index) {
    if (index == roam::Index<2>{0, 0})  // has a glider
      for (const std::size_t cell : {12U, 23U, 31U, 32U, 33U}) cells[cell] = 1;
  }
  // Rows or columns that face offset -1, 0 or 1: inside of the tile, or in its margin.
  static int first(int offset, bool inside) {
    return offset > 0 ? side + !inside : inside || offset == 0;
  }
  template <class Visit>
  void for_strip(int di, int dj, bool inside, Visit visit) {
    for (int i = first(di, inside); i <= (di == 0 ? side : first(di, inside)); ++i) {
      for (int j = first(dj, inside); j <= (dj == 0 ? side : first(dj, inside)); ++j)
        visit(cells[static_cast<std::size_t>(i * stride + j)]);
    }
  }
  void start(roam::collection<Tile, 2> grid, int generation) {
    for (int di = -1; di <= 1; ++di) {
      for (int dj = -1; dj <= 1; ++dj) {
        if (di == 0 && dj == 0) continue;
        std::vector<std::uint8_t> strip;
        for_strip(di, dj, true, [&](std::uint8_t cell) { strip.push_back(cell); });
        const roam::Index<2> other{(place[0] + di + tiles[0]) % tiles[0],
                                   (place[1] + dj + tiles[1]) % tiles[1]};
        grid[other].send<&Tile::take>(grid, generation, -di, -dj, strip);
      }
    }
    is_started = true;
    advance_if_complete(grid, generation);
  }
  void take(roam::collection<Tile, 2> grid, int generation, int di, int dj,
            std::vector<std::uint8_t> strip) {
    auto next = strip.begin();
    for_strip(di, dj, false, [&](std::uint8_t& cell) { cell = *next++; });
    ++margins;
    advance_if_complete(grid, generation);
  }
  void advance_if_complete(roam::collection<Tile, 2> grid, int generation) {
    if (!is_started || margins < 8) return;
    const std::vector<std::uint8_t> old = cells;
    const auto was = [&](int i, int j) { return old[static_cast<std::size_t>(i * stride + j)]; };
    int living = 0;
    for (int i = 1; i <= side; ++i) {
      for (int j = 1; j <= side; ++j) {
        int around = -was(i, j);
        for (int k = 0; k < 9; ++k) around += was(i - 1 + k / 3, j - 1 + k % 3);
        living += cells[static_cast<std::size_t>(i * stride + j)] =
            around == 3 || (around == 2 && was(i, j) == 1) ? 1 : 0;
      }
    }
    margins = 0, is_started = false;
    grid.contribute<std::plus<>>(place, static_cast<std::uint64_t>(generation), living);
  }
  bool is_as_at_first() {
    std::vector<std::uint8_t> now;
    for_strip(0, 0, true, [&](std::uint8_t cell) { now.push_back(cell); });
    auto cell = now.begin();
    bool is_same = true;
    Tile(place).for_strip(0, 0, true, [&](std::uint8_t was) { is_same &= was == *cell++; });
    return is_same;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(place, margins, is_started, cells);
  }
};

roam::Task<> program(roam::Runtime& rt) {
  if (rt.rank() != 0) co_return;
  const auto grid = co_await rt.create_collection<Tile>(tiles, roam::Placement::block());
  int living = 0;
  for (int generation = 0; generation < 96; ++generation) {
    grid.broadcast<&Tile::start>(grid, generation);
    grid[{generation % 3, generation / 3 % 3}].migrate(generation % rt.size());
    living = co_await grid.reduction<std::plus<>, int>(static_cast<std::uint64_t>(generation));
  }
  if (!co_await grid.reduce<&Tile::is_as_at_first, std::logical_and<>>())
    throw roam::Error("the glider got lost");
  std::printf("%d cells live where they were\n", living);
}

int main(int argc, char** argv) { return roam::run(argc, argv, program); }
