// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <any>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "exec/exec_helpers.hpp"
#include "roam/am/detail/messenger.hpp"
#include "roam/exec/detail/sim_driver.hpp"
#include "roam/exec/detail/thread_driver.hpp"
#include "roam/transport/detail/simulated.hpp"
#include "roam/transport/in_process.hpp"
#include "support/until.hpp"
#include "transport/reordering_network.hpp"

// Jobs of a few ranks with messengers, on threads or in virtual time.
namespace roam::am::testing {

using exec::testing::Pause;
using exec::testing::Root;
using roam::testing::until;

/// Records what happened on one rank; handlers find the log of theirs through log().
class Log {
 public:
  void add(const std::string& line) {
    const std::lock_guard guard(mutex_);
    lines_.push_back(line);
  }
  void add(int number) { add(std::to_string(number)); }
  [[nodiscard]] std::vector<std::string> lines() const {
    const std::lock_guard guard(mutex_);
    return lines_;
  }
  [[nodiscard]] std::size_t size() const { return lines().size(); }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

/// The log of the rank on which the calling handler runs.
inline Log& log() { return *exec::current()->engine->services().get<Log>(); }
inline Messenger& messenger() { return *exec::current()->engine->services().get<Messenger>(); }

/// Handlers that random bytes may run: the runtime's own and those of one test file. Handlers of
/// other files need objects that do not exist here.
inline std::vector<std::uint32_t> handlers_of(const Messenger& messenger, std::string_view file) {
  std::vector<std::uint32_t> ids;
  for (const HandlerTable::Entry* entry : messenger.handlers().entries()) {
    if (entry->system != nullptr || entry->symbol.find(file) != std::string_view::npos)
      ids.push_back(entry->id);
  }
  return ids;
}

struct Node {
  Node(std::unique_ptr<transport::Endpoint> end, const exec::EngineOptions& engine_options,
       const MessengerOptions& options, core::Clock& clock)
      : endpoint(std::move(end)),
        engine(engine_options, clock),
        messenger(*endpoint, engine, options) {
    engine.services().set<Log>(&log);
    engine.add_poller(&messenger);
    engine.set_error_handler([this](const std::string& report) { errors.add(report); });
    messenger.set_failure_handler([this](const std::string& report) { failures.add(report); });
  }
  ~Node() {
    const exec::Scope scope(&engine.outside_context());
    engine.drop_queued();  // what is queued may lie in a coroutine's frame
    roots.clear();
    messenger.abandon_all();
    engine.drop_queued();
    endpoint->close(false);
  }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  std::unique_ptr<transport::Endpoint> endpoint;
  exec::Engine engine;
  Log log;
  Log errors;    // exceptions that nobody awaits
  Log failures;  // peers and handler tables
  Messenger messenger;
  std::deque<Root> roots;
};

struct WorldOptions {
  std::int32_t ranks = 2;
  exec::EngineOptions engine = {};
  MessengerOptions messenger = {};
  std::uint64_t seed = 1;
};

class World {
 public:
  using Main = std::function<Task<>(Node&)>;
  World() = default;
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  virtual ~World() = default;

  /// Runs `main` on every rank until all have returned. Once.
  void run(const Main& main) {
    unfinished_ = nodes.size();
    for (const auto& node : nodes) {
      Node& n = *node;
      n.roots.emplace_back(guarded(main, n), [this] {
        if (--unfinished_ == 0) {
          for (const auto& each : nodes) each->engine.stop();
        }
      });
      n.engine.push(&n.roots.back());
    }
    drive();
    for (const std::string& failure : main_failures.lines()) ADD_FAILURE() << failure;
  }
  Node& operator[](std::size_t rank) { return *nodes[rank]; }

  std::vector<std::unique_ptr<Node>> nodes;
  Log main_failures;

 protected:
  virtual void drive() = 0;

 private:
  Task<> guarded(Main main, Node& node) {
    try {
      co_await main(node);
    } catch (const std::exception& error) {
      main_failures.add(error.what());
    }
  }
  std::atomic<std::size_t> unfinished_{0};
};

/// A function that puts a network into another one.
using Wrap =
    std::function<std::unique_ptr<transport::Network>(std::unique_ptr<transport::Network>)>;

/// Makes any network reorder.
inline Wrap reordering(const transport::testing::ReorderingOptions& options) {
  return [options](std::unique_ptr<transport::Network> inner) {
    return std::make_unique<transport::testing::ReorderingNetwork>(std::move(inner), options);
  };
}

/// A thread (and more for workers) per rank.
class ThreadWorld final : public World {
 public:
  explicit ThreadWorld(const WorldOptions& options, const Wrap& wrap = {})
      : network_(std::make_unique<transport::InProcessNetwork>(options.ranks)) {
    if (wrap) network_ = wrap(std::move(network_));
    for (const Rank rank : network_->local_ranks()) {
      nodes.push_back(std::make_unique<Node>(network_->endpoint(rank), options.engine,
                                             options.messenger, clock_));
    }
  }
  ~ThreadWorld() override { nodes.clear(); }

 protected:
  void drive() override {
    std::deque<exec::ThreadDriver> drivers;
    for (const auto& node : nodes) {
      exec::ThreadDriver& driver = drivers.emplace_back(
          node->engine,
          exec::ThreadDriverOptions{.network_wakes = true,
                                    .count_sleepers = [&endpoint = *node->endpoint](int change) {
                                      endpoint.count_sleepers(change);
                                    }});
      node->endpoint->set_waker([&driver] { driver.wake(); });
    }
    std::vector<std::thread> threads;
    for (auto& driver : drivers) threads.emplace_back([&driver] { driver.run(); });
    for (std::thread& thread : threads) thread.join();
    for (const auto& node : nodes) node->endpoint->set_waker(nullptr);
  }

 private:
  core::SteadyClock clock_;
  std::unique_ptr<transport::Network> network_;
};

/// All ranks in virtual time.
class SimulatedWorld final : public World {
 public:
  SimulatedWorld(const WorldOptions& options,
                 const transport::SimulatedNetworkParameters& parameters, const Wrap& wrap = {})
      : driver_(clock_,
                {.seed = options.seed, .shuffle_ties = true, .step_jitter = Duration(500)}) {
    auto simulated = std::make_unique<transport::SimulatedNetwork>(parameters, options.ranks,
                                                                   clock_, options.seed);
    simulated_ = simulated.get();
    simulated_->set_listener(
        [this](Rank rank, Instant when) { driver_.arrival(rank.index(), when); });
    network_ = std::move(simulated);
    if (wrap) network_ = wrap(std::move(network_));
    for (const Rank rank : network_->local_ranks()) {
      nodes.push_back(std::make_unique<Node>(network_->endpoint(rank), options.engine,
                                             options.messenger, clock_));
      driver_.add(nodes.back()->engine);
    }
  }
  ~SimulatedWorld() override {
    simulated_->set_listener(nullptr);
    nodes.clear();
  }

 protected:
  void drive() override { EXPECT_TRUE(driver_.run()) << "nothing can happen any more"; }

 private:
  core::VirtualClock clock_;
  transport::SimulatedNetwork* simulated_ = nullptr;  // network_, or inside it
  std::unique_ptr<transport::Network> network_;
  exec::SimDriver driver_;
};

struct Network {
  std::string name;
  std::function<std::unique_ptr<World>(const WorldOptions&)> make;
};
inline void PrintTo(const Network& network, std::ostream* out) { *out << network.name; }

/// A real network that reorders, batches too.
inline std::unique_ptr<World> make_reordering_threads(const WorldOptions& options) {
  return std::make_unique<ThreadWorld>(options,
                                       reordering({.seed = options.seed, .batch_bytes = 1024}));
}

inline std::vector<Network> all_networks() {
  transport::SimulatedNetworkParameters jittered;
  jittered.levels[0].jitter = 3.0;
  jittered.jitter_delay = std::chrono::microseconds(20);
  transport::SimulatedNetworkParameters reordering = jittered;
  reordering.reorder = true;
  return {{"in_process",
           [](const WorldOptions& o) -> std::unique_ptr<World> {
             return std::make_unique<ThreadWorld>(o);
           }},
          {"in_process_reordering", &make_reordering_threads},
          {"simulated",
           [jittered](const WorldOptions& o) -> std::unique_ptr<World> {
             return std::make_unique<SimulatedWorld>(o, jittered);
           }},
          {"reordering", [reordering](const WorldOptions& o) -> std::unique_ptr<World> {
             return std::make_unique<SimulatedWorld>(o, reordering);
           }}};
}

/// Base of tests that run on every network.
class OnEveryNetwork : public ::testing::TestWithParam<Network> {
 protected:
  static std::unique_ptr<World> make(const WorldOptions& options = {}) {
    std::cout << "seed " << options.seed << "\n";
    return GetParam().make(options);
  }
};
inline std::string network_name(const ::testing::TestParamInfo<Network>& test) {
  return test.param.name;
}

}  // namespace roam::am::testing
