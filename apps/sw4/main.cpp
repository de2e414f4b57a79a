// SPDX-License-Identifier: Apache-2.0
#include <roam/roam.hpp>

#include "port/port_run.hpp"
#include "port/port_settings.hpp"

int main(int argc, char** argv) {
  return roam::main(argc, argv, sw4::read_port_settings, sw4::run_port);
}
