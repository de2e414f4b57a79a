// SPDX-License-Identifier: Apache-2.0
// The program of docs/tutorial: a plate of tiles that cools down. Hot tiles have more to do than
// cold ones, and at first all the hot ones are on rank 0.
#include <cstdio>
#include <functional>
#include <roam/roam.hpp>

// [tile]
struct Tile {
  double heat = 0;
  Tile() = default;
  explicit Tile(const roam::Index<2>& place) : heat(place[0] < 2 ? 16 : 1) {}
  void advance() {  // non-const: alone on the tile
    // Stands for the real work.
    roam::here().compute(roam::from_seconds(50e-6 * heat));
    heat *= 0.99;
  }
  double get() const { return heat; }  // const: may run beside other const calls
  template <class Archive>
  void serialize(Archive& archive) {  // what travels when the tile moves
    archive(heat);
  }
};
// [tile]

// [one]
roam::Task<double> one_tile(roam::Runtime& rt) {
  const roam::Index<2> place{0, 0};
  const roam::mobile_ptr<Tile> tile = rt.create<Tile>(place);  // on this rank
  tile.send<&Tile::advance>();                                 // returns at once
  tile.migrate(rt.size() - 1);                                 // once nothing runs on it
  const double heat = co_await tile.call<&Tile::get>();        // wherever it is by now
  tile.destroy();
  co_return heat;
}
// [one]

// [plate]
roam::Task<double> plate(roam::Runtime& rt) {
  const roam::Index<2> extent{8, 8};
  const auto tiles = co_await rt.create_collection<Tile>(extent, roam::Placement::block());
  for (int step = 0; step < 3; ++step) co_await tiles.for_all<&Tile::advance>();
  const double heat = co_await tiles.reduce<&Tile::get, std::plus<>>();
  co_await tiles.destroy();
  co_return heat;
}
// [plate]

// [steps]
roam::Task<> steps(roam::Runtime& rt) {
  roam::collection<Tile, 2> tiles;
  const roam::Index<2> extent{8, 8};
  if (rt.rank() == 0) tiles = co_await rt.create_collection<Tile>(extent, roam::Placement::block());
  for (int step = 0; step < 6; ++step) {
    if (rt.rank() == 0) tiles.broadcast<&Tile::advance>();
    const auto report = co_await rt.phase();  // all ranks: until nothing is left to do
    if (rt.rank() != 0) continue;
    std::printf("step %d: %.2f ms, imbalance %.2f, %d of %d tiles moved\n", step,
                1e3 * report.seconds, report.imbalance(), static_cast<int>(report.moved_objects),
                static_cast<int>(report.objects));
  }
}
// [steps]

roam::Task<> program(roam::Runtime& rt) {
  if (rt.rank() == 0) {
    std::printf("one tile: %.2f\n", co_await one_tile(rt));
    std::printf("the plate: %.2f\n", co_await plate(rt));
  }
  co_await rt.barrier();
  co_await steps(rt);
}

int main(int argc, char** argv) { return roam::run(argc, argv, program); }
