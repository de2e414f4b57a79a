// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>

#include "roam/am/detail/messenger.hpp"
#include "roam/am/detail/system_message.hpp"
#include "roam/core/detail/spin_lock.hpp"

namespace roam::flow {

/// Identifies a value sent between ranks, by a name that both ends derive from the program: which
/// flow and collection (0: a reduction), and which of its values. Each name is sent once and
/// expected once.
struct ParcelName {
  std::uint32_t flow = 0;
  std::uint32_t collection = 0;
  std::uint64_t number = 0;  ///< version of the collection; number of the operation
  std::uint64_t detail = 0;  ///< element; rank
  friend bool operator==(const ParcelName&, const ParcelName&) = default;
};

/// A hash that is the same on all ranks, and most likely different for different names.
[[nodiscard]] std::uint64_t tag_of(const ParcelName& name);

/// Header of a parcel; a value or the text of a failure follows, or, if parts have failed, the
/// failures of these and a value.
struct Parcel {
  static constexpr am::MessageKind kind{"roam.flow.parcel", am::Counted::yes, am::Behind::bytes};
  std::uint32_t flow = 0;
  std::uint32_t collection = 0;
  std::uint64_t number = 0;
  std::uint64_t detail = 0;
  bool has_failed = false;
  bool has_failed_in_parts = false;
  std::array<std::uint8_t, 6> reserved{};  // so that elements behind the header are aligned
  static constexpr auto fields(auto& m) {
    return std::tie(m.flow, m.collection, m.number, m.detail, m.has_failed, m.has_failed_in_parts,
                    m.reserved);
  }
};

/// The contents of a parcel that has arrived.
struct Arrived {
  am::Incoming bytes;
  bool has_failed = false;
  bool has_failed_in_parts = false;
};

/// Receives a parcel.
class Receiver {
 public:
  Receiver() = default;
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;
  /// Called once, inside progress: must not block.
  virtual void arrived(Arrived&& parcel) = 0;

 protected:
  ~Receiver() = default;
};

/// The parcels of one rank: those that have come before they are expected, and the receivers of
/// those that are expected. Thread-safe.
class Exchange {
 public:
  explicit Exchange(am::Messenger& messenger);

  /// Begins a parcel, for messenger().post(); the value is to be written behind the header.
  [[nodiscard]] am::Outgoing<Parcel> begin(const ParcelName& name, bool has_failed_in_parts);
  void send(Rank to, const ParcelName& name, bool has_failed, std::span<const std::byte> bytes);
  /// Returns the parcel if it is here; otherwise `receiver`, which must live until then, is called
  /// when it comes.
  [[nodiscard]] std::optional<Arrived> expect(const ParcelName& name, Receiver& receiver)
      ROAM_EXCLUDES(lock_);
  [[nodiscard]] am::Messenger& messenger() { return messenger_; }
  /// Number of parcels that are expected and have not come.
  [[nodiscard]] std::size_t expected() const ROAM_EXCLUDES(lock_);
  /// Number of parcels that have come and are not expected yet.
  [[nodiscard]] std::size_t unexpected() const ROAM_EXCLUDES(lock_);

 private:
  struct Hash {
    std::size_t operator()(const ParcelName& name) const noexcept;
  };
  struct Entry {
    Receiver* receiver = nullptr;
    std::optional<Arrived> early;
  };
  void on_parcel(const Parcel& head, am::Incoming&& rest);

  am::Messenger& messenger_;
  mutable core::SpinLock lock_;
  std::unordered_map<ParcelName, Entry, Hash> entries_ ROAM_GUARDED_BY(lock_);
};

}  // namespace roam::flow
