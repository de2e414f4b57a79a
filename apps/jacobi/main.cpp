// SPDX-License-Identifier: Apache-2.0
// Jacobi's iteration on a plate as a flow program: a collection of blocks, four of edges, and a
// task for each block and step. Compares the plate with one sweep over all of it, to the last bit.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <roam/flow/flow.hpp>
#include <roam/roam.hpp>
#include <string>
#include <vector>

#include "block.hpp"

namespace jacobi {

namespace {

namespace flow = roam::flow;

struct Settings {
  int blocks = 8;
  int side = 32;
  int steps = 100;
  bool is_checked = true;
};

int read_settings(int argc, char** argv, Settings& settings) {
  CLI::App app(
      "Jacobi's iteration on a plate of blocks x blocks squares as a flow program.\nRoam's own "
      "options are listed by --roam-help.");
  app.add_option("--blocks", settings.blocks, "blocks of the plate, each way")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  app.add_option("--side", settings.side, "cells of a block, each way")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  app.add_option("--steps", settings.steps, "steps")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
  app.add_flag("!--no-check", settings.is_checked, "do not compare with a serial sweep");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error);
    return status == 0 ? 0 : 2;
  }
  return -1;
}

struct Result {
  double change = 0;  ///< in the last step
  std::uint64_t fingerprint = 0;
};

/// Computes the whole plate as one block.
Result serial(const Settings& settings) {
  Block plate(0, 0, settings.blocks * settings.side);
  Result result;
  for (int step = 0; step < settings.steps; ++step) result.change = plate.relax({}, {}, {}, {});
  result.fingerprint = plate.fingerprint();
  return result;
}

roam::Task<Result> iterate(flow::Flow& fl, const Settings& settings) {
  const roam::Index<2> extent{settings.blocks, settings.blocks};
  const auto plate = fl.collection<Block>(extent).named("plate");
  const auto north = fl.collection<Edge>(extent).named("north");
  const auto south = fl.collection<Edge>(extent).named("south");
  const auto west = fl.collection<Edge>(extent).named("west");
  const auto east = fl.collection<Edge>(extent).named("east");
  const auto change = fl.data<double>().named("change");
  fl.for_each(
      {.name = "start"},
      [](flow::Out<Block> block, roam::Index<2> at, int side) {
        *block = Block(at[0] * side, at[1] * side, side);
      },
      plate.own(), plate.index(), settings.side);
  for (int step = 0; step < settings.steps; ++step) {
    fl.for_each(
        {.name = "edges"},
        [](const Block& block, flow::Out<Edge> n, flow::Out<Edge> s, flow::Out<Edge> w,
           flow::Out<Edge> e) {
          *n = block.north();
          *s = block.south();
          *w = block.west();
          *e = block.east();
        },
        plate.own(), north.own(), south.own(), west.own(), east.own());
    fl.for_each(
        {.name = "relax"},
        [](Block& block, const Edge& n, const Edge& s, const Edge& w, const Edge& e,
           flow::Reduce<double, roam::Max> most) { most(block.relax(n, s, w, e)); },
        plate.own(), south.at(-1, 0), north.at(1, 0), east.at(0, -1), west.at(0, 1), change);
  }
  const auto fingerprint = fl.data<std::uint64_t>();
  fl.for_each(
      {.name = "fingerprint"},
      [](const Block& block, flow::Reduce<std::uint64_t, std::plus<>> sum) {
        sum(block.fingerprint());
      },
      plate.own(), fingerprint);
  Result result;
  result.change = co_await change.get();
  result.fingerprint = co_await fingerprint.get();
  co_return result;
}

roam::Task<> run(roam::Runtime& rt, const Settings& settings) {
  const roam::Instant begin = rt.now();
  flow::Flow fl(rt);
  const Result result = co_await iterate(fl, settings);
  const double seconds = roam::seconds(rt.now() - begin);
  if (rt.rank() != 0) co_return;
  if (settings.is_checked) {
    const Result expected = serial(settings);
    if (result.fingerprint != expected.fingerprint || result.change != expected.change)
      throw roam::Error("the plate is not as one sweep over all of it makes it");
  }
  std::printf("%d x %d blocks of %d x %d cells, %d steps: last change %.6g, fingerprint %016llx\n",
              settings.blocks, settings.blocks, settings.side, settings.side, settings.steps,
              result.change, static_cast<unsigned long long>(result.fingerprint));
  std::printf("%.4f s, %.3f us per block and step on each rank\n", seconds,
              1e6 * seconds * rt.size() / settings.steps / settings.blocks / settings.blocks);
}

}  // namespace

}  // namespace jacobi

int main(int argc, char** argv) {
  return roam::main(argc, argv, jacobi::read_settings, jacobi::run);
}
