// SPDX-License-Identifier: Apache-2.0
#include "roam/mobile/detail/method_table.hpp"

#include <bit>
#include <span>
#include <string>

#include "roam/core/error.hpp"

namespace roam::mobile {

MethodTable::MethodTable() {
  std::size_t methods = 0;
  for (const Method* method = Method::first(); method != nullptr; method = method->next())
    ++methods;
  slots_.resize(std::bit_ceil(2 * methods + 1));
  mask_ = slots_.size() - 1;
  for (const Method* method = Method::first(); method != nullptr; method = method->next()) {
    if (const Method* other = find(method->id())) {
      throw Error("the object handlers " + method->describe() + " and " + other->describe() +
                  " have the same id; rename one of them or put it into a named namespace");
    }
    std::size_t i = method->id() & mask_;
    while (slots_[i] != nullptr) i = (i + 1) & mask_;
    slots_[i] = method;
  }
}

void MethodTable::add_to(exec::WorkingSet& set) const {
  set.add(std::span<const Method* const>(slots_));
}

}  // namespace roam::mobile
