// SPDX-License-Identifier: Apache-2.0
#include "offload/chaos_scenario.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "roam/core/error.hpp"
#include "roam/offload/as_task.hpp"
#include "roam/offload/group.hpp"
#include "roam/offload/offload.hpp"
#include "roam/testing/check.hpp"

namespace roam::offload::chaos {

namespace {

using testing::check;

struct Entry {
  std::uint32_t runs = 0;
  std::uint32_t completions = 0;
};

/// What happened to each task, by its number in the job.
struct Ledger {
  std::vector<Entry> tasks;
  std::uint32_t failures_heard = 0;
};

Entry& entry(std::uint32_t task) { return testing::state<Ledger>().tasks.at(task); }

std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 31)) * 0x7fb5d329728ea185ULL;
  return value ^ (value >> 27);
}

struct Order {
  std::uint32_t task = 0;
  std::uint32_t microseconds = 0;
  bool fails = false;
  std::uint64_t seed = 0;
};

std::uint64_t expected(const Order& order, std::size_t bytes) {
  std::uint64_t value = mixed(order.seed);
  for (std::size_t i = 0; i < bytes; i += 997) value = mixed(value + (i & 0xff));
  return value;
}

/// An argument of a task. Some cannot be sent, which is noticed when they are packed.
struct Ticket {
  bool stays = false;
  template <class Archive>
  void save(Archive& archive) const {
    // Packing takes time, in which the task may be found late.
    here().engine().preemption_point();
    if (stays) throw Error("this stays here");
    archive(stays);
  }
  template <class Archive>
  void load(Archive& archive) {
    archive(stays);
  }
};

/// The task: checks its arguments, takes its time, and fails if asked to.
std::uint64_t work(const Order& order, const std::vector<std::uint8_t>& load, const Ticket&) {
  ++entry(order.task).runs;
  std::uint64_t value = mixed(order.seed);
  for (std::size_t i = 0; i < load.size(); i += 997) value = mixed(value + load[i]);
  here().compute(std::chrono::microseconds(order.microseconds));
  if (order.fails) throw Error("task " + std::to_string(order.task));
  return value;
}

/// The same with a load that it may write into: nobody else sees that, wherever it runs.
std::uint64_t work_on_own(const Order& order, std::vector<std::uint8_t> load,
                          const Ticket& ticket) {
  const std::size_t bytes = load.size();
  const std::uint64_t value = work(order, load, ticket);
  check(value == expected(order, bytes), "a task gets the arguments that it was spawned with");
  std::ranges::fill(load, std::uint8_t{0});
  return value;
}

/// What tasks read of an object. Writing it and packing it take time, and sometimes it cannot be
/// packed.
struct Face {
  std::uint64_t value = 0;
  std::uint64_t again = 0;

  [[nodiscard]] std::uint64_t read(const Order& order, std::vector<std::uint8_t> load) const {
    const std::uint64_t before = value;
    const std::uint64_t result = work_on_own(order, std::move(load), Ticket());
    check(value == before && again == before, "what a task reads does not change meanwhile");
    return result + value;
  }
  template <class Archive>
  void save(Archive& archive) const {
    archive(value);
    here().engine().preemption_point();
    if (value % 16 == 0) throw Error("this stays here");
    archive(again);
  }
  template <class Archive>
  void load(Archive& archive) {
    archive(value, again);
  }
};

/// A mobile object that is written, and read by tasks.
class Board {
 public:
  void write(std::uint64_t value) {
    face_.value = value;
    here().engine().preemption_point();
    face_.again = value;
  }
  [[nodiscard]] const Face& face() const { return face_; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(face_.value, face_.again);
  }

 private:
  Face face_;
};

std::uint64_t sum(std::uint64_t a, std::uint64_t b) { return a + b; }

std::vector<std::uint8_t> load_of(std::size_t bytes) {
  std::vector<std::uint8_t> load(bytes);
  for (std::size_t i = 0; i < bytes; ++i) load[i] = static_cast<std::uint8_t>(i);
  return load;
}

/// The program of one rank.
class Player {
 public:
  Player(Runtime& rt, std::uint64_t seed, std::uint32_t first_task, std::uint32_t tasks)
      : rt_(rt),
        random_(seed + static_cast<std::uint64_t>(rt.rank().value())),
        next_(first_task),
        end_(first_task + tasks),
        are_long_(seed % 3 == 0) {}

  Task<> play() {
    board_ = rt_.create<Board>();
    while (next_ < end_) {
      begin_step();
      if (random_.unit() < 0.3) {
        co_await in_an_epoch();
      } else {
        co_await in_the_open();
      }
      check_quota();
    }
  }

 private:
  struct Awaited {
    Order order;
    std::size_t bytes;
    Result<std::uint64_t> result;
  };

  void begin_step() {
    HomeTasks& tasks = Offloader::of(rt_).tasks();
    std::vector<Quota> quotas;
    allowed_ = 0;
    for (std::int32_t to = 0; to < rt_.messenger().size_with_helpers(); ++to) {
      const auto some = static_cast<std::uint32_t>(random_.below(6));
      if (to == rt_.rank().value() || some == 0) continue;
      quotas.push_back({rt_.rank().value(), to, some});
      allowed_ += some;
    }
    if (random_.unit() < 0.03) Offloader::of(rt_).requests().begin_step();
    tasks.set_quotas({});  // so that only the new quotas count in this step
    for (const Flow& flow : tasks.begin_step()) {
      check(flow.offloaded <= flow.allowed, "no rank takes more tasks than its quota");
      check(flow.on_request <= on_request_, "no rank gets more tasks on request than it may");
    }
    for (const Emergency& one : tasks.take_emergencies()) {
      check(one.victim != rt_.rank().value() && one.times > 0, "an emergency is that of a victim");
      check((one.from >= 0) == (one.reason == EmergencyReason::congestion),
            "congestion is that of a pair of ranks");
      emergencies_ += one.times;
    }
    check(emergencies_ <= tasks.counts().emergencies, "an emergency is said once");
    shipped_before_ = tasks.counts().shipped;
    const HomeCounts counts = tasks.counts();
    spawned_before_ = counts.spawned;
    open_before_ = counts.spawned - counts.computed - counts.returned;
    refused_before_ = tasks.counts().refused;
    given_before_ = tasks.counts().given;
    on_request_ = random_.unit() < 0.5 ? static_cast<std::uint32_t>(random_.below(5)) : 0;
    tasks.set_quotas(quotas, on_request_);
    Offloader::of(rt_).requests().allow(random_.unit() < 0.8);
  }

  void check_quota() const {
    const HomeTasks& tasks = Offloader::of(rt_).tasks();
    const HomeCounts counts = tasks.counts();
    // Tasks that cannot be packed do not count, also if they were to be sent in the step before.
    const std::uint64_t shipped = counts.shipped - std::min(counts.shipped, shipped_before_);
    const std::uint64_t spawned = counts.spawned - spawned_before_;
    const std::uint64_t refused = counts.refused - refused_before_;
    const std::uint64_t given = counts.given - std::min(counts.given, given_before_);
    check(shipped <= allowed_ + given + refused,
          "no more tasks are taken elsewhere than the quota allows");
    // Objects of other ranks have tasks here, too.
    check(open_before_ + spawned > tasks.keeps() || shipped == 0,
          "what keeps the workers busy stays");
  }

  [[nodiscard]] Order next_order(bool may_fail) {
    const bool is_long = random_.unit() < (are_long_ ? 0.5 : 0.06);
    return {next_++,
            static_cast<std::uint32_t>(is_long ? 500 + random_.below(500) : random_.below(8)),
            may_fail && random_.unit() < 0.1, random_()};
  }
  [[nodiscard]] std::size_t next_bytes() {
    const double which = random_.unit();
    if (which < 0.7) return random_.below(200);
    return which < 0.9 ? random_.below(5000) : 20'000 + random_.below(20'000);
  }

  [[nodiscard]] Ticket ticket() { return {random_.unit() < 0.05}; }

  static void complete(const Order& order, std::size_t bytes, std::uint64_t value) {
    ++entry(order.task).completions;
    check(value == expected(order, bytes), "a task's result is the same wherever it ran");
    check(!order.fails, "a task that throws has no value");
  }
  static void complete_failed(const Order& order, const std::string& text) {
    ++entry(order.task).completions;
    check(order.fails, "only a task that throws fails");
    check(text.find("task " + std::to_string(order.task)) != std::string::npos,
          "a failure is that of the task awaited");
  }

  Task<> await(Awaited& awaited) {
    std::string failure;
    try {
      complete(awaited.order, awaited.bytes, co_await awaited.result);
      co_return;
    } catch (const RemoteError& error) {
      failure = error.what();
    }
    complete_failed(awaited.order, failure);
  }

  /// A task that reads the board as it was when it was called.
  struct Called {
    Order order;
    std::size_t bytes;
    std::uint64_t value;
    am::Reply<std::uint64_t> reply;
  };
  [[nodiscard]] Called call_board() {
    const Order order = next_order(true);
    const std::size_t bytes = next_bytes();
    const std::uint64_t value = random_.below(1000);
    board_.send<&Board::write>(value);
    auto reply = board_.call<as_task<&Face::read, &Board::face>>(order, load_of(bytes));
    if (random_.unit() < 0.5) board_.send<&Board::write>(value + 1);
    return {order, bytes, value, std::move(reply)};
  }
  Task<> await(Called& called) {
    std::string failure;
    try {
      complete(called.order, called.bytes, co_await called.reply - called.value);
      co_return;
    } catch (const RemoteError& error) {
      failure = error.what();
    }
    complete_failed(called.order, failure);
  }

  Task<> in_the_open() {
    std::vector<Awaited> awaited;
    std::vector<Called> called;
    std::vector<Result<void>> continued;
    std::vector<Group> groups;
    const std::uint32_t last =
        std::min<std::uint32_t>(end_, next_ + 1 + static_cast<std::uint32_t>(random_.below(12)));
    while (next_ < last) {
      const double which = random_.unit();
      if (which < 0.4) {
        continued.push_back(spawn_continued());
      } else if (which < 0.6) {
        groups.push_back(spawn_chain());
      } else if (which < 0.7 && next_ + 1 < last) {
        groups.push_back(spawn_pair());
      } else if (which < 0.8) {
        called.push_back(call_board());
      } else {
        const Order order = next_order(true);
        const std::size_t bytes = next_bytes();
        awaited.push_back({order, bytes,
                           which < 0.9
                               ? spawn<&work>(rt_, order, load_of(bytes), ticket())
                               : spawn<&work_on_own>(rt_, order, load_of(bytes), ticket())});
      }
    }
    while (!awaited.empty()) {
      const std::size_t which = random_.below(awaited.size());
      co_await await(awaited[which]);
      awaited.erase(awaited.begin() + static_cast<std::ptrdiff_t>(which));
    }
    for (Result<void>& result : continued) co_await result;
    for (Called& one : called) co_await await(one);
    for (Group& group : groups) co_await await(group);
  }

  /// A group with the tasks whose results it needs.
  struct Group {
    std::vector<std::pair<Order, std::size_t>> needed;
    Result<std::uint64_t> result;
  };
  [[nodiscard]] GroupTravel travel() {
    return random_.unit() < 0.5 ? GroupTravel::together : GroupTravel::apart;
  }
  // One task after the other; the first may fail.
  [[nodiscard]] Group spawn_chain() {
    const Order order = next_order(true);
    const std::size_t bytes = next_bytes();
    auto result = spawn_group<&sum>(
        rt_, travel(), call<&sum>(call<&work>(order, load_of(bytes), ticket()), std::uint64_t{1}),
        std::uint64_t{2});
    return {{{order, bytes}}, std::move(result)};
  }
  // Two tasks, and one that needs both results.
  [[nodiscard]] Group spawn_pair() {
    const Order a = next_order(false);
    const Order b = next_order(false);
    const std::size_t bytes = next_bytes() / 2;  // together they are no more than one task
    auto result = spawn_group<&sum>(rt_, travel(), call<&work>(a, load_of(bytes), ticket()),
                                    call<&work>(b, load_of(bytes), Ticket()));
    return {{{a, bytes}, {b, bytes}}, std::move(result)};
  }
  Task<> await(Group& group) {
    std::string failure;
    try {
      const std::uint64_t value = co_await group.result;
      std::uint64_t by_itself = group.needed.size() == 1 ? 3 : 0;
      for (const auto& [order, bytes] : group.needed) {
        by_itself += expected(order, bytes);
        complete(order, bytes, expected(order, bytes));
      }
      check(value == by_itself, "a group's result is the same however it has travelled");
      co_return;
    } catch (const RemoteError& error) {
      failure = error.what();
    }
    complete_failed(group.needed.front().first, failure);
  }

  [[nodiscard]] Result<void> spawn_continued() {
    const Order order = next_order(false);
    const std::size_t bytes = next_bytes();
    return spawn_then<&work>(
        rt_, [order, bytes](std::uint64_t value) { complete(order, bytes, value); }, order,
        load_of(bytes), ticket());
  }

  // A task whose result is dropped is still computed, and belongs to its epoch.
  Task<> in_an_epoch() {
    const std::uint32_t first = next_;
    const std::uint32_t last =
        std::min<std::uint32_t>(end_, next_ + 1 + static_cast<std::uint32_t>(random_.below(8)));
    co_await rt_.run_epoch([&] {
      while (next_ < last) (void)spawn_continued();
    });
    for (std::uint32_t task = first; task < last; ++task)
      check(entry(task).completions == 1, "an epoch is over when its tasks are complete");
  }

  Runtime& rt_;
  core::Random random_;
  std::uint32_t next_;
  const std::uint32_t end_;
  const bool are_long_;  // many tasks are: only such are asked for
  mobile_ptr<Board> board_;
  std::uint64_t open_before_ = 0;
  std::uint64_t allowed_ = 0;
  std::uint32_t on_request_ = 0;  // to each rank
  std::uint64_t given_before_ = 0;
  std::uint64_t emergencies_ = 0;
  std::uint64_t shipped_before_ = 0;
  std::uint64_t spawned_before_ = 0;
  std::uint64_t refused_before_ = 0;
};

void check_rank(Runtime& rt) {
  check(rt.statistics().messages_rejected == 0, "no message of the protocol is rejected");
  const GuestCounts guests = Offloader::of(rt).guests().counts();
  constexpr std::uint64_t largest = 64 << 10;  // of one task, its message and all
  check(
      guests.most_bytes <= std::max(rt.options().of<OffloadOptions>().guest_memory_bytes, largest),
      "tasks that wait do not take more memory than they may");
}

Task<> program(Runtime& rt, std::uint64_t seed, std::uint32_t tasks) {
  Player player(rt, seed, static_cast<std::uint32_t>(rt.rank().value()) * tasks, tasks);
  co_await player.play();
  co_await rt.quiescence();
  check_rank(rt);
}

}  // namespace

testing::Scenario make_scenario(testing::Schedule& schedule) {
  const auto tasks = static_cast<std::uint32_t>(4 + schedule.random.below(20));
  const std::uint64_t seed = schedule.random();
  auto ledger = std::make_shared<Ledger>();
  ledger->tasks.resize(tasks * static_cast<std::size_t>(schedule.ranks));
  testing::Scenario scenario;
  scenario.state = ledger;
  scenario.program = [seed, tasks](Runtime& rt) { return program(rt, seed, tasks); };
  // Lost with each of the helpers in turn, then late.
  const auto most_runs = 2 + static_cast<std::uint32_t>(schedule.helpers);
  scenario.at_end = [ledger, most_runs] {
    for (const Entry& task : ledger->tasks) {
      check(task.completions == 1, "each task has one completion");
      check(task.runs >= 1 && task.runs <= most_runs,
            "a task is computed once, and again if it was late or its helper lost");
    }
  };
  return scenario;
}

testing::ExploreOptions explore_options() {
  testing::ExploreOptions options;
  options.most_migrations = 10;  // what objects do is for the scenarios of the room mobile
  options.compare_states = false;
  options.helpers = {0, 2};
  options.lost_helpers = {0.002, std::chrono::microseconds(30)};
  options.configure = [](Options& job, core::Random& random) {
    OffloadOptions& offload = job.edit<OffloadOptions>();
    offload.recompute = random.unit() < 0.8;
    offload.keep_per_worker = 1 + static_cast<std::uint32_t>(random.below(3));
    if (random.unit() < 0.5) offload.guest_memory_bytes = 64 << 10;
  };
  return options;
}

}  // namespace roam::offload::chaos
