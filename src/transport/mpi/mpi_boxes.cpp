// SPDX-License-Identifier: Apache-2.0
#include "transport/mpi/mpi_boxes.hpp"

#include <algorithm>
#include <new>
#include <numeric>

#include "transport/mpi/mpi_error.hpp"

namespace roam::transport {

namespace {

// The number of boxes per rank. The ranks of a machine form a circle; neighbours are ranks that are
// few enough places apart. So of any two ranks either both or none has a box for the other.
std::size_t boxes_per_rank(int ranks_here, std::size_t most) {
  const auto others = static_cast<std::size_t>(ranks_here - 1);
  return others <= most ? others : most / 2 * 2;
}

// The index, among its owner's boxes, of the one for messages of `writer`; `boxes` if there is
// none.
std::size_t box_index(int owner, int writer, int ranks_here, std::size_t boxes) {
  const auto all = static_cast<std::size_t>(ranks_here);
  const auto distance = static_cast<std::size_t>((writer - owner + ranks_here) % ranks_here);
  if (distance == 0) return boxes;
  if (boxes == all - 1 || distance <= boxes / 2) return distance - 1;
  return distance >= all - boxes / 2 ? distance - (all - boxes) : boxes;
}

// Mappings begin at a page in every process, so that all processes compute the same place.
FastBox* first_box(void* memory) {
  const auto start = reinterpret_cast<std::uintptr_t>(memory);
  const std::size_t padding = (alignof(FastBox) - start % alignof(FastBox)) % alignof(FastBox);
  return reinterpret_cast<FastBox*>(static_cast<std::byte*>(memory) + padding);
}

}  // namespace

MpiBoxes::MpiBoxes(MPI_Comm communicator, std::size_t most) {
  if (MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine_) !=
      MPI_SUCCESS) {
    machine_ = MPI_COMM_NULL;
    return;
  }
  check_mpi(MPI_Comm_set_errhandler(machine_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check_mpi(MPI_Comm_size(machine_, &ranks_here_), "MPI_Comm_size");
  check_mpi(MPI_Comm_rank(machine_, &place_), "MPI_Comm_rank");
  const std::size_t boxes = boxes_per_rank(ranks_here_, most);
  if (boxes > 0 && make_window(boxes)) find_neighbours(communicator, boxes);
}

// Makes the window. False, on all ranks, if one of them has no such memory.
bool MpiBoxes::make_window(std::size_t boxes) {
  void* memory = nullptr;
  const auto bytes = static_cast<MPI_Aint>(boxes * sizeof(FastBox) + alignof(FastBox));
  int has_memory =
      MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, machine_, &memory, &window_) == MPI_SUCCESS
          ? 1
          : 0;
  if (has_memory == 0) window_ = MPI_WIN_NULL;
  int all_have = 0;
  check_mpi(MPI_Allreduce(&has_memory, &all_have, 1, MPI_INT, MPI_MIN, machine_), "MPI_Allreduce");
  if (all_have == 0) return false;
  check_mpi(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_), "MPI_Win_lock_all");
  FastBox* const mine = first_box(memory);
  for (std::size_t i = 0; i < boxes; ++i) ::new (mine + i) FastBox{};
  check_mpi(MPI_Win_sync(window_), "MPI_Win_sync");
  check_mpi(MPI_Barrier(machine_), "MPI_Barrier");
  check_mpi(MPI_Win_sync(window_), "MPI_Win_sync");
  return true;
}

FastBox* MpiBoxes::box(int owner, std::size_t index) const {
  void* memory = nullptr;
  MPI_Aint bytes = 0;
  int unit = 0;
  check_mpi(MPI_Win_shared_query(window_, owner, &bytes, &unit, &memory), "MPI_Win_shared_query");
  return first_box(memory) + index;
}

void MpiBoxes::find_neighbours(MPI_Comm communicator, std::size_t boxes) {
  const auto count = static_cast<std::size_t>(ranks_here_);
  std::vector<int> places(count);
  std::vector<int> ranks(count);
  std::iota(places.begin(), places.end(), 0);
  MPI_Group here = MPI_GROUP_NULL;
  MPI_Group all = MPI_GROUP_NULL;
  int size = 0;
  check_mpi(MPI_Comm_group(machine_, &here), "MPI_Comm_group");
  check_mpi(MPI_Comm_group(communicator, &all), "MPI_Comm_group");
  check_mpi(MPI_Comm_size(communicator, &size), "MPI_Comm_size");
  check_mpi(MPI_Group_translate_ranks(here, ranks_here_, places.data(), all, ranks.data()),
            "MPI_Group_translate_ranks");
  MPI_Group_free(&here);
  MPI_Group_free(&all);
  by_rank_.resize(static_cast<std::size_t>(size));
  for (const int other : places) {
    const std::size_t there = box_index(other, place_, ranks_here_, boxes);
    const std::size_t mine = box_index(place_, other, ranks_here_, boxes);
    if (there == boxes || mine == boxes) continue;
    const Rank rank(ranks[static_cast<std::size_t>(other)]);
    neighbours_.push_back(std::make_unique<Neighbour>(Neighbour{
        rank, FastBoxWriter(*box(other, there)), FastBoxReader(*box(place_, mine)), {}, {}}));
    by_rank_[rank.index()] = neighbours_.back().get();
  }
}

void MpiBoxes::free() {
  neighbours_.clear();
  by_rank_.clear();
  if (window_ != MPI_WIN_NULL) {
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }
  if (machine_ != MPI_COMM_NULL) MPI_Comm_free(&machine_);
}

void MpiBoxes::abandon() {
  window_ = MPI_WIN_NULL;
  machine_ = MPI_COMM_NULL;
}

}  // namespace roam::transport
