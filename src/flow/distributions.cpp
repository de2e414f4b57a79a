// SPDX-License-Identifier: Apache-2.0
#include "flow/distributions.hpp"

#include <algorithm>
#include <utility>

#include "roam/am/detail/system_handlers.hpp"
#include "roam/core/error.hpp"

namespace roam::flow {

Distributions::Distributions(am::Messenger& messenger) : messenger_(messenger) {
  messenger.bind<&Distributions::on_ask>(*this);
  messenger.bind<&Distributions::on_tell>(*this);
}

void Distributions::keep(const std::shared_ptr<Distribution>& one) {
  const core::LockGuard guard(lock_);
  if (std::find(kept_.begin(), kept_.end(), one) == kept_.end()) kept_.push_back(one);
}

void Distributions::forget_all_but(std::uint32_t flow) {
  std::vector<std::shared_ptr<Distribution>> unused;  // destroyed without the lock
  const core::LockGuard guard(lock_);
  const auto of_others = std::partition(kept_.begin(), kept_.end(), [&](const auto& one) {
    return one->name().flow == flow || one.use_count() > 1;
  });
  unused.assign(std::move_iterator(of_others), std::move_iterator(kept_.end()));
  kept_.erase(of_others, kept_.end());
}

std::shared_ptr<Distribution> Distributions::find(const DistributionName& name) const {
  const core::LockGuard guard(lock_);
  for (const auto& one : kept_) {
    if (one->name() == name) return one;
  }
  return nullptr;
}

std::shared_ptr<Distribution> Distributions::require(std::uint32_t flow,
                                                     std::uint32_t number) const {
  std::shared_ptr<Distribution> found = find({flow, number});
  if (found == nullptr) throw MalformedMessage("it is about collections that are not there");
  return found;
}

void Distributions::on_ask(const AskRank& question, Rank source) {
  const auto of = require(question.flow, question.number);
  messenger_.post(source, TellRank{question.flow, question.number, question.index,
                                   of->rank_for_others(question.index), false});
}

void Distributions::on_tell(const TellRank& answer) {
  const auto of = require(answer.flow, answer.number);
  if (answer.rank.value() < 0 || answer.rank.value() >= messenger_.size() ||
      answer.index >= of->shape().count())
    throw MalformedMessage("an index of a collection is at a rank that is none");
  if (answer.is_news) {
    of->note_moved(answer.index, answer.rank);
  } else {
    of->learn(answer.index, answer.rank);
  }
}

}  // namespace roam::flow
