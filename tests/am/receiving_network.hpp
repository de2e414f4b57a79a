// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "am/am_world.hpp"
#include "roam/core/detail/buffer_pool.hpp"

namespace roam::am::testing {

/// A simulated endpoint that receives into memory of its own, as real networks do, and counts it.
class ReceivingEndpoint final : public transport::Endpoint, private transport::Sink {
 public:
  explicit ReceivingEndpoint(std::unique_ptr<transport::Endpoint> inner)
      : inner_(std::move(inner)) {}
  Rank rank() const override { return inner_->rank(); }
  std::int32_t size() const override { return inner_->size(); }
  const transport::Capabilities& capabilities() const override { return inner_->capabilities(); }
  void send(Rank destination, core::Buffer&& data) override {
    inner_->send(destination, std::move(data));
  }
  void send_bulk(Rank destination, transport::BulkTag tag, core::Buffer&& data) override {
    inner_->send_bulk(destination, tag, std::move(data));
  }
  void receive_bulk(Rank source, transport::BulkTag tag, std::size_t size,
                    core::Buffer target) override {
    inner_->receive_bulk(source, tag, size, std::move(target));
  }
  std::size_t progress(transport::Sink& sink, std::size_t limit) override {
    sink_ = &sink;
    return inner_->progress(*this, limit);
  }
  std::size_t unsent_bytes() const override { return inner_->unsent_bytes(); }
  std::size_t held_bytes() const override { return pool_->blocks_in_use() * pool_->block_bytes(); }
  void set_waker(std::function<void()> waker) override { inner_->set_waker(std::move(waker)); }
  void count_sleepers(int change) override { inner_->count_sleepers(change); }
  Instant next_arrival() const override { return inner_->next_arrival(); }
  void close(bool aborting) override { inner_->close(aborting); }

  std::size_t most_held_bytes = 0;

 private:
  void message(Rank source, core::Buffer&& data) override {
    core::Buffer own = pool_->take(data.size());
    own.append(data.data(), data.size());
    data.reset();
    most_held_bytes = std::max(most_held_bytes, held_bytes());
    sink_->message(source, std::move(own));
  }
  void bulk(Rank source, transport::BulkTag tag, core::Buffer&& data) override {
    sink_->bulk(source, tag, std::move(data));
  }
  void peer_failed(Rank peer, const char* reason) override { sink_->peer_failed(peer, reason); }

  const std::unique_ptr<transport::Endpoint> inner_;
  transport::Sink* sink_ = nullptr;
  core::BufferPool::Handle pool_ = core::BufferPool::create(2048);
};

/// All ranks in virtual time, over ReceivingEndpoints.
class ReceivingWorld final : public World {
 public:
  explicit ReceivingWorld(const WorldOptions& options)
      : network_({}, options.ranks, clock_, options.seed),
        driver_(clock_, {.seed = options.seed, .shuffle_ties = true}) {
    network_.set_listener([this](Rank rank, Instant when) { driver_.arrival(rank.index(), when); });
    for (const Rank rank : network_.local_ranks()) {
      auto endpoint = std::make_unique<ReceivingEndpoint>(network_.endpoint(rank));
      endpoints.push_back(endpoint.get());
      nodes.push_back(
          std::make_unique<Node>(std::move(endpoint), options.engine, options.messenger, clock_));
      driver_.add(nodes.back()->engine);
    }
  }
  ~ReceivingWorld() override {
    network_.set_listener(nullptr);
    nodes.clear();
  }

  std::vector<ReceivingEndpoint*> endpoints;

 protected:
  void drive() override { EXPECT_TRUE(driver_.run()) << "nothing can happen any more"; }

 private:
  core::VirtualClock clock_;
  transport::SimulatedNetwork network_;
  exec::SimDriver driver_;
};

}  // namespace roam::am::testing
