// SPDX-License-Identifier: Apache-2.0
// A back end that orders tasks itself, in the plainest way: a task begins when it conflicts with no
// earlier one that is unfinished. All tests of back ends run with it, too; here, what it is told.
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <list>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "roam/flow/backend.hpp"
#include "roam/flow/core.hpp"
#include "roam/flow/flow.hpp"
#include "roam/roam.hpp"

namespace roam::flow::ordering_test {

namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using Mode = DatumUse::Mode;

/// A line for each task that was submitted: a letter for each use ('r', 'w', 'c'), in capitals if
/// it has to be apart; "!" if the task is held.
class Log {
 public:
  void add(std::span<const DatumUse> uses, bool is_held) {
    std::string line;
    for (const DatumUse& use : uses) {
      const char letter = use.mode == Mode::read ? 'r' : use.mode == Mode::write ? 'w' : 'c';
      line += use.is_apart ? static_cast<char>(letter - 'a' + 'A') : letter;
    }
    const std::lock_guard guard(mutex_);
    lines_.push_back(line + (is_held ? "!" : ""));
  }
  [[nodiscard]] std::vector<std::string> take() {
    const std::lock_guard guard(mutex_);
    return std::exchange(lines_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> lines_;
};
Log seen;  // of the job that runs

struct Submitted {
  TaskRecord* task;  // nullptr: it only stands between others
  std::vector<DatumUse> uses;
  bool is_held;
  bool has_begun = false;
};

bool conflicts(const DatumUse& use, const Submitted& earlier) {
  return std::ranges::any_of(earlier.uses, [&](const DatumUse& other) {
    if (other.datum != use.datum) return false;
    if (use.mode == Mode::commute && other.mode == Mode::commute) return earlier.has_begun;
    return use.mode != Mode::read || other.mode != Mode::read;
  });
}

template <bool OrdersChildren>
class ByUses final : public Backend, private Ordering {
 public:
  explicit ByUses(Runtime& rank) : engine_(rank.engine()) {}

  void push(TaskRecord& task) override { engine_.push(new Item(*this, &task, nullptr)); }
  bool help() override { return false; }
  TaskRecord* take_back() override { return nullptr; }
  Ordering* ordering() override { return this; }

 private:
  class Item final : public exec::ReadyItem {
   public:
    Item(ByUses& backend, TaskRecord* task, Submitted* submitted)
        : backend_(backend), task_(task), submitted_(submitted) {}
    void run(exec::Context& /*context*/) override {
      if (submitted_ == nullptr) {
        task_->core().run(*task_);
      } else if (submitted_->task == nullptr) {
        backend_.is_over(submitted_);
      } else {
        const bool is_held = submitted_->is_held;  // it may end in the call
        task_->core().admitted(*task_);
        if (!is_held) backend_.is_over(submitted_);
      }
      delete this;
    }
    void drop() override { delete this; }

   private:
    ByUses& backend_;
    TaskRecord* const task_;
    Submitted* const submitted_;
  };

  [[nodiscard]] bool orders_children() const override { return OrdersChildren; }
  void submit(TaskRecord& task, std::span<const DatumUse> uses, bool is_held) override {
    seen.add(uses, is_held);
    const std::lock_guard guard(mutex_);
    for (const DatumUse& use : uses) {
      if (use.is_apart) all_.push_back({nullptr, {{use.datum, Mode::write, false}}, false});
    }
    all_.push_back({&task, {uses.begin(), uses.end()}, is_held});
    if (is_held) task.set_hold(&all_.back());
    begin_some();
  }
  void end(TaskRecord& task) override { is_over(static_cast<Submitted*>(task.hold())); }
  void is_over(const Submitted* one) {
    const std::lock_guard guard(mutex_);
    all_.remove_if([one](const Submitted& other) { return &other == one; });
    begin_some();
  }
  void begin_some() {
    for (auto task = all_.begin(); task != all_.end(); ++task) {
      if (task->has_begun) continue;
      const bool waits = std::any_of(all_.begin(), task, [&](const Submitted& earlier) {
        return std::ranges::any_of(task->uses,
                                   [&](const DatumUse& use) { return conflicts(use, earlier); });
      });
      if (waits) continue;
      task->has_begun = true;
      engine_.push(new Item(*this, task->task, &*task));
    }
  }

  exec::Engine& engine_;
  std::mutex mutex_;
  std::list<Submitted> all_;  // that are unfinished, in order
};

template <bool OrdersChildren>
std::unique_ptr<Backend> make(Runtime& rank) {
  return std::make_unique<ByUses<OrdersChildren>>(rank);
}
const BackendRegistrar all_tasks{{.name = "by_uses", .description = "", .create = make<true>}};
const BackendRegistrar main_programs{
    {.name = "by_uses_of_main_programs", .description = "", .create = make<false>}};

template <class Program>
std::vector<std::string> lines_of(const std::string& backend, Program program) {
  (void)seen.take();
  Options options;
  options.ranks = 1;
  options.ranks_given = true;
  options.workers = 2;
  options.edit<FlowOptions>().backend = backend;
  EXPECT_EQ(roam::run(options,
                      [&](Runtime& rt) -> Task<> {
                        Flow fl(rt);
                        co_await program(fl);
                        co_await fl.done();
                      }),
            0);
  return seen.take();
}

void add(const int& a, int& b) { b += a; }
void copy(const int& a, Out<int> b) { *b = a; }
void count(Commute<int> a) { ++*a; }
void sum(const int& a, Accumulate<int, std::plus<>> s) { s(a); }
void with_children(Flow& fl, Handle<int> a, Handle<const int> b) {
  fl.work<&add>(b, a);
  fl.work<&count>(a);
}

TEST(FlowOrdering, F2_a_back_end_is_told_the_use_of_each_datum) {
  const auto lines = lines_of("by_uses", [](Flow& fl) -> Task<> {
    auto x = fl.data(1);
    auto y = fl.data(2);
    fl.work<&add>(x, y);
    fl.work<&copy>(x, y);
    fl.work<&count>(y);
    EXPECT_EQ(co_await y.get(), 2);
  });
  EXPECT_THAT(lines, ElementsAre("rw", "rw", "c", "r!"));
}

// A task that reads `x` waits for a value, so that the others find it unfinished.
TEST(FlowOrdering, F2_tasks_that_read_and_that_accumulate_are_apart) {
  const auto lines = lines_of("by_uses", [](Flow& fl) -> Task<> {
    auto x = fl.data(1);
    auto one = fl.data(1);
    auto late = fl.fetch<int>({"late"});
    fl.work([](const int&, const int&) {}, x, late);
    for (int i = 0; i < 2; ++i) fl.work<&sum>(one, x);
    fl.work([](const int&) {}, x);
    fl.publish(one, {"late"});
    EXPECT_EQ(co_await x.get(), 3);
  });
  EXPECT_THAT(lines, ElementsAre("w!", "rr", "rR", "rr", "R", "r", "r!"));
}

void add_part(std::span<const int> a, std::span<int> b) { b[0] += a[0]; }

// `late` is there when all have been submitted.
TEST(FlowOrdering, F2_parts_are_ordered_as_the_whole_which_is_told_once) {
  const auto lines = lines_of("by_uses", [](Flow& fl) -> Task<> {
    using Text = std::string;
    auto x = fl.data(std::vector<int>(4, 1));
    auto one = fl.data(1);
    auto two = fl.data(2);
    auto late = fl.fetch<int>({"late"});
    fl.work([](std::span<const int>, const int&) {}, x.part(0, 1), late);
    fl.work<&add_part>(x.part(0, 1), x.part(1, 2));
    fl.work<&add_part>(x.part(1, 2), x.part(2, 3));
    fl.work([](std::span<const int>, const std::vector<int>&, int&) {}, x.part(0, 4), x, two);
    auto text = fl.data(Text("a"));
    const auto reads = [](std::span<const char> some, const int&) { EXPECT_EQ(some.size(), 1U); };
    fl.work(reads, text.part(0, 1), late);
    const auto adds = [](Accumulate<Text, std::plus<>> sum) { sum(Text("b")); };
    fl.work(adds, text);
    fl.work(reads, text.part(0, 1), late);
    fl.work([](Accumulate<Text, std::plus<>> sum, std::span<const char>) { sum(Text("c")); }, text,
            text.part(0, 0));
    fl.work(adds, text);
    fl.publish(one, {"late"});
    EXPECT_EQ((co_await x.get())[2], 3);
    EXPECT_EQ(co_await text.get(), "abcb");
  });
  // The last one is apart as long as one of those that accumulate is not over.
  EXPECT_THAT(lines, ElementsAre("w!", "rr", "w", "w", "rw", "rr", "R", "Rr", "w", "r", "r", "r!",
                                 AnyOf("r!", "R!")));
}

// The reader waits for a value, so that the next task finds it unfinished.
TEST(FlowOrdering, F2_nothing_is_copied_for_readers) {
  for (const char* backend : {"by_uses", "by_uses_of_main_programs"}) {
    (void)lines_of(backend, [](Flow& fl) -> Task<> {
      auto x = fl.data(std::vector<int>(10, 1));
      x.copied_for_readers();
      auto one = fl.data(1);
      auto late = fl.fetch<int>({"late"});
      fl.work([](std::vector<int>& v) { v[0] = 2; }, x);
      fl.work([](const std::vector<int>& v, const int&) { EXPECT_EQ(v[0], 2); }, x, late);
      fl.work([](std::vector<int>& v) { v[0] = 3; }, x);
      fl.publish(one, {"late"});
      EXPECT_EQ((co_await x.get())[0], 3);
      EXPECT_EQ(fl.scope().core().counts().copies, 0U);
    });
  }
}

TEST(FlowOrdering, F3_children_are_submitted_if_the_back_end_orders_them) {
  const auto program = [](Flow& fl) -> Task<> {
    auto x = fl.data(1);
    auto y = fl.data(2);
    fl.work<&with_children>(x, y);
    EXPECT_EQ(co_await x.get(), 4);
  };
  // The program may ask for the value before or after the task has begun.
  EXPECT_THAT(lines_of("by_uses", program),
              ::testing::UnorderedElementsAre("wr!", "rw", "c", "r!"));
  EXPECT_THAT(lines_of("by_uses_of_main_programs", program), ElementsAre("wr!", "r!"));
}

}  // namespace

}  // namespace roam::flow::ordering_test
