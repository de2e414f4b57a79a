// SPDX-License-Identifier: Apache-2.0
#include "element_group.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "flow/flow_part.hpp"
#include "roam/core/error.hpp"
#include "roam/mobile/self.hpp"

namespace roam::flow {

namespace {

std::shared_ptr<Distribution> distribution_here(std::uint32_t flow, std::uint32_t number) {
  auto found = FlowPart::of(here()).distributions().find({flow, number});
  if (found == nullptr) {
    throw Error(
        "elements of a collection are moved to a rank that does not end the phase: do all ranks "
        "issue the same operations?");
  }
  return found;
}

// nullptr: the flow is over.
ElementQueue* queue_here(FlowPart& part, const DistributionName& name, std::uint64_t index) {
  const auto found = part.distributions().find(name);
  return found == nullptr ? nullptr : found->queue_of(index);
}

TravellingTask send_ready_task(std::uint32_t flow, std::uint32_t number, std::uint64_t index) {
  FlowPart& part = FlowPart::of(here());
  ElementQueue* const queue = queue_here(part, {flow, number}, index);
  return queue == nullptr ? TravellingTask() : part.element_tasks().begin_one(*queue);
}

void end_sent_task(const EndedTask& task) { FlowPart::of(here()).element_tasks().ended(task); }

void take_kept_value(std::uint64_t number, const Array<std::byte>& value) {
  FlowPart::of(here()).element_tasks().kept().came(number, {value.data(), value.size()});
}

}  // namespace

bool ElementGroup::is_at_issuer() const { return here().rank().value() == issuer_; }

// For the rank whose elements these are.
void ElementGroup::give_back() {
  while (!kept_.is_empty()) {
    const std::uint64_t number = kept_.any();
    take_kept_value(number, kept_.bytes_of(number));
    kept_.drop(number);
  }
}

void ElementGroup::run_one() {
  if (!is_at_issuer()) return self<ElementGroup>().send<&ElementGroup::run_one_of_issuer>();
  give_back();
  ElementQueue* const queue = queue_here(FlowPart::of(here()), {flow_, number_}, index_);
  if (queue != nullptr)
    bytes_at_issuer_ = std::max(bytes_at_issuer_, ElementTasks::run_one(*queue));
}

Task<> ElementGroup::run_one_of_issuer() {
  if (is_at_issuer()) {
    run_one();
    co_return;
  }
  Runtime& rank = here();
  const Rank issuer(issuer_);
  const TravellingTask task =
      co_await rank.request<&send_ready_task>(issuer, flow_, number_, index_);
  if (task.number != 0) rank.send<&end_sent_task>(issuer, ElementTasks::run(task, kept_));
}

void ElementGroup::run(const TravellingTask& task) {
  if (!is_at_issuer())
    return here().send<&end_sent_task>(Rank(issuer_), ElementTasks::run(task, kept_));
  give_back();
  FlowPart::of(here()).element_tasks().run_after_all(task.number);
}

void ElementGroup::give(std::uint64_t number) {
  if (is_at_issuer()) return give_back();
  if (kept_.contains(number))
    here().send<&take_kept_value>(Rank(issuer_), number, kept_.bytes_of(number));
}

bool ElementGroup::open(std::int32_t rank) {
  if (here().rank() != rank) return false;
  give_back();
  lying_in_ = distribution_here(flow_, number_).get();  // stays valid beyond the phase
  from_ = rank;
  is_open_ = true;
  return true;
}

std::int32_t ElementGroup::settle() {
  const std::int32_t rank = here().rank().value();
  if (is_open_ && rank != from_) {
    distribution_here(flow_, number_)
        ->note_arrival(index_, self<ElementGroup>().id(), std::move(elements_));
  }
  issuer_ = is_open_ ? rank : issuer_;
  is_open_ = false;
  lying_in_ = nullptr;
  elements_ = {};
  return rank;
}

// What would be sent soon after a move, since tasks need it: for the decision to move.
void ElementGroup::count_values(core::Packer& packer) const {
  if (packer.is_counting()) packer.write(&bytes_at_issuer_, bytes_at_issuer_);  // reads nothing
}

// Counts what archive(elements_) would write: a length and the elements.
void ElementGroup::count_elements(core::Packer& packer) const {
  core::pack(packer, std::uint64_t{0});
  const std::size_t begin = packer.position();
  lying_in_->write_elements(packer, index_);
  counted_bytes_ = packer.position() - begin;
}

void make_groups(Runtime& rank, Distribution& distribution) {
  std::vector<ObjectId>& groups = distribution.groups();
  for (std::uint64_t k = groups.size(); k < distribution.count(); ++k) {
    groups.push_back(
        rank.create<ElementGroup>(distribution.name(), distribution.index(k), rank.rank()).id());
  }
}

void end_groups(Runtime& rank, Distribution& distribution) {
  for (const ObjectId id : distribution.groups()) rank.objects().destroy(id);
  distribution.groups().clear();
}

void ElementGroup::pack_elements() const {
  elements_ = lying_in_->pack_elements(index_, counted_bytes_);
}

}  // namespace roam::flow
