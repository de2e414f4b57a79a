// SPDX-License-Identifier: Apache-2.0
// A scheduler of its own: which of a rank's ready objects runs next. --roam-scheduler finds it by
// its name:
//   example_own_scheduler --roam-scheduler shortest_first
#include <cstdio>
#include <mutex>
#include <queue>
#include <roam/exec/schedulers.hpp>
#include <roam/roam.hpp>
#include <vector>

// [class]
/// The object with the least announced work first: the mean waiting time is the shortest possible.
class ShortestFirst final : public roam::exec::Scheduler {
 public:
  void push(roam::WorkerIndex, roam::exec::ReadyItem* item) override {
    const std::lock_guard guard(mutex_);
    items_.push({item->announced_work, count_++, item});
  }
  roam::exec::ReadyItem* pop(roam::WorkerIndex) override {
    const std::lock_guard guard(mutex_);
    if (items_.empty()) return nullptr;
    roam::exec::ReadyItem* const item = items_.top().item;
    items_.pop();
    return item;
  }

 private:
  struct Entry {
    float work;
    std::uint64_t number;  // of the push: older ones first among equals
    roam::exec::ReadyItem* item;
    bool operator>(const Entry& other) const {
      return work != other.work ? work > other.work : number > other.number;
    }
  };
  std::mutex mutex_;
  std::uint64_t count_ = 0;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> items_;
};
// [class]

// [registration]
const roam::exec::SchedulerRegistrar registrar{
    {.name = "shortest_first",
     .description = "the object with the least announced work",
     .parameters = {},
     .create = [](const roam::plugin::Parameters&, roam::WorkerIndex)
         -> std::unique_ptr<roam::exec::Scheduler> { return std::make_unique<ShortestFirst>(); }}};
// [registration]

struct Piece {
  double waited = 0;
  void work(double seconds, double sent_at) {
    waited = roam::seconds(roam::here().now()) - sent_at;
    roam::here().compute(roam::from_seconds(seconds));
  }
  [[nodiscard]] double waiting_time() const { return waited; }
};

roam::Task<> program(roam::Runtime& rt) {
  std::vector<roam::mobile_ptr<Piece>> pieces;
  for (int i = 0; i < 40; ++i) pieces.push_back(rt.create<Piece>());
  const double now = roam::seconds(rt.now());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const double seconds = i % 4 == 0 ? 0.004 : 0.0005;
    pieces[i].send_with<&Piece::work>({.cost_seconds = seconds}, seconds, now);
  }
  co_await rt.quiescence();
  double sum = 0;
  for (const auto& piece : pieces) sum += co_await piece.call<&Piece::waiting_time>();
  std::printf("rank %d: %.1f ms of waiting on average\n", static_cast<int>(rt.rank().value()),
              1e3 * sum / static_cast<double>(pieces.size()));
}

int main(int argc, char** argv) { return roam::run(argc, argv, program); }
