// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "option_sources.hpp"
#include "roam/core/detail/suggest.hpp"
#include "roam/core/error.hpp"
#include "roam/core/version.hpp"

namespace roam::core {

namespace {

// In characters: the column in which explanations begin, their width, and the width of the lines
// below them.
constexpr std::size_t column = 40;
constexpr std::size_t width = 60;
constexpr std::size_t line_width = 100;

/// The text broken into lines, each no longer than `longest` if its words allow it.
std::string in_lines(const std::string& text, std::size_t longest) {
  std::istringstream words(text);
  std::string lines;
  std::size_t length = 0;
  for (std::string word; words >> word;) {
    const bool is_first = lines.empty();
    const bool fits = length + 1 + word.size() <= longest;
    if (!is_first) lines += fits ? ' ' : '\n';
    length = is_first || !fits ? word.size() : length + 1 + word.size();
    lines += word;
  }
  return lines;
}

std::string with_default(const OptionTable::Entry& entry, const OptionValues& defaults) {
  const std::string shown = entry.option->shown(entry.group->get(defaults));
  return shown.empty() ? entry.option->help : entry.option->help + " [" + shown + "]";
}

/// The options as CLI11 lays them out.
class HelpPage {
 public:
  HelpPage() { app_.set_help_flag("", ""); }
  void add(const std::string& title, const std::string& flag, const std::string& value_name,
           const std::string& text) {
    CLI::Option* const option =
        value_name.empty() ? app_.add_flag(flag) : app_.add_option(flag, unused_);
    if (!value_name.empty()) option->type_name(value_name);
    option->description(in_lines(text, width))->group(title);
  }
  [[nodiscard]] std::string text() const {
    CLI::Formatter formatter;
    formatter.column_width(column);
    std::string page = formatter.make_groups(&app_, CLI::AppFormatMode::Normal);
    page.erase(0, page.find_first_not_of('\n'));
    return page;
  }

 private:
  CLI::App app_{"", ""};
  std::string unused_;
};

void add(HelpPage& page, const OptionTable::Entry& entry, const OptionValues& defaults) {
  page.add(entry.group->heading().title, entry.flag(), entry.option->value_name,
           with_default(entry, defaults));
}

std::string names_of(const OptionTable::Entry& entry, const std::string& title) {
  return in_lines(title + join_names(entry.option->names()), line_width) + "\n";
}

std::string all_options(const OptionTable& table, const OptionValues& defaults) {
  HelpPage page;
  const std::string title = "Every program";
  page.add(title, "--roam-help", "",
           "Print this and exit; with the name of an option, or of a "
           "policy or the like behind it: what there is to say of that");
  page.add(title, "--roam-version", "", "Print the version of Roam and exit");
  page.add(title, "--roam-config", "FILE", "Read options from a TOML file (keys without --roam-)");
  for (const OptionTable::Entry& entry : table.entries()) {
    if (entry.group != nullptr) add(page, entry, defaults);
  }
  std::string text =
      page.text() +
      "\nEach may stand anywhere before a lone \"--\", as --roam-NAME VALUE or --roam-NAME=VALUE; "
      "or "
      "in\n"
      "the environment, as ROAM_NAME=VALUE; or in the file, as name = VALUE. The first that sets "
      "it wins.\n";
  for (const OptionTable::Entry& entry : table.entries()) {
    if (entry.option != nullptr && entry.option->names)
      text += names_of(entry, "Names for " + entry.flag() + ": ");
  }
  return text;
}

std::string about_option(const OptionTable::Entry& entry, const OptionValues& defaults) {
  HelpPage page;
  add(page, entry, defaults);
  std::string text = page.text() + "\nIn the environment " +
                     variable_name(entry.prefix, entry.name) + ", in a file of --roam-config " +
                     key_name(entry.name) +
                     (entry.prefix == "roam" ? "" : " in the table [" + entry.prefix + "]") + ".\n";
  if (entry.option->compared) text += "It must be the same on all ranks.\n";
  if (entry.option->names) {
    text += names_of(entry, "Names (--roam-help NAME says more): ");
  }
  return text;
}

bool is_called(const OptionTable::Entry& entry, const std::string& topic) {
  return topic == entry.flag() || topic == entry.given_name();
}

std::string about(const std::string& topic, const OptionTable& table,
                  const OptionValues& defaults) {
  std::string text;
  std::vector<std::string> known;
  for (const OptionTable::Entry& entry : table.entries()) {
    if (entry.option == nullptr) continue;
    known.push_back(entry.given_name());
    if (is_called(entry, topic)) text += about_option(entry, defaults);
    if (!entry.option->names) continue;
    const std::vector<std::string> names = entry.option->names();
    known.insert(known.end(), names.begin(), names.end());
    if (std::ranges::find(names, topic) == names.end()) continue;
    if (!text.empty()) text += "\n";
    text += entry.flag() + " " + topic + "\n";
    if (entry.option->explain) text += entry.option->explain(topic);
  }
  if (text.empty()) {
    throw ConfigError("--roam-help: there is no option, policy or the like called \"" + topic +
                      "\"" + did_you_mean(topic, known) + " (--roam-help lists Roam's options)");
  }
  return text;
}

}  // namespace

std::string options_help(const OptionValues& defaults, const std::string& topic,
                         const OptionGroups& groups) {
  if (topic == version_topic) return "roam " ROAM_VERSION "\n";
  const OptionTable table(groups);
  return topic.empty() ? all_options(table, defaults) : about(topic, table, defaults);
}

}  // namespace roam::core
