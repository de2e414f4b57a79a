// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace mesh_refine {

/// The user's input cannot be used. The message is one line: file, line, what was found, what is
/// allowed. Programs print it and exit with status 2.
class InputError : public std::runtime_error {
 public:
  /// `line` is 1-based; 0 stands for the file as a whole.
  InputError(std::filesystem::path file, std::size_t line, std::string found, std::string allowed)
      : std::runtime_error(message(file, line, found, allowed)),
        file_(std::move(file)),
        line_(line),
        found_(std::move(found)),
        allowed_(std::move(allowed)) {}

  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  [[nodiscard]] std::size_t line() const { return line_; }
  [[nodiscard]] const std::string& found() const { return found_; }
  [[nodiscard]] const std::string& allowed() const { return allowed_; }

 private:
  static std::string message(const std::filesystem::path& file, std::size_t line,
                             const std::string& found, const std::string& allowed) {
    std::string text = file.string();
    if (line > 0) text.append(":").append(std::to_string(line));
    return text.append(": found ").append(found).append("; expected ").append(allowed);
  }

  std::filesystem::path file_;
  std::size_t line_;
  std::string found_;
  std::string allowed_;
};

}  // namespace mesh_refine
