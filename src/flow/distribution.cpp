// SPDX-License-Identifier: Apache-2.0
#include "roam/flow/detail/distribution.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "flow/distributions.hpp"
#include "flow/nested_packing.hpp"
#include "roam/am/detail/system_handlers.hpp"
#include "roam/core/error.hpp"
#include "roam/flow/collection.hpp"
#include "roam/flow/core.hpp"
#include "roam/flow/detail/element_queue.hpp"

namespace roam::flow {

namespace {

// Without elements.
mobile::CollectionShape nothing() {
  mobile::CollectionShape shape;
  shape.extent = {0, 0, 0};
  return shape;
}

}  // namespace

Distribution::Distribution(Distributions& all, const DistributionName& name,
                           const mobile::CollectionShape& shape,
                           std::shared_ptr<const IndexSet> set, Rank rank, bool is_measured)
    : all_(all),
      name_(name),
      shape_(shape),
      set_(std::move(set)),
      rank_(rank),
      is_measured_(is_measured),
      homes_(set_ != nullptr && set_->is_listed() ? nothing() : shape, rank) {
  if (set_ != nullptr) list_those_here();
}

Distribution::~Distribution() = default;

bool Distribution::is_of(const mobile::CollectionShape& shape,
                         const std::shared_ptr<const IndexSet>& set) const {
  if (shape_ != shape) return false;
  return set_ == set || (set_ != nullptr && set != nullptr && *set_ == *set);
}

// A list is searched for indices whose home is here; a function is asked about all whose home is
// here.
void Distribution::list_those_here() {
  is_listed_ = true;
  if (set_->is_listed()) {
    for (const std::uint64_t index : set_->listed()) {
      if (shape_.home(index) == rank_) here_.push_back(index);
    }
    if (shape_.placement.kind() != Placement::Kind::block) return;
    const mobile::HomeElements all(shape_, rank_);
    if (all.count() == 0) return;
    std::uint64_t next = all.linear(0);
    for (const std::uint64_t index : here_) {
      add_gap(next, index);
      next = index + 1;
    }
    return add_gap(next, all.linear(0) + all.count());
  }
  for (std::uint64_t k = 0; k < homes_.count(); ++k) {
    const std::uint64_t index = homes_.linear(k);
    if (set_->contains(shape_, index)) {
      here_.push_back(index);
    } else {
      add_gap(index, index + 1);
    }
  }
}

// Divides the range into nodes of the tree of all numbers; two halves of a node are joined.
void Distribution::add_gap(std::uint64_t begin, std::uint64_t end) {
  while (begin < end) {
    const auto aligned = static_cast<std::uint32_t>(std::countr_zero(begin));
    const auto fits = static_cast<std::uint32_t>(std::bit_width(end - begin)) - 1;
    IndexGap gap{begin, std::min(aligned, fits)};
    begin += std::uint64_t{1} << gap.level;
    while (!gaps_.empty()) {
      const IndexGap& last = gaps_.back();
      const std::uint64_t length = std::uint64_t{1} << gap.level;
      if (last.level != gap.level || last.first + length != gap.first ||
          last.first % (2 * length) != 0)
        break;
      gap = {last.first, gap.level + 1};
      gaps_.pop_back();
    }
    gaps_.push_back(gap);
  }
}

bool Distribution::contains(std::uint64_t index) const {
  return is_listed_ ? std::binary_search(here_.begin(), here_.end(), index)
                    : homes_.contains(index);
}

std::uint64_t Distribution::position(std::uint64_t index) const {
  if (!is_listed_) return homes_.position(index);
  return static_cast<std::uint64_t>(std::lower_bound(here_.begin(), here_.end(), index) -
                                    here_.begin());
}

ElementLoadRef Distribution::load(std::uint64_t position) {
  if (!is_measured_) return {};
  loads_.resize(count());
  ElementLoadRef& load = loads_[position];
  if (!load) load = ElementLoadRef::make();
  return load;
}

ElementReads& Distribution::reads(std::uint64_t position) {
  if (reads_.size() <= position) reads_.resize(count());
  std::unique_ptr<ElementReads>& reads = reads_[position];
  if (reads == nullptr) reads = std::make_unique<ElementReads>();
  return *reads;
}

Duration Distribution::take_load(std::uint64_t position) {
  if (position >= loads_.size() || !loads_[position]) return Duration(0);
  return loads_[position]->take();
}

// --- tasks that may run on other ranks ---

void Distribution::set_queues(std::vector<std::unique_ptr<ElementQueue>> queues) {
  {
    const core::LockGuard guard(lock_);
    queue_of_.clear();
    for (std::uint64_t k = 0; k < queues.size(); ++k) queue_of_.emplace(index(k), queues[k].get());
  }
  queues_ = std::move(queues);
}

ElementQueue* Distribution::queue_of(std::uint64_t index) const {
  const core::LockGuard guard(lock_);
  const auto found = queue_of_.find(index);
  return found == queue_of_.end() ? nullptr : found->second;
}

// --- where others are ---

std::optional<Rank> Distribution::rank_of(std::uint64_t index) const {
  const Rank home = shape_.home(index);
  if (!has_moved_) return home;
  const core::LockGuard guard(lock_);
  if (home == rank_) {
    const auto away = away_.find(index);
    return away == away_.end() ? rank_ : away->second;
  }
  const auto found = found_.find(index);
  if (found == found_.end() || found->second.rank == no_rank) return std::nullopt;
  return found->second.rank;
}

void Distribution::find_for(std::uint64_t index, TaskRecord& task) {
  bool is_new = false;
  {
    const core::LockGuard guard(lock_);
    const auto place = found_.try_emplace(index);
    is_new = place.second;
    Found& found = place.first->second;
    if (found.rank == no_rank) {
      found.wait.push_back(&task);
      if (!is_new) return;
    }
  }
  if (!is_new) return task.core().arrived(task);
  all_.messenger().post(shape_.home(index), AskRank{name_.flow, name_.number, index});
}

void Distribution::learn(std::uint64_t index, Rank rank) {
  std::vector<TaskRecord*> tasks;
  {
    const core::LockGuard guard(lock_);
    const auto found = found_.find(index);
    if (found == found_.end()) throw MalformedMessage("nobody has asked where the index is");
    found->second.rank = rank;
    tasks.swap(found->second.wait);
  }
  for (TaskRecord* const task : tasks) task->core().arrived(*task);
}

// The program of this rank may not have left the phase yet, so data that only it may use are not
// read.
Rank Distribution::rank_for_others(std::uint64_t index) const {
  const core::LockGuard guard(lock_);
  const auto away = away_.find(index);
  return away == away_.end() ? rank_ : away->second;
}

void Distribution::note_moved(std::uint64_t index, Rank rank) {
  const core::LockGuard guard(lock_);
  if (rank == rank_) {
    away_.erase(index);
  } else {
    away_.insert_or_assign(index, rank);
  }
}

// --- collections ---

void Distribution::remove(const CollectionRecord& collection) {
  std::erase(collections_, &collection);
}

// --- the end of a phase ---

void Distribution::write_elements(core::Packer& packer, std::uint64_t index) const {
  const std::uint64_t at = position(index);
  core::pack(packer, std::uint64_t{collections_.size()});
  for (const CollectionRecord* const collection : collections_) {
    core::pack(packer, std::uint64_t{collection->number()});
    write_with_length(packer, [&](core::Packer& one) { collection->write_element(one, at); });
  }
}

// The memory is the messenger's, which keeps what it has used: memory that is new to the process
// costs about as much as copying the elements into it.
Array<std::byte> Distribution::pack_elements(std::uint64_t index,
                                             std::size_t expected_bytes) const {
  core::Packer packer(all_.messenger().large_memory().take(expected_bytes));
  write_elements(packer, index);
  const std::size_t size = packer.size();
  return core::detail::ArrayAccess::over<std::byte>(packer.take(), size);
}

// Skips collections that have been destroyed here, or were on the element's old rank.
void Distribution::read_elements(const Arrival& arrival) {
  const std::uint64_t at = position(arrival.index);
  core::Unpacker bytes(
      std::span<const std::byte>(arrival.elements.data(), arrival.elements.size()));
  const auto count = core::unpack<std::uint64_t>(bytes);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto number = core::unpack<std::uint64_t>(bytes);
    const auto element_bytes =
        bytes.view(static_cast<std::size_t>(core::unpack<std::uint64_t>(bytes)));
    for (CollectionRecord* const collection : collections_) {
      if (collection->number() != number) continue;
      core::Unpacker element(element_bytes);
      collection->read_element(element, at);
    }
  }
}

void Distribution::note_arrival(std::uint64_t index, ObjectId group, Array<std::byte>&& elements) {
  const core::LockGuard guard(lock_);
  arrivals_.push_back({index, group, std::move(elements)});
}

void Distribution::rearrange(const std::vector<bool>& has_gone) {
  std::vector<Arrival> arrivals;
  {
    const core::LockGuard guard(lock_);
    arrivals.swap(arrivals_);
  }
  struct Place {
    std::uint64_t index;
    std::uint64_t before;  // its old position; count(): it has arrived
    ObjectId group;
  };
  std::vector<Place> places;
  const std::uint64_t before = count();
  for (std::uint64_t k = 0; k < before; ++k) {
    if (!has_gone[k]) places.push_back({index(k), k, groups_[k]});
  }
  for (const Arrival& arrival : arrivals) places.push_back({arrival.index, before, arrival.group});
  std::sort(places.begin(), places.end(),
            [](const Place& a, const Place& b) { return a.index < b.index; });
  std::vector<std::uint64_t> indices;
  std::vector<std::uint64_t> positions_before;
  std::vector<ObjectId> groups;
  std::vector<ElementLoadRef> loads(loads_.empty() ? 0 : places.size());
  for (const Place& place : places) {
    if (place.before < loads_.size()) loads[indices.size()] = loads_[place.before];
    indices.push_back(place.index);
    positions_before.push_back(place.before);
    groups.push_back(place.group);
  }
  set_queues({});
  has_moved_ = true;
  is_listed_ = true;
  here_ = std::move(indices);
  groups_ = std::move(groups);
  loads_ = std::move(loads);
  for (CollectionRecord* const collection : collections_) collection->rearrange(positions_before);
  for (const Arrival& arrival : arrivals) read_elements(arrival);
}

void Distribution::begin_phase() {
  for (CollectionRecord* const collection : collections_) collection->begin_phase();
  const core::LockGuard guard(lock_);
  found_.clear();
}

}  // namespace roam::flow
