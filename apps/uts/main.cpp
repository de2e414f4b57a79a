// SPDX-License-Identifier: Apache-2.0
#include <roam/roam.hpp>

#include "search.hpp"
#include "settings.hpp"

int main(int argc, char** argv) { return roam::main(argc, argv, uts::read_settings, uts::search); }
