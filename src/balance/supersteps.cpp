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
  messenger.bind("roam.step", this, &Supersteps::on_message);
}

core::Packer Supersteps::message() {
  core::Packer packer = messenger_.begin();
  core::pack(packer, step_);  // only this coroutine writes it
  return packer;
}

void Supersteps::send(Rank to, core::Packer&& message) {
  messenger_.post(to, am::constant_handler_id("roam.step"), std::move(message), true);
}

void Supersteps::charge(double seconds) {
  if (messenger_.engine().clock().is_virtual()) messenger_.engine().compute(from_seconds(seconds));
}

void Supersteps::on_message(void* self, am::Incoming&& message) {
  core::Unpacker bytes(message.payload());
  const auto step = core::unpack<std::uint32_t>(bytes);
  const auto rest = bytes.view(bytes.remaining());
  auto& here = *static_cast<Supersteps*>(self);
  const std::lock_guard guard(here.lock_);
  if (step - here.step_ > 1) throw MalformedMessage("a message of a step that is over");
  here.received_[step % 2].push_back({message.source, {rest.begin(), rest.end()}});
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
    co_await quiescence_.wait();
    received = end_step();
  }
}

}  // namespace roam::balance
