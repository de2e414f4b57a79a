// SPDX-License-Identifier: Apache-2.0
#include "supersteps.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "roam/core/error.hpp"

namespace roam::balance {

Supersteps::Supersteps(am::Messenger& messenger, mobile::Quiescence& quiescence, std::uint64_t seed)
    : messenger_(messenger),
      quiescence_(quiescence),
      random_(placement::random_of(seed, messenger.rank())) {
  messenger.bind<&Supersteps::on_message>(*this);
}

// Only this coroutine writes step_.
core::Packer Supersteps::message() { return messenger_.begin(StepHead{step_}).take(); }

void Supersteps::send(Rank to, core::Packer&& message) {
  messenger_.post(to, am::Outgoing<StepHead>::resumed(std::move(message)));
}

void Supersteps::charge(double seconds) {
  if (messenger_.engine().clock().is_virtual()) messenger_.engine().compute(from_seconds(seconds));
}

void Supersteps::on_message(const StepHead& head, am::Incoming&& rest) {
  const std::span<const std::byte> bytes = rest.payload();
  const std::lock_guard guard(lock_);
  if (head.step - step_ > 1) throw MalformedMessage("a message of a step that is over");
  received_[head.step % 2].push_back({rest.source, {bytes.begin(), bytes.end()}});
}

std::vector<placement::StepMessage> Supersteps::end_step() {
  const std::lock_guard guard(lock_);
  auto received = std::exchange(received_[step_ % 2], {});
  ++step_;
  std::ranges::stable_sort(received, {}, &placement::StepMessage::source);
  return received;
}

Task<> Supersteps::run(placement::DistributedStrategy& strategy) {
  std::vector<placement::StepMessage> received;
  while (strategy.step(*this, received)) {
    co_await quiescence_.wait("phase()");
    received = end_step();
  }
}

}  // namespace roam::balance
