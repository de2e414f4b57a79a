// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace roam::core {

/// Brings the text of an option into its normal form and returns an empty string; or returns what
/// is allowed ("allowed is ...") and leaves it.
using OptionCheck = std::function<std::string(std::string& text)>;

/// Both included.
struct OptionRange {
  std::uint64_t low = 0;
  std::uint64_t high = std::numeric_limits<std::uint64_t>::max();
};

/// "; 1 to 1000", or nothing for all numbers.
[[nodiscard]] std::string text_of(const OptionRange& range);
/// 16KiB
[[nodiscard]] std::string size_text(std::uint64_t bytes);
/// As short as it can be read back.
[[nodiscard]] std::string number_text(double number);

/// The whole text as a decimal number; false if it is none or does not fit.
[[nodiscard]] bool read_decimal(const std::string& text, std::int32_t& value);
[[nodiscard]] bool read_decimal(const std::string& text, std::int64_t& value);
[[nodiscard]] bool read_decimal(const std::string& text, std::uint32_t& value);
[[nodiscard]] bool read_decimal(const std::string& text, std::uint64_t& value);
[[nodiscard]] bool read_decimal(const std::string& text, double& value);

/// Decimal digits. `besides` ends the message.
[[nodiscard]] OptionCheck whole_number(OptionRange range, const std::string& besides = {});
[[nodiscard]] OptionCheck number_above_zero(double high, const std::string& unit);
/// A number of bytes with or without a unit: 65536, 64KiB (1024 bytes), 2MB (10^6).
[[nodiscard]] OptionCheck byte_size(OptionRange range);
/// true, 1, yes, on, and their opposites.
[[nodiscard]] OptionCheck flag_value();
[[nodiscard]] OptionCheck one_of(std::vector<std::string> names);
/// `what` completes "allowed is ...".
[[nodiscard]] OptionCheck not_empty(const std::string& what);
[[nodiscard]] OptionCheck plugin_choice_form();
[[nodiscard]] OptionCheck plugin_stack_form();

/// Throw ConfigError starting with `origin` unless the file can be written, or the folder be
/// written or made; nothing is. An empty name passes.
void check_output_file(const std::string& name, const std::string& origin);
void check_output_folder(const std::string& name, const std::string& origin);

}  // namespace roam::core
