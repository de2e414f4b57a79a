// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "roam/core/detail/clock.hpp"
#include "thread_record.hpp"

namespace roam::offload::pmpi {

using roam::Duration;
using roam::Instant;

/// Which members of a collective call the others wait for.
enum class Latecomers : std::uint8_t { any, root };

/// A collective call, as seen by this member.
struct CollectiveCall {
  double came = 0;  ///< arrival: seconds since the last exchange
  double blocked = 0;
  bool may_be_late = true;  ///< true if others wait for this member
  bool has_ended = false;
};

/// The member that came last, and by how much later than this one.
struct Latest {
  int rank = 0;  ///< in MPI_COMM_WORLD
  double seconds = 0;
};

struct Communicator {
  MPI_Comm handle = MPI_COMM_NULL;
  bool is_intra = true;
  int own_rank = 0;
  /// Rank in MPI_COMM_WORLD, by rank in this communicator (or in the remote group).
  std::vector<int> world;
  std::vector<CollectiveCall> calls;  ///< since the last exchange
  std::uint64_t first_call = 0;       ///< number of the call in calls[0]
  /// Calls whose last member is known although they have not ended here, by number.
  std::map<std::uint64_t, Latest> open;
  /// Pending requests that refer to it, and `has_ended` once it has been freed.
  std::atomic<std::uint64_t> requests{0};
  static constexpr std::uint64_t has_ended = std::uint64_t{1} << 63;
};

/// A request that a later call may wait for.
struct Pending {
  Communicator* communicator = nullptr;
  int source = MPI_ANY_SOURCE;  ///< for a receive
  bool is_collective = false;
  bool is_persistent = false;
  std::uint64_t number = 0;  ///< of a collective call: its number in the communicator
  std::uint64_t serial = 0;  ///< distinguishes a request from an earlier one with the same handle
};

/// Records in this process who was waited for, and how long. Any thread. Waits for messages are
/// added to the record of the calling thread, without a lock.
class Recorder {
 public:
  /// The only recorder of the process: functions of MPI's profiling interface have no handle to
  /// find another by.
  static Recorder& get();
  /// The record of the calling thread.
  static ThreadRecord& own_record() { return record != nullptr ? *record : get().add_thread(); }

  /// To be called when the ranks have just left a barrier together: time 0 for collective calls.
  void begin();
  [[nodiscard]] bool has_begun() const { return has_begun_.load(std::memory_order_acquire); }
  [[nodiscard]] Instant now() const { return clock_.now(); }
  [[nodiscard]] std::uint64_t calls();

  void waited_for_message(MPI_Comm communicator, int source, Duration blocked);
  void waited_in_collective(MPI_Comm communicator, Latecomers latecomers, int root, Instant came,
                            Duration blocked);

  void post_receive(MPI_Request request, MPI_Comm communicator, int source, bool is_persistent);
  void post_collective(MPI_Request request, MPI_Comm communicator, Latecomers latecomers, int root);
  [[nodiscard]] bool has_pending() const { return pending_.load(std::memory_order_relaxed) > 0; }
  [[nodiscard]] std::optional<Pending> find(MPI_Request request);
  /// Like find(), but a request that is not persistent is forgotten, before another thread's may
  /// get the same handle.
  [[nodiscard]] std::optional<Pending> take(MPI_Request request);
  /// The same of each; empty if none is known.
  enum class Handling : std::uint8_t { find, take };
  [[nodiscard]] std::vector<std::optional<Pending>> look_up(std::span<const MPI_Request> requests,
                                                            Handling handling);
  /// Completes a request that was taken.
  void complete(const Pending& pending, int source, Duration blocked);
  /// Reports that a request that was found is complete, after a wait of this length; `source`:
  /// sender of its message.
  void complete(MPI_Request request, const Pending& pending, int source, Duration blocked);
  /// Removes a request for which nobody has waited.
  void forget(MPI_Request request);

  /// See pmpi.h. Collective over MPI_COMM_WORLD.
  void exchange();
  /// Collective over the communicator, which is being freed.
  void release(MPI_Comm communicator);

  struct Wait {
    double seconds = 0;
    std::uint64_t times = 0;
  };
  /// Returns and clears the waits by rank in MPI_COMM_WORLD; empty if there were none.
  [[nodiscard]] std::vector<Wait> take_waits();

 private:
  using Requests = std::unordered_map<MPI_Request, Pending>;
  class ThreadEnd;

  ThreadRecord& add_thread();
  void charge_completed(const Pending& pending, int source, Duration blocked);
  void charge_message(int world_rank, Duration blocked);
  Communicator& find_communicator(MPI_Comm communicator);
  Pending& add_request(MPI_Request request, Communicator& communicator);
  [[nodiscard]] std::optional<Pending> find_locked(MPI_Request request) const;
  [[nodiscard]] std::optional<Pending> take_locked(MPI_Request request);
  void erase(Requests::iterator place);
  void let_go(Communicator& communicator);
  void let_go_locked(Communicator& communicator);
  void delete_ended(Communicator& communicator);
  void charge(int world_rank, double seconds);
  std::uint64_t add_call(Communicator& communicator, Latecomers latecomers, int root, Instant came);
  void end_call(Communicator& communicator, std::uint64_t number, double blocked);
  void settle(const std::vector<Communicator*>& communicators);

  // Found without a call, as the depth of hooks is.
  [[gnu::tls_model("initial-exec")]] static inline constinit thread_local ThreadRecord* record =
      nullptr;

  const core::SteadyClock clock_;
  std::atomic<std::size_t> pending_{0};
  std::atomic<bool> has_begun_{false};
  std::atomic<std::uint64_t> ended_communicators_{0};  // one that was found may be gone after that
  std::mutex mutex_;
  // The following are under mutex_:
  Instant zero_{0};
  std::vector<std::unique_ptr<ThreadRecord>> threads_;
  std::vector<ThreadRecord*> unused_;  // of threads that have ended; their sums stay
  std::unordered_map<MPI_Comm, std::unique_ptr<Communicator>> communicators_;
  std::vector<std::unique_ptr<Communicator>> ended_;  // freed, but still referred to by requests
  Requests requests_;
  std::uint64_t serial_ = 0;
  std::vector<Wait> waits_;  // in collective calls
  struct Taken {
    Duration waited{0};
    std::uint64_t times = 0;
  };
  std::vector<Taken> taken_;  // of the threads' sums
};

}  // namespace roam::offload::pmpi
