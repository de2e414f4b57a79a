// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "roam/core/object_id.hpp"
#include "roam/core/types.hpp"
#include "trace/output_file.hpp"

namespace roam::trace {

/// `text` as a JSON string with its quotes; bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string quoted(std::string_view text);

/// Writes JSON piece by piece; the caller makes sure that it is well-formed. Numbers do not depend
/// on the locale; a double is written as the shortest text from which it can be read back.
class JsonText {
 public:
  explicit JsonText(OutputFile& file) : file_(file) {}

  JsonText& operator<<(std::string_view text) {
    file_.write(text);
    return *this;
  }
  template <std::integral I>
    requires(!std::same_as<I, bool>)
  JsonText& operator<<(I number) { return put(number); }
  /// Throws roam::Error unless the number is finite.
  JsonText& operator<<(double number);
  /// Writes a time in microseconds with three decimals, exactly.
  JsonText& microseconds(Duration time);
  /// Writes "home:serial", or "" for no object.
  JsonText& operator<<(ObjectId object);
  JsonText& member(std::string_view name, const auto& value) {
    return *this << ",\"" << name << "\":" << value;
  }

 private:
  JsonText& put(auto number) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, number).ptr;
    file_.write({text, static_cast<std::size_t>(end - text)});
    return *this;
  }
  OutputFile& file_;
};

}  // namespace roam::trace
