// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>

#include "roam/am/detail/system_message.hpp"
#include "roam/am/remote_access.hpp"
#include "roam/am/remote_layout.hpp"

// The messages of remote memory. Each request names, by a token, the operation at its sender to
// which it belongs; the answer repeats the token.
namespace roam::am::wire {

/// A value of 4 or 8 bytes, stored in the first bytes.
using Word = std::array<std::byte, 8>;

/// A put. The arguments of the handler and the data follow. If the data comes as bulk data beside
/// the message, the receiver writes `fault` and `region_bytes` when the data is announced.
struct PutRequest {
  static constexpr MessageKind kind{"roam.memory.put", Counted::yes, Behind::bytes};
  std::uint64_t token = 0;
  std::uint32_t handler = 0;  // the handler of a put_op; 0: none
  AccessFault fault = AccessFault::none;
  std::uint64_t region_bytes = 0;
  Access access;  // last: from here on, the bytes are what a put_op's handler gets
  static constexpr auto fields(auto& m) {
    return std::tie(m.token, m.handler, m.fault, m.region_bytes, m.access);
  }
};
static_assert(sizeof(PutRequest) == 56);

struct GetRequest {
  static constexpr MessageKind kind{"roam.memory.get"};
  std::uint64_t token = 0;
  std::uint32_t takes_bulk = 0;  // 1: data may come as bulk, beside a BulkAnswer
  std::uint32_t reserved = 0;
  Access access;
  static constexpr auto fields(auto& m) {
    return std::tie(m.token, m.takes_bulk, m.reserved, m.access);
  }
};

/// A request for a box. The access names its first element.
struct BoxRequest {
  std::uint64_t token = 0;
  Access access;
  Extents extents{};
  Strides strides{};
  static constexpr auto fields(auto& m) {
    return std::tie(m.token, m.access, m.extents, m.strides);
  }
};
/// A put of a box. The packed data follow.
struct PutBox : BoxRequest {
  static constexpr MessageKind kind{"roam.memory.put_box", Counted::yes, Behind::bytes};
};
struct GetBox : BoxRequest {
  static constexpr MessageKind kind{"roam.memory.get_box"};
};

/// A request for a list of blocks. The access names element 0; its length is that of one block. The
/// indices follow.
struct IndexedRequest {
  std::uint64_t token = 0;
  std::uint64_t count = 0;          // the number of indices
  std::uint64_t element_bytes = 0;  // what an index is multiplied by
  Access access;
  static constexpr auto fields(auto& m) {
    return std::tie(m.token, m.count, m.element_bytes, m.access);
  }
};
/// A put of a list of blocks. The packed data follow the indices.
struct PutIndexed : IndexedRequest {
  static constexpr MessageKind kind{"roam.memory.put_indexed", Counted::yes, Behind::bytes};
};
struct GetIndexed : IndexedRequest {
  static constexpr MessageKind kind{"roam.memory.get_indexed", Counted::yes, Behind::bytes};
};

enum class AtomicOp : std::uint16_t {
  add,
  bit_and,
  bit_or,
  bit_xor,
  exchange,
  compare_exchange,
  load,
  store,
};
enum class AtomicType : std::uint16_t { word32, word64, real64 };
/// An atomic operation. For a compare_exchange the expected word follows. Answered with a
/// WordAnswer, or with a Done that names a fault. These two are as short as possible: from 64 bytes
/// on, header included, a message between processes of one machine takes a tenth longer (Open MPI).
struct AtomicRequest {
  static constexpr MessageKind kind{"roam.memory.atomic", Counted::yes, Behind::bytes};
  std::uint64_t token = 0;
  std::uint64_t operand = 0;
  std::uint64_t generation = 0;
  std::int64_t offset = 0;
  std::uint32_t region = 0;
  AtomicOp op = AtomicOp::add;
  AtomicType type = AtomicType::word64;
  static constexpr auto fields(auto& m) {
    return std::tie(m.token, m.operand, m.generation, m.offset, m.region, m.op, m.type);
  }
};
static_assert(sizeof(AtomicRequest) == 40);

/// The answer to an atomic operation: the old value.
struct WordAnswer {
  static constexpr MessageKind kind{"roam.memory.word"};
  std::uint64_t token = 0;
  Word word{};
  static constexpr auto fields(auto& m) { return std::tie(m.token, m.word); }
};
static_assert(sizeof(WordAnswer) == 16);

/// A request to allocate memory. Answered with a RemoteAddress.
struct AllocateRequest {
  static constexpr MessageKind kind{"roam.memory.alloc"};
  std::uint64_t token = 0;
  std::uint64_t bytes = 0;
  std::uint32_t alignment = 1;
  std::uint32_t reserved = 0;
  static constexpr auto fields(auto& m) {
    return std::tie(m.token, m.bytes, m.alignment, m.reserved);
  }
};

/// A request to free or withdraw memory. Answered once no transfer uses the region any more.
struct FreeRequest {
  static constexpr MessageKind kind{"roam.memory.free"};
  std::uint64_t token = 0;
  std::uint32_t is_exposed = 0;  // 1: memory that the sender itself has exposed
  std::uint32_t reserved = 0;
  Access access;
  static constexpr auto fields(auto& m) {
    return std::tie(m.token, m.is_exposed, m.reserved, m.access);
  }
};

/// The end of an operation. Its value, if it has one, follows.
struct Done {
  static constexpr MessageKind kind{"roam.memory.done", Counted::yes, Behind::bytes};
  std::uint64_t token = 0;
  std::uint64_t region_bytes = 0;
  AccessFault fault = AccessFault::none;
  std::uint32_t reserved = 0;
  static constexpr auto fields(auto& m) {
    return std::tie(m.token, m.region_bytes, m.fault, m.reserved);
  }
};

/// The message that accompanies the bulk data of a get.
struct BulkAnswer {
  static constexpr MessageKind kind{"roam.memory.landed"};
  std::uint64_t token = 0;
  static constexpr auto fields(auto& m) { return std::tie(m.token); }
};

}  // namespace roam::am::wire
