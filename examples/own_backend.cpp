// SPDX-License-Identifier: Apache-2.0
// A back end of its own for flow programs: what runs the tasks. --roam-flow-backend finds it by its
// name:
//   example_own_backend --roam-flow-backend one_by_one
#include <cstdio>
#include <deque>
#include <mutex>
#include <roam/flow/backend.hpp>
#include <roam/flow/flow.hpp>
#include <roam/roam.hpp>

// [class]
/// One task at a time, in the order in which they became ready.
class OneByOne final : public roam::flow::Backend, private roam::exec::ReadyItem {
 public:
  explicit OneByOne(roam::Runtime& rank) : engine_(rank.engine()) {}

  void push(roam::flow::TaskRecord& task) override {
    const std::lock_guard guard(mutex_);
    ready_.push_back(&task);
    if (!is_queued_) engine_.push(this);
    is_queued_ = true;
  }
  bool help() override {
    roam::flow::TaskRecord* const task = take_back();
    if (task != nullptr) task->core().run(*task, true);
    return task != nullptr;
  }
  roam::flow::TaskRecord* take_back() override {
    const std::lock_guard guard(mutex_);
    if (ready_.empty()) return nullptr;
    roam::flow::TaskRecord* const task = ready_.front();
    ready_.pop_front();
    return task;
  }

 private:
  void run(roam::exec::Context&) override {
    if (roam::flow::TaskRecord* const task = take_back()) task->core().run(*task);
    const std::lock_guard guard(mutex_);
    is_queued_ = !ready_.empty();
    if (is_queued_) engine_.push(this);
  }

  roam::exec::Engine& engine_;
  std::mutex mutex_;
  std::deque<roam::flow::TaskRecord*> ready_;
  bool is_queued_ = false;
};
// [class]

// [registrar]
const roam::flow::BackendRegistrar registrar{
    {.name = "one_by_one",
     .description = "One task at a time, in the order in which they became ready",
     .runs_on_workers = true,
     .create = [](roam::Runtime& rank) -> std::unique_ptr<roam::flow::Backend> {
       return std::make_unique<OneByOne>(rank);
     }}};
// [registrar]

roam::Task<> program(roam::Runtime& rt) {
  if (rt.rank() != 0) co_return;
  roam::flow::Flow fl(rt);
  auto sum = fl.data(0L);
  for (long i = 1; i <= 1000; ++i) {
    auto square = fl.data<long>();
    fl.work([](roam::flow::Out<long> s, long n) { *s = n * n; }, square, i);
    fl.work([](const long& s, roam::flow::Accumulate<long, std::plus<>> all) { all(s); }, square,
            sum);
  }
  std::printf("%s: %ld\n", rt.options().of<roam::FlowOptions>().backend.c_str(),
              co_await sum.get());
}

int main(int argc, char** argv) { return roam::run(argc, argv, program); }
