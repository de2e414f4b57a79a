// SPDX-License-Identifier: Apache-2.0
#include "remote_atomic.hpp"

#include <atomic>
#include <bit>

namespace roam::am {

namespace {

using wire::AtomicOp;

// Unsigned, so that sums wrap around as two's complement does.
template <class Word>
std::uint64_t apply(const wire::AtomicRequest& request, std::byte* place) {
  static_assert(std::atomic_ref<Word>::required_alignment == sizeof(Word));
  const std::atomic_ref<Word> target(*reinterpret_cast<Word*>(place));
  const auto operand = static_cast<Word>(request.operand);
  switch (request.op) {
    case AtomicOp::add:
      return target.fetch_add(operand);
    case AtomicOp::bit_and:
      return target.fetch_and(operand);
    case AtomicOp::bit_or:
      return target.fetch_or(operand);
    case AtomicOp::bit_xor:
      return target.fetch_xor(operand);
    case AtomicOp::exchange:
      return target.exchange(operand);
    case AtomicOp::compare_exchange: {
      auto expected = static_cast<Word>(request.expected);
      target.compare_exchange_strong(expected, operand);
      return expected;  // the old value either way
    }
  }
  return 0;
}

}  // namespace

std::uint64_t apply_atomic(const wire::AtomicRequest& request, std::byte* place) {
  switch (request.type) {
    case wire::AtomicType::word32:
      return apply<std::uint32_t>(request, place);
    case wire::AtomicType::word64:
      return apply<std::uint64_t>(request, place);
    case wire::AtomicType::real64: {
      const std::atomic_ref<double> target(*reinterpret_cast<double*>(place));
      return std::bit_cast<std::uint64_t>(target.fetch_add(std::bit_cast<double>(request.operand)));
    }
  }
  return 0;
}

}  // namespace roam::am
