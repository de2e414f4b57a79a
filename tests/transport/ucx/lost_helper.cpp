// SPDX-License-Identifier: Apache-2.0
// Rank 1 of two, a helper, stops itself at its first message and is killed soon after, by start.py.
// Rank 0 has sends on their way to it by then, and must count each byte off exactly once: what it
// counts as unsent holds senders back. It goes on sending and makes no progress meanwhile, so that
// what tells of the loss is a send that fails, while others are still on their way.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <thread>

#include "roam/core/error.hpp"
#include "roam/transport/ucx/ucx_network.hpp"
#include "transport/conformance_world.hpp"

namespace {

using roam::Rank;
using roam::transport::conformance::Member;

// Longer than what UCX copies at once, so that a send is not complete when it returns.
constexpr std::size_t message_bytes = 5000;
constexpr std::size_t bulk_bytes = 1 << 20;
constexpr int messages = 1000;
constexpr std::chrono::milliseconds between_messages{1};

roam::core::Buffer zeros(std::size_t bytes) {
  roam::core::Buffer buffer = roam::core::Buffer::allocate(bytes);
  buffer.set_size(bytes);
  std::memset(buffer.data(), 0, bytes);
  return buffer;
}

void stop_at_first_message(Member& helper) {
  helper.on_message = [](Rank, const roam::core::Buffer&) { std::raise(SIGSTOP); };
  while (true) helper.progress();
}

/// Sends until the helper is lost, and returns how many bytes still count as unsent after it.
std::size_t unsent_after_the_loss(Member& rank) {
  rank.endpoint->send_bulk(1, 0, zeros(bulk_bytes));
  if (rank.endpoint->unsent_bytes() == 0) throw roam::Error("nothing is on its way");
  for (int i = 0; i < messages; ++i) {
    rank.endpoint->send(1, zeros(message_bytes));
    std::this_thread::sleep_for(between_messages);
  }
  while (rank.failures.empty()) rank.progress();
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::seconds(1);
  while (rank.endpoint->unsent_bytes() != 0 && Clock::now() < end) rank.progress();
  return rank.endpoint->unsent_bytes();
}

}  // namespace

int main() {
  const auto network = roam::transport::make_ucx_network(roam::transport::make_bootstrap(),
                                                         {.share_memory = false, .helpers = 1});
  Member member(network->endpoint(network->local_ranks().front()));
  if (member.rank() == 1) stop_at_first_message(member);
  const std::size_t unsent = unsent_after_the_loss(member);
  std::cerr << "helper 1 was lost: " << member.failure_text << "; " << unsent
            << " bytes count as unsent\n";
  member.endpoint->close(false);
  return unsent == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
