// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "roam/am/detail/remote_wire.hpp"

namespace roam::am {

[[nodiscard]] constexpr std::uint32_t atomic_bytes(wire::AtomicType type) {
  return type == wire::AtomicType::word32 ? 4 : 8;
}
/// True if the operation exists for the type: doubles can only be added.
[[nodiscard]] constexpr bool is_valid_atomic(wire::AtomicOp op, wire::AtomicType type) {
  return op <= wire::AtomicOp::store && type <= wire::AtomicType::real64 &&
         (type != wire::AtomicType::real64 || op == wire::AtomicOp::add);
}
/// What an atomic operation works with.
struct AtomicOperands {
  std::uint64_t operand = 0;
  std::uint64_t expected = 0;  // for a compare_exchange
};
/// Executes a valid operation on aligned memory and returns the old value.
[[nodiscard]] wire::Word apply_atomic(wire::AtomicOp op, wire::AtomicType type,
                                      const AtomicOperands& with, std::byte* place);

}  // namespace roam::am
