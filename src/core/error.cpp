// SPDX-License-Identifier: Apache-2.0
#include "roam/core/error.hpp"

namespace roam {

std::string words_of(const std::exception_ptr& error) {
  std::string words;
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& known) {
    words = known.what();
  } catch (...) {
    return "an exception that is not a std::exception";
  }
  return words.empty() ? "an exception without words" : words;
}

}  // namespace roam
