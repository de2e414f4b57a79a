// SPDX-License-Identifier: Apache-2.0
#include "remote_atomic.hpp"

#include <atomic>
#include <bit>
#include <cstring>

namespace roam::am {

namespace {

using wire::AtomicOp;

template <class Number>
wire::Word as_word(Number number) {
  wire::Word word{};
  std::memcpy(word.data(), &number, sizeof number);
  return word;
}

// Numbers are unsigned, so that sums wrap around as two's complement does.
template <class Number>
Number apply(AtomicOp op, const AtomicOperands& with, std::byte* place) {
  static_assert(std::atomic_ref<Number>::required_alignment == sizeof(Number));
  const std::atomic_ref<Number> target(*reinterpret_cast<Number*>(place));
  const auto operand = static_cast<Number>(with.operand);
  switch (op) {
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
      auto expected = static_cast<Number>(with.expected);
      target.compare_exchange_strong(expected, operand);
      return expected;  // the old value in either case
    }
    case AtomicOp::load:
      return target.load();
    case AtomicOp::store:
      target.store(operand);
      return 0;
  }
  return 0;
}

}  // namespace

wire::Word apply_atomic(AtomicOp op, wire::AtomicType type, const AtomicOperands& with,
                        std::byte* place) {
  switch (type) {
    case wire::AtomicType::word32:
      return as_word(apply<std::uint32_t>(op, with, place));
    case wire::AtomicType::word64:
      return as_word(apply<std::uint64_t>(op, with, place));
    case wire::AtomicType::real64: {
      const std::atomic_ref<double> target(*reinterpret_cast<double*>(place));
      return as_word(target.fetch_add(std::bit_cast<double>(with.operand)));
    }
  }
  return {};
}

}  // namespace roam::am
