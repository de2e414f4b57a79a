// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <toml++/toml.h>

#include "settings/settings_error.hpp"

namespace seismic {

/// Reads the keys of a TOML table one by one, and then reports those that were not read.
class TomlReader {
 public:
  TomlReader(const toml::table& table, std::string file, std::string name)
      : table_(table), file_(std::move(file)), name_(std::move(name)) {}

  [[nodiscard]] bool has(const std::string& key) const { return table_.contains(key); }

  /// A number from `least` to `most`; `fallback` if the key is missing.
  double number(const std::string& key, double least, double most, double fallback) {
    return has(key) ? number(key, least, most) : fallback;
  }
  double number(const std::string& key, double least, double most) {
    const toml::node& node = needed(key);
    const double value = finite(node, key);
    if (value < least || value > most) {
      fail(node, key + " must be from " + words(least) + " to " + words(most));
    }
    return value;
  }
  int integer(const std::string& key, int least, int most, int fallback) {
    if (!has(key)) return fallback;
    const toml::node& node = needed(key);
    const auto value = node.value_exact<std::int64_t>();
    if (!value || *value < least || *value > most) {
      fail(node, key + " must be a whole number from " + std::to_string(least) + " to " +
                     std::to_string(most));
    }
    return static_cast<int>(*value);
  }
  std::string text(const std::string& key, const std::string& fallback) {
    return has(key) ? text(key) : fallback;
  }
  std::string text(const std::string& key) {
    const toml::node& node = needed(key);
    const auto value = node.value_exact<std::string>();
    if (!value) fail(node, key + " must be a text");
    return *value;
  }
  /// Exactly N finite numbers.
  template <std::size_t N>
  std::array<double, N> numbers(const std::string& key) {
    const toml::node& node = needed(key);
    const toml::array* array = node.as_array();
    if (array == nullptr || array->size() != N) {
      fail(node, key + " must be " + std::to_string(N) + " numbers in brackets");
    }
    std::array<double, N> result{};
    for (std::size_t k = 0; k < N; ++k) result[k] = finite(*array->get(k), key);
    return result;
  }
  /// One of `choices`, by its place among them.
  std::size_t choice(const std::string& key, std::span<const std::string_view> choices) {
    const std::string value = text(key);
    const auto found = std::find(choices.begin(), choices.end(), value);
    if (found == choices.end()) {
      std::string all;
      for (const std::string_view each : choices)
        all += (all.empty() ? "" : ", ") + std::string(each);
      fail(needed(key), key + " must be one of " + all);
    }
    return static_cast<std::size_t>(found - choices.begin());
  }
  /// The table under a key.
  TomlReader table(const std::string& key) {
    const toml::node& node = needed(key);
    const toml::table* inner = node.as_table();
    if (inner == nullptr) fail(node, key + " must be a table");
    return {*inner, file_, key};
  }
  /// The tables of an array of tables; none if the key is missing.
  std::vector<TomlReader> tables(const std::string& key) {
    std::vector<TomlReader> result;
    if (!has(key)) return result;
    const toml::node& node = needed(key);
    const toml::array* array = node.as_array();
    if (array == nullptr) fail(node, key + " must be an array of tables, [[" + key + "]]");
    for (const toml::node& element : *array) {
      if (!element.is_table()) fail(element, key + " must be an array of tables, [[" + key + "]]");
      result.emplace_back(*element.as_table(), file_, key);
    }
    return result;
  }
  /// Throws if the table has a key that nothing has read.
  void finish() const {
    for (const auto& [key, node] : table_) {
      const std::string word(key.str());
      if (!asked_.contains(word)) fail(node, "unknown key " + word + where());
    }
  }
  /// Throws SettingsError at the table itself.
  [[noreturn]] void fail(const std::string& words) const { fail(table_, words); }

 private:
  [[noreturn]] void fail(const toml::node& node, const std::string& words) const {
    throw SettingsError(file_ + ":" + std::to_string(node.source().begin.line) + ": " + words);
  }
  [[nodiscard]] std::string where() const { return name_.empty() ? "" : " in " + name_; }
  const toml::node& needed(const std::string& key) {
    asked_.insert(key);
    const toml::node* node = table_.get(key);
    if (node == nullptr) fail(table_, key + " is missing" + where());
    return *node;
  }
  double finite(const toml::node& node, const std::string& key) const {
    const auto value = node.value<double>();
    if (!node.is_number() || !value || !std::isfinite(*value)) {
      fail(node, key + " must be a finite number");
    }
    return *value;
  }
  static std::string words(double value) {
    std::string result = std::to_string(value);
    result.erase(result.find_last_not_of('0') + 1);
    if (result.back() == '.') result.pop_back();
    return result;
  }

  const toml::table& table_;
  std::string file_;
  std::string name_;
  std::set<std::string> asked_;
};

}  // namespace seismic
