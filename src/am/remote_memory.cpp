// SPDX-License-Identifier: Apache-2.0
// The side of remote memory that asks: operations are started here, and answered by
// remote_memory_handlers.cpp on the rank that has the memory.
#include "roam/am/remote_memory.hpp"

#include <algorithm>
#include <limits>

#include "roam/am/detail/region_table.hpp"
#include "roam/core/error.hpp"

namespace roam::am {

namespace {

void write(core::Packer& packer, std::span<const std::byte> bytes) {
  packer.write(bytes.data(), bytes.size());
}
// Makes the buffer this much longer and returns where the new bytes begin.
std::byte* extend(core::Packer& packer, std::uint64_t bytes) {
  core::Buffer& buffer = packer.buffer();
  const std::size_t before = buffer.size();
  buffer.reserve(before + static_cast<std::size_t>(bytes));
  buffer.set_size(before + static_cast<std::size_t>(bytes));
  return buffer.data() + before;
}

// The number of bytes of a box in the caller's own memory, which has to contain it.
std::uint64_t checked_here(const char* verb, Rank rank, const Layout& layout, std::size_t bytes) {
  const auto footprint_here = footprint(layout);
  if (!footprint_here || footprint_here->range.first < 0 || footprint_here->range.length > bytes) {
    throw RemoteMemoryError(std::string(verb) + " at rank " + std::to_string(rank.value()) +
                            ": the memory of " + std::to_string(bytes) +
                            " bytes on this side does not hold the box asked for");
  }
  return footprint_here->bytes;
}

}  // namespace

std::pair<Operation*, RemoteMemory::Token> RemoteMemory::start(const char* verb,
                                                               const RemoteAddress& at,
                                                               std::uint64_t length,
                                                               std::size_t alignment,
                                                               std::uint8_t word_bytes) {
  if (at.rank.value() < 0 || at.rank.value() >= messenger_.size()) {
    throw RemoteMemoryError(std::string(verb) + " at rank " + std::to_string(at.rank.value()) +
                            ", which does not exist: the remote pointer is null or of another job");
  }
  return operations_->start(verb, at.rank, access_to(at, length, alignment), word_bytes);
}

Operation* RemoteMemory::allocate(Rank rank, std::uint64_t count, std::size_t element_bytes,
                                  std::size_t alignment) {
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(count, std::uint64_t{element_bytes}, &bytes))
    bytes = std::numeric_limits<std::uint64_t>::max();  // the target refuses it as too much
  const auto [operation, token] = start("remote_alloc", {rank, 0, 0, 0}, bytes, alignment);
  messenger_.post(rank,
                  wire::AllocateRequest{token, bytes, static_cast<std::uint32_t>(alignment), 0});
  return operation;
}

Operation* RemoteMemory::free(const char* verb, const RemoteAddress& at, bool is_exposed) {
  const auto [operation, token] = start(verb, at, 0, 1);
  messenger_.post(at.rank, wire::FreeRequest{token, is_exposed ? 1U : 0U, 0, access_to(at, 0, 1)});
  return operation;
}

Operation* RemoteMemory::put_bytes(const char* verb, const RemoteAddress& to,
                                   std::span<const std::byte> from, std::size_t alignment,
                                   const PutExtras& extras) {
  const auto [operation, token] = start(verb, to, from.size(), alignment);
  wire::PutRequest request;
  request.token = token;
  request.handler = extras.handler;
  request.access = access_to(to, from.size(), alignment);
  const std::size_t size = Messenger::payload_offset + sizeof(BulkAnnouncement) + sizeof request +
                           extras.arguments.size();
  const std::size_t longest = messenger_.longest_message_bytes();
  const bool fits = size + from.size() <= longest;
  if (fits || extras.takes_copy || size > longest) {
    Outgoing<wire::PutRequest> put =
        messenger_.begin(request, extras.arguments.size() + from.size());
    write(put.packer(), extras.arguments.bytes());
    write(put.packer(), from);
    messenger_.post(to.rank, std::move(put));
    return operation;
  }
  Outgoing<wire::PutRequest> put = messenger_.begin_beside(request);
  write(put.packer(), extras.arguments.bytes());
  messenger_.post_beside(to.rank, std::move(put), operation->lend(from));
  return operation;
}

Operation* RemoteMemory::get_bytes(const char* verb, std::span<std::byte> to,
                                   const RemoteAddress& from, std::uint64_t length,
                                   std::size_t alignment, exec::ReadyItem* then) {
  Operation* operation = nullptr;
  Token token = 0;
  try {
    std::tie(operation, token) = start(verb, from, length, alignment);
  } catch (...) {
    if (then != nullptr) then->drop();
    throw;
  }
  operation->destination = {to.data(), to.size(), nullptr};
  operation->then = then;
  const bool takes_bulk = !to.empty();
  messenger_.post(from.rank, wire::GetRequest{token, takes_bulk ? 1U : 0U, 0,
                                              access_to(from, length, alignment)});
  return operation;
}

Operation* RemoteMemory::put_box(const RemoteAddress& to, const Layout& to_layout,
                                 std::span<const std::byte> from, const Layout& from_layout,
                                 std::size_t alignment) {
  const std::uint64_t bytes = checked_here("put_strided", to.rank, from_layout, from.size());
  const auto [operation, token] = start("put_strided", to, bytes, alignment);
  const wire::BoxRequest request{token, access_to(to, to_layout.element_bytes, alignment),
                                 to_layout.extents, to_layout.strides};
  Outgoing<wire::PutBox> put =
      messenger_.begin(wire::PutBox{request}, static_cast<std::size_t>(bytes));
  gather(from.data(), from_layout, extend(put.packer(), bytes));
  messenger_.post(to.rank, std::move(put));
  return operation;
}

Operation* RemoteMemory::get_box(std::span<std::byte> to, const Layout& to_layout,
                                 const RemoteAddress& from, const Layout& from_layout,
                                 std::size_t alignment) {
  const std::uint64_t bytes = checked_here("get_strided", from.rank, to_layout, to.size());
  const auto [operation, token] = start("get_strided", from, bytes, alignment);
  if (bytes > 0) operation->destination = {to.data(), bytes, std::make_unique<Layout>(to_layout)};
  const wire::BoxRequest request{token, access_to(from, from_layout.element_bytes, alignment),
                                 from_layout.extents, from_layout.strides};
  messenger_.post(from.rank, wire::GetBox{request});
  return operation;
}

Operation* RemoteMemory::put_list(const RemoteAddress& to, std::span<const std::uint64_t> indices,
                                  std::span<const std::byte> from, std::uint64_t block,
                                  std::size_t element_bytes, std::size_t alignment) {
  std::uint64_t block_bytes = 0;
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(block, std::uint64_t{element_bytes}, &block_bytes) ||
      __builtin_mul_overflow(block_bytes, std::uint64_t{indices.size()}, &bytes) ||
      bytes != from.size()) {
    throw RemoteMemoryError("put_indexed: " + std::to_string(indices.size()) + " indices of " +
                            std::to_string(block) + " elements do not match the " +
                            std::to_string(from.size() / element_bytes) + " elements given");
  }
  const auto [operation, token] = start("put_indexed", to, bytes, alignment);
  const wire::IndexedRequest request{token, indices.size(), element_bytes,
                                     access_to(to, block_bytes, alignment)};
  Outgoing<wire::PutIndexed> put =
      messenger_.begin(wire::PutIndexed{request}, indices.size_bytes() + from.size());
  write(put.packer(), std::as_bytes(indices));
  write(put.packer(), from);
  messenger_.post(to.rank, std::move(put));
  return operation;
}

Operation* RemoteMemory::get_list(std::span<std::byte> to, const RemoteAddress& from,
                                  std::span<const std::uint64_t> indices, std::uint64_t block,
                                  std::size_t element_bytes, std::size_t alignment) {
  std::uint64_t block_bytes = 0;
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(block, std::uint64_t{element_bytes}, &block_bytes) ||
      __builtin_mul_overflow(block_bytes, std::uint64_t{indices.size()}, &bytes) ||
      bytes != to.size()) {
    throw RemoteMemoryError("get_indexed: " + std::to_string(indices.size()) + " indices of " +
                            std::to_string(block) + " elements do not match the room for " +
                            std::to_string(to.size() / element_bytes) + " elements");
  }
  const auto [operation, token] = start("get_indexed", from, bytes, alignment);
  operation->destination = {to.data(), to.size(), nullptr};
  const wire::IndexedRequest request{token, indices.size(), element_bytes,
                                     access_to(from, block_bytes, alignment)};
  messenger_.post(from.rank, wire::GetIndexed{request}, std::as_bytes(indices));
  return operation;
}

Operation* RemoteMemory::atomic(const char* verb, wire::AtomicOp op, wire::AtomicType type,
                                const RemoteAddress& at, std::uint64_t operand,
                                std::uint64_t expected) {
  const std::uint8_t bytes = type == wire::AtomicType::word32 ? 4 : 8;
  const auto [operation, token] = start(verb, at, bytes, bytes, bytes);
  const wire::AtomicRequest request{token, operand, at.generation, at.offset, at.region, op, type};
  const bool compares = op == wire::AtomicOp::compare_exchange;
  messenger_.post(at.rank, request, std::as_bytes(std::span(&expected, compares ? 1 : 0)));
  return operation;
}

std::span<std::byte> RemoteMemory::local_bytes(const RemoteAddress& at, std::uint64_t count,
                                               std::size_t element_bytes,
                                               std::size_t alignment) const {
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(count, std::uint64_t{element_bytes}, &bytes))
    bytes = std::numeric_limits<std::uint64_t>::max();
  const Access access = access_to(at, bytes, alignment);
  if (at.rank != messenger_.rank()) {
    throw RemoteMemoryError("local: the memory is at rank " + std::to_string(at.rank.value()) +
                            ", not here at rank " + std::to_string(messenger_.rank().value()));
  }
  const RegionTable::Found found = regions_->pin(access);
  if (found.fault != AccessFault::none)
    throw RemoteMemoryError(
        describe_fault("local", at.rank, access, found.fault, found.region_bytes));
  return found.pin.memory();
}

RemoteAddress RemoteMemory::expose_bytes(std::span<std::byte> memory) {
  const RegionTable::Id id = regions_->expose(memory);
  return {messenger_.rank(), id.region, id.generation, 0};
}

}  // namespace roam::am
