// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "roam/core/random.hpp"
#include "roam/transport/network.hpp"

// Makes any network reorder, to test over every transport what A2 requires of the room am.
namespace roam::transport::testing {

struct ReorderingOptions {
  std::uint64_t seed = 1;
  /// An arrival is held for at most this many calls of progress() while others overtake it.
  std::uint64_t longest_turns = 6;
  /// The most arrivals held; if there are more, the next one leaves at once.
  std::size_t most_held = 64;
  /// As in Capabilities, so that batches are reordered too; 0: none.
  std::size_t batch_bytes = 0;
};

/// Delivers messages and bulk transfers late, those of one pair in any order; each exactly once.
/// Otherwise like the endpoint inside it.
class ReorderingEndpoint final : public Endpoint, private Sink {
 public:
  ReorderingEndpoint(std::unique_ptr<Endpoint> inner, const ReorderingOptions& options)
      : inner_(std::move(inner)),
        options_(options),
        random_(options.seed * 7919 + static_cast<std::uint64_t>(inner_->rank().value())),
        capabilities_(inner_->capabilities()) {
    capabilities_.ordered = false;
    capabilities_.batch_bytes = options.batch_bytes;
  }

  [[nodiscard]] Rank rank() const override { return inner_->rank(); }
  [[nodiscard]] std::int32_t size() const override { return inner_->size(); }
  [[nodiscard]] const Capabilities& capabilities() const override { return capabilities_; }
  void send(Rank destination, core::Buffer&& data) override {
    inner_->send(destination, std::move(data));
  }
  void send_bulk(Rank destination, BulkTag tag, core::Buffer&& data) override {
    inner_->send_bulk(destination, tag, std::move(data));
  }
  void receive_bulk(Rank source, BulkTag tag, std::size_t size, core::Buffer target) override {
    inner_->receive_bulk(source, tag, size, std::move(target));
  }
  /// A turn in which it only holds arrivals counts as work, so that nobody rests meanwhile.
  std::size_t progress(Sink& sink, std::size_t limit) override {
    ++turn_;
    outer_ = &sink;
    inner_->progress(*this, limit);
    const std::size_t delivered = deliver_due(sink, limit);
    outer_ = nullptr;
    return delivered + (held_.empty() && due_.empty() ? 0 : 1);
  }
  void flush() override { inner_->flush(); }
  [[nodiscard]] std::size_t unsent_bytes() const override { return inner_->unsent_bytes(); }
  [[nodiscard]] std::size_t held_bytes() const override { return inner_->held_bytes(); }
  void set_at_rest(bool at_rest) override { inner_->set_at_rest(at_rest); }
  [[nodiscard]] bool others_at_rest() const override { return inner_->others_at_rest(); }
  void set_waker(std::function<void()> waker) override { inner_->set_waker(std::move(waker)); }
  void count_sleepers(int change) override { inner_->count_sleepers(change); }
  [[nodiscard]] Instant next_arrival() const override { return inner_->next_arrival(); }
  void close(bool aborting) override { inner_->close(aborting); }

  /// The number of arrivals that were delivered before an earlier one of their source. For the
  /// thread that calls progress().
  [[nodiscard]] std::uint64_t overtakings() const { return overtakings_; }

 private:
  struct Held {
    std::uint64_t due;
    std::uint64_t arrival;
    Rank source;
    core::Buffer data;
    BulkTag tag = 0;
    bool is_bulk = false;
  };

  void message(Rank source, core::Buffer&& data) override {
    keep(Held{0, 0, source, std::move(data)});
  }
  void bulk(Rank source, BulkTag tag, core::Buffer&& data) override {
    keep(Held{0, 0, source, std::move(data), tag, true});
  }
  void peer_failed(Rank peer, const char* reason) override { outer_->peer_failed(peer, reason); }

  void keep(Held&& held) {
    held.arrival = arrivals_++;
    held.due = turn_ + random_.below(options_.longest_turns + 1);
    held_.push_back(std::move(held));
  }
  // The sink may send and announce, but what arrives because of that is held for a later turn.
  std::size_t deliver_due(Sink& sink, std::size_t limit) {
    if (due_.empty()) take_due();
    std::size_t delivered = 0;
    while (delivered < limit && !due_.empty()) {
      Held next = std::move(due_.back());
      due_.pop_back();
      ++delivered;
      if (next.is_bulk) {
        sink.bulk(next.source, next.tag, std::move(next.data));
      } else {
        sink.message(next.source, std::move(next.data));
      }
    }
    return delivered;
  }
  void take_due() {
    while (!held_.empty()) {
      const std::size_t pick = random_.below(held_.size());
      const auto ripe = [this](const Held& held) { return held.due <= turn_; };
      auto next = held_.size() > options_.most_held
                      ? held_.begin() + static_cast<std::ptrdiff_t>(pick)
                      : std::find_if(held_.begin(), held_.end(), ripe);
      if (next == held_.end()) break;
      due_.push_back(std::move(*next));
      held_.erase(next);
    }
    shuffle(due_);
    count_overtakings();
  }
  void shuffle(std::vector<Held>& due) {
    for (std::size_t i = due.size(); i > 1; --i) std::swap(due[i - 1], due[random_.below(i)]);
  }
  void count_overtakings() {
    for (std::size_t i = 0; i < due_.size(); ++i) {
      const auto is_passed = [&](const Held& other) {
        return other.source == due_[i].source && other.arrival < due_[i].arrival;
      };
      // Taken from the back.
      overtakings_ +=
          std::any_of(held_.begin(), held_.end(), is_passed) ||
          std::any_of(due_.begin(), due_.begin() + static_cast<std::ptrdiff_t>(i), is_passed);
    }
  }

  std::unique_ptr<Endpoint> inner_;
  const ReorderingOptions options_;
  core::Random random_;
  Capabilities capabilities_;
  // Inside progress() only, one thread at a time:
  Sink* outer_ = nullptr;
  std::vector<Held> held_;
  std::vector<Held> due_;  // the next one last
  std::uint64_t turn_ = 0;
  std::uint64_t arrivals_ = 0;
  std::uint64_t overtakings_ = 0;
};

/// A network all of whose endpoints reorder.
class ReorderingNetwork final : public Network {
 public:
  ReorderingNetwork(std::unique_ptr<Network> inner, const ReorderingOptions& options)
      : inner_(std::move(inner)), options_(options) {}
  [[nodiscard]] std::int32_t size() const override { return inner_->size(); }
  [[nodiscard]] std::vector<Rank> local_ranks() const override { return inner_->local_ranks(); }
  [[nodiscard]] std::int32_t ranks_on_this_machine() const override {
    return inner_->ranks_on_this_machine();
  }
  [[nodiscard]] std::int32_t ranks_before_on_this_machine() const override {
    return inner_->ranks_before_on_this_machine();
  }
  [[nodiscard]] std::unique_ptr<Endpoint> endpoint(Rank rank) override {
    return std::make_unique<ReorderingEndpoint>(inner_->endpoint(rank), options_);
  }
  [[nodiscard]] const char* name() const override { return inner_->name(); }
  void abort(int status) override { inner_->abort(status); }

 private:
  std::unique_ptr<Network> inner_;
  const ReorderingOptions options_;
};

}  // namespace roam::transport::testing
