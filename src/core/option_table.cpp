// SPDX-License-Identifier: Apache-2.0
#include "option_table.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <sstream>

#include "roam/core/error.hpp"
#include "roam/core/suggest.hpp"

namespace roam::core {

namespace {

using Check = std::function<std::string(std::string&)>;  // changes the text to its normal form;
                                                         // returns an error or ""

/// The whole text as a decimal number; false if it is none or does not fit.
template <class Number>
bool read_decimal(const std::string& text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

/// Decimal digits only: CLI11 by itself would read 010 as eight.
Check whole_number(std::uint64_t low, std::uint64_t high, const std::string& besides = "") {
  return [=](std::string& text) -> std::string {
    std::uint64_t value = 0;
    if (read_decimal(text, value) && value >= low && value <= high) {
      text = std::to_string(value);
      return {};
    }
    return "allowed is a whole number from " + std::to_string(low) + " to " + std::to_string(high) +
           besides;
  };
}

Check number_above_zero(double high, const std::string& unit) {
  return [=](std::string& text) -> std::string {
    double value = 0;
    if (read_decimal(text, value) && value > 0 && value <= high) return {};
    return "allowed is a number of " + unit + " above 0, up to " +
           std::to_string(static_cast<std::uint64_t>(high));
  };
}

Check workers_check() {
  return [number = whole_number(1, max_workers_per_rank, ", or auto (0)")](
             std::string& text) -> std::string {
    if (text == "auto") text = "0";
    return text == "0" ? std::string{} : number(text);
  };
}

// 0: never. Less than two seconds would end jobs over what a switch does now and then.
Check peer_timeout_check() {
  return [number = whole_number(2, 86400, ", or 0: never")](std::string& text) -> std::string {
    return text == "0" ? std::string{} : number(text);
  };
}

std::vector<double> read_numbers(const std::string& text) {
  std::vector<double> numbers;
  std::istringstream list(text);
  for (std::string one; std::getline(list, one, ',');) {
    double value = 0;
    numbers.push_back(read_decimal(one, value) ? value : std::nan(""));
  }
  return numbers;
}

Check speeds_check() {
  return [](std::string& text) -> std::string {
    const auto is_speed = [](double value) { return value >= 1e-6 && value <= 1e6; };
    const std::vector<double> speeds = read_numbers(text);
    if (!speeds.empty() && text.back() != ',' && std::ranges::all_of(speeds, is_speed)) return {};
    return "allowed is a number from 1e-6 to 1e6, or several as in 1,1,0.5";
  };
}

std::string size_text(std::uint64_t bytes) {
  constexpr const char* units[] = {"", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; unit < 4 && bytes != 0 && bytes % 1024 == 0; ++unit) bytes /= 1024;
  return std::to_string(bytes) + units[unit];
}

Check byte_size(std::uint64_t low, std::uint64_t high) {
  return [=](std::string& text) -> std::string {
    std::string number = text;
    try {
      // CLI11 by itself takes "KiB" for 1 KiB and a leading 0 for octal.
      const bool starts_well = !text.empty() && text[0] >= '1' && text[0] <= '9';
      const CLI::AsSizeValue convert(true);  // KB is 1000 bytes, KiB 1024
      std::uint64_t value = 0;
      if (starts_well && convert(number).empty() && read_decimal(number, value) && value >= low &&
          value <= high) {
        text = std::to_string(value);
        return {};
      }
    } catch (const CLI::Error&) {
      // Falls through to the message below.
    }
    return "allowed is a size in bytes from " + size_text(low) + " to " + size_text(high) +
           ", as in 65536, 64KiB, 1MiB or 2MB";
  };
}

Check flag_value() {
  return [](std::string& text) -> std::string {
    std::string lower = text;
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    for (const char* yes : {"true", "1", "yes", "on"}) {
      if (lower == yes) return text = "true", std::string{};
    }
    for (const char* no : {"false", "0", "no", "off"}) {
      if (lower == no) return text = "false", std::string{};
    }
    return "allowed is true or false (also 1, yes, on, 0, no, off)";
  };
}

Check one_of(std::vector<std::string> names) {
  return [names = std::move(names)](std::string& text) -> std::string {
    if (std::find(names.begin(), names.end(), text) != names.end()) return {};
    return "allowed is one of " + join_names(names) + did_you_mean(text, names);
  };
}

Check not_empty(const std::string& what) {
  return [=](std::string& text) { return text.empty() ? "allowed is " + what : std::string{}; };
}

Check plugin_form(void (*parse)(const std::string& text)) {
  return [parse](std::string& text) -> std::string {
    try {
      parse(text);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return {};
  };
}

Check choice_form() {
  return plugin_form([](const std::string& text) { (void)parse_plugin_choice(text); });
}

Check stack_form() {
  return plugin_form([](const std::string& text) { (void)parse_plugin_stack(text); });
}

std::string choice_text(const PluginChoice& choice) {
  std::string text = choice.name;
  for (std::size_t i = 0; i < choice.parameters.size(); ++i) {
    text += (i == 0 ? ":" : ",") + choice.parameters[i].first + "=" + choice.parameters[i].second;
  }
  return text;
}

std::string stack_text(const std::vector<PluginChoice>& stack) {
  std::string text;
  for (const PluginChoice& choice : stack) text += (text.empty() ? "" : "+") + choice_text(choice);
  return text;
}

const std::map<std::string, LocationPolicy>& location_policies() {
  static const std::map<std::string, LocationPolicy> policies = {{"lazy", LocationPolicy::lazy},
                                                                 {"eager", LocationPolicy::eager},
                                                                 {"home", LocationPolicy::home}};
  return policies;
}

const std::map<std::string, ProgressMode>& progress_modes() {
  static const std::map<std::string, ProgressMode> modes = {{"shared", ProgressMode::shared},
                                                            {"dedicated", ProgressMode::dedicated},
                                                            {"polling", ProgressMode::polling}};
  return modes;
}

std::string flag_name(std::string_view name) { return "--roam-" + std::string(name); }

}  // namespace

struct OptionTable::Implementation {
  explicit Implementation(Options& target);
  CLI::Option* value(const std::string& name, const std::string& type, const std::string& text,
                     Check check, std::function<void(const std::string&)> store,
                     const std::string& shown_default);
  void flag(const std::string& name, bool& target, const std::string& text);
  template <class Number>
  void number(const std::string& name, const std::string& type, const std::string& text,
              const Check& check, Number& target, const std::string& shown_default);
  void add_machine_options(Options& options);
  void add_run_options(Options& options);
  void add_message_options(Options& options);
  void add_end_options(Options& options);

  [[nodiscard]] CLI::Option* find(std::string_view name) const {
    return app.get_option(flag_name(name));
  }

  // CLI11's look-ups are not const.
  mutable CLI::App app{"", ""};
  std::vector<std::string> names;
  std::string config;
  std::string simulate;
};

CLI::Option* OptionTable::Implementation::value(const std::string& name, const std::string& type,
                                                const std::string& text, Check check,
                                                std::function<void(const std::string&)> store,
                                                const std::string& shown_default) {
  names.push_back(name);
  const CLI::callback_t callback = [store = std::move(store)](const CLI::results_t& results) {
    store(results.front());
    return true;
  };
  return app
      .add_option(flag_name(name), callback,
                  shown_default.empty() ? text : text + " [" + shown_default + "]")
      ->type_name(type)
      ->transform(CLI::Validator(std::move(check), ""));
}

void OptionTable::Implementation::flag(const std::string& name, bool& target,
                                       const std::string& text) {
  names.push_back(name);
  app.add_flag(flag_name(name), target, target ? text + " [on; off: =false]" : text)
      ->transform(CLI::Validator(flag_value(), ""));
}

template <class Number>
void OptionTable::Implementation::number(const std::string& name, const std::string& type,
                                         const std::string& text, const Check& check,
                                         Number& target, const std::string& shown_default) {
  const auto store = [&target](const std::string& value) { (void)read_decimal(value, target); };
  value(name, type, text, check, store, shown_default);
}

void OptionTable::Implementation::add_machine_options(Options& options) {
  number("ranks", "N", "Ranks in this process, 1 to " + std::to_string(max_ranks),
         whole_number(1, static_cast<std::uint64_t>(max_ranks)), options.ranks,
         std::to_string(options.ranks));
  number("workers", "N",
         "Workers per rank, 1 to " + std::to_string(max_workers_per_rank) +
             ";\nauto: this machine's cores shared among its ranks",
         workers_check(), options.workers,
         options.workers == 0 ? "auto" : std::to_string(options.workers));
  value(
      "speed", "S[,S..]",
      "How fast the workers of this process's ranks are, for\n"
      "strategies: one value, or one for each rank [1]",
      speeds_check(), [&options](const std::string& text) { options.speeds = read_numbers(text); },
      "");
  flag("pin", options.pin, "Bind workers to cores");
  value(
      "transport", "NAME", "How bytes move between ranks", not_empty("the name of a transport"),
      [&options](const std::string& text) { options.transport = text; }, options.transport);
  value(
      "progress-mode", "MODE",
      "Who makes communication progress: the workers in turn\n"
      "(shared), a thread of its own (dedicated), calls of poll()\n"
      "only (polling)",
      one_of({"shared", "dedicated", "polling"}),
      [&options](const std::string& text) { options.progress_mode = progress_modes().at(text); },
      std::string(to_string(options.progress_mode)));
  value(
      "simulate", "FILE",
      "Run on a simulated machine in virtual time: a TOML file, or\n"
      "inline as in ranks=10,workers=32,latency_seconds=2e-6",
      not_empty("a file or an inline machine as in ranks=10,workers=32"),
      [this](const std::string& text) { simulate = text; }, "");
}

void OptionTable::Implementation::add_run_options(Options& options) {
  value(
      "balancer", "NAME[:KEY=VALUE,..]",
      "Load balancing policy or strategy and its parameters, or\n"
      "./LIBRARY.so that brings one",
      choice_form(),
      [&options](const std::string& text) { options.balancer = parse_plugin_choice(text); },
      choice_text(options.balancer));
  value(
      "load-model", "NAME[:KEY=VALUE,..][+..]",
      "Models of what objects take in the next phase, or\n"
      "./LIBRARY.so that brings one; A+B: B goes by A",
      stack_form(),
      [&options](const std::string& text) { options.load_model = parse_plugin_stack(text); },
      stack_text(options.load_model));
  number("phase-length", "SECONDS",
         "A strategy acts every so many seconds, in a program that\n"
         "declares no phases",
         number_above_zero(1e6, "seconds"), options.phase_length_seconds, "");
  value(
      "scheduler", "NAME[:KEY=VALUE,..]",
      "Order in which a rank's workers run what is ready, or\n"
      "./LIBRARY.so that brings one",
      choice_form(),
      [&options](const std::string& text) { options.scheduler = parse_plugin_choice(text); },
      choice_text(options.scheduler));
  flag("progress", options.progress, "Show a live progress line");
  value(
      "trace", "FILE", "Write an event trace to FILE", not_empty("the name of a file"),
      [&options](const std::string& text) { options.trace = text; }, options.trace);
  value(
      "stuck-graph", "FILE",
      "If the job is stuck, draw who waits for whom to FILE, in the\n"
      "language of Graphviz (dot)",
      not_empty("the name of a file"),
      [&options](const std::string& text) { options.stuck_graph = text; }, options.stuck_graph);
  value(
      "lb-data", "FOLDER",
      "Write what each object took in each phase to FOLDER, a file\n"
      "per rank in vt's format (for roam balance and vt's tools)",
      not_empty("the name of a folder"),
      [&options](const std::string& text) { options.lb_data = text; }, options.lb_data);
  number("seed", "N", "Seed of everything random",
         whole_number(0, std::numeric_limits<std::uint64_t>::max()), options.seed,
         std::to_string(options.seed));
}

void OptionTable::Implementation::add_message_options(Options& options) {
  constexpr std::uint64_t kib = 1024;
  number("message-threshold", "BYTES", "Longer messages go split-phase; 256 to 1GiB",
         byte_size(256, kib * kib * kib), options.message_threshold_bytes,
         size_text(options.message_threshold_bytes));
  number("high-water", "BYTES",
         "Memory of unsent messages past which a sender is held back;\n4KiB to 1TiB",
         byte_size(4 * kib, kib * kib * kib * kib), options.high_water_bytes,
         size_text(options.high_water_bytes));
  number("receive-memory", "BYTES",
         "Memory of waiting arrivals past which a rank stops its\nsenders; 64KiB to 1TiB",
         byte_size(64 * kib, kib * kib * kib * kib), options.receive_memory_bytes,
         size_text(options.receive_memory_bytes));
  number("max-hops", "N", "Times a message is forwarded before the home rank is asked,\n1 to 1000",
         whole_number(1, 1000), options.max_hops, std::to_string(options.max_hops));
  value(
      "location-policy", "POLICY",
      "Who learns where a moved object is: senders whose messages\n"
      "were forwarded (lazy), all its callers at once (eager), its\n"
      "home alone, by way of which messages go then (home)",
      one_of({"lazy", "eager", "home"}),
      [&options](const std::string& text) {
        options.location_policy = location_policies().at(text);
      },
      std::string(to_string(options.location_policy)));
  number("directory-limit", "N",
         "Objects of other homes whose places a rank remembers;\n1 to 1000000000",
         whole_number(1, 1'000'000'000), options.directory_limit,
         std::to_string(options.directory_limit));
}

void OptionTable::Implementation::add_end_options(Options& options) {
  number("peer-timeout", "SECONDS",
         "The job ends once the machine of a rank has been silent so\n"
         "long, 2 to 86400; 0: never. UCX without a launcher; else the\n"
         "launcher decides",
         peer_timeout_check(), options.peer_timeout_seconds,
         std::to_string(options.peer_timeout_seconds));
  flag("catch-signals", options.catch_signals,
       "SIGTERM and SIGINT end the job in order: on all ranks, its\n"
       "records written");
}

OptionTable::Implementation::Implementation(Options& options) {
  app.set_help_flag("", "");
  add_machine_options(options);
  add_run_options(options);
  add_message_options(options);
  add_end_options(options);
  value(
      "config", "FILE", "Read options from a TOML file (keys without --roam-)",
      not_empty("the name of a file"), [this](const std::string& text) { config = text; }, "");
  names.emplace_back("help");
  app.add_flag("--roam-help")->description("Print this and exit");
  for (CLI::Option* option : app.get_options()) option->group("Options of the Roam runtime");
}

OptionTable::OptionTable(Options& options)
    : implementation_(std::make_unique<Implementation>(options)) {}
OptionTable::~OptionTable() = default;

const std::vector<std::string>& OptionTable::names() const { return implementation_->names; }
const std::string& OptionTable::config() const { return implementation_->config; }
const std::string& OptionTable::simulate() const { return implementation_->simulate; }

bool OptionTable::knows(std::string_view name) const {
  const auto& names = implementation_->names;
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool OptionTable::is_flag(std::string_view name) const {
  return implementation_->find(name)->get_expected_min() == 0;
}

void OptionTable::set(const std::string& name, const std::string& value,
                      const std::string& origin) {
  CLI::Option* option = implementation_->find(name);
  option->clear();
  option->add_result(value);
  try {
    option->run_callback();
  } catch (const CLI::Error& error) {
    std::string reason = error.what();
    const std::string prefix = option->get_name() + ": ";
    if (reason.starts_with(prefix)) reason.erase(0, prefix.size());
    throw ConfigError(origin + ": bad value \"" + value + "\"; " + reason);
  }
}

std::string OptionTable::help(std::span<const OptionNames> lists) const {
  std::string footer =
      "Each may stand anywhere before a lone \"--\", as --roam-NAME VALUE or --roam-NAME=VALUE; or "
      "in\n"
      "the environment, as ROAM_NAME=VALUE; or in the file, as name = VALUE. The first that sets "
      "it wins.\n";
  for (const OptionNames& list : lists) {
    footer += "Names for " + flag_name(list.option) + ": " + join_names(list.names) + "\n";
  }
  CLI::Formatter formatter;
  formatter.column_width(40);
  std::string text = formatter.make_groups(&implementation_->app, CLI::AppFormatMode::Normal);
  text.erase(0, text.find_first_not_of('\n'));
  return text + "\n" + footer;
}

}  // namespace roam::core
