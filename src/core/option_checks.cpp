// SPDX-License-Identifier: Apache-2.0
#include "roam/core/option_checks.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <utility>

#include "roam/core/detail/suggest.hpp"
#include "roam/core/detail/text.hpp"
#include "roam/core/error.hpp"
#include "roam/core/plugin_choice.hpp"

namespace roam::core {

namespace {

template <class Number>
bool read_into(const std::string& text, Number& value) {
  const auto number = read_number<Number>(text);
  if (number) value = *number;
  return number.has_value();
}

OptionCheck plugin_form(void (*parse)(const std::string& text)) {
  return [parse](std::string& text) -> std::string {
    try {
      parse(text);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return {};
  };
}

}  // namespace

std::string text_of(const OptionRange& range) {
  if (range.low == 0 && range.high == std::numeric_limits<std::uint64_t>::max()) return {};
  return "; " + std::to_string(range.low) + " to " + std::to_string(range.high);
}

std::string size_text(std::uint64_t bytes) {
  constexpr const char* units[] = {"", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; unit < 4 && bytes != 0 && bytes % 1024 == 0; ++unit) bytes /= 1024;
  return std::to_string(bytes) + units[unit];
}

std::string number_text(double number) {
  std::array<char, 32> text{};
  const auto result = std::to_chars(text.data(), text.data() + text.size(), number);
  return {text.data(), result.ptr};
}

bool read_decimal(const std::string& text, std::int32_t& value) { return read_into(text, value); }
bool read_decimal(const std::string& text, std::int64_t& value) { return read_into(text, value); }
bool read_decimal(const std::string& text, std::uint32_t& value) { return read_into(text, value); }
bool read_decimal(const std::string& text, std::uint64_t& value) { return read_into(text, value); }
bool read_decimal(const std::string& text, double& value) { return read_into(text, value); }

OptionCheck whole_number(OptionRange range, const std::string& besides) {
  return [=](std::string& text) -> std::string {
    std::uint64_t value = 0;
    if (read_decimal(text, value) && value >= range.low && value <= range.high) {
      text = std::to_string(value);
      return {};
    }
    return "allowed is a whole number from " + std::to_string(range.low) + " to " +
           std::to_string(range.high) + besides;
  };
}

OptionCheck number_above_zero(double high, const std::string& unit) {
  return [=](std::string& text) -> std::string {
    double value = 0;
    if (read_decimal(text, value) && value > 0 && value <= high) return {};
    return "allowed is a number of " + unit + " above 0, up to " +
           std::to_string(static_cast<std::uint64_t>(high));
  };
}

OptionCheck byte_size(OptionRange range) {
  return [=](std::string& text) -> std::string {
    std::string number = text;
    try {
      // CLI11 by itself would take "KiB" for 1 KiB, and a leading 0 for octal.
      const bool starts_well = !text.empty() && text[0] >= '1' && text[0] <= '9';
      const CLI::AsSizeValue convert(true);  // KB is 1000 bytes, KiB 1024
      std::uint64_t value = 0;
      if (starts_well && convert(number).empty() && read_decimal(number, value) &&
          value >= range.low && value <= range.high) {
        text = std::to_string(value);
        return {};
      }
    } catch (const CLI::Error&) {
      // The message below says what is allowed.
    }
    return "allowed is a size in bytes from " + size_text(range.low) + " to " +
           size_text(range.high) + ", as in 65536, 64KiB, 1MiB or 2MB";
  };
}

OptionCheck flag_value() {
  return [](std::string& text) -> std::string {
    const std::string given = lower_case(text);
    for (const char* yes : {"true", "1", "yes", "on"}) {
      if (given == yes) return text = "true", std::string{};
    }
    for (const char* no : {"false", "0", "no", "off"}) {
      if (given == no) return text = "false", std::string{};
    }
    return "allowed is true or false (also 1, yes, on, 0, no, off)";
  };
}

OptionCheck one_of(std::vector<std::string> names) {
  return [names = std::move(names)](std::string& text) -> std::string {
    if (std::find(names.begin(), names.end(), text) != names.end()) return {};
    return "allowed is one of " + join_names(names) + did_you_mean(text, names);
  };
}

OptionCheck not_empty(const std::string& what) {
  return [=](std::string& text) { return text.empty() ? "allowed is " + what : std::string{}; };
}

OptionCheck plugin_choice_form() {
  return plugin_form([](const std::string& text) { (void)parse_plugin_choice(text); });
}

OptionCheck plugin_stack_form() {
  return plugin_form([](const std::string& text) { (void)parse_plugin_stack(text); });
}

void check_output_file(const std::string& name, const std::string& origin) {
  if (name.empty()) return;
  namespace fs = std::filesystem;
  const auto fail = [&](const std::string& text) {
    throw ConfigError(origin + ": cannot write \"" + name + "\": " + text);
  };
  std::error_code error;
  const fs::path file(name);
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, error))
    fail("\"" + folder.string() + "\" is not an existing folder");
  if (fs::is_directory(file, error)) fail("it is a folder; allowed is the name of a file");
  const fs::path target = fs::exists(file, error) ? file : folder;
  if (::access(target.c_str(), W_OK) != 0)
    fail("\"" + target.string() + "\": " + std::strerror(errno));
}

void check_output_folder(const std::string& name, const std::string& origin) {
  if (name.empty()) return;
  namespace fs = std::filesystem;
  const auto fail = [&](const std::string& text) {
    throw ConfigError(origin + ": cannot write to \"" + name + "\": " + text);
  };
  std::error_code error;
  const fs::path folder(name);
  const fs::path parent = folder.has_parent_path() ? folder.parent_path() : fs::path(".");
  const bool exists = fs::exists(folder, error);
  if (exists && !fs::is_directory(folder, error)) fail("it is no folder");
  if (!exists && !fs::is_directory(parent, error))
    fail("\"" + parent.string() + "\" is not an existing folder");
  if (::access((exists ? folder : parent).c_str(), W_OK) != 0) fail(std::strerror(errno));
}

}  // namespace roam::core
