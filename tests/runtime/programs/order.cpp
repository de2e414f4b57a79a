// SPDX-License-Identifier: Apache-2.0
// Programs that check delivery and order of messages (A1, A2) on whole jobs.
#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "roam/core/random.hpp"
#include "runtime/job_kinds.hpp"

namespace roam::programs::order {

/// What the ranks of this process have received, by (receiver, sender).
class Heard {
 public:
  static Heard& all() {
    static Heard heard;
    return heard;
  }
  void clear() {
    const std::lock_guard guard(mutex_);
    numbers_.clear();
  }
  void add(Rank listener, std::int32_t speaker, std::int32_t number) {
    const std::lock_guard guard(mutex_);
    numbers_[{listener.value(), speaker}].push_back(number);
  }
  [[nodiscard]] std::vector<std::int32_t> of(Rank listener, std::int32_t speaker) {
    const std::lock_guard guard(mutex_);
    return numbers_[{listener.value(), speaker}];
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::int32_t>> numbers_;
};

inline void hear_number(std::int32_t speaker, std::int32_t number,
                        const std::vector<std::uint8_t>& ballast) {
  const auto expected = static_cast<std::uint8_t>(number);
  const bool intact = std::ranges::all_of(ballast, [&](std::uint8_t b) { return b == expected; });
  Heard::all().add(here().rank(), speaker, intact ? number : -1);
}
inline Task<std::int32_t> hear_and_answer(std::int32_t speaker, std::int32_t number) {
  Heard::all().add(here().rank(), speaker, number);
  co_return number;
}
inline void hear_landed(std::span<std::int32_t> landed, std::int32_t speaker, std::int32_t number) {
  const bool intact = std::ranges::all_of(landed, [&](std::int32_t v) { return v == number; });
  Heard::all().add(here().rank(), speaker, intact ? number : -1);
}

inline constexpr std::int32_t spoken_count = 300;

/// Bursts of small messages, some long and split-phase ones, some requests, some puts with handlers
/// between them: `spoken_count` numbers to every rank.
inline Task<> speak(Runtime& rt) {
  const std::int32_t self = rt.rank().value();
  core::Random random(rt.options().seed + rt.rank().index());
  std::vector<remote_ptr<std::int32_t>> regions;
  for (std::int32_t i = 0; i < spoken_count; ++i) {
    for (std::int32_t to = 0; to < rt.size(); ++to) {
      const std::uint64_t kind = random.below(40);
      if (kind == 0) {
        EXPECT_EQ(co_await rt.request<&hear_and_answer>(to, self, i), i);
      } else if (kind == 1) {
        const std::vector<std::int32_t> values(random.below(2) == 0 ? 50 : 20'000, i);
        // One element each, since its handler may run after the next put.
        const auto region = co_await rt.memory().remote_alloc<std::int32_t>(to, values.size());
        regions.push_back(region);
        co_await rt.memory().put_op<&hear_landed>(region, values, self, i);
      } else {
        const std::size_t sizes[] = {3000, 20'000, 150'000};
        const std::size_t size = kind < 5 ? sizes[kind - 2] : random.below(60);
        rt.send<&hear_number>(to, self, i,
                              std::vector<std::uint8_t>(size, static_cast<std::uint8_t>(i)));
      }
    }
  }
  co_await rt.quiescence();
  for (const auto& region : regions) co_await rt.memory().remote_free(region);
  co_await rt.quiescence();
}

TEST_P(Programs, A1_A2_messages_of_every_kind_start_once_and_in_order) {
  Heard::all().clear();
  run([](Runtime& rt) -> Task<> {
    co_await speak(rt);
    std::vector<std::int32_t> expected(spoken_count);
    std::iota(expected.begin(), expected.end(), 0);
    for (std::int32_t from = 0; from < rt.size(); ++from) {
      std::vector<std::int32_t> numbers = Heard::all().of(rt.rank(), from);
      // With several workers they start in order, but may note what they received concurrently.
      if (rt.workers() > 1) std::ranges::sort(numbers);
      EXPECT_EQ(numbers, expected) << "from rank " << from;
      if (numbers == expected) continue;
      EXPECT_EQ(std::ranges::count(numbers, -1), 0) << "damaged on the way";
    }
    EXPECT_EQ(rt.messenger().stats().messages_rejected, 0U);
  });
}

}  // namespace roam::programs::order
