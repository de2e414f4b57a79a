// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace bench {

/// Ways to take messages of unknown size from anybody. take() looks once: true if a message lies in
/// `target` then, from whom `status` says. All on MPI_COMM_WORLD, up to `largest` bytes.
constexpr int largest = 4096;
constexpr int anybody = MPI_ANY_SOURCE;

/// MPI_Iprobe, then MPI_Recv. Two threads that probe could take each other's message.
struct Probe {
  static constexpr const char* name = "Iprobe, Recv";
  bool take(char* target, MPI_Status& status) {
    int found = 0;
    MPI_Iprobe(anybody, MPI_ANY_TAG, MPI_COMM_WORLD, &found, &status);
    if (found == 0) return false;
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    MPI_Recv(target, bytes, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    return true;
  }
};

/// MPI_Improbe, then MPI_Mrecv: what was found cannot be taken by another thread.
struct MatchedProbe {
  static constexpr const char* name = "Improbe, Mrecv";
  bool take(char* target, MPI_Status& status) {
    int found = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Improbe(anybody, MPI_ANY_TAG, MPI_COMM_WORLD, &found, &message, &status);
    if (found == 0) return false;
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    MPI_Mrecv(target, bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    return true;
  }
};

/// Receives posted in a ring, looked at in order, posted again when nothing has come: in memory of
/// the ring, out of which messages are copied. `Slot` posts them.
template <class Slot, int slots>
class Ring {
 public:
  Ring() : memory_(static_cast<std::size_t>(slots) * stride) {
    for (int i = 0; i < slots; ++i) {
      slots_[index(i)].prepare(memory(i));
      slots_[index(i)].post(memory(i));
    }
  }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;
  ~Ring() {
    post_used();
    for (Slot& slot : slots_) slot.cancel();
  }
  bool take(char* target, MPI_Status& status) {
    if (used_ == slots) post_used();
    int ended = 0;
    MPI_Test(&slots_[index(oldest_)].request, &ended, &status);
    if (ended == 0) {
      post_used();
      return false;
    }
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    const char* const message = memory(oldest_);
    std::copy_n(message, bytes, target);
    oldest_ = (oldest_ + 1) % slots;
    ++used_;
    return true;
  }

 private:
  static constexpr std::size_t stride = largest + 128;  // not all in the same sets of the cache
  static std::size_t index(int slot) { return static_cast<std::size_t>(slot); }
  char* memory(int slot) { return memory_.data() + index(slot) * stride; }
  void post_used() {
    for (; used_ > 0; --used_) {
      const int slot = (oldest_ + slots - used_) % slots;
      slots_[index(slot)].post(memory(slot));
    }
  }
  std::vector<char> memory_;
  std::array<Slot, slots> slots_;
  int oldest_ = 0;
  int used_ = 0;
};

struct PersistentSlot {
  MPI_Request request = MPI_REQUEST_NULL;
  void prepare(char* memory) {
    MPI_Recv_init(memory, largest, MPI_BYTE, anybody, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
  }
  void post(char* /*memory*/) { MPI_Start(&request); }
  void cancel() {
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
  }
};
struct PlainSlot {
  MPI_Request request = MPI_REQUEST_NULL;
  void prepare(char* /*memory*/) {}
  void post(char* memory) {
    MPI_Irecv(memory, largest, MPI_BYTE, anybody, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
  }
  void cancel() {
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
};

struct OnePersistent : Ring<PersistentSlot, 1> {
  static constexpr const char* name = "1 persistent";
};
struct PersistentRing : Ring<PersistentSlot, 16> {
  static constexpr const char* name = "ring of 16 persistent";
};
struct LongRing : Ring<PersistentSlot, 128> {
  static constexpr const char* name = "ring of 128 persistent";
};
struct PlainRing : Ring<PlainSlot, 16> {
  static constexpr const char* name = "ring of 16 Irecv";
};

}  // namespace bench
