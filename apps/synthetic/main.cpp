// SPDX-License-Identifier: Apache-2.0
#include <roam/roam.hpp>

#include "benchmark.hpp"
#include "settings.hpp"

int main(int argc, char** argv) {
  return roam::main(argc, argv, synthetic::read_settings, synthetic::benchmark);
}
