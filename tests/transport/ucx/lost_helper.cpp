// SPDX-License-Identifier: Apache-2.0
// Rank 1 of two, a helper, stops itself at its first message and is killed later, by start.py. Rank
// 0 has much on its way to it by then, and must count each byte off exactly once: what it counts as
// unsent holds senders back.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "roam/transport/ucx/ucx_network.hpp"
#include "transport/conformance_world.hpp"

namespace {

using roam::Rank;
using roam::transport::conformance::Member;

constexpr std::size_t message_bytes = 60'000;
constexpr std::size_t bulk_bytes = 1 << 20;
// Far more than a connection holds in the system's buffers.
constexpr roam::transport::BulkTag messages = 400;

/// Filled at once: the helper is killed soon after it has stopped.
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
  std::size_t most_unsent = 0;
  for (roam::transport::BulkTag i = 0; i < messages && rank.failures.empty(); ++i) {
    rank.endpoint->send(1, zeros(message_bytes));
    if (i % 10 == 0) rank.endpoint->send_bulk(1, i, zeros(bulk_bytes));
    most_unsent = std::max(most_unsent, rank.endpoint->unsent_bytes());
    rank.progress();
  }
  if (most_unsent == 0) {
    std::cerr << "nothing was on its way, so that this run shows nothing\n";
    return 1;
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
