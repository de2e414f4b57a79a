// SPDX-License-Identifier: Apache-2.0
#include <roam/roam.hpp>

#include "settings.hpp"
#include "sort.hpp"

int main(int argc, char** argv) {
  return roam::main(argc, argv, netsort::read_settings, netsort::sort);
}
