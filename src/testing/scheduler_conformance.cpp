// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <deque>
#include <thread>

#include "roam/core/random.hpp"
#include "roam/testing/conformance.hpp"

namespace roam::testing {

namespace {

struct Item final : exec::ReadyItem {
  void run(exec::Context&) override {}
  std::size_t number = 0;
  std::atomic<int> popped{0};
};

using Items = std::deque<Item>;

void draw(Items& items, core::Random& random) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i].number = i;
    items[i].priority = static_cast<Priority>(random.below(priority_count));
    items[i].announced_work = random.below(3) == 0 ? -1.0F : static_cast<float>(random.below(100));
  }
}

std::string found(const std::string& where, const Items& items) {
  std::size_t lost = 0;
  std::size_t repeated = 0;
  for (const Item& item : items) {
    lost += item.popped.load() == 0 ? 1 : 0;
    repeated += item.popped.load() > 1 ? 1 : 0;
  }
  if (lost + repeated == 0) return {};
  return where + ": of " + std::to_string(items.size()) + " items " + std::to_string(lost) +
         " never came out of pop, " + std::to_string(repeated) + " more than once";
}

// Pushes and pops in a seeded mixture, then pops what is left; returns the numbers in the order of
// the pops.
std::vector<std::size_t> mixture(exec::Scheduler& scheduler, WorkerIndex workers,
                                 std::uint64_t seed, Items& items) {
  core::Random random(seed);
  draw(items, random);
  std::vector<std::size_t> order;
  const auto pop = [&](WorkerIndex worker) {
    exec::ReadyItem* const item = scheduler.pop(worker);
    if (item == nullptr) return false;
    ++static_cast<Item*>(item)->popped;
    order.push_back(static_cast<Item*>(item)->number);
    return true;
  };
  for (Item& item : items) {
    scheduler.push(static_cast<WorkerIndex>(random.below(workers + 2)), &item);
    while (random.below(2) == 0) (void)pop(static_cast<WorkerIndex>(random.below(workers)));
  }
  // A scheduler that repeats items would never be empty.
  for (WorkerIndex worker = 0, empty = 0; empty < workers && order.size() <= 2 * items.size();
       worker = (worker + 1) % workers) {
    empty = pop(worker) ? 0 : empty + 1;
  }
  return order;
}

void check_mixtures(const MakeScheduler& make, Faults& faults) {
  for (WorkerIndex workers = 1; workers <= 4; ++workers) {
    const std::string where = "one thread, " + std::to_string(workers) + " workers";
    if (make(workers)->pop(0) != nullptr) {
      faults.push_back(where + ": an item comes out of an empty one");
    }
    Items items(300);
    const std::vector<std::size_t> order = mixture(*make(workers), workers, workers, items);
    if (std::string fault = found(where, items); !fault.empty()) {
      faults.push_back(std::move(fault));
      continue;
    }
    Items again(300);
    if (mixture(*make(workers), workers, workers, again) != order) {
      faults.push_back(where + ": the same pushes and pops gave another order the second time");
    }
  }
}

void check_push_order(const MakeScheduler& make, Faults& faults) {
  const auto scheduler = make(1);
  if (!scheduler->keeps_push_order()) return;
  Items items(100);
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i].number = i;
    items[i].announced_work = static_cast<float>(i);
    scheduler->push(i % 3 == 0 ? 1 : 0, &items[i]);
  }
  for (const Item& item : items) {
    if (scheduler->pop(0) == &item) continue;
    faults.emplace_back("keeps_push_order is true, but one worker gets another item first");
    return;
  }
}

// Each thread is a worker that pushes and pops; a last one pushes from outside.
void check_threads(const MakeScheduler& make, Faults& faults) {
  constexpr WorkerIndex workers = 3;
  constexpr std::size_t each = 5'000;
  const auto scheduler = make(workers);
  Items items((workers + 1) * each);
  core::Random random(7);
  draw(items, random);
  std::atomic<std::size_t> popped{0};
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  const auto take = [&](WorkerIndex worker) {
    exec::ReadyItem* const item = scheduler->pop(worker);
    if (item == nullptr) return false;
    ++static_cast<Item*>(item)->popped;
    ++popped;
    return true;
  };
  std::vector<std::thread> threads;
  for (WorkerIndex w = 0; w <= workers; ++w) {
    threads.emplace_back([&, w] {
      for (std::size_t i = 0; i < each; ++i) {
        scheduler->push(w == workers ? workers + 1 : w, &items[w * each + i]);
        if (w < workers && i % 2 == 0) (void)take(w);
      }
      while (w < workers && popped.load() < items.size()) {
        if (take(w)) continue;
        if (std::chrono::steady_clock::now() > deadline) return;
        std::this_thread::yield();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (std::string fault = found("several threads", items); !fault.empty()) {
    faults.push_back(std::move(fault));
  }
}

}  // namespace

Faults check_scheduler(const MakeScheduler& make) {
  Faults faults;
  check_mixtures(make, faults);
  // A scheduler that loses items with one thread need not be tested with several.
  if (!faults.empty()) return faults;
  check_push_order(make, faults);
  check_threads(make, faults);
  return faults;
}

}  // namespace roam::testing
