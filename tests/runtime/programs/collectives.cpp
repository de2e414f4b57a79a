// SPDX-License-Identifier: Apache-2.0
// Collectives on whole jobs of every kind.
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "runtime/job_kinds.hpp"

namespace roam::programs::collectives {

inline std::string appended(const std::string& a, const std::string& b) { return a + b; }

TEST_P(Programs, collectives_give_the_same_results_as_one_rank_would) {
  run([](Runtime& rt) -> Task<> {
    const int rank = rt.rank().value();
    const int size = rt.size();
    co_await rt.barrier();
    for (int root = 0; root < size; ++root) {
      EXPECT_EQ(co_await rt.broadcast(root, std::to_string(rank)), std::to_string(root));
      const auto text = co_await rt.reduce<&appended>(root, std::to_string(rank) + " ");
      std::string expected;
      for (int r = 0; r < size; ++r) expected += std::to_string(r) + " ";
      EXPECT_EQ(text, rank == root ? std::optional(expected) : std::nullopt);
      const auto ranks = co_await rt.gather(root, rank);
      EXPECT_EQ(ranks.size(), rank == root ? static_cast<std::size_t>(size) : 0U);
    }
    EXPECT_EQ(co_await rt.allreduce<std::plus<>>(rank), size * (size - 1) / 2);
    EXPECT_EQ(co_await rt.allreduce<Max>(rank), size - 1);
    const std::vector<int> all = co_await rt.allgather(rank * rank);
    for (int r = 0; r < size; ++r) EXPECT_EQ(all[static_cast<std::size_t>(r)], r * r);
    // Large enough for split-phase messages.
    const std::vector<double> field(20'000, 0.5 * (rank + 1));
    const std::vector<double> sum = co_await rt.allreduce<std::plus<>>(field);
    EXPECT_EQ(sum, std::vector<double>(20'000, 0.25 * size * (size + 1)));
  });
}

struct Summed {
  std::int64_t sum = 0;
  void add(std::int64_t number) { sum += number; }
  [[nodiscard]] std::int64_t total() const { return sum; }
};

TEST_P(Programs, collectives_overlap_each_other_and_other_work) {
  run([](Runtime& rt) -> Task<> {
    mobile_ptr<Summed> cell;
    if (rt.rank() == 0) cell = rt.create<Summed>();
    cell = co_await rt.broadcast(0, cell);
    std::int64_t last = 0;
    for (std::int32_t round = 0; round < 20; ++round) {
      auto sum = rt.allreduce<std::plus<>>(std::int64_t{round});
      auto ended = rt.barrier();
      cell.send<&Summed::add>(std::int64_t{round});
      if (rt.rank() == round % rt.size()) cell.migrate((round + 1) % rt.size());
      co_await ended;
      last = co_await sum;
      EXPECT_EQ(last, std::int64_t{rt.size()} * round);
    }
    co_await rt.quiescence();
    const std::int64_t total = co_await cell.call<&Summed::total>();
    EXPECT_EQ(total, std::int64_t{rt.size()} * 190);
  });
}

TEST_P(Programs, M10_quiescence_waits_for_collectives_under_way) {
  run([](Runtime& rt) -> Task<> {
    for (int round = 0; round < 5; ++round) {
      auto sum = rt.allreduce<std::plus<>>(1);
      auto ended = rt.barrier();
      co_await rt.quiescence();
      EXPECT_TRUE(sum.is_ready());
      EXPECT_TRUE(ended.is_ready());
      EXPECT_EQ(co_await sum, rt.size());
    }
  });
}

inline Task<std::int64_t> sum_of_ranks() {
  co_return co_await here().allreduce<std::plus<>>(std::int64_t{here().rank().value()});
}

TEST_P(Programs, collectives_work_in_any_coroutine_of_a_rank) {
  run([](Runtime& rt) -> Task<> {
    if (rt.rank() == 0) {
      std::vector<am::Reply<std::int64_t>> replies;
      for (std::int32_t r = 0; r < rt.size(); ++r) replies.push_back(rt.request<&sum_of_ranks>(r));
      for (auto& reply : replies)
        EXPECT_EQ(co_await reply, std::int64_t{rt.size()} * (rt.size() - 1) / 2);
    }
    co_await rt.quiescence();
    co_await rt.barrier();
  });
}

}  // namespace roam::programs::collectives
