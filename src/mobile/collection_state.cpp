// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <mutex>

#include "roam/core/error.hpp"
#include "roam/mobile/detail/collections.hpp"
#include "roam/mobile/detail/sparse_keys.hpp"

namespace roam::mobile {

CollectionState::CollectionState(Collections& collections, const CollectionShape& shape)
    : collections_(collections), shape_(shape) {
  if (shape.dimensions == 0) keys_ = std::make_unique<SparseKeys>(*this);
}

CollectionState::~CollectionState() = default;

void CollectionState::add(std::shared_ptr<CollectionWork> work) {
  {
    const std::lock_guard guard(lock_);
    work_.push_back(std::move(work));
    if (work_.size() > 1) return;  // it is queued already, or in run()
    queued_self_ = shared_from_this();
  }
  collections_.engine().push(this);
}

void CollectionState::run(exec::Context& context) {
  context.label = "collection";
  std::shared_ptr<CollectionState> self;
  std::shared_ptr<CollectionWork> work;
  {
    const std::lock_guard guard(lock_);
    work = work_.front();
  }
  const bool is_over = work->step(*this);
  {
    const std::lock_guard guard(lock_);
    if (is_over) work_.pop_front();
    if (work_.empty()) self = std::move(queued_self_);
  }
  if (self == nullptr) collections_.engine().push(this);
}

void CollectionState::make_home(const ObjectType& of_class) {
  class_.store(&of_class, std::memory_order_release);
  auto home = std::make_unique<HomeElements>(shape_, collections_.rank());
  if (home->count() > std::numeric_limits<std::uint32_t>::max()) {
    throw Error("the placement gives one rank " + std::to_string(home->count()) +
                " elements; a rank can be the home of " +
                std::to_string(std::numeric_limits<std::uint32_t>::max()));
  }
  home_ = std::move(home);
}

bool CollectionState::is_selected(const SectionBytes& section, std::uint64_t linear) const {
  const Coordinates at = shape_.coordinates(linear);
  if (section.kind == SectionBytes::Kind::predicate) {
    const auto* predicate = NamedFunction<SectionPredicate>::find(section.predicate);
    if (predicate == nullptr || predicate->function().of_index == nullptr)
      throw Error("the section's predicate is none of indices");
    return predicate->function().of_index(at);
  }
  for (std::size_t d = 0; d < at.size(); ++d) {
    if (at[d] < section.lower[d] || at[d] >= section.upper[d]) return false;
    if (section.stride[d] < 1 || (at[d] - section.lower[d]) % section.stride[d] != 0) return false;
  }
  return true;
}

std::vector<ObjectId> CollectionState::select(const SectionBytes& section) {
  if (keys_ != nullptr) return keys_->select(section);
  std::vector<ObjectId> elements;
  if (home_ == nullptr) return elements;  // the creation failed on this rank
  const Rank rank = collections_.rank();
  const auto add = [&](std::uint64_t linear) {
    const bool is_there = !is_gone(static_cast<std::uint32_t>(home_->position(linear)));
    elements.push_back(is_there ? ObjectId(rank, ObjectId::element_bit | (shape_.base + linear))
                                : ObjectId());
  };
  if (section.kind == SectionBytes::Kind::list) {
    std::vector<std::uint64_t> mine;
    for (const std::uint64_t linear : section.list) {
      if (linear < shape_.count() && home_->contains(linear)) mine.push_back(linear);
    }
    std::sort(mine.begin(), mine.end());
    mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
    for (const std::uint64_t linear : mine) add(linear);
    return elements;
  }
  const bool is_all = section.kind == SectionBytes::Kind::all;
  for (std::uint64_t position = 0; position < home_->count(); ++position) {
    const std::uint64_t linear = home_->linear(position);
    if (is_all || is_selected(section, linear)) add(linear);
  }
  return elements;
}

void CollectionState::note_end(std::uint64_t linear) {
  if (home_ == nullptr || !home_->contains(linear)) return;
  const auto position = static_cast<std::uint32_t>(home_->position(linear));
  if (position >= gone_.size()) gone_.resize(static_cast<std::size_t>(position) + 1);
  gone_[position] = 1;
  phases_.leave_out(position);
}

void CollectionState::drop() { queued_self_.reset(); }

std::string CollectionState::name_of(std::uint64_t linear) const {
  return std::string(class_name()) + " " + shape_.describe(shape_.coordinates(linear));
}

const HomeElements& CollectionState::home() const {
  if (!has_home()) throw Error("a collection that could not be made");
  return *home_;
}

}  // namespace roam::mobile
