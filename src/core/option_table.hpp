// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roam/core/options.hpp"

namespace roam::core {

/// Every option of Roam: name, type, range, default, help. Values from the command line, the
/// environment and files all pass through set(). The only place that knows the command-line
/// library.
class OptionTable {
 public:
  /// Binds the table to `options`, whose present values are the defaults; `options` must outlive
  /// it.
  explicit OptionTable(Options& options);
  ~OptionTable();
  OptionTable(const OptionTable&) = delete;
  OptionTable& operator=(const OptionTable&) = delete;

  /// Names without prefix, in the order of the help text, "config" and "help" included.
  [[nodiscard]] const std::vector<std::string>& names() const;
  [[nodiscard]] bool knows(std::string_view name) const;
  /// True if the option needs no value.
  [[nodiscard]] bool is_flag(std::string_view name) const;

  /// Converts, checks and stores a value. Throws ConfigError naming the value, `origin` and what is
  /// allowed.
  void set(const std::string& name, const std::string& value, const std::string& origin);

  /// Last value given for "config" and "simulate", which are files to be read by the caller.
  [[nodiscard]] const std::string& config() const;
  [[nodiscard]] const std::string& simulate() const;

  [[nodiscard]] std::string help(std::span<const OptionNames> lists) const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace roam::core
