// SPDX-License-Identifier: Apache-2.0
#include "trace/json_text.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "roam/core/error.hpp"

namespace roam::trace {

std::string quoted(std::string_view text) {
  using Json = nlohmann::json;
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

JsonText& JsonText::operator<<(double number) {
  if (!std::isfinite(number)) {
    throw Error("the trace holds a number that is not finite; it is not written");
  }
  return put(number);
}

JsonText& JsonText::microseconds(Duration time) {
  const std::int64_t count = time.count();
  const std::uint64_t size =
      count < 0 ? 0 - static_cast<std::uint64_t>(count) : static_cast<std::uint64_t>(count);
  if (count < 0) *this << "-";
  const auto rest = static_cast<unsigned>(size % 1000);
  const char decimals[] = {'.', static_cast<char>('0' + rest / 100),
                           static_cast<char>('0' + rest / 10 % 10),
                           static_cast<char>('0' + rest % 10)};
  return *this << size / 1000 << std::string_view(decimals, sizeof decimals);
}

JsonText& JsonText::operator<<(ObjectId object) {
  if (!object) return *this << "\"\"";
  return *this << "\"" << object.home().value() << ":" << object.serial() << "\"";
}

}  // namespace roam::trace
