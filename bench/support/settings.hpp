// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace bench {

/// What every benchmark program understands.
struct Settings {
  int repeats = 15;
  bool is_short = false;
  std::string json;  ///< file for the results; empty: none
};

/// A positive number that one program understands besides: `--burst N`.
struct NumberOption {
  const char* name;
  int* value;
};

inline void print_usage(std::FILE* file, const char* program,
                        const std::vector<NumberOption>& numbers) {
  std::fprintf(file, "usage: %s [--short] [--json FILE]", program);
  for (const NumberOption& option : numbers) std::fprintf(file, " [%s N]", option.name);
}

/// Reads [--short] [--repeats N] [--json FILE] and `more`; ends the program with status 0 at --help
/// and with status 2 at anything else.
inline Settings read_settings(int argc, char** argv, const std::vector<NumberOption>& more = {}) {
  Settings settings;
  std::vector<NumberOption> numbers = more;
  numbers.push_back({"--repeats", &settings.repeats});
  for (int i = 1; i < argc; ++i) {
    const char* const value = i + 1 < argc ? argv[i + 1] : "";
    const auto number = std::find_if(numbers.begin(), numbers.end(), [&](const NumberOption& o) {
      return std::strcmp(argv[i], o.name) == 0;
    });
    if (std::strcmp(argv[i], "--help") == 0) {
      print_usage(stdout, argv[0], numbers);
      std::puts("");
      std::exit(0);
    }
    if (std::strcmp(argv[i], "--short") == 0) {
      settings.is_short = true;
      settings.repeats = std::min(settings.repeats, 7);
    } else if (number != numbers.end() && std::atoi(value) > 0) {
      *number->value = std::atoi(value);
      ++i;
    } else if (std::strcmp(argv[i], "--json") == 0 && *value != '\0') {
      settings.json = value;
      ++i;
    } else {
      print_usage(stderr, argv[0], numbers);
      std::fprintf(stderr, "; not %s %s\n", argv[i], value);
      std::exit(2);
    }
  }
  return settings;
}

}  // namespace bench
