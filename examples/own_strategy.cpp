// SPDX-License-Identifier: Apache-2.0
// A program in phases, and a balancing strategy of its own, which --roam-balancer finds by its
// name:
//   example_own_strategy --roam-ranks 4 --roam-balancer halves
#include <cstdio>
#include <roam/placement/strategy.hpp>
#include <roam/roam.hpp>
#include <vector>

// [strategy]
/// The first half of the objects to the first rank, the others to the last.
class Halves final : public roam::placement::Strategy {
 public:
  roam::placement::Placement place(const roam::placement::LoadGraph& graph,
                                   const roam::Machine& machine) const override {
    roam::placement::Placement placement = graph.rank;
    for (std::size_t i = 0; i < graph.size(); ++i) {
      if (!graph.is_pinned(i)) placement[i] = i < graph.size() / 2 ? 0 : machine.ranks - 1;
    }
    return placement;
  }
};
// [strategy]

// [registration]
const roam::placement::StrategyRegistrar registrar{
    {.name = "halves",
     .description = "the first half to the first rank, the others to the last",
     .parameters = {},
     .create = [](const roam::plugin::Parameters&) -> std::unique_ptr<roam::placement::Strategy> {
       return std::make_unique<Halves>();
     }}};
// [registration]

struct Piece {
  double seconds = 0;
  void advance() { roam::here().compute(roam::from_seconds(seconds)); }
};

// [phases]
roam::Task<> program(roam::Runtime& rt) {
  std::vector<roam::mobile_ptr<Piece>> mine;
  for (int i = 0; rt.rank() == 0 && i < 16; ++i) mine.push_back(rt.create<Piece>(Piece{0.005}));
  for (int step = 0; step < 3; ++step) {
    for (const auto& piece : mine) piece.send<&Piece::advance>();
    const auto report = co_await rt.phase();  // quiescence, then balancing
    if (rt.rank() != 0) continue;
    std::printf("step %d: imbalance %.2f, %d of %d objects moved\n", step, report.imbalance(),
                static_cast<int>(report.moved_objects), static_cast<int>(report.objects));
  }
}
// [phases]

int main(int argc, char** argv) { return roam::run(argc, argv, program); }
