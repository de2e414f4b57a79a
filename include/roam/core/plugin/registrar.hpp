// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "roam/core/detail/plugin/stamp.hpp"
#include "roam/core/error.hpp"
#include "roam/core/plugin/parameters.hpp"

namespace roam::plugin {

/// What plug-ins of one kind have in common. A kind is a struct with a name, a description of one
/// line, parameters if it has any, and a function that makes the plug-in. Family is specialised
/// beside the kind:
///
///   template <>
///   struct Family<StrategyKind> {
///     static constexpr const char* name = "strategy";  // for messages
///     static constexpr std::uint32_t interface = 1;    // see Stamp; raised whenever a class that
///                                                      // such plug-ins derive from or call
///                                                      changes
///     // What such a plug-in and the program hand to each other.
///     static constexpr std::uint64_t layout = layout_of<StrategyKind, LoadGraph, Machine>();
///   };
template <class Kind>
struct Family;

/// @cond
/// The stamp of the code that calls this; hidden for the same reason as this_compiler().
template <class Kind>
[[nodiscard, gnu::visibility("hidden")]] Stamp stamp_of() {
  return {Family<Kind>::interface, 0, Family<Kind>::layout, this_compiler()};
}

/// A registered plug-in of any family. Its layout is the same in libraries of another Roam or
/// compiler, so that they can be recognised.
struct Entry {
  Stamp stamp;
  const char* family = nullptr;
  const char* name = nullptr;
  const char* description = nullptr;
  const std::vector<Parameter>* parameters = nullptr;  ///< nullptr: it can have none
  const void* kind = nullptr;
  const Entry* next = nullptr;  ///< the one that was registered before it
};

/// Puts an entry into the one list of the program and the libraries that it has loaded. Any thread;
/// the entry lives as long as the program.
void add(Entry& entry);

/// The entries of a family that fit `stamp`, sorted by name. Entries that do not fit come from
/// libraries that are refused. Any thread.
[[nodiscard]] std::vector<const Entry*> entries(std::string_view family, const Stamp& stamp);
/// All entries, whatever their family and stamp; the newest first. Any thread.
[[nodiscard]] std::vector<const Entry*> all_entries();
/// @endcond

/// Registers a plug-in by its existence. It is a static object, constructed during static
/// initialisation of the program or of a library that it loads (see library.hpp). The one kind of
/// static object that Roam permits.
template <class Kind>
class Registrar {
 public:
  /// Registers `kind`. `stamp` says how the calling code was compiled; callers leave it at its
  /// default.
  explicit Registrar(Kind kind, const Stamp& stamp = stamp_of<Kind>()) : kind_(std::move(kind)) {
    entry_ = {.stamp = stamp,
              .family = Family<Kind>::name,
              .name = text(kind_.name),
              .description = text(kind_.description),
              .kind = &kind_};
    if constexpr (requires { kind_.parameters; }) entry_.parameters = &kind_.parameters;
    add(entry_);
  }
  Registrar(const Registrar&) = delete;
  Registrar& operator=(const Registrar&) = delete;
  /// The registered kind.
  [[nodiscard]] const Kind& kind() const { return kind_; }

 private:
  static const char* text(const std::string& words) { return words.c_str(); }
  static const char* text(const char* words) { return words; }

  Kind kind_;
  Entry entry_;
};

/// The plug-ins of a kind, sorted by name.
template <class Kind>
[[nodiscard]] std::vector<const Kind*> all() {
  std::vector<const Kind*> kinds;
  for (const Entry* entry : entries(Family<Kind>::name, stamp_of<Kind>())) {
    kinds.push_back(static_cast<const Kind*>(entry->kind));
  }
  return kinds;
}

/// The names of the plug-ins of a kind, sorted.
template <class Kind>
[[nodiscard]] std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const Kind* kind : all<Kind>()) names.emplace_back(kind->name);
  return names;
}

/// @cond
/// Throws ConfigError: "there is no strategy "refin"; known are: ...; did you mean refine?"
[[noreturn]] void throw_unknown(std::string_view what, std::string_view name,
                                const std::vector<std::string>& known);
/// @endcond

/// The plug-in of that name; nullptr if there is none.
template <class Kind>
[[nodiscard]] const Kind* find(std::string_view name) {
  for (const Kind* kind : all<Kind>()) {
    if (kind->name == name) return kind;
  }
  return nullptr;
}

/// The plug-in of that name. Throws ConfigError that lists the known ones.
template <class Kind>
[[nodiscard]] const Kind& require(std::string_view name) {
  if (const Kind* const kind = find<Kind>(name)) return *kind;
  throw_unknown(Family<Kind>::name, name, names<Kind>());
}

/// @cond
/// The parameters of a choice, checked. Throws ConfigError.
template <class Kind>
[[nodiscard]] Parameters parameters_of(const Kind& kind, const PluginChoice& choice) {
  return {std::string(Family<Kind>::name) + " " + kind.name, kind.parameters, choice};
}

/// Calls `function`. If it throws a ConfigError, the message is made to start with `origin`, the
/// option at fault.
template <class Function>
auto blaming(std::string_view origin, Function&& function) {
  try {
    return function();
  } catch (const ConfigError& error) {
    throw ConfigError(std::string(origin) + ": " + error.what());
  }
}
/// @endcond

/// Makes the plug-in that was chosen, from the checked parameters and `arguments`. Throws
/// ConfigError that starts with `origin`.
template <class Kind, class... Arguments>
[[nodiscard]] auto make(const PluginChoice& choice, std::string_view origin,
                        Arguments&&... arguments) {
  return blaming(origin, [&] {
    const auto& kind = require<Kind>(choice.name);
    return kind.create(parameters_of(kind, choice), std::forward<Arguments>(arguments)...);
  });
}

/// @cond
/// The help text on each plug-in of that name in these families: family, description, and
/// parameters with meaning, range and default. Throws ConfigError, with a suggestion, if there is
/// none.
[[nodiscard]] std::string help(std::string_view name, std::span<const std::string_view> families);

/// What --roam-help NAME prints of plug-ins of these kinds, for Option::accepts().
template <class... Kind>
[[nodiscard]] std::string help_of(std::string_view name) {
  static constexpr std::string_view families[] = {Family<Kind>::name...};
  return help(name, families);
}
/// @endcond

}  // namespace roam::plugin
