// SPDX-License-Identifier: Apache-2.0
// How often the balancer looks at loads, and what it finds out before a move.
#include "roam/balance/detail/balancer.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "roam/balance/registry.hpp"
#include "roam/runtime/simulated_job.hpp"

namespace roam::balance::balancer_looks_test {

/// An object with that many numbers, and work for 10 us.
struct Numbers {
  std::vector<double> values;
  explicit Numbers(std::size_t count = 0) : values(count) {}
  void work() { roam::here().compute(std::chrono::microseconds(10)); }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(values);
  }
};

/// Looks at the objects that could move, and does nothing.
class Spectator final : public roam::balance::Policy {
 public:
  explicit Spectator(roam::balance::PolicyHost& host) : host_(host) {}
  roam::Instant balance(roam::Instant) override {
    host_.for_each_movable(1e9, 1, [](const roam::balance::ObjectLoad& object) {
      most_bytes = std::max(most_bytes, object.bytes);
      return true;
    });
    return roam::never;
  }
  void receive(roam::Rank, std::span<const std::byte>) override {}
  static inline std::uint64_t most_bytes = 0;  // in the job under test

 private:
  roam::balance::PolicyHost& host_;
};

const roam::balance::PolicyRegistrar registrar{
    {.name = "spectator",
     .description = "looks on",
     .parameters = {},
     .create = [](const roam::balance::Parameters&, roam::balance::PolicyHost& host)
         -> std::unique_ptr<roam::balance::Policy> { return std::make_unique<Spectator>(host); }}};

namespace {

/// Runs objects with that many numbers and calls on one rank; returns the number of looks.
std::uint64_t looks_at(std::size_t numbers, int objects, int calls) {
  Options options;
  options.simulate.emplace();
  options.simulate->ranks = 1;
  options.simulate->workers_per_rank = 1;
  options.balancer.name = "spectator";
  Spectator::most_bytes = 0;
  SimulatedJob job({.options = options});
  EXPECT_TRUE(job.run([&](Runtime& rt) -> Task<> {
    for (int i = 0; i < objects; ++i) {
      const auto object = rt.create<Numbers>(numbers);
      for (int n = 0; n < calls; ++n) object.template send<&Numbers::work>();
    }
    co_await rt.quiescence();
  })) << job.error();
  return job.runtime(0).balancer().stats().triggers;
}

TEST(Balancer, looks_now_and_then_where_all_workers_have_work) {
  const std::uint64_t looks = looks_at(1, 10, 100);  // 10 ms
  EXPECT_GE(looks, 50U);
  EXPECT_LE(looks, 120U);
}

TEST(B3Balancer, counts_the_bytes_of_what_has_never_moved) {
  static_cast<void>(looks_at(10000, 2, 2));
  EXPECT_GE(Spectator::most_bytes, 80000U);
  EXPECT_LE(Spectator::most_bytes, 81000U);
}

}  // namespace
}  // namespace roam::balance::balancer_looks_test
