// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "roam/core/option_checks.hpp"
#include "roam/core/option_values.hpp"
#include "roam/core/plugin_choice.hpp"

namespace roam::core {

/// Where options come from, lowest precedence first.
enum class OptionSource : std::uint8_t { file, environment, command_line };

/// A known option that was set.
struct OptionSetting {
  GivenOption given;                         ///< name, value and where it stood
  OptionSource source = OptionSource::file;  ///< the kind of source that it came from
};

/// The options that were set, in order of increasing precedence.
class OptionSettings {
 public:
  /// Takes settings that are in order of increasing precedence.
  explicit OptionSettings(std::vector<OptionSetting> settings) : settings_(std::move(settings)) {}
  /// All settings, in order of increasing precedence.
  [[nodiscard]] const std::vector<OptionSetting>& all() const { return settings_; }
  /// The last setting of the option with this GivenOption::name; nullptr: it was not set.
  [[nodiscard]] const OptionSetting* in_force(std::string_view name) const;
  /// Where the option in force was set, as in GivenOption::origin; "default" if it was not set.
  [[nodiscard]] std::string origin(std::string_view name) const;

 private:
  std::vector<OptionSetting> settings_;
};

/// One option. `values` is always a struct of the type of its group.
struct Option {
  /// The names that an option accepts at present.
  using NameList = std::function<std::vector<std::string>()>;
  /// The text of --roam-help NAME for one of these names; empty if it is none of them.
  using Explanation = std::function<std::string(std::string_view name)>;

  std::string name;        ///< without prefix: "max-hops"
  std::string value_name;  ///< "BYTES"; empty: a flag, which needs no value
  std::string help;        ///< one sentence or two; lines are broken where it is printed
  OptionCheck check;       ///< what is allowed
  /// Puts text that has passed `check` into the struct of values.
  std::function<void(void* values, const std::string& text)> store;
  /// The value as text, for the default in the help; empty text: nothing is shown.
  std::function<std::string(const void* values)> shown;
  /// The text that must be equal on all ranks (A6); no function: ranks may differ.
  std::function<std::string(const void* values)> compared = {};
  /// Throws ConfigError that starts with `origin` if the value in force cannot be used.
  std::function<void(const void* values, const std::string& origin)> verify = {};
  NameList names = {};       ///< the names that it accepts, where plug-ins extend the list
  Explanation explain = {};  ///< says more about one of the names, for --roam-help NAME

  /// Requires the value to be the same on all ranks; the job's start fails and names an option that
  /// differs.
  Option& equal_on_all_ranks() {
    compared = shown;
    return *this;
  }
  /// For --roam-help: the names that the option accepts, and a function that explains each of them.
  Option& accepts(NameList list, Explanation more = {}) {
    names = std::move(list);
    explain = std::move(more);
    return *this;
  }
};

/// How a group appears in the help, and how its options are written.
struct OptionHeading {
  std::string title;  ///< "Messages"
  /// Options are written --PREFIX-NAME on the command line and PREFIX_NAME in the environment; in
  /// the file they are NAME for "roam", and for other prefixes NAME in the table [PREFIX]. A
  /// program's own options have a prefix of their own, of small letters and digits.
  std::string prefix = "roam";
};

/// Options that belong together. The room (or program) that reads them has the group as a static
/// object; its existence registers it. Groups are constructed during static initialisation, linked
/// into an intrusive list that only constructors write, and never changed after main() begins.
class AnyOptionGroup {
 public:
  AnyOptionGroup(const AnyOptionGroup&) = delete;
  AnyOptionGroup& operator=(const AnyOptionGroup&) = delete;

  /// Title and prefix, as the constructor was given them.
  [[nodiscard]] const OptionHeading& heading() const { return heading_; }
  /// The options, in the order in which they were added.
  [[nodiscard]] const std::vector<Option>& options() const { return options_; }
  /// This group's values, to be changed.
  [[nodiscard]] virtual void* edit(OptionValues& values) const = 0;
  /// This group's values, to be read.
  [[nodiscard]] virtual const void* get(const OptionValues& values) const = 0;
  /// Called once all settings are stored, to settle what depends on several options. Throws
  /// ConfigError.
  virtual void resolve(OptionValues& values, const OptionSettings& settings) const = 0;
  /// An option as it is written on the command line: --roam-max-hops.
  [[nodiscard]] std::string flag(const Option& option) const;
  /// An option as reports name it, see GivenOption::name.
  [[nodiscard]] std::string given_name(const Option& option) const;

  /// All groups linked into this program: Roam's by title, then the program's by prefix and title.
  [[nodiscard]] static std::vector<const AnyOptionGroup*> all();

 protected:
  /// A group that is not registered takes part only where it is passed explicitly (in tests).
  AnyOptionGroup(OptionHeading heading, bool is_registered);
  ~AnyOptionGroup() = default;
  /// Adds an option to the group; the reference is valid until the next one is added.
  Option& add(Option option);

 private:
  const OptionHeading heading_;
  std::vector<Option> options_;
  const AnyOptionGroup* next_ = nullptr;
};

/// The options whose values are members of a struct:
///
///   struct MessageOptions { std::uint32_t max_hops = 8; };
///   const core::OptionGroup<MessageOptions> group({"Messages"}, [](auto& group) {
///     group.number("max-hops", "N", &MessageOptions::max_hops, {1, 1000}, "Times ...");
///   });
///
/// The default of an option is the member's initial value. The struct must be default-constructible
/// and copyable.
template <class Values>
class OptionGroup final : public AnyOptionGroup {
 public:
  /// Adds the options to the group, once, when it is made.
  using Definition = void (*)(OptionGroup&);
  /// Makes a group of the options that `define` adds. `is_registered` is false in tests alone.
  OptionGroup(OptionHeading heading, Definition define, bool is_registered = true)
      : AnyOptionGroup(std::move(heading), is_registered) {
    define(*this);
  }

  [[nodiscard]] void* edit(OptionValues& values) const override { return &values.edit<Values>(); }
  /// This group's values, to be read.
  [[nodiscard]] const void* get(const OptionValues& values) const override {
    return &values.get<Values>();
  }
  void resolve(OptionValues& values, const OptionSettings& settings) const override {
    if (resolve_ != nullptr) resolve_(values.edit<Values>(), settings);
  }

  // Texts are passed by value and each is moved into the entry, which clang-tidy 14 does not see.
  // NOLINTBEGIN(performance-unnecessary-value-param)
  /// Any option: `store` takes text that has passed `check`, and `shown` gives it back.
  Option& value(std::string name, std::string value_name, OptionCheck check,
                void (*store)(Values&, const std::string&), std::string (*shown)(const Values&),
                std::string help) {
    return add({.name = std::move(name),
                .value_name = std::move(value_name),
                .help = std::move(help),
                .check = std::move(check),
                .store = [store](void* to, const std::string& text) { store(of(to), text); },
                .shown = [shown](const void* from) { return shown(of(from)); }});
  }
  /// A switch: --PREFIX-NAME, or --PREFIX-NAME=false.
  Option& flag(std::string name, bool Values::*member, std::string help) {
    return add(
        {.name = std::move(name),
         .value_name = "",
         .help = std::move(help),
         .check = flag_value(),
         .store = [=](void* to, const std::string& text) { of(to).*member = text == "true"; },
         .shown =
             [=](const void* from) {
               return std::string(of(from).*member ? "on; off: =false" : "");
             }});
  }
  /// A whole number in decimal digits, within `range`, both ends included.
  template <class Number>
  Option& number(std::string name, std::string value_name, Number Values::*member,
                 OptionRange range, std::string help) {
    return add({.name = std::move(name),
                .value_name = std::move(value_name),
                .help = std::move(help) + text_of(range),
                .check = whole_number(range),
                .store = number_store(member),
                .shown = [=](const void* from) { return std::to_string(of(from).*member); }});
  }
  /// A size in bytes, with units.
  template <class Number>
  Option& bytes(std::string name, Number Values::*member, OptionRange range, std::string help) {
    return add(
        {.name = std::move(name),
         .value_name = "BYTES",
         .help = std::move(help) + "; " + size_text(range.low) + " to " + size_text(range.high),
         .check = byte_size(range),
         .store = number_store(member),
         .shown = [=](const void* from) { return size_text(of(from).*member); }});
  }
  /// A number above 0 and up to `high`, in `unit`; 0 where it is not given.
  Option& real(std::string name, std::string value_name, double Values::*member, double high,
               std::string unit, std::string help) {
    return add({.name = std::move(name),
                .value_name = std::move(value_name),
                .help = std::move(help),
                .check = number_above_zero(high, unit),
                .store = [=](void* to,
                             const std::string& text) { (void)read_decimal(text, of(to).*member); },
                .shown =
                    [=](const void* from) {
                      return of(from).*member > 0 ? number_text(of(from).*member) : std::string{};
                    }});
  }
  /// A text that is not empty. `what` completes "allowed is ...": "the name of a file".
  Option& text(std::string name, std::string value_name, std::string Values::*member,
               const std::string& what, std::string help) {
    return add({.name = std::move(name),
                .value_name = std::move(value_name),
                .help = std::move(help),
                .check = not_empty(what),
                .store = [=](void* to, const std::string& text) { of(to).*member = text; },
                .shown = [=](const void* from) { return of(from).*member; }});
  }
  /// A file that can be written when the program starts.
  Option& output_file(std::string name, std::string Values::*member, std::string help) {
    Option& option = text(std::move(name), "FILE", member, "the name of a file", std::move(help));
    option.verify = [=](const void* from, const std::string& origin) {
      check_output_file(of(from).*member, origin);
    };
    return option;
  }
  /// A folder that can be written, or made, when the program starts.
  Option& output_folder(std::string name, std::string Values::*member, std::string help) {
    Option& option =
        text(std::move(name), "FOLDER", member, "the name of a folder", std::move(help));
    option.verify = [=](const void* from, const std::string& origin) {
      check_output_folder(of(from).*member, origin);
    };
    return option;
  }
  /// One of a few words: {{"lazy", Policy::lazy}, ...}.
  template <class Enum>
  Option& word(std::string name, std::string value_name, Enum Values::*member,
               std::vector<std::pair<std::string, Enum>> words, std::string help) {
    std::vector<std::string> names;
    for (const auto& [one, value] : words) names.push_back(one);
    return add({.name = std::move(name),
                .value_name = std::move(value_name),
                .help = std::move(help),
                .check = one_of(std::move(names)),
                .store =
                    [=](void* to, const std::string& text) {
                      for (const auto& [one, value] : words) {
                        if (one == text) of(to).*member = value;
                      }
                    },
                .shown =
                    [=](const void* from) {
                      for (const auto& [one, value] : words) {
                        if (of(from).*member == value) return one;
                      }
                      return std::string{};
                    }});
  }
  /// A plug-in with its parameters: NAME[:key=value,...].
  Option& plugin(std::string name, PluginChoice Values::*member, std::string help) {
    return add(
        {.name = std::move(name),
         .value_name = "NAME[:KEY=VALUE,..]",
         .help = std::move(help),
         .check = plugin_choice_form(),
         .store = [=](void* to,
                      const std::string& text) { of(to).*member = parse_plugin_choice(text); },
         .shown = [=](const void* from) { return to_string(of(from).*member); }});
  }
  /// Several plug-ins, one after the other: NAME[:key=value,...][+...].
  Option& plugin_stack(std::string name, std::vector<PluginChoice> Values::*member,
                       std::string help) {
    return add(
        {.name = std::move(name),
         .value_name = "NAME[:KEY=VALUE,..][+..]",
         .help = std::move(help),
         .check = plugin_stack_form(),
         .store = [=](void* to,
                      const std::string& text) { of(to).*member = parse_plugin_stack(text); },
         .shown = [=](const void* from) { return to_string(of(from).*member); }});
  }
  // NOLINTEND(performance-unnecessary-value-param)
  /// Sets a function that is called once all settings are stored, with the values of the group, to
  /// settle what depends on several options. It may change the values, and throws ConfigError.
  void resolved_by(void (*function)(Values&, const OptionSettings&)) { resolve_ = function; }

 private:
  [[nodiscard]] static Values& of(void* values) { return *static_cast<Values*>(values); }
  [[nodiscard]] static const Values& of(const void* values) {
    return *static_cast<const Values*>(values);
  }
  template <class Number>
  [[nodiscard]] static std::function<void(void*, const std::string&)> number_store(
      Number Values::*member) {
    static_assert(std::is_integral_v<Number>);
    return [=](void* to, const std::string& text) { (void)read_decimal(text, of(to).*member); };
  }

  void (*resolve_)(Values&, const OptionSettings&) = nullptr;
};

}  // namespace roam::core
