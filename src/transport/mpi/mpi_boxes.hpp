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

/// The boxes (FastBox) through which ranks of one machine pass messages of some KiB, in an MPI
/// window of shared memory. Where the library has none to give, or for ranks that are too many
/// places apart, there are none and messages go by MPI alone.
class MpiBoxes {
 public:
  /// A rank with a box here for its messages and with one there for ours.
  struct Neighbour {
    Rank rank;
    FastBoxWriter there;
    FastBoxReader here;
    core::Buffer arriving = {};  // of a message of several pieces, what is here of it
    // What has come since the box there was full, whatever its size: in order.
    std::deque<core::Buffer> waiting = {};
    // Messages by MPI, modulo 2^32, as both ends count: those in boxes keep their place among them.
    std::uint32_t by_mpi_sent = 0;
    std::uint32_t by_mpi_received = 0;
  };

  /// Collective over `communicator`. With `most` neighbours of this rank at most.
  MpiBoxes(MPI_Comm communicator, std::size_t most);
  MpiBoxes(const MpiBoxes&) = delete;
  MpiBoxes& operator=(const MpiBoxes&) = delete;
  /// Collective over the ranks of this machine, unless abandoned.
  ~MpiBoxes() { free(); }
  void free();
  /// Peers may be gone: nothing collective any more; the memory stays.
  void abandon();

  /// Ranks that share memory with this one, itself included.
  [[nodiscard]] int ranks_here() const { return ranks_here_; }
  /// Of these, those lower than this one.
  [[nodiscard]] int ranks_before() const { return place_; }
  /// nullptr if there are no boxes between it and this rank.
  [[nodiscard]] Neighbour* neighbour(Rank rank) const {
    return by_rank_.empty() ? nullptr : by_rank_[rank.index()];
  }
  /// All of them, each for the life of this object.
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
  int place_ = 0;  // this rank's in machine_
  std::vector<std::unique_ptr<Neighbour>> neighbours_;
  std::vector<Neighbour*> by_rank_;  // empty if there are none
};

}  // namespace roam::transport
