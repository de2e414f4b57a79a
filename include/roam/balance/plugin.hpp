// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "roam/core/plugin_choice.hpp"

namespace roam::balance {

/// A parameter of a policy or strategy: a number within bounds, or one of several words.
struct Parameter {
  std::string name;
  std::string description;  ///< one line for --roam-help, with the unit
  std::string default_value;
  double minimum = 0;  ///< numbers only
  double maximum = 0;
  bool is_integer = false;
  std::vector<std::string> words = {};  ///< not empty: one of these instead of a number
  bool is_text = false;                 ///< any word; who reads it checks it
};

/// The checked parameters of a policy or strategy; those not given have their defaults.
class Parameters {
 public:
  /// `owner` for messages: "policy diffusion". Throws ConfigError for an unknown name or a value
  /// out of range.
  Parameters(std::string_view owner, const std::vector<Parameter>& declared,
             const PluginChoice& choice);
  /// Requires that the parameter was declared.
  [[nodiscard]] double number(std::string_view name) const;
  [[nodiscard]] std::int32_t integer(std::string_view name) const;
  [[nodiscard]] const std::string& word(std::string_view name) const;
  [[nodiscard]] bool is_given(std::string_view name) const;

 private:
  struct Value {
    std::string name;
    std::string word;
    double number = 0;
    bool given = false;
  };
  [[nodiscard]] const Value& find(std::string_view name) const;
  std::vector<Value> values_;
};

/// Adds a kind (of policy, of strategy: a struct with a name) to the list of its like by living:
/// constructed during static initialisation of the program or of a library that it loads (see
/// plugin_library.hpp), linked into an intrusive list that only registrars write. The list is the
/// same for the program and its libraries, whatever visibility they are compiled with.
template <class Kind>
class [[gnu::visibility("default")]] Registrar {
 public:
  explicit Registrar(Kind kind) : kind_(std::move(kind)), next_(newest().load()) {
    while (!newest().compare_exchange_weak(next_, this)) {
    }
  }
  Registrar(const Registrar&) = delete;
  Registrar& operator=(const Registrar&) = delete;

  /// All kinds of this program and the libraries it has loaded, sorted by name. Any thread.
  [[nodiscard]] static std::vector<const Kind*> all() {
    std::vector<const Kind*> kinds;
    for (const Registrar* r = newest().load(); r != nullptr; r = r->next_) {
      kinds.push_back(&r->kind_);
    }
    std::ranges::sort(kinds, {}, [](const Kind* kind) { return std::string_view(kind->name); });
    return kinds;
  }

 private:
  // Constant-initialised, so it is ready before the first registrar.
  [[nodiscard]] static std::atomic<const Registrar*>& newest() {
    static constinit std::atomic<const Registrar*> registrar = nullptr;
    return registrar;
  }
  Kind kind_;
  const Registrar* next_;
};

/// Throws the ConfigError of find_kind.
[[noreturn]] void throw_unknown(std::string_view what, const std::string& name,
                                const std::vector<std::string>& known);

/// The kind of that name. Throws ConfigError that lists the known ones; `what`: "balancing policy".
template <class Kind>
[[nodiscard]] const Kind& find_kind(std::string_view what, const std::string& name) {
  std::vector<std::string> known;
  for (const Kind* kind : Registrar<Kind>::all()) {
    if (kind->name == name) return *kind;
    known.push_back(kind->name);
  }
  throw_unknown(what, name, known);
}

}  // namespace roam::balance
