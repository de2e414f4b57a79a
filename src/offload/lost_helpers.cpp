// SPDX-License-Identifier: Apache-2.0
#include "roam/offload/detail/lost_helpers.hpp"

#include "roam/core/error.hpp"
#include "roam/offload/detail/messages.hpp"

namespace roam::offload {

LostHelpers::LostHelpers(am::Messenger& messenger) : messenger_(messenger) {
  messenger.bind<&LostHelpers::on_helper_lost>(*this);
}

void LostHelpers::note(Rank helper, const std::string& reason) {
  const std::lock_guard guard(mutex_);
  std::string& known = losses_[helper.value()].reason;
  if (known.empty()) known = reason;
}

void LostHelpers::add_tasks(Rank helper, std::uint32_t tasks) {
  add(helper.value(), tasks);
  if (messenger_.rank() != 0) messenger_.post(Rank(0), HelperLost{helper.value(), tasks});
}

void LostHelpers::on_helper_lost(const HelperLost& message) {
  if (message.helper < messenger_.size() || message.helper >= messenger_.size_with_helpers())
    throw MalformedMessage("the loss of a rank that is no helper");
  add(message.helper, message.tasks);
}

void LostHelpers::add(std::int32_t helper, std::uint64_t tasks) {
  const std::lock_guard guard(mutex_);
  losses_[helper].tasks += tasks;
}

std::vector<std::string> LostHelpers::sentences() const {
  std::vector<std::string> sentences;
  const std::lock_guard guard(mutex_);
  for (const auto& [helper, loss] : losses_) {
    const std::string tasks = std::to_string(loss.tasks) + (loss.tasks == 1 ? " task" : " tasks");
    sentences.push_back(
        "helper " + std::to_string(helper) + " was lost" +
        (loss.reason.empty() ? " as other ranks have noticed" : ": " + loss.reason) +
        ". The job has gone on without it; " + tasks + " that it had went to other ranks");
  }
  return sentences;
}

std::uint32_t LostHelpers::count() const {
  const std::lock_guard guard(mutex_);
  return static_cast<std::uint32_t>(losses_.size());
}

}  // namespace roam::offload
