// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "roam/core/detail/buffer.hpp"
#include "roam/core/types.hpp"
#include "roam/transport/mpi/mpi_network.hpp"
#include "transport/fast_box.hpp"

namespace roam::transport {

/// The boxes (FastBox) through which ranks of one machine pass messages of a few KiB, in an MPI
/// window of shared memory. If the library cannot provide one, or for ranks that are too many
/// places apart, there are no boxes and messages are sent by MPI alone.
class MpiBoxes {
 public:
  /// A rank that has a box here for its messages to this rank, and one there for the opposite
  /// direction.
  struct Neighbour {
    Rank rank;
    FastBoxWriter there;
    FastBoxReader here;
    core::Buffer arriving = {};  // the part that has arrived of a message of several pieces
    // The messages, of any size and in order, since the box there was full.
    std::deque<core::Buffer> waiting = {};
    // The number of messages sent by MPI, modulo 2^32, as both ends count them; with it, messages
    // in boxes are put into order among them.
    std::uint32_t by_mpi_sent = 0;
    std::uint32_t by_mpi_received = 0;
  };

  /// Collective over `communicator`. A rank has at most `most` neighbours.
  MpiBoxes(MPI_Comm communicator, std::size_t most);
  MpiBoxes(const MpiBoxes&) = delete;
  MpiBoxes& operator=(const MpiBoxes&) = delete;
  /// Collective over the ranks of this machine, unless abandon() was called.
  ~MpiBoxes() { free(); }
  void free();
  /// Called because peers may be gone: nothing collective is called any more, and the memory is not
  /// freed.
  void abandon();

  /// The number of ranks that share memory with this one, itself included.
  [[nodiscard]] int ranks_here() const { return ranks_here_; }
  /// The number of these ranks that are lower than this one.
  [[nodiscard]] int ranks_before() const { return place_; }
  /// The neighbour of this rank; nullptr if there are no boxes between it and this rank.
  [[nodiscard]] Neighbour* neighbour(Rank rank) const {
    return by_rank_.empty() ? nullptr : by_rank_[rank.index()];
  }
  /// All neighbours; each exists as long as this object.
  [[nodiscard]] const std::vector<std::unique_ptr<Neighbour>>& neighbours() const {
    return neighbours_;
  }

 private:
  [[nodiscard]] bool make_window(std::size_t boxes);
  [[nodiscard]] FastBox* box(int owner, std::size_t index) const;
  void find_neighbours(MPI_Comm communicator, std::size_t boxes);

  MPI_Comm machine_ = MPI_COMM_NULL;  // the ranks that share memory
  MPI_Win window_ = MPI_WIN_NULL;
  int ranks_here_ = 1;
  int place_ = 0;  // this rank's place in machine_
  std::vector<std::unique_ptr<Neighbour>> neighbours_;
  std::vector<Neighbour*> by_rank_;  // empty if there are none
};

}  // namespace roam::transport
