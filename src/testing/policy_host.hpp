// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "roam/balance/policy.hpp"

namespace roam::testing {

/// A single rank of an imaginary machine with a few waiting objects, for a policy by itself.
/// Records what the policy sends, and what it does wrong.
class LonePolicyHost final : public balance::PolicyHost {
 public:
  explicit LonePolicyHost(std::uint64_t seed) : random_(seed) {
    for (int i = 0; i < 8; ++i) {
      objects_.push_back({.object = ObjectId(rank(), static_cast<std::uint64_t>(i + 1)),
                          .seconds = 0.1 * (8 - i),
                          .bytes = 1000});
    }
  }
  void set_now(Instant now) { now_ = now; }
  [[nodiscard]] std::vector<std::vector<std::byte>> take_messages() {
    return std::exchange(messages_, {});
  }
  [[nodiscard]] const std::vector<std::string>& faults() const { return faults_; }

  [[nodiscard]] Rank rank() const override { return 1; }
  [[nodiscard]] std::int32_t size() const override { return 4; }
  [[nodiscard]] WorkerIndex workers() const override { return 2; }
  [[nodiscard]] Instant now() const override { return now_; }
  [[nodiscard]] core::Random& random() override { return random_; }
  [[nodiscard]] core::Packer message() override { return core::Packer(core::Buffer{}); }
  void send(Rank to, core::Packer&& message) override {
    check_target(to, "sends a message");
    const core::Buffer buffer = message.take();
    messages_.emplace_back(buffer.data(), buffer.data() + buffer.size());
  }
  [[nodiscard]] balance::RankLoad load() override;
  void for_each_movable(double limit, double rate,
                        const std::function<bool(const balance::ObjectLoad&)>& visit) override;
  void for_each_movable_above(
      double limit, double rate,
      const std::function<bool(const balance::ObjectLoad&)>& visit) override;
  [[nodiscard]] double move_seconds(std::uint64_t bytes) const override {
    return 1e-5 + 1e-9 * static_cast<double>(bytes);
  }
  [[nodiscard]] double round_trip_seconds() const override { return 1e-5; }
  bool migrate(balance::Decision decision) override {
    check_target(decision.to, "moves an object");
    return std::erase_if(objects_, [&](const balance::ObjectLoad& one) {
             return one.object == decision.object;
           }) > 0;
  }

 private:
  void check_target(Rank to, const std::string& what) {
    if (to.value() >= 0 && to.value() < size() && to != rank()) return;
    faults_.push_back(what + " to rank " + std::to_string(to.value()) + "; it is rank 1 of 4");
  }
  core::Random random_;
  Instant now_{0};
  std::vector<balance::ObjectLoad> objects_;  // largest first
  std::vector<std::vector<std::byte>> messages_;
  std::vector<std::string> faults_;
};

}  // namespace roam::testing
