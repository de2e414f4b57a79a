// SPDX-License-Identifier: Apache-2.0
#include "roam/am/detail/messenger.hpp"

#include "am/transmit.hpp"
#include "own_messages.hpp"
#include "source_line.hpp"

namespace roam::am {

Messenger::Messenger(transport::Endpoint& endpoint, exec::Engine& engine,
                     const MessengerOptions& options)
    : SystemMessages(endpoint, engine, options),
      endpoint_(endpoint),
      comparison_(*this, [this](const std::string& report) { receiver_.report_failure(report); }),
      requests_(*this),
      receiver_(*this, endpoint, {flow(), memory(), path().queue()}) {
  bind<&TransmitQueue::on_credit>(path().queue());
  engine.services().set<Messenger>(this);
  epochs_ = std::make_unique<Epochs>(*this);
}

Messenger::~Messenger() = default;

void Messenger::require_equal(std::string setting, std::string value) {
  comparison_.require_equal(std::move(setting), std::move(value));
}

void Messenger::set_failure_handler(std::function<void(const std::string&)> handler) {
  receiver_.set_failure_handler(std::move(handler));
}

void Messenger::set_loss_listener(std::function<void(Rank helper, const char* reason)> listener) {
  receiver_.set_loss_listener(std::move(listener));
}

std::vector<SourceTraffic> Messenger::traffic_by_source() const {
  return receiver_.counters().by_source();
}

std::size_t Messenger::poll(Instant now) {
  return path().is_direct() ? receiver_.take_arrivals(now) : poll_in_turn(now);
}

// A function of its own, so that poll(), which idle workers call all the time, is short.
[[gnu::noinline]] std::size_t Messenger::poll_in_turn(Instant now) {
  return path().poll_in_turn(now, [this, now] { return receiver_.take_arrivals(now); });
}

void Messenger::answer_failure(const ReplyTo& to, ReplyStatus status, const std::string& text) {
  if (!to) return;
  Outgoing<ReplyHead> answer = begin(ReplyHead{to.token, status}, text.size());
  core::pack(answer.packer(), text);
  post(to.rank, std::move(answer));
}

void Messenger::abandon_all() {
  epochs_->stop();
  live_handlers_.abandon_all();
}

MessengerStats Messenger::stats() const {
  MessengerStats stats;
  SystemMessages::add_to(stats);
  receiver_.counters().add_to(stats);
  return stats;
}

// Without what lies between and is used on other occasions.
void Messenger::add_to(exec::WorkingSet& set) const {
  SystemMessages::add_to(set);
  set.add(handlers());
  set.add_from(&live_handlers_, this + 1);
  set.add(endpoint_);
}

void Messenger::look_ahead(int step) const {
  if (step <= transport::Endpoint::last_look) endpoint_.look_ahead(step);
  if (step == 1) look_ahead_at_memory();
  if (step != first_step_with_messages) return;
  for (std::size_t i = 0;; ++i) {
    const transport::Endpoint::NextMessage message = endpoint_.next_message(i);
    if (message.source == no_rank) return;
    const SingleHeader header(message.data);
    if (!header.is_valid()) continue;
    handlers().look_ahead(header.handler());
    look_ahead_at_credit(message.source);
  }
}

std::optional<std::span<const std::byte>> Messenger::next_message(std::size_t index,
                                                                  std::uint32_t handler) const {
  const transport::Endpoint::NextMessage message = endpoint_.next_message(index);
  if (message.source == no_rank) return std::nullopt;
  const SingleHeader header(message.data);
  if (!header.is_valid() || header.handler() != handler) return std::span<const std::byte>();
  return message.data.subspan(payload_offset);
}

}  // namespace roam::am
