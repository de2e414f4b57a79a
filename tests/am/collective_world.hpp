// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "am/am_world.hpp"
#include "roam/am/detail/collectives.hpp"

namespace roam::am::testing {

/// A world with collectives on every rank. A report of calls that do not match ends them all, as
/// the runtime does.
class CollectiveWorld {
 public:
  explicit CollectiveWorld(std::unique_ptr<World> made) : world(std::move(made)) {
    for (const auto& node : world->nodes) {
      all.push_back(std::make_unique<Collectives>(node->messenger));
      all.back()->set_failure_handler([this](const std::string& report) {
        reports.add(report);
        for (const auto& each : all) each->abort_all(report);
      });
    }
  }
  using Main = std::function<Task<>(Collectives&, Node&)>;
  void run(const Main& main) {
    world->run([&](Node& node) { return main(*all[node.messenger.rank().index()], node); });
  }
  /// Runs calls that must fail; returns the single report.
  std::string run_to_failure(const Main& main) {
    run([&](Collectives& c, Node& node) { return expecting_failure(main, c, node); });
    const auto lines = reports.lines();
    EXPECT_GE(lines.size(), 1U);
    return lines.empty() ? "" : lines.front();
  }

  std::unique_ptr<World> world;
  std::vector<std::unique_ptr<Collectives>> all;  // goes first
  Log reports;
  std::atomic<int> ended{0};

 private:
  // A rank whose calls end by themselves waits for the report of those that do not.
  Task<> expecting_failure(Main main, Collectives& c, Node& node) {
    try {
      co_await main(c, node);
    } catch (const JobAborted&) {
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("collective call"), std::string::npos);
    }
    co_await until([&] { return reports.size() > 0; });
  }
};

}  // namespace roam::am::testing
