// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

namespace roam::offload::pmpi {

using Clock = std::chrono::steady_clock;

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
  std::size_t requests = 0;  ///< pending requests that refer to it
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

/// Records in this process who was waited for, and how long. Any thread.
class Recorder {
 public:
  /// The only recorder of the process: functions of MPI's profiling interface have no handle to
  /// find another by.
  static Recorder& get();

  /// To be called when the ranks have just left a barrier together: time 0 for collective calls.
  void begin();
  [[nodiscard]] bool has_begun() const { return has_begun_.load(std::memory_order_acquire); }

  void count_call() { calls_.fetch_add(1, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t calls() const { return calls_.load(std::memory_order_relaxed); }

  void waited_for_message(MPI_Comm communicator, int source, Clock::duration blocked);
  void waited_in_collective(MPI_Comm communicator, Latecomers latecomers, int root,
                            Clock::time_point came, Clock::duration blocked);

  void post_receive(MPI_Request request, MPI_Comm communicator, int source, bool is_persistent);
  void post_collective(MPI_Request request, MPI_Comm communicator, Latecomers latecomers, int root);
  [[nodiscard]] bool has_pending() const { return pending_.load(std::memory_order_relaxed) > 0; }
  [[nodiscard]] std::optional<Pending> find(MPI_Request request);
  /// Like find(), but a request that is not persistent is forgotten, before another thread's may
  /// get the same handle.
  [[nodiscard]] std::optional<Pending> take(MPI_Request request);
  /// Completes a request that was taken.
  void complete(const Pending& pending, int source, Clock::duration blocked);
  /// Reports that the request is complete, after a wait of this length; `source`: sender of its
  /// message.
  void complete(MPI_Request request, const Pending& pending, int source, Clock::duration blocked);
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

  Communicator& find_communicator(MPI_Comm communicator);
  Pending& add_request(MPI_Request request, Communicator& communicator);
  void erase(Requests::iterator place);
  void let_go(Communicator& communicator);
  void charge_completed(const Pending& pending, int source, Clock::duration blocked);
  void charge(int world_rank, double seconds);
  std::uint64_t add_call(Communicator& communicator, Latecomers latecomers, int root,
                         Clock::time_point came);
  void end_call(Communicator& communicator, std::uint64_t number, double blocked);
  void settle(const std::vector<Communicator*>& communicators);

  std::atomic<std::uint64_t> calls_{0};
  std::atomic<std::size_t> pending_{0};
  std::atomic<bool> has_begun_{false};
  std::mutex mutex_;
  // The following are under mutex_:
  Clock::time_point zero_;
  std::unordered_map<MPI_Comm, std::unique_ptr<Communicator>> communicators_;
  std::vector<std::unique_ptr<Communicator>> ended_;  // freed, but still referred to by requests
  Communicator* last_ = nullptr;                      // the one found last
  Requests requests_;
  std::uint64_t serial_ = 0;
  std::vector<Wait> waits_;
};

}  // namespace roam::offload::pmpi
