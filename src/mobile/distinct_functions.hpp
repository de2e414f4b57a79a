// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>

#include "roam/am/messenger.hpp"
#include "roam/core/error.hpp"
#include "roam/mobile/placement.hpp"

namespace roam::mobile {

/// Throws roam::Error if two functions of a kind have names of the same hash; requires all of them
/// on all ranks (A6).
template <class Function>
void require_distinct(am::Messenger& messenger) {
  std::unordered_map<std::uint32_t, std::string_view> names;
  for (const auto* f = NamedFunction<Function>::first(); f != nullptr; f = f->next()) {
    const auto [other, is_new] = names.emplace(f->id(), f->name());
    if (!is_new) {
      throw Error("the functions " + std::string(f->name()) + " and " + std::string(other->second) +
                  " have the same id; rename one of them or put it into a named namespace");
    }
    messenger.require_everywhere(f->name());
  }
}

}  // namespace roam::mobile
