// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "c_group.hpp"
#include "c_task.hpp"
#include "c_text.hpp"
#include "profiled_waits.hpp"
#include "roam/core/error.hpp"
#include "roam/offload/mpi/offload.h"
#include "roam/runtime/session.hpp"
#include "roam/transport/mpi/mpi_network.hpp"

namespace roam::offload {

namespace {

[[noreturn]] void abort_all(MPI_Comm communicator, const std::string& why) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  std::fprintf(stderr, "roam: rank %d: %s\n", rank, why.c_str());
  transport::abort_job(communicator, 1);
}

// While ranks wait for each other here, those that have nothing to do compute tasks of the others.
Task<> meet_all_ranks() { co_await here().barrier(); }

Options options_from_environment() {
  std::vector<std::string> none;
  std::vector<std::string> environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    environment.emplace_back(*entry);
  return take_options(none, environment).options;
}

}  // namespace

}  // namespace roam::offload

/// The handle of one rank; the program makes and frees it.
struct roam_offload {  // NOLINT(readability-identifier-naming): C's name
  using Spawned = roam::offload::detail::ResultTask<void>;

  roam_offload(MPI_Comm communicator, int count)
      : threads(static_cast<roam::WorkerIndex>(count)),
        network(roam::transport::make_mpi_network(communicator)),
        session(*network, network->local_ranks().front(), roam::offload::options_from_environment(),
                threads),
        profiled_waits(communicator),
        watches(session.runtime().options().of<roam::OffloadOptions>().check_buffers),
        rounds(threads, 0),
        rounds_inside(threads) {
    session.runtime().engine().services().set<roam::offload::CTaskTypes>(&types);
    session.runtime().engine().services().set<roam::offload::LentInputs>(&lent_inputs);
  }
  roam_offload(const roam_offload&) = delete;
  roam_offload& operator=(const roam_offload&) = delete;
  ~roam_offload() { lent_inputs.forget_messenger(); }

  /// Works until is_over(), asked by thread 0 alone, is true; then each thread returns from its own
  /// call.
  template <class IsOver>
  void work_until(int thread, IsOver is_over) {
    const auto worker = static_cast<roam::WorkerIndex>(thread);
    const std::uint64_t round = ++rounds[worker];
    if (worker == 0) {
      work_while([&] { return !is_over(); }, worker);
      finish_round(round);
    } else {
      // Written before the round is read, in an order that all threads agree on: either thread 0
      // sees this thread in the round, or this thread sees that the round is over.
      rounds_inside[worker].store(round, std::memory_order_seq_cst);
      work_while([&] { return finished_rounds.load(std::memory_order_seq_cst) < round; }, worker);
      rounds_inside[worker].store(0, std::memory_order_release);
    }
    if (session.is_over() && worker == 0) session.finish();  // throws the error if the job failed
    if (session.is_over()) throw roam::Error("the job has failed");
  }
  template <class GoesOn>
  void work_while(GoesOn goes_on, roam::WorkerIndex worker) {
    while (!session.is_over() && goes_on()) {
      if (!session.work(worker)) std::this_thread::yield();
    }
  }
  /// Thread 0 continues to send until no other thread is inside, and leaves nothing unsent: another
  /// rank may wait for it while this one waits for that rank in MPI.
  void finish_round(std::uint64_t round) {
    finished_rounds.store(round, std::memory_order_seq_cst);
    const auto is_inside = [round](const std::atomic<std::uint64_t>& inside) {
      return inside.load(std::memory_order_seq_cst) == round;
    };
    roam::am::Messenger& messenger = session.runtime().messenger();
    while (std::ranges::any_of(rounds_inside, is_inside)) {
      messenger.flush();
      std::this_thread::yield();
    }
    messenger.flush();
  }
  /// Called by thread 0 after all ranks have met: passes the measurements of the step on. While one
  /// thread waits inside MPI, the others have nothing to do.
  void end_step() {
    roam::Runtime& rank = session.runtime();
    profiled_waits.take([&](roam::Rank whom, double seconds) {
      roam::offload::Offloader::of(rank).waited_outside_for(whom,
                                                            roam::from_seconds(seconds * threads));
    });
    roam::offload::next_step(rank);
    rank.messenger().flush();
  }
  /// Called by thread 0: true if everything that this rank has spawned is complete.
  [[nodiscard]] bool are_tasks_complete() {
    const std::lock_guard guard(mutex);
    while (!spawned.empty() && spawned.front()->is_done()) {
      take_result(*spawned.front());
      spawned.pop_front();
    }
    return spawned.empty();
  }
  void spawn(const char* name, const roam_buffer* buffers, int count,
             const std::optional<roam::offload::Cost>& cost) {
    if (name == nullptr) throw roam::Error("a task without a name");
    auto& offloader = roam::offload::Offloader::of(session.runtime());
    const roam::offload::CTaskTypes::Type& type = types.find(std::string(name));
    auto* const task = new roam::offload::CTask(
        offloader, type, roam::offload::checked_buffers(buffers, count, false));
    if (cost) task->state_cost(*cost, &type);
    if (watches) {
      task->watch_buffers();
      lent_watch.add(name, session.runtime().rank().value(), {buffers, buffers + count});
    }
    note_spawned(*task);
    offloader.tasks().submit(task);
  }
  void note_spawned(Spawned& task) {
    const std::lock_guard guard(mutex);
    spawned.push_back(&task);
  }
  void take_result(Spawned& task) {
    try {
      task.take();
    } catch (const roam::Error& thrown) {
      if (failure.empty()) failure = thrown.what();
    }
    task.roam::am::PendingReply::drop();
  }
  /// Called by thread 0 at the end of a step.
  void check_lent_buffers() {
    if (!watches) return;
    std::string changed = lent_watch.end_step();
    const std::lock_guard guard(mutex);
    if (failure.empty()) failure = std::move(changed);
  }
  void throw_failure() {
    const std::lock_guard guard(mutex);
    if (!failure.empty()) throw roam::Error(std::exchange(failure, {}));
  }

  const roam::WorkerIndex threads;
  roam::offload::LentInputs lent_inputs;  // the network gives back what it has of them
  const std::unique_ptr<roam::transport::Network> network;
  roam::offload::CTaskTypes types;
  roam::Session session;
  roam::offload::ProfiledWaits profiled_waits;
  const bool watches;  // whether buffers are changed or freed too early
  roam::offload::LentWatch lent_watch;
  std::vector<std::uint64_t> rounds;  // each entry written by its thread
  // The round in which each thread works; 0: none.
  std::vector<std::atomic<std::uint64_t>> rounds_inside;
  std::atomic<std::uint64_t> finished_rounds{0};
  std::mutex mutex;
  std::deque<Spawned*> spawned;      // under mutex; each with a reference
  std::string failure;               // under mutex: of the first task that failed
  std::string words;                 // under mutex: why the last call failed
  MPI_Comm aborted = MPI_COMM_NULL;  // by a failure; constant once the program has it
};

namespace {

template <class Call>
int guarded(roam_offload* handle, Call&& call) {
  if (handle == nullptr) return ROAM_FAILURE;
  std::string why;
  try {
    call();
    return ROAM_SUCCESS;
  } catch (const std::exception& error) {
    why = error.what();
  } catch (...) {
    why = "an exception of unknown type";
  }
  if (handle->aborted != MPI_COMM_NULL) roam::offload::abort_all(handle->aborted, why);
  const std::lock_guard guard(handle->mutex);
  handle->words = std::move(why);
  return ROAM_FAILURE;
}

void require_thread(const roam_offload& handle, int thread) {
  if (thread >= 0 && static_cast<roam::WorkerIndex>(thread) < handle.threads) return;
  throw roam::Error("thread " + std::to_string(thread) + " of a handle for " +
                    std::to_string(handle.threads) +
                    " threads; allowed are 0 to that less one (see roam_offload_init)");
}

}  // namespace

int roam_offload_init(MPI_Comm communicator, int threads, roam_offload** handle, char* message,
                      size_t length) {
  if (handle == nullptr) return ROAM_FAILURE;
  *handle = nullptr;
  try {
    int is_initialised = 0;
    MPI_Initialized(&is_initialised);
    if (is_initialised == 0) throw roam::Error("roam_offload_init: MPI is not initialised yet");
    if (threads < 1 || threads > 4096) {
      throw roam::Error("roam_offload_init: " + std::to_string(threads) +
                        " threads; allowed are 1 to 4096");
    }
    *handle = new roam_offload(communicator, threads);
    return ROAM_SUCCESS;
  } catch (const std::exception& error) {
    roam::offload::put_text(error.what(), message, length);
  } catch (...) {
    roam::offload::put_text("an exception of unknown type", message, length);
  }
  return ROAM_FAILURE;
}

roam_offload* roam_offload_start(MPI_Comm communicator, int threads) {
  roam_offload* handle = nullptr;
  char why[1024] = "";
  if (roam_offload_init(communicator, threads, &handle, why, sizeof why) != ROAM_SUCCESS) {
    std::fprintf(stderr, "roam: %s\n", why);  // perhaps MPI is not initialised, and has no ranks
    roam::transport::abort_job(communicator, 1);
  }
  handle->aborted = communicator;
  return handle;
}

roam_offload* roam_offload_start_fortran(int communicator, int threads) {
  return roam_offload_start(MPI_Comm_f2c(communicator), threads);
}

int roam_offload_init_fortran(int communicator, int threads, roam_offload** handle, char* message,
                              size_t length) {
  return roam_offload_init(MPI_Comm_f2c(communicator), threads, handle, message, length);
}

int roam_offload_register(roam_offload* handle, const char* name, roam_task_function function) {
  return guarded(handle, [&] {
    if (name == nullptr || function == nullptr)
      throw roam::Error("a task without name or function");
    handle->types.add(name, function);
  });
}

int roam_offload_spawn(roam_offload* handle, const char* name, const roam_buffer* buffers,
                       int count) {
  return guarded(handle, [&] { handle->spawn(name, buffers, count, std::nullopt); });
}

int roam_offload_spawn_with_cost(roam_offload* handle, const char* name, const roam_buffer* buffers,
                                 int count, double cost) {
  return guarded(handle, [&] { handle->spawn(name, buffers, count, roam::offload::Cost(cost)); });
}

int roam_offload_spawn_group(roam_offload* handle, const roam_group_task* tasks, int count,
                             roam_travel travel) {
  return guarded(handle, [&] {
    if (count < 1 || tasks == nullptr)
      throw roam::Error("a group of " + std::to_string(count) + " tasks, or no list of them");
    if (travel < ROAM_BY_DATA || travel > ROAM_APART) {
      throw roam::Error("a group travels as " + std::to_string(travel) +
                        "; allowed are ROAM_BY_DATA, ROAM_TOGETHER and ROAM_APART");
    }
    auto& offloader = roam::offload::Offloader::of(handle->session.runtime());
    roam::offload::CGroup group(handle->types, {tasks, static_cast<std::size_t>(count)});
    const bool is_together =
        travel == ROAM_BY_DATA ? group.has_much_inside() : travel == ROAM_TOGETHER;
    offloader.group_sizes().count(is_together);
    if (is_together) {
      auto* const task = std::move(group).together(offloader, handle->watches);
      handle->note_spawned(*task);
      return offloader.tasks().submit(task);
    }
    // Once submitted, tasks may begin others, and be over.
    std::vector<roam::offload::CTask*> ready;
    for (roam::offload::CTask* const task : group.apart(offloader)) {
      if (handle->watches) task->watch_buffers();
      handle->note_spawned(*task);
      if (!task->waits()) ready.push_back(task);
    }
    for (roam::offload::CTask* const task : ready) offloader.tasks().submit(task);
  });
}

int roam_offload_wait(roam_offload* handle, int thread) {
  return guarded(handle, [&] {
    require_thread(*handle, thread);
    handle->work_until(thread, [&] { return handle->are_tasks_complete(); });
    if (thread == 0) handle->throw_failure();
  });
}

int roam_offload_end_step(roam_offload* handle, int thread) {
  return guarded(handle, [&] {
    require_thread(*handle, thread);
    std::optional<roam::am::Reply<void>> met;
    handle->work_until(thread, [&] {
      if (!met) {
        // Before this rank meets the others, which may do anything but receive after that.
        if (!handle->are_tasks_complete() || handle->lent_inputs.are_needed()) return false;
        roam::Runtime& rank = handle->session.runtime();
        met.emplace(rank.request<&roam::offload::meet_all_ranks>(rank.rank()));
      }
      return met->is_ready();
    });
    if (thread != 0) return;
    handle->check_lent_buffers();
    handle->end_step();
    handle->throw_failure();
  });
}

int roam_offload_statistics(roam_offload* handle, roam_offload_counts* counts) {
  return guarded(handle, [&] {
    if (counts == nullptr) throw roam::Error("no place for the counts");
    auto& offloader = roam::offload::Offloader::of(handle->session.runtime());
    const roam::offload::HomeCounts home = offloader.tasks().counts();
    *counts = {
        home.spawned,    home.shipped, home.returned,    home.sent_back,
        home.recomputed, home.late,    home.emergencies, offloader.guests().counts().computed};
  });
}

const char* roam_offload_error(const roam_offload* handle) {
  return handle == nullptr ? "there is no handle" : handle->words.c_str();
}

int roam_offload_finalize(roam_offload** handle) {
  if (handle == nullptr || *handle == nullptr) return ROAM_FAILURE;
  const int status = guarded(*handle, [&] { (*handle)->session.finish(); });
  if (status == ROAM_SUCCESS) delete std::exchange(*handle, nullptr);
  return status;
}
