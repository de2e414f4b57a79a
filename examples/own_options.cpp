// SPDX-License-Identifier: Apache-2.0
// A program with command-line arguments and options of its own, and with state of its own on each
// rank. See docs/own_options.md.
#include <cstdio>
#include <cstdlib>
#include <roam/core/option_group.hpp>
#include <roam/roam.hpp>
#include <string>

// [arguments]
struct Settings {
  int rounds = 3;
};

/// --rounds N. Any parser of command lines will do. Negative: go on.
int read_settings(int argc, char** argv, Settings& settings) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--help") {
      std::puts("own_options [--rounds N]: counts. --roam-help lists Roam's options.");
      return 0;
    }
    if (argument != "--rounds" || i + 1 == argc) {
      std::fprintf(stderr, "own_options: unknown argument %s (see --help)\n", argv[i]);
      return 2;
    }
    settings.rounds = std::atoi(argv[++i]);
  }
  return -1;
}
// [arguments]

// [group]
struct TallyOptions {
  int step = 1;
  std::string title = "counted";
};

const roam::core::OptionGroup<TallyOptions> tally_options(
    {.title = "Tally", .prefix = "tally"}, [](roam::core::OptionGroup<TallyOptions>& group) {
      group.number("step", "N", &TallyOptions::step, {1, 1000}, "What a round adds");
      group.text("title", "TEXT", &TallyOptions::title, "a word", "What is printed");
    });
// [group]

// [state]
struct Count {
  int value = 0;  // one worker a rank, or it would have to be atomic
};

void count(int step) { roam::here().local<Count>().value += step; }
// [state]

// [values]
const TallyOptions& tally_of(roam::Runtime& rt) { return rt.options().of<TallyOptions>(); }
// [values]

roam::Task<> program(roam::Runtime& rt, const Settings& settings) {
  const TallyOptions& tally = tally_of(rt);
  for (int i = 0; i < settings.rounds; ++i)
    rt.send<&count>((rt.rank().value() + 1) % rt.size(), tally.step);
  co_await rt.quiescence();
  const int own = rt.local<Count>().value;
  const int sum = co_await rt.allreduce<std::plus<>>(own);
  if (rt.rank() == 0) std::printf("%s: %d\n", tally.title.c_str(), sum);
}

// [main]
int main(int argc, char** argv) { return roam::main(argc, argv, read_settings, program); }
// [main]
