// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <memory>
#include <roam/core/detail/buffer_pool.hpp>
#include <roam/transport/network.hpp>
#include <utility>

#include "report.hpp"

namespace bench {

/// One of two ranks that play ping-pong with bare endpoints, each process having one of them.
class EndpointPair {
 public:
  explicit EndpointPair(roam::transport::Network& network)
      : name_(network.name()), endpoint_(network.endpoint(network.local_ranks().front())) {}
  EndpointPair(const EndpointPair&) = delete;
  EndpointPair& operator=(const EndpointPair&) = delete;
  ~EndpointPair() { endpoint_->close(false); }

  [[nodiscard]] const char* name() const { return name_; }

  /// Seconds one way; meaningful on rank 0.
  double one_way(std::size_t bytes, int count, int rounds) {
    return play(
        count, rounds, [&] { send(bytes); }, [&] { receive(); });
  }
  /// The same by bulk transfers whose size and tag the receiver knows beforehand, as after a
  /// message that announced them.
  double bulk_one_way(std::size_t bytes, int count, int rounds) {
    const auto pool = roam::core::BufferPool::create(bytes, 4);
    const auto last = static_cast<roam::transport::BulkTag>((count + 2) * rounds);
    roam::transport::BulkTag sent = 0;
    roam::transport::BulkTag received = 0;
    endpoint_->receive_bulk(peer(), 0, bytes);
    const auto send_one = [&] {
      roam::core::Buffer data = pool->take();
      data.set_size(bytes);
      endpoint_->send_bulk(peer(), sent++, std::move(data));
    };
    return play(count, rounds, send_one, [&] {
      receive();
      if (++received < last) endpoint_->receive_bulk(peer(), received, bytes);
    });
  }

  void send(std::size_t bytes) {
    roam::core::Buffer data = pool_->take(bytes);
    data.set_size(bytes);
    endpoint_->send(peer(), std::move(data));
  }
  void receive() {
    const int before = sink_.count;
    while (sink_.count == before) poll();
  }
  void poll() { endpoint_->progress(sink_, 16); }

 private:
  struct Counter final : roam::transport::Sink {
    void message(roam::Rank /*source*/, roam::core::Buffer&& data) override {
      last = std::move(data);
      ++count;
    }
    void bulk(roam::Rank source, roam::transport::BulkTag /*tag*/,
              roam::core::Buffer&& data) override {
      message(source, std::move(data));
    }
    void peer_failed(roam::Rank peer, const char* reason) override {
      std::fprintf(stderr, "rank %d: %s\n", peer.value(), reason);
    }
    roam::core::Buffer last;
    int count = 0;
  };

  [[nodiscard]] roam::Rank peer() const { return 1 - endpoint_->rank().value(); }
  template <class Send, class Receive>
  double play(int count, int rounds, Send&& send, Receive&& receive) {
    Blocks blocks;
    for (int i = 0; i < rounds * (count + 2); ++i) {
      if (i == 2 * rounds) blocks.begin(count, rounds);
      if (endpoint_->rank() == 0) send();
      receive();
      if (endpoint_->rank() == 1) send();
      if (i >= 2 * rounds) static_cast<void>(blocks.next());
    }
    while (endpoint_->unsent_bytes() != 0) poll();
    return blocks.seconds_per_round() / 2;
  }

  const char* const name_;
  const std::unique_ptr<roam::transport::Endpoint> endpoint_;
  const roam::core::BufferPool::Handle pool_ = roam::core::BufferPool::create(65536);
  Counter sink_;
};

}  // namespace bench
