// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <sstream>

#include "policy_host.hpp"
#include "roam/balance/detail/balancer.hpp"
#include "roam/balance/registry.hpp"
#include "roam/core/error.hpp"
#include "roam/runtime/simulated_job.hpp"
#include "roam/testing/check.hpp"
#include "roam/testing/conformance.hpp"
#include "roam/testing/explore.hpp"

namespace roam::testing {

/// Works for a given time, and may create work for others. (In a named namespace, since its name is
/// sent.)
struct ConformanceCell {
  std::uint64_t runs = 0;
  void work(double seconds) {
    ++runs;
    here().compute(from_seconds(seconds));
  }
  void pass_on(std::uint64_t seed, std::uint32_t hops);
  [[nodiscard]] std::uint64_t count() const { return runs; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(runs);
  }
};

namespace {

using Cells = std::vector<mobile_ptr<ConformanceCell>>;

// --- exactly once, under schedules that disturb it ---

struct Shared {
  Cells cells;
};

Task<> passing_on(Runtime& rt) {
  constexpr int each = 4;
  constexpr int calls = 12;
  constexpr std::uint32_t hops = 3;
  Cells& cells = state<Shared>().cells;
  for (int i = 0; i < each; ++i) cells.push_back(rt.create<ConformanceCell>());
  co_await rt.quiescence();
  for (int i = 0; rt.rank() == 0 && i < calls; ++i) {
    cells[static_cast<std::size_t>(i) % each].send<&ConformanceCell::pass_on>(
        static_cast<std::uint64_t>(i), hops);
  }
  co_await rt.quiescence();
  if (rt.rank() != 0) co_return;
  std::uint64_t runs = 0;
  for (const auto& cell : cells) runs += co_await cell.call<&ConformanceCell::count>();
  check(runs == calls * (hops + 1), "every call has run once");
}

void check_schedules(const PluginChoice& choice, std::uint64_t schedules, Faults& faults) {
  ExploreOptions options;
  options.schedules = schedules;
  options.balancers = {choice};
  options.ranks = {2, 5};
  const Report report = explore(options, [](Schedule&) {
    Scenario scenario;
    scenario.program = &passing_on;
    scenario.state = std::make_shared<Shared>();
    return scenario;
  });
  if (report.ok()) return;
  std::ostringstream text;
  text << "under a disturbed schedule: " << report;
  faults.push_back(text.str());
}

// --- runs on a quiet machine ---

struct Outcome {
  std::string error;
  double seconds = 0;
  std::uint64_t messages = 0;
  std::vector<balance::Decision> decisions;
};

Outcome run(const PluginChoice& choice, std::int32_t ranks, WorkerIndex workers,
            const Runtime::Program& program) {
  Options options;
  options.simulate.emplace();
  options.simulate->ranks = ranks;
  options.simulate->workers_per_rank = workers;
  options.balancer = choice;
  SimulatedJob job({.options = options});
  // A policy that moves objects before they run would never end.
  constexpr std::uint64_t most_events = 500'000;
  job.set_interruption([](std::uint64_t events) {
    if (events >= most_events)
      throw Error("no end after " + std::to_string(most_events) + " events");
  });
  Outcome outcome;
  try {
    if (!job.run(program)) outcome.error = job.error();
  } catch (const Error& error) {
    outcome.error = error.what();
  }
  outcome.seconds = seconds(job.now());
  for (Rank rank = 0; rank.value() < ranks; rank = rank.value() + 1) {
    const balance::Balancer& balancer = job.runtime(rank).balancer();
    outcome.messages += balancer.stats().messages_sent;
    std::ranges::copy(balancer.decisions(), std::back_inserter(outcome.decisions));
  }
  return outcome;
}

Task<> steps(Runtime& rt, int count, std::int32_t heavy_ranks) {
  Cells mine;
  for (int i = 0; i < 10; ++i) mine.push_back(rt.create<ConformanceCell>());
  co_await rt.quiescence();
  const double work = rt.rank().value() < heavy_ranks ? 3e-3 : 1e-3;
  for (int step = 0; step < count; ++step) {
    for (const auto& cell : mine) {
      cell.send_with<&ConformanceCell::work>({.cost_seconds = work}, work);
    }
    co_await rt.quiescence();
  }
}

Runtime::Program balanced_steps() {
  return [](Runtime& rt) { return steps(rt, 20, 0); };
}
Runtime::Program imbalanced_steps() {
  return [](Runtime& rt) { return steps(rt, 20, 2); };
}

/// One rank's main program computes for a long time; there are no objects.
Task<> long_silence(Runtime& rt) {
  if (rt.rank() == 0) rt.compute(std::chrono::hours(10));
  co_return;
}

void check_silence(const PluginChoice& choice, Faults& faults) {
  constexpr std::uint64_t most = 8 * 1000;
  const Outcome outcome = run(choice, 8, 1, &long_silence);
  if (!outcome.error.empty()) faults.push_back("without objects: " + outcome.error);
  if (outcome.messages <= most) return;
  faults.push_back("B2: " + std::to_string(outcome.messages) +
                   " messages in ten hours in which 8 ranks have nothing to do; allowed are " +
                   std::to_string(most));
}

// Allows the time with policy "none" plus 1 % for the policy's messages.
void check_costs(const PluginChoice& choice, const std::string& where,
                 const Runtime::Program& program, Faults& faults) {
  const Outcome with = run(choice, 8, 1, program);
  if (!with.error.empty()) faults.push_back(where + ": " + with.error);
  const Outcome without = run({"none", {}}, 8, 1, program);
  if (with.seconds <= 1.01 * without.seconds) return;
  std::ostringstream text;
  text << where << ": takes " << with.seconds << " s, without balancing " << without.seconds;
  faults.push_back(text.str());
}

void check_decisions(const Outcome& outcome, Faults& faults) {
  std::map<ObjectId, int> moves;
  for (const balance::Decision& decision : outcome.decisions) {
    if (decision.gain_seconds <= decision.cost_seconds) {
      std::ostringstream text;
      text << "B3: object " << to_string(decision.object) << " moves to gain "
           << decision.gain_seconds << " s, which costs " << decision.cost_seconds << " s";
      faults.push_back(text.str());
      return;
    }
    if (decision.outcome == balance::Decision::Outcome::moved) ++moves[decision.object];
  }
  constexpr int most = 10;  // in 20 steps of the same loads
  for (const auto& [object, count] : moves) {
    if (count <= most) continue;
    faults.push_back("B3: object " + to_string(object) + " moves " + std::to_string(count) +
                     " times, though the loads stay as they are");
    return;
  }
}

void check_determinism(const PluginChoice& choice, Faults& faults) {
  const Outcome a = run(choice, 6, 2, imbalanced_steps());
  check_decisions(a, faults);
  const Outcome b = run(choice, 6, 2, imbalanced_steps());
  const auto same = [](const balance::Decision& one, const balance::Decision& other) {
    return one.when == other.when && one.object == other.object && one.to == other.to;
  };
  if (a.seconds == b.seconds && a.messages == b.messages &&
      std::ranges::equal(a.decisions, b.decisions, same)) {
    return;
  }
  faults.emplace_back("R1: the same job with the same seed took other decisions");
}

// --- one rank's policy by itself ---

void try_message(balance::Policy& policy, const std::vector<std::byte>& message,
                 const std::string& what, Faults& faults) {
  try {
    policy.receive(2, message);
  } catch (const MalformedMessage&) {
    return;
  } catch (const std::exception& error) {
    faults.push_back(what +
                     " must be taken or refused by MalformedMessage; thrown was: " + error.what());
  }
}

// Sends messages of any length, and some of the policy's own with a few bits changed.
void check_messages(const PluginChoice& choice, Faults& faults) {
  core::Random random(11);
  LonePolicyHost host(7);
  const auto policy = balance::make_policy(choice, host);
  if (policy == nullptr) return;
  std::vector<std::vector<std::byte>> known;
  Instant now{0};
  for (int i = 0; i < 3000 && faults.empty(); ++i) {
    now += std::chrono::milliseconds(1);
    host.set_now(now);
    (void)policy->balance(now);
    for (auto& message : host.take_messages()) known.push_back(std::move(message));
    std::vector<std::byte> message(random.below(300));
    for (std::byte& byte : message) byte = static_cast<std::byte>(random.below(256));
    try_message(*policy, message, "a message of random bytes", faults);
    if (known.empty()) continue;
    message = known[random.below(known.size())];
    try_message(*policy, message, "a message as it sends itself", faults);
    for (std::uint64_t bits = 1 + random.below(4); bits > 0 && !message.empty(); --bits) {
      message[random.below(message.size())] ^= static_cast<std::byte>(1U << random.below(8));
    }
    try_message(*policy, message, "a damaged message", faults);
    if (known.size() > 64) known.erase(known.begin());
  }
  std::ranges::copy(host.faults(), std::back_inserter(faults));
}

/// A policy that also schedules within its rank, as the scheduler that the engine makes of it.
class PolicyOrder final : public exec::Scheduler {
 public:
  explicit PolicyOrder(const PluginChoice& choice)
      : host_(3), policy_(balance::make_policy(choice, host_)) {}
  void push(WorkerIndex worker, exec::ReadyItem* item) override { policy_->push(worker, item); }
  [[nodiscard]] exec::ReadyItem* pop(WorkerIndex worker) override { return policy_->pop(worker); }
  [[nodiscard]] bool is_used() const { return policy_ != nullptr && policy_->schedules(); }

 private:
  LonePolicyHost host_;
  std::unique_ptr<balance::Policy> policy_;
};

void check_order(const PluginChoice& choice, Faults& faults) {
  if (!PolicyOrder(choice).is_used()) return;
  const auto make = [&](WorkerIndex) { return std::make_unique<PolicyOrder>(choice); };
  for (const std::string& fault : check_scheduler(make)) {
    faults.push_back("push and pop: " + fault);
  }
}

}  // namespace

void ConformanceCell::pass_on(std::uint64_t seed, std::uint32_t hops) {
  core::Random random(seed);
  work(1e-6 * static_cast<double>(1 + random.below(20)));
  if (hops == 0) return;
  const Cells& cells = state<Shared>().cells;
  cells[random.below(cells.size())].send<&ConformanceCell::pass_on>(seed + 1000, hops - 1);
}

Faults check_policy(const PluginChoice& choice, std::uint64_t schedules) {
  Faults faults;
  try {
    balance::check_policy(choice, 4, "check_policy");
    check_messages(choice, faults);
    check_order(choice, faults);
    // If it has failed so far, its effect on a job is of no interest.
    if (!faults.empty()) return faults;
    check_silence(choice, faults);
    check_costs(choice, "a balanced program", balanced_steps(), faults);
    check_costs(choice, "a program with two ranks that have thrice the work", imbalanced_steps(),
                faults);
    check_determinism(choice, faults);
    if (faults.empty()) check_schedules(choice, schedules, faults);
  } catch (const std::exception& error) {
    faults.emplace_back(error.what());
  }
  return faults;
}

}  // namespace roam::testing
