// SPDX-License-Identifier: Apache-2.0
#include "support/command_line.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>

namespace support {

int parse(CLI::App& app, int argc, char** argv, const std::function<void()>& check) {
  try {
    app.parse(argc, argv);
    if (check) check();
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    std::string words = error.what();
    std::ranges::replace(words, '\n', ' ');
    const std::string program = std::filesystem::path(argv[0]).filename().string();
    std::fprintf(stderr, "%s: %s (see --help)\n", program.c_str(), words.c_str());
    return 2;
  }
  return -1;
}

}  // namespace support
