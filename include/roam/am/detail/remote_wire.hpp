// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>

#include "roam/am/detail/system_message.hpp"
#include "roam/am/remote_access.hpp"
#include "roam/am/remote_layout.hpp"

// The messages of remote memory. Each request names the operation it belongs to at its sender by a
// token; the answer repeats it.
namespace roam::am::wire {

/// A value of 4 or 8 bytes, which are the first ones.
using Word = std::array<std::byte, 8>;

/// What follows are the arguments of the handler and the data. Beside bulk data, which is the data
/// then, `fault` and `region_bytes` are written by the receiver when it is announced.
struct PutRequest {
  static constexpr MessageKind kind{"roam.memory.put", Counted::yes, Behind::bytes};
  std::uint64_t token = 0;
  std::uint32_t handler = 0;  // of a put_op; 0: none
  AccessFault fault = AccessFault::none;
  std::uint64_t region_bytes = 0;
  Access access;  // last: what a put_op's handler gets begins here
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

/// The access names the first element.
struct BoxRequest {
  std::uint64_t token = 0;
  Access access;
  Extents extents{};
  Strides strides{};
  static constexpr auto fields(auto& m) {
    return std::tie(m.token, m.access, m.extents, m.strides);
  }
};
/// The packed data follow.
struct PutBox : BoxRequest {
  static constexpr MessageKind kind{"roam.memory.put_box", Counted::yes, Behind::bytes};
};
struct GetBox : BoxRequest {
  static constexpr MessageKind kind{"roam.memory.get_box"};
};

/// The access names element 0; its length is that of one block. The indices follow.
struct IndexedRequest {
  std::uint64_t token = 0;
  std::uint64_t count = 0;          // of indices
  std::uint64_t element_bytes = 0;  // what an index is multiplied by
  Access access;
  static constexpr auto fields(auto& m) {
    return std::tie(m.token, m.count, m.element_bytes, m.access);
  }
};
/// Behind the indices, the packed data follow.
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
/// Of a compare_exchange the word expected follows. Answered with a WordAnswer, or a Done that
/// names a fault. These two are as short as can be: from 64 bytes on, header included, a message
/// between the processes of a machine takes a tenth longer (Open MPI).
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

/// The old value.
struct WordAnswer {
  static constexpr MessageKind kind{"roam.memory.word"};
  std::uint64_t token = 0;
  Word word{};
  static constexpr auto fields(auto& m) { return std::tie(m.token, m.word); }
};
static_assert(sizeof(WordAnswer) == 16);

/// Answered with a RemoteAddress.
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

/// Answered once no transfer touches the region any more.
struct FreeRequest {
  static constexpr MessageKind kind{"roam.memory.free"};
  std::uint64_t token = 0;
  std::uint32_t is_exposed = 0;  // 1: of the sender's own
  std::uint32_t reserved = 0;
  Access access;
  static constexpr auto fields(auto& m) {
    return std::tie(m.token, m.is_exposed, m.reserved, m.access);
  }
};

/// The value follows.
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

/// Beside the bulk data of a get.
struct BulkAnswer {
  static constexpr MessageKind kind{"roam.memory.landed"};
  std::uint64_t token = 0;
  static constexpr auto fields(auto& m) { return std::tie(m.token); }
};

}  // namespace roam::am::wire
