// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>

#include "roam/am/detail/messenger.hpp"
#include "roam/core/error.hpp"
#include "roam/mobile/placement.hpp"

namespace roam::mobile {

/// Throws roam::Error if two functions of a kind have symbols with the same hash; requires all of
/// them to exist on all ranks (A6).
template <class Function>
void require_distinct(am::Messenger& messenger) {
  std::unordered_map<std::uint32_t, std::string_view> symbols;
  for (const auto* f = NamedFunction<Function>::first(); f != nullptr; f = f->next()) {
    const auto [other, is_new] = symbols.emplace(f->id(), f->program_name().symbol);
    if (!is_new) {
      throw Error("the functions " + core::readable_symbol(f->program_name().symbol) + " and " +
                  core::readable_symbol(other->second) +
                  " have the same id; rename one of them or put it into a named namespace");
    }
    messenger.require_everywhere(f->program_name().symbol);
  }
}

}  // namespace roam::mobile
