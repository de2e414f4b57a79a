// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "roam/core/error.hpp"

namespace roam::placement {

using Json = nlohmann::json;

/// A value in a JSON file together with its path in the file, for error messages. The checked
/// accessors throw ConfigError.
class JsonPlace {
 public:
  JsonPlace(const Json& value, std::string path) : value_(&value), path_(std::move(path)) {}

  [[nodiscard]] const Json& json() const { return *value_; }
  [[nodiscard]] bool has(const char* key) const {
    return value_->is_object() && value_->contains(key);
  }
  [[nodiscard]] JsonPlace at(const char* key) const {
    if (!value_->is_object()) fail("an object with the key \"" + std::string(key) + "\"");
    const auto found = value_->find(key);
    if (found == value_->end()) {
      throw ConfigError(path_ + ": the key \"" + key + "\" is missing");
    }
    return {*found, path_ + "/" + key};
  }
  [[nodiscard]] JsonPlace at(std::size_t index) const {
    return {(*value_)[index], path_ + "/" + std::to_string(index)};
  }
  /// The length of the list that stands here.
  [[nodiscard]] std::size_t length() const {
    if (!value_->is_array()) fail("a list");
    return value_->size();
  }
  [[nodiscard]] double amount() const {
    const double number = value_->is_number() ? value_->get<double>() : -1;
    if (!std::isfinite(number) || number < 0) fail("a number from 0");
    return number;
  }
  [[nodiscard]] std::uint64_t bytes() const {
    constexpr double most = 1e18;
    const double number = amount();
    if (number > most) fail("a number from 0 to 1e18");
    return static_cast<std::uint64_t>(number);
  }
  [[nodiscard]] std::int64_t integer(std::int64_t low, std::int64_t high) const {
    if (value_->is_number_integer() &&
        !(value_->is_number_unsigned() && value_->get<std::uint64_t>() > INT64_MAX)) {
      const auto number = value_->get<std::int64_t>();
      if (number >= low && number <= high) return number;
    }
    fail("a whole number from " + std::to_string(low) + " to " + std::to_string(high));
  }
  [[nodiscard]] std::uint64_t id() const {
    if (!value_->is_number_unsigned()) fail("a whole number from 0");
    return value_->get<std::uint64_t>();
  }
  [[nodiscard]] std::string text() const {
    if (!value_->is_string()) fail("text");
    return value_->get<std::string>();
  }
  [[nodiscard]] bool boolean() const {
    if (!value_->is_boolean()) fail("true or false");
    return value_->get<bool>();
  }
  [[noreturn]] void fail(const std::string& allowed) const {
    std::string found = value_->dump(-1, ' ', false, Json::error_handler_t::replace);
    if (found.size() > 60) found = found.substr(0, 57) + "...";
    throw ConfigError(path_ + ": found " + found + ", allowed is " + allowed);
  }

 private:
  const Json* value_;
  std::string path_;
};

}  // namespace roam::placement
