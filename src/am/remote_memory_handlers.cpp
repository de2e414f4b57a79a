// SPDX-License-Identifier: Apache-2.0
// The side of remote memory that is asked. Everything here comes from another rank: each access is
// checked before the first byte is touched (A4).
#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <new>
#include <optional>

#include "remote_atomic.hpp"
#include "roam/am/detail/region_table.hpp"
#include "roam/am/remote_memory.hpp"
#include "roam/core/error.hpp"

namespace roam::am {

namespace {

// Answers a request to free a region once nothing uses the region any more.
class FreeAnswer final : public exec::ReadyItem {
 public:
  FreeAnswer(Messenger& messenger, Rank to, std::uint64_t token)
      : messenger_(messenger), to_(to), token_(token) {}
  void run(exec::Context& context) override {
    context.label = "roam.memory.free";
    messenger_.post(to_, wire::Done{token_, 0, AccessFault::none, 0}, {});
    delete this;
  }
  void drop() override { delete this; }

 private:
  Messenger& messenger_;
  const Rank to_;
  const std::uint64_t token_;
};

// The access that covers a whole box; nullopt if its numbers overflow.
std::optional<Access> whole_of(const wire::BoxRequest& request, const Footprint& box) {
  Access whole = request.access;
  whole.length = box.range.length;
  if (__builtin_add_overflow(request.access.offset, box.range.first, &whole.offset))
    return std::nullopt;
  return whole;
}

}  // namespace

RemoteMemory::RemoteMemory(Messenger& messenger)
    : messenger_(messenger),
      regions_(std::make_shared<RegionTable>(messenger)),
      operations_(OperationTable::create(messenger)) {
  messenger_.bind<&RemoteMemory::on_put>(*this);
  messenger_.bind<&RemoteMemory::on_get>(*this);
  messenger_.bind<&RemoteMemory::on_put_box>(*this);
  messenger_.bind<&RemoteMemory::on_get_box>(*this);
  messenger_.bind<&RemoteMemory::on_put_indexed>(*this);
  messenger_.bind<&RemoteMemory::on_get_indexed>(*this);
  messenger_.bind<&RemoteMemory::on_atomic>(*this);
  messenger_.bind<&RemoteMemory::on_allocate>(*this);
  messenger_.bind<&RemoteMemory::on_free>(*this);
  messenger_.bind<&RemoteMemory::on_done>(*this);
  messenger_.bind<&RemoteMemory::on_word>(*this);
  messenger_.require_message<wire::BulkAnswer>();
  messenger_.set_bulk_receiver(this);
  messenger_.engine().services().set<RemoteMemory>(this);
}

RemoteMemory::~RemoteMemory() {
  messenger_.set_bulk_receiver(nullptr);
  operations_.reset();
  regions_->disconnect();
}

void RemoteMemory::answer(Rank to, Token token, AccessFault fault, std::uint64_t region_bytes,
                          std::span<const std::byte> value) {
  messenger_.post(to, wire::Done{token, region_bytes, fault, 0}, value);
}

template <class Fill>
void RemoteMemory::answer_with(Rank to, Token token, std::uint64_t bytes, Fill&& fill,
                               const std::uint64_t& region_bytes) {
  AccessFault fault = AccessFault::none;
  try {
    Outgoing<wire::Done> done = messenger_.begin(wire::Done{token, 0, AccessFault::none, 0},
                                                 static_cast<std::size_t>(bytes));
    core::Buffer& buffer = done.packer().buffer();
    std::byte* const place = buffer.data() + buffer.size();
    buffer.set_size(buffer.size() + static_cast<std::size_t>(bytes));
    fault = fill(place);
    if (fault == AccessFault::none) return messenger_.post(to, std::move(done));
  } catch (const std::bad_alloc&) {
    fault = AccessFault::out_of_memory;
  }
  answer(to, token, fault, region_bytes);
}

// --- put ---

void RemoteMemory::on_put(const wire::PutRequest& request, Incoming&& rest) {
  if (request.access.length > rest.payload().size())
    throw MalformedMessage("a put announces more data than it brings");
  const auto length = static_cast<std::size_t>(request.access.length);
  if (request.handler == 0 && length != rest.payload().size())
    throw MalformedMessage("a put brings more data than it announces");
  if (request.handler != 0) require_handler(request.handler);
  const RegionTable::Found found = regions_->pin(request.access);
  if (found.fault != AccessFault::none)
    return answer(rest.source, request.token, found.fault, found.region_bytes);
  const std::span<std::byte> data = rest.buffer.bytes().last(length);
  if (length > 0) std::memcpy(found.pin.memory().data(), data.data(), length);
  rest.buffer.set_size(rest.buffer.size() - length);
  end_put(request, std::move(rest));
}

// Called when the data is visible: says so to the sender, and makes the handler of a put_op run,
// which needs the access, too.
void RemoteMemory::end_put(const wire::PutRequest& request, Incoming&& rest) {
  answer(rest.source, request.token, AccessFault::none, 0);
  if (request.handler == 0) return;
  rest.offset -= sizeof request.access;
  messenger_.dispatcher().deliver(request.handler, std::move(rest));
}

void RemoteMemory::require_handler(std::uint32_t id) const {
  const HandlerTable::Entry* entry = messenger_.handlers().find(id);
  if (entry == nullptr || entry->program == nullptr)
    throw MalformedMessage("a put_op names a handler that does not exist");
}

core::Buffer RemoteMemory::landing_place(Rank source, std::uint32_t id,
                                         std::span<std::byte> payload, std::size_t size) {
  if (id == message_id<wire::BulkAnswer>) {
    const auto answer = read_message<wire::BulkAnswer>(payload);
    return operations_->landing_place(answer.token, source, size);
  }
  if (id != message_id<wire::PutRequest>) throw MalformedMessage("bulk data beside no put");
  auto request = read_message<wire::PutRequest>(payload);
  if (request.access.length != size) throw MalformedMessage("a put of another size than its data");
  if (request.handler != 0) require_handler(request.handler);
  RegionTable::Found found = regions_->pin(request.access);
  request.fault = found.fault;
  request.region_bytes = found.region_bytes;
  store_fields(payload.data(), request);
  // Data of a refused put is received elsewhere and dropped, because it is on its way already.
  return found.fault == AccessFault::none ? PinnedLender::for_landing(std::move(found.pin))
                                          : core::Buffer();
}

void RemoteMemory::landed(std::uint32_t id, Incoming&& message, core::Buffer data) {
  if (id == message_id<wire::PutRequest>) return put_has_landed(std::move(message), data);
  if (id != message_id<wire::BulkAnswer>) throw MalformedMessage("bulk data beside no put");
  const auto answer = read_message<wire::BulkAnswer>(message.payload());
  operations_->finish(answer.token, message.source, {}, data.data());
}

void RemoteMemory::put_has_landed(Incoming&& message, const core::Buffer& data) {
  std::size_t taken = 0;
  const auto request = read_message<wire::PutRequest>(message.payload(), taken);
  message.offset += taken;
  if (request.access.length != data.size())
    throw MalformedMessage("a put of another size than its data");
  if (request.handler != 0) require_handler(request.handler);
  if (request.handler == 0 && !message.payload().empty())
    throw MalformedMessage("arguments for no handler");
  if (request.fault != AccessFault::none)
    return answer(message.source, request.token, request.fault, request.region_bytes);
  end_put(request, std::move(message));
}

RegionPin RemoteMemory::landed_memory(Incoming& message, std::size_t element_bytes,
                                      std::size_t alignment) const {
  Access access;
  core::Unpacker(message.payload()).read(&access, sizeof access);
  message.offset += sizeof access;
  access.alignment = static_cast<std::uint32_t>(alignment);
  RegionTable::Found found = regions_->pin(access, true);
  if (found.fault != AccessFault::none || access.length % element_bytes != 0)
    throw MalformedMessage("a put_op's handler was called without its data");
  return std::move(found.pin);
}

RegionPin landed_memory(Messenger& messenger, Incoming& message, std::size_t element_bytes,
                        std::size_t alignment) {
  const auto* memory = messenger.engine().services().get<RemoteMemory>();
  if (memory == nullptr) throw MalformedMessage("this rank has no remote memory");
  return memory->landed_memory(message, element_bytes, alignment);
}

// --- get ---

void RemoteMemory::on_get(const wire::GetRequest& request, Rank source) {
  RegionTable::Found found = regions_->pin(request.access);
  if (found.fault != AccessFault::none)
    return answer(source, request.token, found.fault, found.region_bytes);
  const std::span<const std::byte> memory = found.pin.memory();
  const bool is_short = Messenger::payload_offset + sizeof(wire::Done) + memory.size() <=
                        messenger_.longest_message_bytes();
  if (is_short || request.takes_bulk == 0)
    return answer(source, request.token, AccessFault::none, 0, memory);
  messenger_.post_beside(source, messenger_.begin_beside(wire::BulkAnswer{request.token}),
                         PinnedLender::for_sending(std::move(found.pin), messenger_, regions_));
}

void RemoteMemory::on_done(const wire::Done& done, Incoming&& rest) {
  if (done.fault > last_access_fault) throw MalformedMessage("unknown fault of an access");
  Answer result{done.fault, done.region_bytes, std::move(rest.buffer), rest.offset};
  operations_->finish(done.token, rest.source, std::move(result), nullptr);
}

void RemoteMemory::on_word(const wire::WordAnswer& answer, Rank source) {
  operations_->finish(answer.token, source, answer.word);
}

// --- shapes ---

void RemoteMemory::on_put_box(const wire::PutBox& request, Incoming&& rest) {
  const Layout layout{request.extents, request.strides, request.access.length};
  const auto box = footprint(layout);
  if (!box || box->bytes != rest.payload().size())
    throw MalformedMessage("a put_strided whose box and data do not match");
  const auto whole = whole_of(request, *box);
  if (!whole) return answer(rest.source, request.token, AccessFault::outside, 0);
  const RegionTable::Found found = regions_->pin(*whole);
  if (found.fault != AccessFault::none)
    return answer(rest.source, request.token, found.fault, found.region_bytes);
  if (box->bytes > 0)
    scatter(rest.payload().data(), found.pin.memory().data() - box->range.first, layout);
  answer(rest.source, request.token, AccessFault::none, 0);
}

void RemoteMemory::on_get_box(const wire::GetBox& request, Rank source) {
  const Layout layout{request.extents, request.strides, request.access.length};
  const auto box = footprint(layout);
  const auto whole = box ? whole_of(request, *box) : std::nullopt;
  // With strides of zero, a small region could give a very long answer.
  if (!whole || box->bytes > messenger_.largest_transfer_bytes())
    return answer(source, request.token, AccessFault::outside, 0);
  const RegionTable::Found found = regions_->pin(*whole);
  if (found.fault != AccessFault::none)
    return answer(source, request.token, found.fault, found.region_bytes);
  answer_with(
      source, request.token, box->bytes,
      [&](std::byte* packed) {
        if (box->bytes > 0) gather(found.pin.memory().data() - box->range.first, layout, packed);
        return AccessFault::none;
      },
      found.region_bytes);
}

// The blocks of an indexed request: checks all of them before the first is copied.
template <class Copy>
AccessFault RemoteMemory::for_each_block(const wire::IndexedRequest& request,
                                         std::span<const std::byte> indices,
                                         std::uint64_t& region_bytes, Copy&& copy) {
  Access all = request.access;
  all.offset = 0;
  all.length = 0;
  all.alignment = 1;
  if (!std::has_single_bit(request.access.alignment)) return AccessFault::misaligned;
  const RegionTable::Found found = regions_->pin(all, false);
  region_bytes = found.region_bytes;
  if (found.fault != AccessFault::none) return found.fault;
  std::byte* const base = found.pin.memory().data();
  const auto offset_of = [&](std::uint64_t i, std::int64_t& offset) {
    std::int64_t index = 0;
    std::memcpy(&index, indices.data() + i * sizeof index, sizeof index);
    return index >= 0 &&
           !__builtin_mul_overflow(index, static_cast<std::int64_t>(request.element_bytes),
                                   &offset) &&
           !__builtin_add_overflow(offset, request.access.offset, &offset);
  };
  const std::uint64_t block = request.access.length;
  std::int64_t offset = 0;
  for (std::uint64_t i = 0; i < request.count; ++i) {
    if (!offset_of(i, offset) || offset < 0 || static_cast<std::uint64_t>(offset) > region_bytes ||
        block > region_bytes - static_cast<std::uint64_t>(offset)) {
      return AccessFault::outside;
    }
    if (reinterpret_cast<std::uintptr_t>(base + offset) % request.access.alignment != 0)
      return AccessFault::misaligned;
  }
  for (std::uint64_t i = 0; i < request.count; ++i) {
    static_cast<void>(offset_of(i, offset));
    copy(base + offset, static_cast<std::size_t>(i * block), static_cast<std::size_t>(block));
  }
  return AccessFault::none;
}

// Reads what both kinds have in common; `data_bytes` becomes the size of all blocks together.
std::span<const std::byte> RemoteMemory::read_indices(core::Unpacker& bytes,
                                                      const wire::IndexedRequest& request,
                                                      std::uint64_t& data_bytes) const {
  std::uint64_t index_bytes = 0;
  if (__builtin_mul_overflow(request.count, std::uint64_t{sizeof(std::uint64_t)}, &index_bytes) ||
      index_bytes > bytes.remaining() || request.element_bytes > std::uint64_t{INT64_MAX} ||
      __builtin_mul_overflow(request.count, request.access.length, &data_bytes) ||
      data_bytes > messenger_.largest_transfer_bytes()) {
    throw MalformedMessage("an indexed access whose numbers do not match");
  }
  return bytes.view(static_cast<std::size_t>(index_bytes));
}

void RemoteMemory::on_put_indexed(const wire::PutIndexed& request, Incoming&& rest) {
  core::Unpacker bytes(rest.payload());
  std::uint64_t data_bytes = 0;
  const auto indices = read_indices(bytes, request, data_bytes);
  if (data_bytes != bytes.remaining())
    throw MalformedMessage("a put_indexed whose indices and data do not match");
  const auto data = bytes.view(bytes.remaining());
  std::uint64_t region_bytes = 0;
  const AccessFault fault =
      for_each_block(request, indices, region_bytes,
                     [&](std::byte* place, std::size_t packed, std::size_t length) {
                       if (length > 0) std::memcpy(place, data.data() + packed, length);
                     });
  answer(rest.source, request.token, fault, region_bytes);
}

void RemoteMemory::on_get_indexed(const wire::GetIndexed& request, Incoming&& rest) {
  core::Unpacker bytes(rest.payload());
  std::uint64_t data_bytes = 0;
  const auto indices = read_indices(bytes, request, data_bytes);
  if (bytes.remaining() > 0) throw MalformedMessage("a get_indexed brings data");
  std::uint64_t region_bytes = 0;
  answer_with(
      rest.source, request.token, data_bytes,
      [&](std::byte* packed) {
        return for_each_block(request, indices, region_bytes,
                              [&](const std::byte* place, std::size_t at, std::size_t length) {
                                if (length > 0) std::memcpy(packed + at, place, length);
                              });
      },
      region_bytes);
}

// --- the rest ---

void RemoteMemory::on_atomic(const wire::AtomicRequest& request, Incoming&& rest) {
  if (!is_valid_atomic(request.op, request.type))
    throw MalformedMessage("unknown atomic operation");
  AtomicOperands with{request.operand, 0};
  const bool compares = request.op == wire::AtomicOp::compare_exchange;
  const std::span<const std::byte> expected = rest.payload();
  if (expected.size() != (compares ? sizeof with.expected : 0))
    throw MalformedMessage("an atomic operation of another size");
  if (compares) std::memcpy(&with.expected, expected.data(), sizeof with.expected);
  const std::uint32_t size = atomic_bytes(request.type);
  const Access access{request.region, size, request.generation, request.offset, size};
  wire::WordAnswer old{request.token, {}};
  const RegionTable::Checked checked = regions_->change(access, [&](std::byte* memory) {
    old.word = apply_atomic(request.op, request.type, with, memory);
  });
  if (checked.fault != AccessFault::none)
    return answer(rest.source, request.token, checked.fault, checked.region_bytes);
  messenger_.post(rest.source, old);
}

void RemoteMemory::on_allocate(const wire::AllocateRequest& request, Rank source) {
  try {
    const RegionTable::Id id = regions_->allocate(request.bytes, request.alignment);
    const RemoteAddress address{messenger_.rank(), id.region, id.generation, 0};
    answer(source, request.token, AccessFault::none, 0, std::as_bytes(std::span(&address, 1)));
  } catch (const std::bad_alloc&) {
    answer(source, request.token, AccessFault::out_of_memory, 0);
  }
}

void RemoteMemory::on_free(const wire::FreeRequest& request, Rank source) {
  const bool is_exposed = request.is_exposed != 0;
  if (is_exposed && source != messenger_.rank())
    throw MalformedMessage("only its owner ends the exposure of memory");
  auto closed = std::make_unique<FreeAnswer>(messenger_, source, request.token);
  const RegionTable::Found found = regions_->close(
      request.access, is_exposed ? RegionTable::Kind::exposed : RegionTable::Kind::allocated,
      closed.get());
  if (found.fault != AccessFault::none)
    return answer(source, request.token, found.fault, found.region_bytes);
  static_cast<void>(closed.release());
}

}  // namespace roam::am
