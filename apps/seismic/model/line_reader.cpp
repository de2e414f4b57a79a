// SPDX-License-Identifier: Apache-2.0
#include "model/line_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

namespace seismic {
namespace {

constexpr const char* blanks = " \t\r";

}  // namespace

bool LineReader::next() {
  while (std::getline(in_, text_)) {
    ++number_;
    const std::size_t begin = text_.find_first_not_of(blanks);
    if (begin != std::string::npos && text_[begin] != '#') return true;
  }
  return false;
}

std::vector<double> LineReader::numbers() const {
  std::vector<double> values;
  for (std::size_t at = text_.find_first_not_of(blanks); at != std::string::npos;) {
    const std::size_t end = std::min(text_.find_first_of(blanks, at), text_.size());
    const std::size_t begin = text_[at] == '+' ? at + 1 : at;
    double value = 0.0;
    const auto [rest, error] = std::from_chars(text_.data() + begin, text_.data() + end, value);
    if (error != std::errc() || rest != text_.data() + end || !std::isfinite(value)) {
      fail(text_.substr(at, end - at) + " is no finite number");
    }
    values.push_back(value);
    at = text_.find_first_not_of(blanks, end);
  }
  return values;
}

std::vector<double> LineReader::numbers(std::size_t count, const char* words) const {
  std::vector<double> values = numbers();
  if (values.size() != count) {
    fail("must be " + std::to_string(count) + " numbers: " + words);
  }
  return values;
}

}  // namespace seismic
