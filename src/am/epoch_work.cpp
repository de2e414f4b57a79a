// SPDX-License-Identifier: Apache-2.0
#include "roam/am/detail/epoch_work.hpp"

#include <string>

#include "roam/core/error.hpp"

namespace roam::am {

EpochWork EpochWork::begin(Messenger& messenger) {
  const std::uint64_t epoch = Epochs::current();
  if (epoch != 0) messenger.epochs().begin_work(epoch);
  return {messenger, epoch};
}

EpochWork EpochWork::arrived(Messenger& messenger, std::uint64_t epoch, const char* what) {
  if (epoch != 0 && !messenger.epochs().taken_in(epoch))
    throw MalformedMessage(std::string(what) + " of an epoch that does not exist");
  return {messenger, epoch};
}

// For epoch 0, nothing is written to a context that has no epoch, because other threads may share
// it.
EpochScope::EpochScope(std::uint64_t epoch)
    : context_(*exec::current()), outer_(context_.epoch), epoch_(epoch) {
  if (epoch_ != outer_) context_.epoch = epoch_;
}

EpochScope::~EpochScope() {
  if (epoch_ != outer_) context_.epoch = outer_;
}

}  // namespace roam::am
