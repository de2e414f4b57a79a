// SPDX-License-Identifier: Apache-2.0
#include "roam/am/detail/region_table.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>
#include <thread>

#include "roam/am/detail/messenger.hpp"

namespace roam::am {

namespace {

constexpr std::uint32_t least_alignment = 64;
constexpr std::uint32_t most_alignment = 4096;
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 40;  // a larger request is a mistake

const char* reason(AccessFault fault) {
  switch (fault) {
    case AccessFault::none:
      return "nothing is wrong";
    case AccessFault::no_such_region:
      return "there is no such memory (use pointers from remote_alloc and expose, unaltered)";
    case AccessFault::gone:
      return "the memory has been freed or is exposed no more";
    case AccessFault::outside:
      return "not all of it is inside the region";
    case AccessFault::misaligned:
      return "the place is not aligned as the type requires";
    case AccessFault::not_freeable:
      return "only the beginning of memory from remote_alloc can be freed";
    case AccessFault::out_of_memory:
      return "the rank has not enough memory";
  }
  return "for an unknown reason";
}

// The system provides zero pages without work here: writing gigabytes would hold up the network.
std::unique_ptr<std::byte, void (*)(void*)> zeroed(std::uint64_t bytes, std::uint32_t alignment,
                                                   std::span<std::byte>& aligned) {
  if (bytes > most_bytes - most_alignment) throw std::bad_alloc();
  const auto size = static_cast<std::size_t>(bytes);
  std::unique_ptr<std::byte, void (*)(void*)> storage(
      static_cast<std::byte*>(std::calloc(size + alignment, 1)), &std::free);
  if (storage == nullptr) throw std::bad_alloc();
  void* place = storage.get();
  std::size_t space = size + alignment;
  aligned = {static_cast<std::byte*>(std::align(alignment, size, place, space)), size};
  return storage;
}

}  // namespace

std::string describe_fault(const char* operation, Rank rank, const Access& access,
                           AccessFault fault, std::uint64_t region_bytes) {
  std::string text = std::string(operation) + " at rank " + std::to_string(rank.value());
  if (fault == AccessFault::out_of_memory)
    return text + ", " + std::to_string(access.length) + " bytes: " + reason(fault);
  text += ", region " + std::to_string(access.region) + "." + std::to_string(access.generation) +
          ", offset " + std::to_string(access.offset) + ", length " +
          std::to_string(access.length) + " bytes";
  if (fault != AccessFault::no_such_region && fault != AccessFault::gone)
    text += ", region of " + std::to_string(region_bytes) + " bytes";
  return text + ": " + reason(fault);
}

RegionPin::RegionPin() = default;

RegionPin::RegionPin(std::shared_ptr<RegionTable> table, std::uint32_t region,
                     std::span<std::byte> memory)
    : table_(std::move(table)), region_(region), memory_(memory) {}

RegionPin::RegionPin(RegionPin&& other) noexcept = default;

RegionPin& RegionPin::operator=(RegionPin&& other) noexcept {
  std::swap(table_, other.table_);
  std::swap(region_, other.region_);
  std::swap(memory_, other.memory_);
  return *this;
}

RegionPin::~RegionPin() {
  if (table_ != nullptr) table_->unpin(region_);
}

RegionTable::~RegionTable() {
  for (const Slot& slot : slots_) {
    if (slot.closed != nullptr) slot.closed->drop();
  }
}

RegionTable::Id RegionTable::allocate(std::uint64_t bytes, std::uint32_t alignment) {
  if (!std::has_single_bit(alignment) || alignment > most_alignment) throw std::bad_alloc();
  std::span<std::byte> memory;
  auto storage = zeroed(bytes, std::max(alignment, least_alignment), memory);
  return insert(Kind::allocated, memory, std::move(storage));
}

RegionTable::Id RegionTable::expose(std::span<std::byte> memory) {
  return insert(Kind::exposed, memory, {nullptr, nullptr});
}

RegionTable::Id RegionTable::insert(Kind kind, std::span<std::byte> memory,
                                    std::unique_ptr<std::byte, void (*)(void*)> storage) {
  const core::LockGuard guard(lock_);
  if (first_free_ == 0) {
    slots_.emplace_back();
    first_free_ = static_cast<std::uint32_t>(slots_.size());
  }
  const std::uint32_t region = first_free_ - 1;
  Slot& slot = slots_[region];
  first_free_ = slot.next_free;
  ++slot.generation;
  slot.memory = memory;
  slot.storage = std::move(storage);
  slot.closed = nullptr;
  slot.pins = 0;
  slot.kind = kind;
  slot.is_open = true;
  slot.exists = true;
  return {region, slot.generation};
}

AccessFault RegionTable::look_up(const Access& access, bool is_landed, Slot*& slot) {
  if (access.region >= slots_.size() || access.generation == 0) return AccessFault::no_such_region;
  Slot& candidate = slots_[access.region];
  if (access.generation > candidate.generation) return AccessFault::no_such_region;
  const bool usable = candidate.is_open || (is_landed && candidate.exists);
  if (access.generation < candidate.generation || !usable) return AccessFault::gone;
  slot = &candidate;
  return AccessFault::none;
}

AccessFault RegionTable::locate(const Access& access, bool is_landed, Slot*& slot,
                                std::byte*& place) {
  if (const AccessFault fault = look_up(access, is_landed, slot); fault != AccessFault::none)
    return fault;
  const std::uint64_t bytes = slot->memory.size();
  // Negative offsets become enormous.
  const auto offset = static_cast<std::uint64_t>(access.offset);
  if (offset > bytes || access.length > bytes - offset) return AccessFault::outside;
  place = slot->memory.data() + offset;
  const std::uint32_t alignment = access.alignment;
  const bool is_power = alignment != 0 && (alignment & (alignment - 1)) == 0;
  if (!is_power || alignment > most_alignment ||
      (reinterpret_cast<std::uintptr_t>(place) & (alignment - 1)) != 0) {
    return AccessFault::misaligned;
  }
  return AccessFault::none;
}

RegionTable::Found RegionTable::pin(const Access& access, bool is_landed) {
  const core::LockGuard guard(lock_);
  Slot* slot = nullptr;
  std::byte* place = nullptr;
  const AccessFault fault = locate(access, is_landed, slot, place);
  const std::uint64_t bytes = slot == nullptr ? 0 : slot->memory.size();
  if (fault != AccessFault::none) return {fault, bytes, {}};
  ++slot->pins;
  return {fault, bytes,
          RegionPin(shared_from_this(), access.region,
                    {place, static_cast<std::size_t>(access.length)})};
}

RegionTable::Found RegionTable::close(const Access& access, Kind kind, exec::ReadyItem* closed) {
  // Freed after the lock is released.
  std::unique_ptr<std::byte, void (*)(void*)> storage{nullptr, nullptr};
  const core::LockGuard guard(lock_);
  Slot* slot = nullptr;
  if (const AccessFault fault = look_up(access, false, slot); fault != AccessFault::none)
    return {fault, 0, {}};
  if (slot->kind != kind || access.offset != 0)
    return {AccessFault::not_freeable, slot->memory.size(), {}};
  slot->is_open = false;
  slot->closed = closed;
  if (slot->pins == 0) storage = remove(access.region);
  return {};
}

void RegionTable::unpin(std::uint32_t region) {
  std::unique_ptr<std::byte, void (*)(void*)> storage{nullptr, nullptr};
  const core::LockGuard guard(lock_);
  Slot& slot = slots_[region];
  if (--slot.pins == 0 && !slot.is_open) storage = remove(region);
}

std::unique_ptr<std::byte, void (*)(void*)> RegionTable::remove(std::uint32_t region) {
  Slot& slot = slots_[region];
  slot.exists = false;
  slot.memory = {};
  slot.next_free = first_free_;
  first_free_ = region + 1;
  if (exec::ReadyItem* closed = std::exchange(slot.closed, nullptr); closed != nullptr) {
    if (messenger_ != nullptr) {
      messenger_->engine().push(closed);
    } else {
      closed->drop();
    }
  }
  return std::exchange(slot.storage, {nullptr, nullptr});
}

std::uint32_t RegionTable::pins(std::uint32_t region, std::uint64_t generation) const {
  const core::LockGuard guard(lock_);
  const bool exists =
      region < slots_.size() && slots_[region].exists && slots_[region].generation == generation;
  return exists ? slots_[region].pins : 0;
}

void RegionTable::end_exposure(const Access& access) {
  static_cast<void>(close(access, Kind::exposed, nullptr));
  exec::Engine* engine = nullptr;
  {
    const core::LockGuard guard(lock_);
    if (messenger_ != nullptr) engine = &messenger_->engine();
  }
  while (engine != nullptr && !engine->stopped()) {
    const std::uint32_t left = pins(access.region, access.generation);
    if (left == 0) return;
    if (engine->clock().is_virtual() || engine->is_progressing()) {
      engine->report_error("exposed memory ended while " + std::to_string(left) +
                           " transfers touched it: co_await withdraw() first");
      return;
    }
    if (engine->help_progress() == 0) std::this_thread::yield();
  }
}

void RegionTable::end_lending(std::size_t bytes) {
  const core::LockGuard guard(lock_);
  if (messenger_ != nullptr) messenger_->end_lending(bytes);
}

void RegionTable::disconnect() {
  const core::LockGuard guard(lock_);
  messenger_ = nullptr;
}

core::Buffer PinnedLender::for_landing(RegionPin&& pin) {
  const std::span<std::byte> memory = pin.memory();
  return core::Buffer::borrow(memory, new PinnedLender(std::move(pin), nullptr));
}

core::Buffer PinnedLender::for_sending(RegionPin&& pin, Messenger& messenger,
                                       std::shared_ptr<RegionTable> table) {
  const std::span<std::byte> memory = pin.memory();
  messenger.begin_lending(memory.size());
  return core::Buffer::borrow(memory, new PinnedLender(std::move(pin), std::move(table)));
}

void PinnedLender::take_back(std::span<std::byte> memory) noexcept {
  pin_ = {};
  if (table_ != nullptr) table_->end_lending(memory.size());
  delete this;
}

}  // namespace roam::am
