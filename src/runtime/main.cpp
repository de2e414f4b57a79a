// SPDX-License-Identifier: Apache-2.0
#include "roam/runtime/main.hpp"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <vector>

#include "roam/core/error.hpp"

namespace roam::detail {

namespace {

/// Takes Roam's options out. Returns false if run() will end the program, so that its own arguments
/// need not be read.
bool takes_roams_options(int& argc, char** argv, const Options& defaults) {
  try {
    return !take_options(argc, argv, defaults).help;
  } catch (const ConfigError&) {
    return false;  // run() reports it
  }
}

}  // namespace

int run_main(int argc, char** argv, const std::function<int(int, char**)>& read_settings,
             const Runtime::Program& program, const Options& defaults) {
  // Works on a copy, since run() takes the options out itself.
  std::vector<char*> arguments(argv, argv + argc + 1);
  int left = argc;
  if (takes_roams_options(left, arguments.data(), defaults)) {
    try {
      const int status = read_settings(left, arguments.data());
      if (status >= 0) return status;
    } catch (const std::exception& error) {
      const std::string name =
          argc > 0 ? std::filesystem::path(argv[0]).filename().string() : "roam";
      std::fprintf(stderr, "%s: %s\n", name.c_str(), error.what());
      return 2;
    }
  }
  return run(argc, argv, program, defaults);
}

}  // namespace roam::detail
