// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace roam::core {

/// Brings the text of an option into its normal form and returns an empty string; or leaves it as
/// it is and returns what is allowed ("allowed is ...").
using OptionCheck = std::function<std::string(std::string& text)>;

/// The numbers that an option allows, both ends included.
struct OptionRange {
  std::uint64_t low = 0;                                           ///< the least that is allowed
  std::uint64_t high = std::numeric_limits<std::uint64_t>::max();  ///< the most that is allowed
};

/// @cond
/// The range as help shows it: "; 1 to 1000", or nothing for all numbers.
[[nodiscard]] std::string text_of(const OptionRange& range);
/// @endcond

/// A size as help and messages show it: 16KiB.
[[nodiscard]] std::string size_text(std::uint64_t bytes);
/// A number in the fewest digits that are read back as the same number.
[[nodiscard]] std::string number_text(double number);

/// Reads the whole text as a decimal number; false if it is none or does not fit.
[[nodiscard]] bool read_decimal(const std::string& text, std::int32_t& value);
[[nodiscard]] bool read_decimal(const std::string& text, std::int64_t& value);
[[nodiscard]] bool read_decimal(const std::string& text, std::uint32_t& value);
[[nodiscard]] bool read_decimal(const std::string& text, std::uint64_t& value);
[[nodiscard]] bool read_decimal(const std::string& text, double& value);

/// A check for whole numbers in decimal digits. `besides` ends the message of a refusal.
[[nodiscard]] OptionCheck whole_number(OptionRange range, const std::string& besides = {});
/// A check for numbers above 0 and up to `high`; `unit` is for the message
/// of a refusal: "seconds".
[[nodiscard]] OptionCheck number_above_zero(double high, const std::string& unit);
/// A check for numbers of bytes with or without a unit: 65536, 64KiB (1024 bytes), 2MB (10^6).
[[nodiscard]] OptionCheck byte_size(OptionRange range);
/// A check for true, 1, yes, on, and their opposites.
[[nodiscard]] OptionCheck flag_value();
/// A check for one of some words.
[[nodiscard]] OptionCheck one_of(std::vector<std::string> names);
/// A check for any text that is not empty; `what` completes "allowed is ...".
[[nodiscard]] OptionCheck not_empty(const std::string& what);
/// A check for the form of a choice, NAME[:key=value,...]; see parse_plugin_choice().
[[nodiscard]] OptionCheck plugin_choice_form();
/// A check for the form of several choices, joined by +; see parse_plugin_stack().
[[nodiscard]] OptionCheck plugin_stack_form();

/// Throws ConfigError starting with `origin` unless the file can be written; writes nothing. An
/// empty name passes.
void check_output_file(const std::string& name, const std::string& origin);
/// Throws ConfigError starting with `origin` unless the folder can be written to or made; makes
/// nothing. An empty name passes.
void check_output_folder(const std::string& name, const std::string& origin);

}  // namespace roam::core
