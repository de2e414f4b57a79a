// SPDX-License-Identifier: Apache-2.0
#include "recorder.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace roam::offload::pmpi {

namespace {

constexpr std::size_t most_calls = 65'536;  // per communicator, between two exchanges

std::vector<int> ranks_in_world(MPI_Comm communicator, bool is_intra) {
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group world = MPI_GROUP_NULL;
  if (is_intra) {
    PMPI_Comm_group(communicator, &group);
  } else {
    PMPI_Comm_remote_group(communicator, &group);
  }
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  int size = 0;
  PMPI_Group_size(group, &size);
  std::vector<int> here(static_cast<std::size_t>(size));
  for (int rank = 0; rank < size; ++rank) here[static_cast<std::size_t>(rank)] = rank;
  std::vector<int> there(here.size());
  PMPI_Group_translate_ranks(group, size, here.data(), world, there.data());
  PMPI_Group_free(&group);
  PMPI_Group_free(&world);
  return there;
}

std::unique_ptr<Communicator> describe(MPI_Comm handle) {
  auto communicator = std::make_unique<Communicator>();
  communicator->handle = handle;
  int is_inter = 0;
  PMPI_Comm_test_inter(handle, &is_inter);
  communicator->is_intra = is_inter == 0;
  PMPI_Comm_rank(handle, &communicator->own_rank);
  communicator->world = ranks_in_world(handle, communicator->is_intra);
  return communicator;
}

// The layout of MPI_DOUBLE_INT.
struct Arrival {
  double came = 0;
  int rank = 0;
};

}  // namespace

Recorder& Recorder::get() {
  // Never destroyed, since destructors of the program may call MPI.
  static Recorder* const recorder = new Recorder;
  return *recorder;
}

/// Gives a thread's record back when the thread ends.
class Recorder::ThreadEnd {
 public:
  ThreadEnd() = default;
  ThreadEnd(const ThreadEnd&) = delete;
  ThreadEnd& operator=(const ThreadEnd&) = delete;
  ~ThreadEnd() {
    Recorder& recorder = get();
    const std::lock_guard guard(recorder.mutex_);
    recorder.unused_.push_back(std::exchange(record, nullptr));
  }
};

ThreadRecord& Recorder::add_thread() {
  const std::lock_guard guard(mutex_);
  if (unused_.empty()) {
    record = threads_.emplace_back(std::make_unique<ThreadRecord>()).get();
  } else {
    record = unused_.back();
    unused_.pop_back();
  }
  // Destroyed once: what calls MPI still later has a record that is not used again.
  static const thread_local ThreadEnd end;
  return *record;
}

std::uint64_t Recorder::calls() {
  const std::lock_guard guard(mutex_);
  std::uint64_t sum = 0;
  for (const auto& thread : threads_) sum += thread->calls();
  return sum;
}

void Recorder::begin() {
  const std::lock_guard guard(mutex_);
  zero_ = now();
  has_begun_.store(true, std::memory_order_release);
}

Communicator& Recorder::find_communicator(MPI_Comm communicator) {
  ThreadRecord::Found& last = own_record().last;
  const std::uint64_t ended = ended_communicators_.load(std::memory_order_acquire);
  if (last.communicator != nullptr && last.handle == communicator && last.ended == ended)
    return *last.communicator;
  const std::lock_guard guard(mutex_);
  auto& place = communicators_[communicator];
  if (place == nullptr) place = describe(communicator);
  last = {communicator, place.get(), ended};
  return *place;
}

void Recorder::charge(int world_rank, double seconds) {
  if (world_rank < 0 || seconds <= 0) return;
  const auto rank = static_cast<std::size_t>(world_rank);
  if (rank >= waits_.size()) waits_.resize(rank + 1);
  waits_[rank].seconds += seconds;
  ++waits_[rank].times;
}

void Recorder::charge_message(int world_rank, Duration blocked) {
  if (world_rank < 0 || blocked.count() <= 0) return;
  ThreadRecord& own = own_record();
  if (!own.has_slots()) {
    int size = 0;
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    const std::lock_guard guard(mutex_);
    own.make_slots(static_cast<std::size_t>(size));
  }
  own.charge(static_cast<std::size_t>(world_rank), blocked);
}

void Recorder::waited_for_message(MPI_Comm communicator, int source, Duration blocked) {
  if (source < 0) return;  // MPI_PROC_NULL
  charge_message(find_communicator(communicator).world.at(static_cast<std::size_t>(source)),
                 blocked);
}

std::uint64_t Recorder::add_call(Communicator& communicator, Latecomers latecomers, int root,
                                 Instant came) {
  const std::uint64_t number = communicator.first_call + communicator.calls.size();
  if (communicator.calls.size() < most_calls) {
    const bool may_be_late = latecomers == Latecomers::any || root == communicator.own_rank;
    communicator.calls.push_back({.came = seconds(came - zero_), .may_be_late = may_be_late});
  }
  return number;
}

void Recorder::end_call(Communicator& communicator, std::uint64_t number, double blocked) {
  if (const auto found = communicator.open.find(number); found != communicator.open.end()) {
    charge(found->second.rank, std::min(found->second.seconds, blocked));
    communicator.open.erase(found);
    return;
  }
  const std::uint64_t index = number - communicator.first_call;
  if (number < communicator.first_call || index >= communicator.calls.size()) return;
  communicator.calls[index].blocked = blocked;
  communicator.calls[index].has_ended = true;
}

void Recorder::waited_in_collective(MPI_Comm communicator, Latecomers latecomers, int root,
                                    Instant came, Duration blocked) {
  Communicator& found = find_communicator(communicator);
  if (!found.is_intra) return;
  const std::lock_guard guard(mutex_);
  end_call(found, add_call(found, latecomers, root, came), seconds(blocked));
}

Pending& Recorder::add_request(MPI_Request request, Communicator& communicator) {
  const auto [place, is_new] = requests_.try_emplace(request);
  Pending& pending = place->second;
  if (!is_new)
    let_go_locked(*pending.communicator);  // it was freed in a way that is not intercepted
  pending = {.communicator = &communicator, .serial = ++serial_};
  communicator.requests.fetch_add(1, std::memory_order_relaxed);
  pending_.store(requests_.size(), std::memory_order_relaxed);
  return pending;
}

void Recorder::erase(Requests::iterator place) {
  requests_.erase(place);
  pending_.store(requests_.size(), std::memory_order_relaxed);
}

// The last request of a communicator that has ended deletes it. One that has not ended stays
// whatever the count is: release() finds out in one step whether requests are left.
void Recorder::let_go(Communicator& communicator) {
  const std::uint64_t before = communicator.requests.fetch_sub(1, std::memory_order_acq_rel);
  if (before != (Communicator::has_ended | 1)) return;
  const std::lock_guard guard(mutex_);
  delete_ended(communicator);
}

void Recorder::let_go_locked(Communicator& communicator) {
  const std::uint64_t before = communicator.requests.fetch_sub(1, std::memory_order_acq_rel);
  if (before == (Communicator::has_ended | 1)) delete_ended(communicator);
}

void Recorder::delete_ended(Communicator& communicator) {
  std::erase_if(ended_, [&](const auto& one) { return one.get() == &communicator; });
}

void Recorder::post_receive(MPI_Request request, MPI_Comm communicator, int source,
                            bool is_persistent) {
  Communicator& found = find_communicator(communicator);
  const std::lock_guard guard(mutex_);
  Pending& pending = add_request(request, found);
  pending.source = source;
  pending.is_persistent = is_persistent;
}

void Recorder::post_collective(MPI_Request request, MPI_Comm communicator, Latecomers latecomers,
                               int root) {
  const Instant came = now();
  Communicator& found = find_communicator(communicator);
  if (!found.is_intra) return;
  const std::lock_guard guard(mutex_);
  Pending& pending = add_request(request, found);
  pending.is_collective = true;
  pending.number = add_call(found, latecomers, root, came);
}

std::optional<Pending> Recorder::find_locked(MPI_Request request) const {
  const auto found = requests_.find(request);
  return found == requests_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Pending> Recorder::take_locked(MPI_Request request) {
  const auto found = requests_.find(request);
  if (found == requests_.end()) return std::nullopt;
  const Pending pending = found->second;
  if (!pending.is_persistent) erase(found);
  return pending;
}

std::optional<Pending> Recorder::find(MPI_Request request) {
  const std::lock_guard guard(mutex_);
  return find_locked(request);
}

std::optional<Pending> Recorder::take(MPI_Request request) {
  const std::lock_guard guard(mutex_);
  return take_locked(request);
}

std::vector<std::optional<Pending>> Recorder::look_up(std::span<const MPI_Request> requests,
                                                      Handling handling) {
  std::vector<std::optional<Pending>> known;
  const std::lock_guard guard(mutex_);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    auto pending = handling == Handling::take ? take_locked(requests[i]) : find_locked(requests[i]);
    if (!pending) continue;
    if (known.empty()) known.resize(requests.size());
    known[i] = pending;
  }
  return known;
}

void Recorder::charge_completed(const Pending& pending, int source, Duration blocked) {
  if (pending.is_collective) {
    const std::lock_guard guard(mutex_);
    return end_call(*pending.communicator, pending.number, seconds(blocked));
  }
  const int sender = pending.source >= 0 ? pending.source : source;
  if (sender < 0 || blocked.count() <= 0) return;
  charge_message(pending.communicator->world.at(static_cast<std::size_t>(sender)), blocked);
}

void Recorder::complete(const Pending& pending, int source, Duration blocked) {
  charge_completed(pending, source, blocked);
  if (!pending.is_persistent) let_go(*pending.communicator);
}

void Recorder::complete(MPI_Request request, const Pending& pending, int source, Duration blocked) {
  charge_completed(pending, source, blocked);
  const std::lock_guard guard(mutex_);
  const auto found = requests_.find(request);
  const bool is_this = found != requests_.end() && found->second.serial == pending.serial;
  if (!is_this || pending.is_persistent) return;
  erase(found);
  let_go_locked(*pending.communicator);
}

void Recorder::forget(MPI_Request request) {
  const std::lock_guard guard(mutex_);
  const auto found = requests_.find(request);
  if (found == requests_.end()) return;
  Communicator& communicator = *found->second.communicator;
  erase(found);
  let_go_locked(communicator);
}

// The lock is released while MPI works: other threads may have to continue before all members are
// here.
void Recorder::settle(const std::vector<Communicator*>& communicators) {
  std::vector<std::vector<Arrival>> arrivals(communicators.size());
  std::vector<MPI_Request> requests(communicators.size(), MPI_REQUEST_NULL);
  for (std::size_t i = 0; i < communicators.size(); ++i) {
    {
      const std::lock_guard guard(mutex_);
      for (const CollectiveCall& call : communicators[i]->calls) {
        arrivals[i].push_back({call.may_be_late ? call.came : std::numeric_limits<double>::lowest(),
                               communicators[i]->own_rank});
      }
    }
    if (arrivals[i].empty()) continue;
    PMPI_Iallreduce(MPI_IN_PLACE, arrivals[i].data(), static_cast<int>(arrivals[i].size()),
                    MPI_DOUBLE_INT, MPI_MAXLOC, communicators[i]->handle, &requests[i]);
  }
  PMPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  const std::lock_guard guard(mutex_);
  for (std::size_t i = 0; i < communicators.size(); ++i) {
    Communicator& communicator = *communicators[i];
    const std::uint64_t begin = communicator.first_call;
    communicator.first_call += arrivals[i].size();
    for (std::size_t k = 0; k < arrivals[i].size(); ++k) {
      const CollectiveCall& call = communicator.calls[k];
      const Latest latest{communicator.world.at(static_cast<std::size_t>(arrivals[i][k].rank)),
                          arrivals[i][k].came - call.came};
      if (!call.has_ended) {
        communicator.open[begin + k] = latest;
      } else {
        charge(latest.rank, std::min(latest.seconds, call.blocked));
      }
    }
    communicator.calls.erase(
        communicator.calls.begin(),
        communicator.calls.begin() + static_cast<std::ptrdiff_t>(arrivals[i].size()));
  }
}

void Recorder::exchange() {
  std::vector<Communicator*> all;
  {
    const std::lock_guard guard(mutex_);
    for (const auto& [handle, communicator] : communicators_)
      if (communicator->is_intra) all.push_back(communicator.get());
  }
  settle(all);
  PMPI_Barrier(MPI_COMM_WORLD);
  begin();
}

void Recorder::release(MPI_Comm handle) {
  std::unique_ptr<Communicator> communicator;
  {
    const std::lock_guard guard(mutex_);
    const auto found = communicators_.find(handle);
    if (found == communicators_.end()) return;
    communicator = std::move(found->second);
    communicators_.erase(found);
    ended_communicators_.fetch_add(1, std::memory_order_release);
  }
  if (communicator->is_intra) settle({communicator.get()});
  const std::lock_guard guard(mutex_);
  const std::uint64_t requests =
      communicator->requests.fetch_or(Communicator::has_ended, std::memory_order_acq_rel);
  if (requests > 0) ended_.push_back(std::move(communicator));
}

std::vector<Recorder::Wait> Recorder::take_waits() {
  const std::lock_guard guard(mutex_);
  std::vector<Wait> waits = std::exchange(waits_, {});
  std::vector<const ThreadRecord*> threads;
  for (const auto& thread : threads_)
    if (thread->has_slots()) threads.push_back(thread.get());
  if (threads.empty()) return waits;
  int size = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  waits.resize(static_cast<std::size_t>(size));
  taken_.resize(waits.size());
  for (std::size_t rank = 0; rank < waits.size(); ++rank) {
    Taken sum;
    for (const ThreadRecord* thread : threads) {
      sum.waited += thread->waited(rank);
      sum.times += thread->times(rank);
    }
    const Taken before = std::exchange(taken_[rank], sum);
    waits[rank].seconds += seconds(sum.waited - before.waited);
    waits[rank].times += sum.times - before.times;
  }
  return waits;
}

}  // namespace roam::offload::pmpi
