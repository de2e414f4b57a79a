// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <CLI/CLI.hpp>
#include <stdexcept>

#include "support/command_line.hpp"

namespace mini_pic {

int read_settings(int argc, char** argv, Settings& settings) {
  CLI::App app(
      "Electrostatic particle-in-cell on tetrahedra: two beams that drive a growing wave.\n"
      "mini_pic is a flow program, and Roam's own options are listed by --roam-help; mini_pic_mpi "
      "uses MPI alone.");
  Plasma& plasma = settings.plasma;
  app.add_option("--cubes", plasma.box.cubes,
                 "cubes of six tetrahedra in x, y and z: 16,4,4; the beams go along x")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--parts", plasma.box.parts,
                 "parts of the mesh in x, y and z (plain MPI: one per process)")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--jitter", plasma.box.jitter, "the most by which nodes are moved, in cubes")
      ->capture_default_str();
  app.add_option("--per-edge", plasma.per_edge,
                 "particles along each edge of a cube, so that each beam has its third power there")
      ->capture_default_str();
  app.add_flag("--uneven", plasma.is_uneven,
               "the first quarter of the cubes in y has four times as many, lighter particles");
  app.add_option("--ratio", plasma.ratio, "k V / omega_p; the wave grows if it is less than 1")
      ->capture_default_str();
  app.add_option("--amplitude", plasma.amplitude,
                 "of the wave at the beginning: relative change of each beam's density")
      ->capture_default_str();
  app.add_option("--time-step", plasma.time_step, "in 1 / omega_p")->capture_default_str();
  app.add_option("--tolerance", plasma.tolerance, "of the solver: residual over right-hand side")
      ->capture_default_str();
  app.add_option("--steps", settings.steps, "steps")
      ->check(CLI::Range(1, 10'000'000))
      ->capture_default_str();
  app.add_option("--phase-steps", settings.phase_steps,
                 "steps of a phase, at whose end strategies move parts between ranks; mini_pic_mpi "
                 "has no phases")
      ->check(CLI::Range(1, 10'000'000))
      ->capture_default_str();
  app.add_flag("!--no-check", settings.is_checked,
               "do not compare the field's growth and the energy with theory");
  return support::parse(app, argc, argv, [&] {
    try {
      plasma.check();
    } catch (const std::invalid_argument& error) {
      throw CLI::ValidationError(error.what());
    }
  });
}

}  // namespace mini_pic
