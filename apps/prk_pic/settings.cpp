// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/command_line.hpp"

namespace prk_pic {

namespace {

struct Kind {
  Distribution distribution;
  std::size_t parameters;
};

const std::map<std::string, Kind>& kinds() {
  static const std::map<std::string, Kind> by_name{{"GEOMETRIC", {Distribution::geometric, 1}},
                                                   {"SINUSOIDAL", {Distribution::sinusoidal, 0}},
                                                   {"LINEAR", {Distribution::linear, 2}},
                                                   {"PATCH", {Distribution::patch, 4}}};
  return by_name;
}

void set_distribution(Problem& problem, const std::string& name,
                      const std::vector<double>& parameters) {
  const auto found = kinds().find(name);
  if (found == kinds().end())
    throw std::invalid_argument("the distribution must be GEOMETRIC, SINUSOIDAL, LINEAR or PATCH");
  if (parameters.size() != found->second.parameters)
    throw std::invalid_argument(name + " has " + std::to_string(found->second.parameters) +
                                " parameters, not " + std::to_string(parameters.size()));
  problem.distribution = found->second.distribution;
  if (problem.distribution == Distribution::geometric) problem.rho = parameters[0];
  if (problem.distribution == Distribution::linear) {
    problem.alpha = parameters[0];
    problem.beta = parameters[1];
  }
  if (problem.distribution == Distribution::patch) {
    for (const double value : parameters) {
      if (value != std::floor(value) || std::abs(value) > 1e15)
        throw std::invalid_argument("the bounds of a PATCH must be whole numbers");
    }
    problem.first = {static_cast<std::int64_t>(parameters[0]),
                     static_cast<std::int64_t>(parameters[2])};
    problem.last = {static_cast<std::int64_t>(parameters[1]),
                    static_cast<std::int64_t>(parameters[3])};
  }
}

}  // namespace

int read_settings(int argc, char** argv, Settings& settings) {
  CLI::App app(
      "The particle-in-cell benchmark of the Parallel Research Kernels.\n"
      "Example: prk_pic 10 1000 1000000 1 2 GEOMETRIC 0.99\nRoam's own options are listed by "
      "--roam-help.");
  Problem& problem = settings.problem;
  std::string name;
  std::vector<double> parameters;
  std::string plant;
  app.add_option("steps", problem.steps, "steps; one more comes first, untimed")->required();
  app.add_option("grid", problem.grid, "cells of the grid, each way; even")->required();
  app.add_option("particles", problem.particles, "number of particles")->required();
  app.add_option("k", problem.k, "particles move by 2 k + 1 cells to the right in each step")
      ->required();
  app.add_option("m", problem.m, "and by m cells upwards")->required();
  app.add_option("distribution", name, "GEOMETRIC, SINUSOIDAL, LINEAR or PATCH")->required();
  app.add_option("parameters", parameters,
                 "rho; none; alpha beta; xleft xright ybottom ytop, in cells");
  app.add_option("--patches", problem.patches, "patches in x and y (plain MPI: one per process)")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--phase-steps", settings.phase_steps, "steps after which a phase ends")
      ->check(CLI::Range(1, 1'000'000'000))
      ->capture_default_str();
  app.add_option("--plant", plant,
                 "gives one particle a fault, to see that it is found: displaced, lost or doubled")
      ->check(CLI::IsMember({"displaced", "lost", "doubled"}));
  return support::parse(app, argc, argv, [&] {
    try {
      set_distribution(problem, name, parameters);
      if (plant == "displaced") problem.plant = Plant::displaced;
      if (plant == "lost") problem.plant = Plant::lost;
      if (plant == "doubled") problem.plant = Plant::doubled;
      problem.check();
    } catch (const std::invalid_argument& error) {
      throw CLI::ValidationError(error.what());
    }
  });
}

}  // namespace prk_pic
