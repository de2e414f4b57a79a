// SPDX-License-Identifier: Apache-2.0
#include "roam/offload/guests.hpp"

#include <algorithm>
#include <memory>

#include "roam/core/error.hpp"
#include "roam/core/type_name.hpp"

namespace roam::offload {

Guests::Guests(am::Messenger& messenger, std::uint64_t memory_bytes)
    : messenger_(messenger), memory_bytes_(memory_bytes) {
  messenger.bind<&Guests::on_shipped>(*this);
  messenger.bind<&Guests::on_recall>(*this);
}

std::size_t Guests::Hash::operator()(const Key& key) const noexcept {
  return static_cast<std::size_t>((key.token ^ (static_cast<std::uint64_t>(key.home) << 40)) *
                                  0x9E3779B97F4A7C15ULL);
}

void Guests::on_shipped(const Shipped& head, am::Incoming&& rest) {
  const TaskFunctionRegistrar* const function = TaskFunctionRegistrar::find(head.function);
  if (function == nullptr) return refuse_unknown(head, rest.source);
  const Rank home = rest.source;
  auto* const task = new GuestTask(*this, *function, head.token, std::move(rest));
  bool is_taken = false;
  {
    const core::LockGuard guard(lock_);
    const bool has_room = waiting_.empty() || waiting_bytes_ + task->bytes() <= memory_bytes_;
    is_taken = has_room && waiting_.emplace(Key{home.value(), head.token}, task).second;
    if (is_taken) {
      waiting_bytes_ += task->bytes();
      counts_.most_bytes = std::max(counts_.most_bytes, waiting_bytes_);
    } else {
      ++counts_.sent_back;
    }
  }
  if (is_taken) return messenger_.engine().push(task);
  task->drop();
  messenger_.post(home, SentBack{head.token});
}

// Of a library that its rank has loaded after the job's start and this one has not.
void Guests::refuse_unknown(const Shipped& head, Rank home) {
  Returned answer{head.token, 0, am::ReplyStatus::handler_failed};
  messenger_.post_behind(home, answer, std::type_identity<std::tuple<std::string>>{},
                         "an offloadable task came to rank " +
                             std::to_string(messenger_.rank().value()) +
                             ", whose program does not have it: has it loaded the same libraries?");
}

void Guests::on_recall(const Recall& message, Rank from) {
  {
    const core::LockGuard guard(lock_);
    const auto place = waiting_.find({from.value(), message.token});
    if (place == waiting_.end()) return;  // begun, or answered
    place->second->is_recalled_ = true;
    waiting_bytes_ -= place->second->bytes();
    waiting_.erase(place);
    ++counts_.sent_back;
  }
  messenger_.post(from, SentBack{message.token});
}

bool Guests::begin(GuestTask& task) {
  const core::LockGuard guard(lock_);
  if (task.is_recalled_) return false;
  waiting_bytes_ -= task.bytes();
  waiting_.erase({task.home().value(), task.token()});
  return true;
}

void Guests::computed(Duration time) {
  const core::LockGuard guard(lock_);
  ++counts_.computed;
  counts_.computed_seconds += seconds(time);
}

GuestCounts Guests::counts() const {
  const core::LockGuard guard(lock_);
  return counts_;
}

}  // namespace roam::offload
