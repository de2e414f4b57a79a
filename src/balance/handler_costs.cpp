// SPDX-License-Identifier: Apache-2.0
#include "roam/balance/detail/handler_costs.hpp"

#include <algorithm>

#include "roam/balance/detail/interruptions.hpp"

namespace roam::balance {

namespace {

// Number of calls over which the averages extend, for a type of handler and for one object. Chosen:
// an object gets fewer calls, and may differ from all others.
constexpr std::uint32_t memory_of_handler = 64;
constexpr double memory_of_object = 4;
// Bounds the factor by which an object's calls differ from others. Chosen, against rounding.
constexpr double largest_factor = 1e6;
constexpr auto relaxed = std::memory_order_relaxed;

}  // namespace

const HandlerCosts::Slot* HandlerCosts::find(std::uint32_t handler) const {
  const std::uint64_t key = std::uint64_t{handler} + 1;
  for (std::size_t i = 0; i < capacity; ++i) {
    const Slot& slot = slots_[(handler + i) % capacity];
    const std::uint64_t found = slot.handler.load(relaxed);
    if (found == key) return &slot;
    if (found == 0) return nullptr;
  }
  return nullptr;
}

HandlerCosts::Slot* HandlerCosts::find_or_add(std::uint32_t handler) {
  const std::uint64_t key = std::uint64_t{handler} + 1;
  for (std::size_t i = 0; i < capacity; ++i) {
    Slot& slot = slots_[(handler + i) % capacity];
    std::uint64_t found = slot.handler.load(relaxed);
    if (found == 0 && slot.handler.compare_exchange_strong(found, key, relaxed)) return &slot;
    if (found == key) return &slot;
  }
  return nullptr;
}

double HandlerCosts::estimate(std::uint32_t handler, double weight,
                              const mobile::Record& record) const {
  const Slot* const slot = find(handler);
  if (slot == nullptr) return -1;
  const Average average = slot->average.load(relaxed);
  if (average.samples == 0) return -1;
  return double{average.seconds_per_weight} * weight * double{record.cost_factor};
}

void HandlerCosts::measured(std::uint32_t handler, double weight, double run_seconds,
                            mobile::Record& record) {
  Slot* const slot = weight > 0 ? find_or_add(handler) : nullptr;
  if (slot == nullptr) return;
  // Most weights are 1, and a division would double the time of this function.
  const double taken = weight == 1 ? run_seconds : run_seconds / weight;
  Average average = slot->average.load(relaxed);
  const double mean = double{average.seconds_per_weight};
  const double sample = Interruptions::counted(taken, mean);
  if (average.samples < memory_of_handler) {
    ++average.samples;
    average.seconds_per_weight = static_cast<float>(mean + (sample - mean) / average.samples);
  } else {
    average.seconds_per_weight =
        static_cast<float>(mean + (sample - mean) * (1.0 / memory_of_handler));
  }
  slot->average.store(average, relaxed);
  if (average.seconds_per_weight <= 0) return;
  const double ratio = std::min(sample / double{average.seconds_per_weight}, largest_factor);
  const double factor = double{record.cost_factor};
  record.cost_factor = static_cast<float>(factor + (ratio - factor) / memory_of_object);
}

}  // namespace roam::balance
