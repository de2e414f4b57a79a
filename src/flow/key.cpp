// SPDX-License-Identifier: Apache-2.0
#include "roam/flow/key.hpp"

#include <cstring>

namespace roam::flow {

namespace {

std::int64_t raw_at(const std::string& bytes, std::size_t at) {
  std::int64_t number = 0;
  if (at + sizeof number <= bytes.size()) std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

}  // namespace

void Key::add_raw(std::int64_t number) {
  bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void Key::add_number(std::int64_t number) {
  bytes_ += static_cast<char>(Part::number);
  add_raw(number);
}

void Key::add_text(std::string_view text) {
  bytes_ += static_cast<char>(Part::text);
  add_raw(static_cast<std::int64_t>(text.size()));
  bytes_ += text;
}

std::string Key::text() const {
  std::string text;
  std::size_t at = 0;
  while (at < bytes_.size()) {
    text += text.empty() ? "(" : ", ";
    const auto part = static_cast<Part>(bytes_[at++]);
    if (part == Part::index) {
      const int dimensions = at < bytes_.size() ? bytes_[at++] : 0;
      for (int d = 0; d < dimensions; ++d, at += sizeof(std::int64_t))
        text += (d == 0 ? "(" : ", ") + std::to_string(raw_at(bytes_, at));
      text += ")";
      continue;
    }
    const std::int64_t number = raw_at(bytes_, at);
    at += sizeof number;
    if (part == Part::number) {
      text += std::to_string(number);
    } else {
      const auto length = static_cast<std::size_t>(number);
      text += '"' + (at < bytes_.size() ? bytes_.substr(at, length) : std::string()) + '"';
      at += length;
    }
  }
  return text + ")";
}

}  // namespace roam::flow
