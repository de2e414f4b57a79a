// SPDX-License-Identifier: Apache-2.0
// Jacobi's iteration on a plate or cube as a flow program: a collection of blocks, one of faces for
// each side, and two tasks for each block and step. Compares the result with one sweep over all
// cells, to the last bit.
#include <cereal/types/array.hpp>
#include <roam/flow/flow.hpp>
#include <roam/roam.hpp>
#include <tuple>
#include <utility>

#include "block.hpp"
#include "report.hpp"
#include "settings.hpp"

namespace jacobi {

namespace {

namespace flow = roam::flow;

template <std::size_t>
using FaceOut = flow::Out<Face>;
template <std::size_t>
using FaceAgain = Face&;
template <std::size_t>
using FaceIn = const Face&;

/// The plate and the operations on it. S...: the sides of a block.
template <int D, class Sides = std::make_index_sequence<2 * D>>
class Plate;

template <int D, std::size_t... S>
class Plate<D, std::index_sequence<S...>> {
 public:
  Plate(flow::Flow& fl, const Settings& settings)
      : fl_(fl),
        blocks_(
            fl.collection<Block<D>>(index_of(Settings::each<D>(settings.blocks))).named("blocks")),
        faces_{(static_cast<void>(S), fl.collection<Face>(blocks_.extent()).named("faces"))...},
        change_(fl.data<double>().named("change")) {
    fl.for_each(
        {.name = "start"},
        [](flow::Out<Block<D>> block, roam::Index<D> at, const std::array<std::int64_t, D>& side,
           const std::array<std::int64_t, D>& plate) {
          std::array<std::int64_t, D> begin{};
          for (int d = 0; d < D; ++d) {
            const auto axis = static_cast<std::size_t>(d);
            begin[axis] = at[d] * side[axis];
          }
          *block = Block<D>(begin, side, plate);
        },
        blocks_.own(), blocks_.index(), Settings::each<D>(settings.side), settings.cells<D>());
    fl.for_each(
        {.name = "first faces"}, [](FaceOut<S>...) {}, faces_[S].own()...);
  }

  void step() {
    fl_.template for_each<&Plate::copy_faces>(blocks_.own(), faces_[S].own()...);
    fl_.template for_each<&Plate::relax>(blocks_.own(), beyond(S)..., change_);
  }

  [[nodiscard]] roam::Task<Result> result() {
    const auto fingerprint = fl_.template data<std::uint64_t>();
    fl_.for_each(
        {.name = "fingerprint"},
        [](const Block<D>& block, flow::Reduce<std::uint64_t, std::plus<>> sum) {
          sum(block.fingerprint());
        },
        blocks_.own(), fingerprint);
    Result result;
    result.change = co_await change_.get();
    result.fingerprint = co_await fingerprint.get();
    co_return result;
  }

 private:
  // Into the memory of the last step's faces: they have been read by then, as a rule, and new
  // memory would be filled twice.
  static void copy_faces(const Block<D>& block, FaceAgain<S>... faces) {
    (block.copy_face(S, faces), ...);
  }
  static void relax(Block<D>& block, FaceIn<S>... beyond, flow::Reduce<double, roam::Max> most) {
    most(block.relax({&beyond...}));
  }

  /// The neighbour's face towards this block, as an argument.
  [[nodiscard]] auto beyond(std::size_t side) const {
    std::array<int, D> offset{};
    offset[side / 2] = side % 2 == 0 ? -1 : 1;
    return std::apply([&](auto... o) { return faces_[opposite(side)].at(o...); }, offset);
  }
  static roam::Index<D> index_of(const std::array<std::int64_t, D>& at) {
    return std::apply([](auto... i) { return roam::Index<D>(i...); }, at);
  }

  flow::Flow& fl_;
  flow::Collection<Block<D>, D> blocks_;
  std::array<flow::Collection<Face, D>, 2 * D> faces_;
  flow::Handle<double> change_;
};

template <int D>
roam::Task<> iterate(roam::Runtime& rt, const Settings& settings) {
  flow::Flow fl(rt);
  Plate<D> plate(fl, settings);
  co_await fl.done();
  co_await rt.barrier();
  const roam::Instant begin = rt.now();
  for (int step = 0; step < settings.steps; ++step) plate.step();
  co_await fl.done();
  co_await rt.barrier();
  const double seconds = roam::seconds(rt.now() - begin);
  Result result = co_await plate.result();
  result.seconds = seconds;
  if (rt.rank() == 0) report<D>(settings, result, rt.size());
}

roam::Task<> run(roam::Runtime& rt, const Settings& settings) {
  if (settings.dimensions == 2) {
    co_await iterate<2>(rt, settings);
  } else {
    co_await iterate<3>(rt, settings);
  }
}

}  // namespace

}  // namespace jacobi

int main(int argc, char** argv) {
  return roam::main(argc, argv, jacobi::read_settings, jacobi::run);
}
