// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "roam/am/detail/messenger.hpp"
#include "roam/am/detail/system_message.hpp"
#include "roam/core/detail/spin_lock.hpp"
#include "roam/exec/engine.hpp"
#include "roam/flow/detail/exchange.hpp"
#include "roam/flow/failure.hpp"
#include "roam/flow/key.hpp"
#include "roam/flow/source_line.hpp"

namespace roam::flow {

/// The number of fetches after which a published value is freed.
using Readers = std::uint32_t;
/// Any number of readers, until the end of the next phase (Flow::phase()), or of the job.
inline constexpr Readers any_number = 0;

/// @cond
class Replica;

/// Whether fetches of one rank share a value: not; until as many have come as readers were said;
/// until the end of the phase.
enum class Sharing : std::uint8_t { none, counted, in_phase };

/// Tells the home of a key that the sender has its value.
struct KeyPublished {
  static constexpr am::MessageKind kind{"roam.flow.published", am::Counted::yes};
  std::uint64_t number = 0;  ///< of the sender's publications
  Readers readers = any_number;
  std::uint32_t phase = 0;  ///< of the sender
  bool is_frozen = false;
  std::string key;
  std::string where;
  static constexpr auto fields(auto& m) {
    return std::tie(m.number, m.readers, m.phase, m.is_frozen, m.key, m.where);
  }
};

/// Asks the home of a key for its value.
struct KeyWanted {
  static constexpr am::MessageKind kind{"roam.flow.wanted", am::Counted::yes};
  std::uint64_t token = 0;  ///< token of the sender's fetch
  std::uint64_t type = 0;   ///< hash of its name
  std::uint32_t phase = 0;  ///< of the sender
  std::string key;
  static constexpr auto fields(auto& m) { return std::tie(m.token, m.type, m.phase, m.key); }
};

/// Sent by the home to the rank that has the value: asks it to send the value to a reader.
struct KeyServe {
  static constexpr am::MessageKind kind{"roam.flow.serve", am::Counted::yes};
  std::uint64_t number = 0;
  Rank to;
  std::uint64_t token = 0;
  std::uint64_t type = 0;
  Sharing sharing = Sharing::none;
  static constexpr auto fields(auto& m) {
    return std::tie(m.number, m.to, m.token, m.type, m.sharing);
  }
};

/// Sent by the home to a rank that fetches a frozen value once more: the fetch shares what comes,
/// or has come, for an earlier one.
struct KeyShared {
  static constexpr am::MessageKind kind{"roam.flow.shared", am::Counted::yes};
  std::uint64_t token = 0;
  std::uint64_t first = 0;  ///< token of the earlier fetch
  static constexpr auto fields(auto& m) { return std::tie(m.token, m.first); }
};

/// Sent by the home when all readers of a frozen value have come, to each rank that has a replica:
/// how many fetches share it.
struct KeyUses {
  static constexpr am::MessageKind kind{"roam.flow.uses", am::Counted::yes};
  std::uint64_t first = 0;
  Readers count = 0;
  static constexpr auto fields(auto& m) { return std::tie(m.first, m.count); }
};

/// Sent by the home at the same time to the publisher: how many replicas it has to send.
struct KeyReplicas {
  static constexpr am::MessageKind kind{"roam.flow.replicas", am::Counted::yes};
  std::uint64_t number = 0;
  Readers count = 0;
  static constexpr auto fields(auto& m) { return std::tie(m.number, m.count); }
};

/// Header of a value, or of the text of a failure, that follows.
struct KeyValue {
  static constexpr am::MessageKind kind{"roam.flow.value", am::Counted::yes, am::Behind::bytes};
  std::uint64_t token = 0;
  bool has_failed = false;
  Sharing sharing = Sharing::none;
  std::array<std::uint8_t, 6> reserved{};  // so that elements behind the header are aligned
  static constexpr auto fields(auto& m) {
    return std::tie(m.token, m.has_failed, m.sharing, m.reserved);
  }
};

/// A published value, as bytes, on the rank that has published it.
struct Publication {
  Key key;
  std::vector<std::byte> value;
  FailureRef failure;     ///< in place of the value
  const char* type = "";  ///< name of its type
  SourceLine where;
  Readers readers = any_number;
  bool is_frozen = false;            ///< fetches of one rank share it
  std::shared_ptr<Replica> replica;  ///< in place of the value, if tasks run at once
};

/// Receives a value that is fetched.
class KeyReceiver {
 public:
  KeyReceiver() = default;
  KeyReceiver(const KeyReceiver&) = delete;
  KeyReceiver& operator=(const KeyReceiver&) = delete;
  // One of these is called once, inside progress: must not block.
  virtual void arrived(Arrived&& parcel) = 0;
  virtual void shares(std::shared_ptr<Replica> replica) = 0;

 protected:
  ~KeyReceiver() = default;
};

/// The values that one rank has published, the readers waiting for keys whose home is this rank,
/// and the fetches of this rank. The home of a key, determined by its hash, brings fetch and
/// publication together, whichever comes first; the value goes from the publisher directly to the
/// reader. A frozen value goes to each rank once: the home has the publisher send it for the first
/// fetch, and tells the rank of others that share it. Thread-safe.
class Publications {
 public:
  explicit Publications(am::Messenger& messenger);
  Publications(const Publications&) = delete;
  Publications& operator=(const Publications&) = delete;

  // --- between ranks ---
  void publish(Publication&& one) ROAM_EXCLUDES(lock_);
  /// Fetches a value; `receiver`, which must live until then, is called when it comes.
  void fetch(const Key& key, std::string_view type, KeyReceiver& receiver) ROAM_EXCLUDES(lock_);

  // --- of programs whose tasks run at once: on this rank alone ---
  void publish_here(Publication&& one) ROAM_EXCLUDES(lock_);
  /// Throws Error if nothing has been published under this key.
  [[nodiscard]] Publication fetch_here(const Key& key, std::string_view type,
                                       const SourceLine& where) ROAM_EXCLUDES(lock_);

  /// To be called when a phase has ended on all ranks: frees the values published in it for any
  /// number of readers.
  void end_phase() ROAM_EXCLUDES(lock_);
  /// Number of values that are stored here, and of keys known here as their home.
  [[nodiscard]] std::size_t kept() const ROAM_EXCLUDES(lock_);
  /// Describes up to `most` publications some of whose readers have not come.
  [[nodiscard]] std::vector<std::string> unread(std::size_t most) const ROAM_EXCLUDES(lock_);

 private:
  struct Served {
    Publication publication;
    Readers left = 0;
    std::uint32_t phase = 0;
    Readers sent = 0;      // if it is frozen: replicas
    Readers replicas = 0;  // number to be sent; 0: it is not known yet
  };
  struct Wanted {
    Rank rank;
    std::uint64_t token;
    std::uint64_t type;
  };
  /// A replica that has been asked for.
  struct Asked {
    std::uint64_t first;  // token of the fetch for which it is sent
    Readers uses;
  };
  /// What a home has to send, without its lock.
  struct Orders {
    std::vector<std::pair<Rank, KeyServe>> serve;
    std::vector<std::pair<Rank, KeyShared>> share;
    std::vector<std::pair<Rank, KeyUses>> uses;
    std::vector<std::pair<Rank, KeyReplicas>> replicas;
  };
  /// A replica on the rank of its readers.
  struct Shared {
    std::shared_ptr<Replica> replica;  // nullptr: it has not come
    bool is_counted = false;
    std::vector<KeyReceiver*> wait;
    Readers uses = 0;  // fetches that have got it
    Readers all = 0;   // number of all of them; 0: it is not known yet
  };
  /// State of a key at its home.
  struct Meeting {
    Rank publisher = no_rank;  // none yet
    std::uint64_t number = 0;
    Readers readers = any_number;
    Readers left = 0;
    std::uint32_t phase = 0;
    std::string where;
    std::vector<Wanted> wait;
    bool is_frozen = false;
    std::map<std::pair<Rank, std::uint64_t>, Asked> replicas;  // by rank and type
    /// True if it was for any number of readers, in a phase that has ended for a rank whose phase
    /// is `now`.
    [[nodiscard]] bool is_over(std::uint32_t now) const {
      return publisher != no_rank && readers == any_number && phase < now;
    }
  };
  [[nodiscard]] Rank home(const Key& key) const;
  void serve(Rank publisher, std::uint64_t number, const Wanted& wanted);
  [[nodiscard]] static bool give(Meeting& meeting, const Wanted& wanted, Orders& orders);
  void send(const Orders& orders);
  [[nodiscard]] KeyReceiver& take_fetch(std::uint64_t token) ROAM_REQUIRES(lock_);
  [[nodiscard]] std::shared_ptr<Replica> forget_if_over(std::uint64_t first) ROAM_REQUIRES(lock_);
  void on_replica(const KeyValue& head, am::Incoming&& rest) ROAM_EXCLUDES(lock_);
  void on_published(const KeyPublished& note, Rank source) ROAM_EXCLUDES(lock_);
  void on_wanted(const KeyWanted& note, Rank source) ROAM_EXCLUDES(lock_);
  void on_serve(const KeyServe& order) ROAM_EXCLUDES(lock_);
  void on_value(const KeyValue& head, am::Incoming&& rest) ROAM_EXCLUDES(lock_);
  void on_shared(const KeyShared& note) ROAM_EXCLUDES(lock_);
  void on_uses(const KeyUses& note) ROAM_EXCLUDES(lock_);
  void on_replicas(const KeyReplicas& note) ROAM_EXCLUDES(lock_);

  am::Messenger& messenger_;
  mutable core::SpinLock lock_;
  std::uint64_t numbers_ ROAM_GUARDED_BY(lock_) = 0;
  std::uint32_t phase_ ROAM_GUARDED_BY(lock_) = 0;
  std::unordered_map<std::uint64_t, Served> served_ ROAM_GUARDED_BY(lock_);
  std::unordered_map<Key, Meeting> meetings_ ROAM_GUARDED_BY(lock_);
  std::unordered_map<std::uint64_t, KeyReceiver*> fetches_ ROAM_GUARDED_BY(lock_);
  // By the token of the fetch for which it was sent.
  std::unordered_map<std::uint64_t, Shared> replicas_ ROAM_GUARDED_BY(lock_);
  std::unordered_map<Key, Served> here_ ROAM_GUARDED_BY(lock_);
};

/// @endcond
}  // namespace roam::flow
