// SPDX-License-Identifier: Apache-2.0
// R3: bad options are refused with what was given, where, and what is allowed. The environment is
// passed in, so no test touches the process's own.
#include "roam/runtime/options.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>  // setenv, in the child of a death test only

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "roam/core/error.hpp"
#include "roam/core/version.hpp"
#include "support/temporary_folder.hpp"

namespace options_test {

namespace {

using roam::ConfigError;
using roam::Options;
using Strings = std::vector<std::string>;

struct Outcome {
  Options options;
  Strings rest;
  bool help = false;
};

Outcome take(Strings arguments, const Strings& environment = {}, const Options& defaults = {}) {
  const auto parsed = roam::take_options(arguments, environment, defaults);
  return {parsed.options, arguments, parsed.help};
}

/// The message of the ConfigError that these arguments lead to.
std::string error(Strings arguments, const Strings& environment = {}) {
  const Strings before = arguments;
  try {
    (void)roam::take_options(arguments, environment);
  } catch (const ConfigError& error) {
    EXPECT_EQ(arguments, before) << "arguments changed in spite of an error";
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

/// A file in a folder of its own, both removed at the end.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content) { std::ofstream(path()) << content; }
  [[nodiscard]] std::string path() const { return folder_.file("roam.toml"); }
  [[nodiscard]] std::string folder() const { return folder_.path().string(); }

 private:
  roam::testing::TemporaryFolder folder_;
};

TEST(Options, defaults_when_nothing_is_given) {
  const Outcome outcome = take({});
  EXPECT_EQ(outcome.options.ranks, 1);
  EXPECT_FALSE(outcome.options.ranks_given);
  EXPECT_EQ(outcome.options.workers, 0U);
  EXPECT_EQ(outcome.options.transport, "auto");
  EXPECT_EQ(outcome.options.progress_mode, roam::ProgressMode::shared);
  EXPECT_EQ(outcome.options.balancer.name, "none");
  ASSERT_EQ(outcome.options.load_model.size(), 1U);
  EXPECT_EQ(outcome.options.load_model[0].name, "persistence");
  EXPECT_EQ(outcome.options.scheduler.name, "stealing");
  EXPECT_FALSE(outcome.options.progress);
  EXPECT_FALSE(outcome.options.pin.binds());
  EXPECT_TRUE(outcome.options.trace.empty());
  EXPECT_TRUE(outcome.options.stuck_graph.empty());
  EXPECT_EQ(outcome.options.seed, 1U);
  EXPECT_FALSE(outcome.options.simulate);
  EXPECT_EQ(outcome.options.message_threshold_bytes, 16384U);
  EXPECT_EQ(outcome.options.high_water_bytes, 16777216U);
  EXPECT_EQ(outcome.options.receive_memory_bytes, 8388608U);
  EXPECT_EQ(outcome.options.max_hops, 8U);
  EXPECT_EQ(outcome.options.peer_timeout_seconds, 60U);
  EXPECT_TRUE(outcome.options.catch_signals);
  EXPECT_TRUE(outcome.options.given.empty());
  EXPECT_EQ(outcome.options.origin("ranks"), "default");
}

TEST(Options, every_option_is_understood_in_both_forms) {
  for (const bool joined : {false, true}) {
    Strings arguments;
    const auto add = [&](const std::string& name, const std::string& value) {
      if (joined) {
        arguments.push_back("--roam-" + name + "=" + value);
      } else {
        arguments.push_back("--roam-" + name);
        arguments.push_back(value);
      }
    };
    add("ranks", "4");
    add("workers", "3");
    add("transport", "mpi");
    add("progress-mode", "dedicated");
    add("balancer", "diffusion:threshold=0.1,neighbours=4");
    add("load-model", "median:phases=3+scale:factor=1e+2");
    add("phase-length", "2.5e-1");
    add("speed", "1,2e-1,3");
    add("scheduler", "fifo");
    add("trace", "trace.json");
    add("stuck-graph", "stuck.dot");
    add("lb-data", "loads");
    add("seed", "18446744073709551615");
    add("message-threshold", "4KiB");
    add("high-water", "2MB");
    add("receive-memory", "1MiB");
    add("max-hops", "12");
    add("peer-timeout", "90");
    arguments.emplace_back("--roam-catch-signals=off");
    arguments.insert(arguments.end(), {"--roam-progress", "--roam-pin"});
    const Outcome outcome = take(arguments);
    EXPECT_TRUE(outcome.rest.empty());
    const Options& options = outcome.options;
    EXPECT_EQ(options.ranks, 4);
    EXPECT_TRUE(options.ranks_given);
    EXPECT_EQ(options.workers, 3U);
    EXPECT_EQ(options.transport, "mpi");
    EXPECT_EQ(options.progress_mode, roam::ProgressMode::dedicated);
    EXPECT_EQ(options.balancer.name, "diffusion");
    const std::vector<std::pair<std::string, std::string>> parameters = {{"threshold", "0.1"},
                                                                         {"neighbours", "4"}};
    EXPECT_EQ(options.balancer.parameters, parameters);
    ASSERT_EQ(options.load_model.size(), 2U);
    EXPECT_EQ(options.load_model[0].name, "median");
    EXPECT_EQ(options.load_model[1].parameters.at(0).second, "1e+2");
    EXPECT_EQ(options.phase_length_seconds, 0.25);
    EXPECT_EQ(options.speeds, (std::vector<double>{1, 0.2, 3}));
    EXPECT_EQ(options.scheduler.name, "fifo");
    EXPECT_EQ(options.trace, "trace.json");
    EXPECT_EQ(options.stuck_graph, "stuck.dot");
    EXPECT_EQ(options.lb_data, "loads");
    EXPECT_EQ(options.seed, 18446744073709551615ULL);
    EXPECT_EQ(options.message_threshold_bytes, 4096U);
    EXPECT_EQ(options.high_water_bytes, 2000000U);
    EXPECT_EQ(options.receive_memory_bytes, 1048576U);
    EXPECT_EQ(options.max_hops, 12U);
    EXPECT_EQ(options.peer_timeout_seconds, 90U);
    EXPECT_FALSE(options.catch_signals);
    EXPECT_TRUE(options.progress);
    EXPECT_EQ(options.pin.policy, roam::Pinning::Policy::compact);
  }
}

TEST(Options, are_taken_from_anywhere_and_the_rest_keeps_its_order) {
  const Outcome outcome = take({"in.mesh", "--roam-ranks", "2", "-v", "--size=3", "--roam-progress",
                                "out", "-", "--roaming", "roam", "--roam-seed=9", "-roamer", ""});
  EXPECT_EQ(outcome.rest,
            (Strings{"in.mesh", "-v", "--size=3", "out", "-", "--roaming", "roam", "-roamer", ""}));
  EXPECT_EQ(outcome.options.ranks, 2);
  EXPECT_EQ(outcome.options.seed, 9U);
  EXPECT_TRUE(outcome.options.progress) << "a flag leaves the next argument to the program";
}

TEST(Options, nothing_is_taken_after_a_lone_double_dash) {
  const Outcome outcome =
      take({"--roam-ranks=2", "--", "--roam-ranks", "3", "--roam-nonsense", "--roam-help"});
  EXPECT_EQ(outcome.rest, (Strings{"--", "--roam-ranks", "3", "--roam-nonsense", "--roam-help"}));
  EXPECT_EQ(outcome.options.ranks, 2);
  EXPECT_FALSE(outcome.help);
}

TEST(Options, argv_shrinks_in_place_and_stays_null_terminated) {
  Strings words = {"program", "--roam-ranks", "2", "file", "--roam-pin", "-x"};
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  char* const file = argv[3];
  argv.push_back(nullptr);
  int argc = 6;
  const auto parsed = roam::take_options(argc, argv.data());
  ASSERT_EQ(argc, 3);
  EXPECT_STREQ(argv[0], "program");
  EXPECT_EQ(argv[1], file) << "the caller's own strings, not copies";
  EXPECT_STREQ(argv[2], "-x");
  EXPECT_EQ(argv[3], nullptr);
  EXPECT_EQ(parsed.options.ranks, 2);
}

TEST(Options, argv_may_be_empty) {
  char* argv[] = {nullptr};
  int argc = 0;
  EXPECT_FALSE(roam::take_options(argc, argv).help);
  EXPECT_EQ(argc, 0);
}

[[noreturn]] void exit_with_ranks_of_environment() {
  ::setenv("ROAM_RANKS", "17", 1);
  char name[] = "program";
  char* argv[] = {name, nullptr};
  int argc = 1;
  std::exit(roam::take_options(argc, argv).options.ranks);
}

TEST(OptionsDeathTest, the_process_environment_is_read) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  // In a process of its own, where the variable stays.
  EXPECT_EXIT(exit_with_ranks_of_environment(), testing::ExitedWithCode(17), "");
}

TEST(Options, command_line_beats_environment_beats_file_beats_default) {
  const TemporaryFile file("ranks = 2\nworkers = 2\nseed = 2\n");
  const Outcome outcome = take({"--roam-ranks", "4", "--roam-config", file.path()},
                               {"ROAM_RANKS=3", "ROAM_WORKERS=3", "HOME=/", "ROAMER=1"});
  EXPECT_EQ(outcome.options.ranks, 4);
  EXPECT_EQ(outcome.options.workers, 3U);
  EXPECT_EQ(outcome.options.seed, 2U);
  EXPECT_EQ(outcome.options.max_hops, 8U);
  EXPECT_EQ(outcome.options.origin("ranks"), "--roam-ranks");
  EXPECT_EQ(outcome.options.origin("workers"), "environment variable ROAM_WORKERS");
  EXPECT_EQ(outcome.options.origin("seed"), file.path() + ":3:8: key seed");
}

TEST(Options, the_programs_own_defaults_come_last) {
  Options defaults;
  defaults.balancer = {"diffusion", {{"threshold", "2"}}};
  defaults.ranks = 5;
  defaults.progress = true;
  const Outcome outcome = take({"--roam-progress=off"}, {}, defaults);
  EXPECT_EQ(outcome.options.balancer.name, "diffusion");
  EXPECT_EQ(outcome.options.ranks, 5);
  EXPECT_FALSE(outcome.options.ranks_given);
  EXPECT_FALSE(outcome.options.progress);
  EXPECT_NE(roam::options_help({}, defaults).find("diffusion:threshold=2"), std::string::npos);
}

TEST(Options, the_last_of_several_on_the_command_line_counts_but_all_are_checked) {
  EXPECT_EQ(take({"--roam-ranks=2", "--roam-ranks=3"}).options.ranks, 3);
  EXPECT_EQ(error({"--roam-ranks=no", "--roam-ranks=3"}),
            "--roam-ranks: bad value \"no\"; allowed is a whole number from 1 to 1000000");
  EXPECT_EQ(error({"--roam-ranks=3"}, {"ROAM_RANKS=no"}),
            "environment variable ROAM_RANKS: bad value \"no\"; allowed is a whole number from 1 "
            "to 1000000");
}

TEST(Options, environment_flags_empty_and_build_variables) {
  EXPECT_TRUE(take({}, {"ROAM_PIN=1"}).options.pin.binds());
  EXPECT_FALSE(take({}, {"ROAM_PIN=No"}).options.pin.binds());
  EXPECT_EQ(take({}, {"ROAM_RANKS="}).options.ranks, 1);
  EXPECT_EQ(take({}, {"ROAM_PROGRESS_MODE=polling"}).options.progress_mode,
            roam::ProgressMode::polling);
  const Outcome outcome = take({}, {"ROAM_MPI=mpich", "ROAM_WITH_MPI=ON", "ROAM_BUILD_TESTS=1",
                                    "ROAM_SANITIZE=thread", "ROAM_WARNINGS_AS_ERRORS=ON"});
  EXPECT_TRUE(outcome.options.given.empty());
}

TEST(Options, environment_variables_of_an_installation_are_let_pass) {
  const Outcome outcome =
      take({}, {"ROAM_ROOT=/opt/roam", "ROAM_HOME=/opt/roam", "ROAM_DIR=/opt/roam",
                "ROAM_VERSION=1.2", "ROAM_LIBRARY_DIR=/opt/roam/lib", "ROAM_INCLUDE_DIR=/opt",
                "ROAM_INSTALL_PREFIX=/opt", "ROAM_WORKERS=3"});
  EXPECT_EQ(outcome.options.given.size(), 1U);
  EXPECT_EQ(outcome.options.workers, 3U);
}

TEST(Options, bad_values_say_what_is_allowed) {
  const std::string ranks = "allowed is a whole number from 1 to 1000000";
  for (const char* value : {"0", "-3", "1000001", "4.5", "4x", "x", "0x10", "+4", " 4", ""}) {
    EXPECT_EQ(error({std::string("--roam-ranks=") + value}),
              std::string("--roam-ranks: bad value \"") + value + "\"; " + ranks);
  }
  EXPECT_EQ(error({"--roam-ranks", "-3"}), "--roam-ranks: bad value \"-3\"; " + ranks);
  EXPECT_EQ(
      error({"--roam-workers=4097"}),
      "--roam-workers: bad value \"4097\"; allowed is a whole number from 1 to 4096, or auto (0)");
  EXPECT_EQ(error({"--roam-seed=18446744073709551616"}),
            "--roam-seed: bad value \"18446744073709551616\"; allowed is a whole number from 0 to "
            "18446744073709551615");
  EXPECT_EQ(error({"--roam-progress-mode=shard"}),
            "--roam-progress-mode: bad value \"shard\"; allowed is one of shared, dedicated, "
            "polling; did you mean shared?");
  EXPECT_EQ(error({"--roam-progress=perhaps"}),
            "--roam-progress: bad value \"perhaps\"; allowed is true or false (also 1, yes, on, 0, "
            "no, off)");
  EXPECT_EQ(take({"--roam-peer-timeout=0"}).options.peer_timeout_seconds, 0U);
  EXPECT_EQ(
      error({"--roam-peer-timeout=1"}),
      "--roam-peer-timeout: bad value \"1\"; allowed is a whole number from 2 to 86400, or 0: "
      "never");
  EXPECT_EQ(error({"--roam-transport="}),
            "--roam-transport: bad value \"\"; allowed is the name of a transport");
}

TEST(Options, sizes_take_suffixes) {
  const auto size = [](const std::string& text) {
    return take({"--roam-message-threshold=" + text}).options.message_threshold_bytes;
  };
  EXPECT_EQ(size("300"), 300U);
  EXPECT_EQ(size("300B"), 300U);
  EXPECT_EQ(size("4KiB"), 4096U);
  EXPECT_EQ(size("4kib"), 4096U);
  EXPECT_EQ(size("4kb"), 4000U);
  EXPECT_EQ(size("1 MiB"), 1048576U);
  EXPECT_EQ(size("1GiB"), 1073741824U);
  for (const char* text : {"", "255", "2GiB", "4XB", "KiB", "-4KiB", "1.5MiB", "0400",
                           "99999999999999999999", "99999999999999999TiB", "4KiBs"}) {
    EXPECT_EQ(
        error({std::string("--roam-message-threshold=") + text}),
        std::string("--roam-message-threshold: bad value \"") + text +
            "\"; allowed is a size in bytes from 256 to 1GiB, as in 65536, 64KiB, 1MiB or 2MB");
  }
}

TEST(Options, numbers_are_decimal) { EXPECT_EQ(take({"--roam-ranks=010"}).options.ranks, 10); }

TEST(Options, workers_auto_shares_the_cores_among_the_ranks) {
  const Options any = take({"--roam-workers=auto"}).options;
  EXPECT_EQ(any.workers, 0U);
  EXPECT_GE(roam::workers_per_rank(any, 1), roam::workers_per_rank(any, 2));
  EXPECT_EQ(roam::workers_per_rank(any, 1'000'000), 1U);
  EXPECT_EQ(roam::workers_per_rank(take({"--roam-workers=7"}).options, 100), 7U);
}

TEST(Options, missing_values) {
  const std::string text =
      "--roam-ranks: the value is missing; write --roam-ranks VALUE or --roam-ranks=VALUE "
      "(--roam-help lists Roam's options)";
  EXPECT_EQ(error({"--roam-ranks"}), text);
  EXPECT_EQ(error({"--roam-ranks", "--roam-pin"}), text);
  EXPECT_EQ(error({"--roam-ranks", "--", "4"}), text);
}

TEST(Options, unknown_and_misspelt_options_get_suggestions) {
  const std::string hint = " (--roam-help lists Roam's options)";
  EXPECT_EQ(error({"--roam-wrokers=3"}),
            "unknown option --roam-wrokers; did you mean --roam-workers?" + hint);
  EXPECT_EQ(error({"--roam-rank", "3"}),
            "unknown option --roam-rank; did you mean --roam-ranks?" + hint);
  EXPECT_EQ(error({"--roam-max_hops=3"}),
            "unknown option --roam-max_hops; did you mean --roam-max-hops?" + hint);
  EXPECT_EQ(error({"--roam-zzz"}), "unknown option --roam-zzz" + hint);
  EXPECT_EQ(error({"-roam-ranks", "3"}),
            "unknown option -roam-ranks; did you mean --roam-ranks?" + hint);
  EXPECT_EQ(error({"--ROAM_RANKS=3"}),
            "unknown option --ROAM_RANKS; did you mean --roam-ranks?" + hint);
  for (const std::string bare : {"--roam", "-roam", "--roam-", "--roam-=3", "---roam-"}) {
    EXPECT_EQ(error({bare}), "unknown option " + bare.substr(0, bare.find('=')) + hint);
  }
}

TEST(Options, unknown_environment_variables_get_suggestions) {
  const std::string hint = " (--roam-help lists Roam's options)";
  EXPECT_EQ(error({}, {"ROAM_WORKRES=3"}),
            "unknown environment variable ROAM_WORKRES; did you mean ROAM_WORKERS?" + hint);
  EXPECT_EQ(
      error({}, {"ROAM_PROGRESSMODE="}),
      "unknown environment variable ROAM_PROGRESSMODE; did you mean ROAM_PROGRESS_MODE?" + hint);
  EXPECT_EQ(error({}, {"ROAM_HELP=1"}), "unknown environment variable ROAM_HELP" + hint);
}

TEST(Options, file_errors_name_file_line_and_column) {
  const auto file_error = [](const std::string& content) {
    const TemporaryFile file(content);
    std::string text = error({"--roam-config", file.path()});
    EXPECT_TRUE(text.starts_with(file.path())) << text;
    return text.substr(std::min(text.size(), file.path().size()));
  };
  EXPECT_EQ(file_error("ranks = 2\nwrkers = 3\n"),
            ":2:1: unknown key wrkers; did you mean workers? (--roam-help lists Roam's options)");
  EXPECT_EQ(file_error("seed = 1.5"),
            ":1:8: key seed: bad value \"1.5\"; allowed is a whole number from 0 to "
            "18446744073709551615");
  EXPECT_EQ(file_error("\nranks = [1, 2]"),
            ":2:9: key ranks: found a list, allowed is one value, as on the command line");
  EXPECT_EQ(file_error("config = \"x\""),
            ":1:1: unknown key config (--roam-help lists Roam's options)");
  EXPECT_EQ(file_error("progress = 3"),
            ":1:12: key progress: bad value \"3\"; allowed is true or false (also 1, yes, on, 0, "
            "no, off)");
  EXPECT_EQ(file_error("pin = 3"),
            ":1:7: key pin: bad value \"3\"; allowed is compact, scatter, none, or a list of cores "
            "like cores:0,2-5 (also true and false for compact and none)");
  EXPECT_NE(file_error("ranks = \n").find(":1:9: not valid TOML: "), std::string::npos);
  EXPECT_NE(file_error("ranks = 1\nranks = 2\n").find(":2:"), std::string::npos);
}

TEST(Options, files_take_either_spelling_and_any_scalar) {
  const TemporaryFile file(
      "max_hops = 3\nprogress-mode = 'polling'\npin = true\nhigh_water = '1MiB'\nseed = \"7\"");
  const Options options = take({}, {"ROAM_CONFIG=" + file.path()}).options;
  EXPECT_EQ(options.max_hops, 3U);
  EXPECT_EQ(options.progress_mode, roam::ProgressMode::polling);
  EXPECT_EQ(options.pin.policy, roam::Pinning::Policy::compact);
  EXPECT_EQ(options.high_water_bytes, 1048576U);
  EXPECT_EQ(options.seed, 7U);
}

TEST(Options, unreadable_config_file) {
  EXPECT_EQ(error({"--roam-config=no/such.toml"}),
            "--roam-config: cannot read \"no/such.toml\": No such file or directory");
  EXPECT_EQ(error({}, {"ROAM_CONFIG=/"}),
            "environment variable ROAM_CONFIG: cannot read \"/\": Is a directory");
}

TEST(Options, command_line_config_replaces_that_of_the_environment) {
  const TemporaryFile file("ranks = 2");
  EXPECT_EQ(take({"--roam-config", file.path()}, {"ROAM_CONFIG=no/such.toml"}).options.ranks, 2);
}

TEST(Options, balancer_form) {
  const std::string form = "; allowed is NAME or NAME:key=value,key=value";
  const auto balancer_error = [](const std::string& value) {
    const std::string text = error({"--roam-balancer=" + value});
    const std::string start = "--roam-balancer: bad value \"" + value + "\"; ";
    EXPECT_TRUE(text.starts_with(start)) << text;
    return text.substr(std::min(text.size(), start.size()));
  };
  EXPECT_EQ(balancer_error(""), "\"\" is not a name of letters, digits, '_' and '-'" + form);
  EXPECT_EQ(balancer_error("a b"), "\"a b\" is not a name of letters, digits, '_' and '-'" + form);
  EXPECT_EQ(balancer_error("diffusion:"), "\"\" is not of the form key=value" + form);
  EXPECT_EQ(balancer_error("diffusion:x"), "\"x\" is not of the form key=value" + form);
  EXPECT_EQ(balancer_error("diffusion:x="), "\"x=\" is not of the form key=value" + form);
  EXPECT_EQ(balancer_error("diffusion:x=1,,y=2"), "\"\" is not of the form key=value" + form);
  EXPECT_EQ(balancer_error("diffusion:x=1,x=2"), "key x is given twice" + form);
  const auto choice = roam::parse_plugin_choice("a:file=c:/d=e");
  EXPECT_EQ(choice.parameters.at(0).second, "c:/d=e");
}

TEST(Options, stacks_are_divided_where_a_name_or_a_path_begins) {
  const auto names = [](const std::string& text) {
    Strings found;
    for (const roam::PluginChoice& choice : roam::parse_plugin_stack(text)) {
      found.push_back(choice.name);
    }
    return found;
  };
  EXPECT_EQ(names("./liba.so:key=1e+5+median:phases=3"), (Strings{"./liba.so", "median"}));
  EXPECT_EQ(names("median+./liba.so+../b/libb.so+/c/libc.so:key=2+d/libd.so"),
            (Strings{"median", "./liba.so", "../b/libb.so", "/c/libc.so", "d/libd.so"}));
  EXPECT_EQ(names("./lib+64/liba.so"), Strings{"./lib+64/liba.so"});
  EXPECT_TRUE(error({"--roam-load-model=median+liba.so"})
                  .find("a library is given by its path: ./liba.so") != std::string::npos);
  EXPECT_TRUE(error({"--roam-load-model=./liba.so+"}).find("\"\" is not a name") !=
              std::string::npos);
}

TEST(Options, phase_length_is_a_number_of_seconds_above_zero) {
  for (const char* value : {"0", "-1", "nan", "inf", "1s", "2e6", ""}) {
    EXPECT_TRUE(error({"--roam-phase-length=" + std::string(value)})
                    .ends_with("allowed is a number of seconds above 0, up to 1000000"))
        << value;
  }
}

TEST(Options, speeds_are_numbers_of_real_machines) {
  for (const char* value : {"0", "-1", "1,,2", "1,", ",1", "fast", "nan", "1e7", ""}) {
    EXPECT_TRUE(error({"--roam-speed=" + std::string(value)})
                    .ends_with("allowed is a number from 1e-6 to 1e6, or several as in 1,1,0.5"))
        << value;
  }
  EXPECT_TRUE(error({"--roam-simulate=ranks=2", "--roam-speed=2"})
                  .starts_with("--roam-speed: a simulated machine has speeds of its own"));
}

TEST(Options, trace_folder_must_exist) {
  EXPECT_EQ(
      error({"--roam-trace=no/such/trace.json"}),
      "--roam-trace: cannot write \"no/such/trace.json\": \"no/such\" is not an existing folder");
  const TemporaryFile file("");
  EXPECT_EQ(error({}, {"ROAM_TRACE=" + file.folder()}),
            "environment variable ROAM_TRACE: cannot write \"" + file.folder() +
                "\": it is a folder; allowed is the name of a file");
  EXPECT_EQ(take({"--roam-trace", file.folder() + "/trace.json"}).options.trace,
            file.folder() + "/trace.json");
  EXPECT_FALSE(std::filesystem::exists(file.folder() + "/trace.json")) << "only checked, not made";
  EXPECT_EQ(error({"--roam-lb-data=no/such/loads"}),
            "--roam-lb-data: cannot write to \"no/such/loads\": \"no/such\" is not an existing "
            "folder");
  EXPECT_EQ(error({"--roam-stuck-graph=no/such/stuck.dot"}),
            "--roam-stuck-graph: cannot write \"no/such/stuck.dot\": \"no/such\" is not an "
            "existing folder");
}

TEST(Options, simulate_inline_and_from_a_file) {
  const Options options =
      take({"--roam-simulate", "ranks=10,workers=16,latency_seconds=2e-6"}).options;
  ASSERT_TRUE(options.simulate);
  EXPECT_EQ(options.simulate->ranks, 10);
  EXPECT_EQ(options.ranks, 10);
  EXPECT_EQ(options.workers, 16U);
  const TemporaryFile file("ranks = 6\n");
  EXPECT_EQ(take({"--roam-simulate", file.path()}).options.ranks, 6);
  EXPECT_EQ(error({"--roam-simulate=cluster"}),
            "--roam-simulate: cannot read \"cluster\": No such file or directory; allowed is a "
            "machine description file, "
            "or a machine inline as in ranks=10,workers=32");
  EXPECT_EQ(error({"--roam-simulate=ranks=0"}),
            "--roam-simulate: ranks: found 0, allowed is a whole number from 1 to 1000000");
}

TEST(Options, ranks_and_workers_replace_those_of_a_machine_of_no_higher_source) {
  const std::string machine = "--roam-simulate=ranks=10,workers=16";
  const Options replaced = take({machine, "--roam-ranks=4", "--roam-workers=2"}).options;
  EXPECT_EQ(replaced.simulate->ranks, 4);
  EXPECT_EQ(replaced.simulate->workers_per_rank, 2U);
  EXPECT_EQ(take({"--roam-ranks=4"}, {"ROAM_SIMULATE=ranks=10"}).options.simulate->ranks, 4);
  EXPECT_EQ(take({machine}, {"ROAM_RANKS=4"}).options.ranks, 10);
  EXPECT_EQ(take({machine, "--roam-workers=auto"}).options.workers, 16U);
  const TemporaryFile file("ranks = 4\nspeed = [1.0, 0.5]\n");
  EXPECT_EQ(error({"--roam-simulate", file.path(), "--roam-ranks=5"}),
            "--roam-simulate with --roam-ranks 5: speed: found 2 values, allowed is one for all "
            "ranks, one for each, or a "
            "pattern whose length divides the number of ranks, 5");
}

TEST(Options, help_lists_every_option_and_the_given_names) {
  EXPECT_TRUE(take({"--roam-nonsense", "--roam-help"}).help)
      << "asked for by who has trouble with the options";
  const std::string help = roam::options_help();
  for (const char* name :
       {"ranks",      "workers",        "transport", "progress-mode", "balancer",
        "load-model", "phase-length",   "speed",     "scheduler",     "progress",
        "trace",      "seed",           "pin",       "simulate",      "message-threshold",
        "high-water", "receive-memory", "max-hops",  "peer-timeout",  "catch-signals",
        "config",     "help",           "version"}) {
    EXPECT_NE(help.find(std::string("--roam-") + name), std::string::npos) << name;
  }
  EXPECT_NE(help.find("[16KiB]"), std::string::npos);
  EXPECT_NE(help.find("Messages:"), std::string::npos) << "options stand below what they are about";
  EXPECT_NE(help.find("Names for --roam-balancer: auto, "), std::string::npos);
  std::size_t start = 0;
  for (std::size_t end = 0; (end = help.find('\n', start)) != std::string::npos; start = end + 1) {
    EXPECT_LE(end - start, 100U) << help.substr(start, end - start);
  }
}

TEST(Options, help_says_more_about_one_option_or_name) {
  for (const Strings& arguments : {Strings{"--roam-help", "max-hops"}, {"--roam-help=max-hops"}}) {
    const auto parsed = roam::take_options(*std::make_unique<Strings>(arguments), {});
    EXPECT_TRUE(parsed.help);
    EXPECT_EQ(parsed.help_topic, "max-hops");
  }
  const std::string hops = roam::options_help("max-hops");
  EXPECT_NE(hops.find("--roam-max-hops N"), std::string::npos) << hops;
  EXPECT_NE(hops.find("ROAM_MAX_HOPS"), std::string::npos) << hops;
  EXPECT_EQ(hops.find("--roam-ranks"), std::string::npos) << hops;
  EXPECT_EQ(roam::options_help("--roam-max-hops"), hops);
  EXPECT_NE(roam::options_help("in-process").find("--roam-transport in-process\n"),
            std::string::npos);
  const std::string diffusion = roam::options_help("diffusion");
  EXPECT_NE(diffusion.find("--roam-balancer diffusion\n"), std::string::npos) << diffusion;
  EXPECT_NE(diffusion.find("  neighbours="), std::string::npos) << diffusion;
  // A plug-in with the same name for another option must not be described here.
  EXPECT_EQ(diffusion.find("policy diffusion:"), diffusion.rfind("policy diffusion:")) << diffusion;
  const std::string none = roam::options_help("none");
  EXPECT_EQ(none.find("policy none:"), none.rfind("policy none:")) << none;
  EXPECT_NE(roam::options_help("median").find("  phases="), std::string::npos);
  for (const char* name : {"none", "greedy", "stealing", "persistence"}) {
    const std::string text = roam::options_help(name);
    EXPECT_GT(std::count(text.begin(), text.end(), '\n'), 1) << text;
  }
  try {
    (void)roam::options_help("difusion");
    ADD_FAILURE() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "--roam-help: there is no option, policy or the like called \"difusion\"; did you "
                 "mean diffusion? (--roam-help lists Roam's options)");
  }
}

TEST(Options, the_version_is_asked_for_as_help_is) {
  const auto parsed = roam::take_options(
      *std::make_unique<Strings>(Strings{"--roam-nonsense", "--roam-version"}), {});
  EXPECT_TRUE(parsed.help);
  EXPECT_EQ(roam::options_help(parsed.help_topic), "roam " ROAM_VERSION "\n");
  EXPECT_NO_THROW((void)roam::take_options(*std::make_unique<Strings>(),
                                           std::vector<std::string>{"ROAM_VERSION=1.2"}))
      << "of an environment module";
}

TEST(Options, nothing_is_printed) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  (void)take({"--roam-help"});
  (void)take({"--roam-ranks=2"});
  (void)error({"--roam-nonsense"});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace

}  // namespace options_test
