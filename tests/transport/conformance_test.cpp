// SPDX-License-Identifier: Apache-2.0
#include "transport/conformance_tests.hpp"

#include "roam/core/detail/clock.hpp"
#include "roam/transport/detail/simulated.hpp"
#include "roam/transport/in_process.hpp"
#include "transport/reordering_network.hpp"

namespace roam::transport::conformance::conformance_test {
namespace {

/// All ranks in turn on the calling thread.
class OneThread : public World {
 public:
  explicit OneThread(std::unique_ptr<Network> network) : network_(std::move(network)) {}
  std::int32_t size() const override { return network_->size(); }
  void run(const Main& main) override {
    std::vector<std::unique_ptr<Member>> members;
    std::vector<Program> programs;
    for (const Rank rank : network_->local_ranks()) {
      members.push_back(std::make_unique<Member>(network_->endpoint(rank)));
      programs.push_back(main(*members.back()));
    }
    const auto start = std::chrono::steady_clock::now();
    for (bool busy = true; busy;) {
      busy = false;
      for (std::size_t i = 0; i < members.size(); ++i) {
        if (programs[i].resume()) {
          busy = true;
        } else {
          members[i]->progress();
          busy = busy || members[i]->endpoint->unsent_bytes() != 0;
        }
      }
      check_deadline(start);
      after_round(members);
    }
    for (const auto& member : members) {
      EXPECT_EQ(member->failures.size(), 0U) << member->failure_text;
      member->endpoint->close(false);
    }
    members.clear();
  }

 protected:
  virtual void after_round(const std::vector<std::unique_ptr<Member>>& /*members*/) {}
  std::unique_ptr<Network> network_;
};

/// The simulated network, its time advanced to the next arrival when nothing is left to do.
class Simulated final : public OneThread {
 public:
  Simulated(const SimulatedNetworkParameters& parameters, std::int32_t ranks, std::uint64_t seed)
      : OneThread(nullptr) {
    network_ = std::make_unique<SimulatedNetwork>(parameters, ranks, clock_, seed);
  }
  ~Simulated() override { network_.reset(); }

 protected:
  void after_round(const std::vector<std::unique_ptr<Member>>& members) override {
    Instant next = never;
    for (const auto& member : members) next = std::min(next, member->endpoint->next_arrival());
    if (next != never && next > clock_.now()) clock_.set(next);
  }

 private:
  core::VirtualClock clock_;
};

/// A thread for each rank.
class Threads final : public World {
 public:
  explicit Threads(std::int32_t ranks) : network_(ranks) {}
  std::int32_t size() const override { return network_.size(); }
  void run(const Main& main) override {
    std::vector<std::exception_ptr> errors(static_cast<std::size_t>(size()));
    std::vector<std::thread> threads;
    for (const Rank rank : network_.local_ranks()) {
      threads.emplace_back([&, rank] {
        try {
          Member member(network_.endpoint(rank));
          run_alone(member, main);
        } catch (...) {
          errors[rank.index()] = std::current_exception();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& error : errors) {
      if (error) std::rethrow_exception(error);
    }
  }

 private:
  InProcessNetwork network_;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const std::int32_t ranks : {1, 2, 3, 4}) {
    const std::string suffix = "_" + std::to_string(ranks);
    all.push_back({"in_process_one_thread" + suffix, [ranks](std::uint64_t /*seed*/) {
                     return std::make_unique<OneThread>(std::make_unique<InProcessNetwork>(ranks));
                   }});
    all.push_back({"in_process_threads" + suffix,
                   [ranks](std::uint64_t /*seed*/) { return std::make_unique<Threads>(ranks); }});
    all.push_back({"in_process_reordering" + suffix, [ranks](std::uint64_t seed) {
                     return std::make_unique<OneThread>(
                         std::make_unique<testing::ReorderingNetwork>(
                             std::make_unique<InProcessNetwork>(ranks),
                             testing::ReorderingOptions{.seed = seed}));
                   }});
    all.push_back({"simulated" + suffix, [ranks](std::uint64_t seed) {
                     return std::make_unique<Simulated>(SimulatedNetworkParameters{}, ranks, seed);
                   }});
    all.push_back({"simulated_jitter" + suffix, [ranks](std::uint64_t seed) {
                     const SimulatedNetworkParameters late{
                         .levels = {{.jitter = 3.0}},
                         .jitter_delay = std::chrono::microseconds(20)};
                     return std::make_unique<Simulated>(late, ranks, seed);
                   }});
    all.push_back({"simulated_contention" + suffix, [ranks](std::uint64_t seed) {
                     const SimulatedNetworkParameters contended{
                         .levels = {{.group_ranks = 2, .contention = 0.5},
                                    {.bandwidth_bytes_per_second = 1e8, .contention = 1.0}}};
                     return std::make_unique<Simulated>(contended, ranks, seed);
                   }});
    all.push_back({"simulated_shared" + suffix, [ranks](std::uint64_t seed) {
                     const SimulatedNetworkParameters shared{
                         .levels = {{.group_ranks = 2,
                                     .shared_bandwidth_bytes_per_second = 5e9,
                                     .uplink_bandwidth_bytes_per_second = 1e9},
                                    {.bandwidth_bytes_per_second = 1e9,
                                     .jitter = 0.5,
                                     .torus = {2},
                                     .link_bandwidth_bytes_per_second = 5e8}}};
                     return std::make_unique<Simulated>(shared, ranks, seed);
                   }});
    all.push_back({"simulated_reorder" + suffix, [ranks](std::uint64_t seed) {
                     const SimulatedNetworkParameters shuffled{
                         .jitter_delay = std::chrono::milliseconds(1), .reorder = true};
                     return std::make_unique<Simulated>(shuffled, ranks, seed);
                   }});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Networks, Conformance, ::testing::ValuesIn(cases()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace roam::transport::conformance::conformance_test
