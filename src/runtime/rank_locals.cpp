// SPDX-License-Identifier: Apache-2.0
#include "roam/runtime/detail/rank_locals.hpp"

namespace roam::detail {

namespace {
// Constant-initialised, and written during static initialisation alone.
constinit std::size_t count_of_locals = 0;
}  // namespace

std::size_t take_local_number() { return count_of_locals++; }
std::size_t local_count() { return count_of_locals; }

}  // namespace roam::detail

namespace roam {

RankLocals::RankLocals() : size_(detail::local_count()), places_(new std::atomic<void*>[size_]()) {}

RankLocals::~RankLocals() {
  while (!made_.empty()) made_.pop_back();
}

void* RankLocals::find(std::size_t number) const {
  for (const auto& [one, object] : made_) {
    if (one == number) return object.get();
  }
  return nullptr;
}

void RankLocals::add(std::size_t number, std::shared_ptr<void> object) {
  void* const place = object.get();
  made_.emplace_back(number, std::move(object));
  if (number < size_) places_[number].store(place, std::memory_order_release);
}

}  // namespace roam
