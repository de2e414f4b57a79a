// SPDX-License-Identifier: Apache-2.0
#include "support/program.hpp"

#include <cstdio>
#include <exception>

#include "roam/core/error.hpp"

namespace roam_tools {

int run_program(const char* name, int (*run)(int argc, char** argv), int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const roam::ConfigError& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 1;
  }
}

}  // namespace roam_tools
