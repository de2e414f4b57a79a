// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "roam/am/remote_access.hpp"
#include "roam/am/remote_layout.hpp"

// The messages of remote memory, as bytes after the header. Each request names the operation it
// belongs to at its sender by a token; the answer repeats it.
namespace roam::am::wire {

/// A value of 4 or 8 bytes, which are the first ones.
using Word = std::array<std::byte, 8>;

/// roam.memory.put: [PutRequest][arguments of the handler][data]. Beside bulk data, which is the
/// data then, `fault` and `region_bytes` are written by the receiver when it is announced.
struct PutRequest {
  std::uint64_t token = 0;
  std::uint32_t handler = 0;  // of a put_op; 0: none
  AccessFault fault = AccessFault::none;
  std::uint64_t region_bytes = 0;
  Access access;  // last: what a put_op's handler gets begins here
};
static_assert(sizeof(PutRequest) == 56);

/// roam.memory.get
struct GetRequest {
  std::uint64_t token = 0;
  std::uint32_t takes_bulk = 0;  // 1: data may come as bulk, beside a BulkAnswer
  std::uint32_t reserved = 0;
  Access access;
};

/// roam.memory.put_box: [BoxRequest][packed data]; roam.memory.get_box: [BoxRequest]. The access
/// names the first element.
struct BoxRequest {
  std::uint64_t token = 0;
  Access access;
  Extents extents{};
  Strides strides{};
};

/// roam.memory.put_indexed: [IndexedRequest][indices][packed data]; roam.memory.get_indexed without
/// the data. The access names element 0; its length is that of one block.
struct IndexedRequest {
  std::uint64_t token = 0;
  std::uint64_t count = 0;          // of indices
  std::uint64_t element_bytes = 0;  // what an index is multiplied by
  Access access;
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
/// roam.memory.atomic; of a compare_exchange: [AtomicRequest][the word expected]. Answered with a
/// WordAnswer, or a Done that names a fault. These two are as short as can be: from 64 bytes on,
/// header included, a message between the processes of a machine takes a tenth longer (Open MPI).
struct AtomicRequest {
  std::uint64_t token = 0;
  std::uint64_t operand = 0;
  std::uint64_t generation = 0;
  std::int64_t offset = 0;
  std::uint32_t region = 0;
  AtomicOp op = AtomicOp::add;
  AtomicType type = AtomicType::word64;
};
static_assert(sizeof(AtomicRequest) == 40);

/// roam.memory.word: the old value.
struct WordAnswer {
  std::uint64_t token = 0;
  Word word{};
};
static_assert(sizeof(WordAnswer) == 16);

/// roam.memory.alloc; answered with a RemoteAddress.
struct AllocateRequest {
  std::uint64_t token = 0;
  std::uint64_t bytes = 0;
  std::uint32_t alignment = 1;
  std::uint32_t reserved = 0;
};

/// roam.memory.free; answered once no transfer touches the region any more.
struct FreeRequest {
  std::uint64_t token = 0;
  std::uint32_t is_exposed = 0;  // 1: of the sender's own
  std::uint32_t reserved = 0;
  Access access;
};

/// roam.memory.done: [Done][value]
struct Done {
  std::uint64_t token = 0;
  std::uint64_t region_bytes = 0;
  AccessFault fault = AccessFault::none;
  std::uint32_t reserved = 0;
};

/// Beside the bulk data of a get. Shorter than every other message that goes beside bulk data.
struct BulkAnswer {
  std::uint64_t token = 0;
};

}  // namespace roam::am::wire
