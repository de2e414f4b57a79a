// SPDX-License-Identifier: Apache-2.0
#include "roam/flow/detail/exchange.hpp"

#include <utility>

#include "roam/am/detail/system_handlers.hpp"
#include "roam/core/error.hpp"

namespace roam::flow {

std::size_t Exchange::Hash::operator()(const ParcelName& name) const noexcept {
  std::uint64_t hash = (std::uint64_t{name.flow} << 32) | name.collection;
  for (const std::uint64_t word : {name.number, name.detail})
    hash = (hash ^ (hash >> 29) ^ word) * 0x9E3779B97F4A7C15ULL;
  return static_cast<std::size_t>(hash ^ (hash >> 32));
}

// 53 bits, since JSON has no more.
std::uint64_t tag_of(const ParcelName& name) {
  std::uint64_t number = 0;
  for (const std::uint64_t part :
       {std::uint64_t{name.flow}, std::uint64_t{name.collection}, name.number, name.detail + 1}) {
    number = (number ^ part) * 0x9e3779b97f4a7c15ULL;
    number ^= number >> 29;
  }
  return (number >> 11) | 1;
}

Exchange::Exchange(am::Messenger& messenger) : messenger_(messenger) {
  messenger.bind<&Exchange::on_parcel>(*this);
}

am::Outgoing<Parcel> Exchange::begin(const ParcelName& name, bool has_failed_in_parts) {
  return messenger_.begin(
      Parcel{name.flow, name.collection, name.number, name.detail, false, has_failed_in_parts, {}});
}

void Exchange::send(Rank to, const ParcelName& name, bool has_failed,
                    std::span<const std::byte> bytes) {
  messenger_.post(
      to, Parcel{name.flow, name.collection, name.number, name.detail, has_failed, false, {}},
      bytes);
}

std::optional<Arrived> Exchange::expect(const ParcelName& name, Receiver& receiver) {
  const core::LockGuard guard(lock_);
  const auto [place, is_new] = entries_.try_emplace(name);
  if (is_new) {
    place->second.receiver = &receiver;
    return std::nullopt;
  }
  std::optional<Arrived> parcel = std::move(place->second.early);
  entries_.erase(place);
  return parcel;
}

std::size_t Exchange::expected() const {
  const core::LockGuard guard(lock_);
  std::size_t count = 0;
  for (const auto& [name, entry] : entries_) count += entry.receiver != nullptr ? 1 : 0;
  return count;
}

std::size_t Exchange::unexpected() const {
  const core::LockGuard guard(lock_);
  std::size_t count = 0;
  for (const auto& [name, entry] : entries_) count += entry.receiver == nullptr ? 1 : 0;
  return count;
}

void Exchange::on_parcel(const Parcel& head, am::Incoming&& rest) {
  const ParcelName name{head.flow, head.collection, head.number, head.detail};
  Receiver* receiver = nullptr;
  Arrived parcel{std::move(rest), head.has_failed, head.has_failed_in_parts};
  {
    const core::LockGuard guard(lock_);
    const auto [place, is_new] = entries_.try_emplace(name);
    if (is_new) {
      place->second.early = std::move(parcel);
      return;
    }
    receiver = place->second.receiver;
    if (receiver == nullptr) throw MalformedMessage("a value of a flow came twice");
    entries_.erase(place);
  }
  receiver->arrived(std::move(parcel));
}

}  // namespace roam::flow
