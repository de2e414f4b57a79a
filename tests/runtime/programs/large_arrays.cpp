// SPDX-License-Identifier: Apache-2.0
// Programs that send large arrays (A1, A2, M2, M3) on whole jobs.
#include <algorithm>
#include <numeric>
#include <vector>

#include "runtime/job_kinds.hpp"

namespace roam::programs::large_arrays {

/// Sums up its arguments, and counts its calls.
struct Sink {
  std::int64_t sum = 0;
  std::int32_t next = 0;
  std::int32_t disorder = 0;
  void note(std::int32_t number, std::span<const std::int64_t> values) {
    disorder += number != next;
    next = number + 1;
    sum = std::accumulate(values.begin(), values.end(), sum);
  }
  void view(std::int32_t number, std::span<const std::int64_t> values) { note(number, values); }
  void keep(std::int32_t number, Array<std::int64_t> values) {
    note(number, {values.data(), values.size()});
  }
  void copy(std::int32_t number, std::vector<std::int64_t> values) { note(number, values); }
  Task<> hold(std::int32_t number, std::span<const std::int64_t> values) {
    co_await here().request<&Sink::nothing>(number % here().size());
    note(number, values);
  }
  static void nothing() {}
  [[nodiscard]] Array<std::int64_t> give(std::size_t count) const {
    Array<std::int64_t> values(count);
    std::ranges::fill(values, sum);
    return values;
  }
  [[nodiscard]] std::int64_t total() const { return disorder == 0 ? sum : -1; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(sum, next, disorder);
  }
};

TEST_P(Programs, M2_M3_arrays_follow_objects_that_move) {
  run([](Runtime& rt) -> Task<> {
    mobile_ptr<Sink> sink;
    std::int64_t expected = 0;
    if (rt.rank() == 0) sink = rt.create<Sink>();
    sink = co_await rt.broadcast(Rank(0), sink);
    if (rt.rank() == rt.size() - 1) {  // the only one that calls it
      std::int32_t number = 0;
      for (std::int32_t round = 0; round < 40; ++round) {
        for (const std::size_t count : {std::size_t{3}, std::size_t{1000}, std::size_t{5000}}) {
          std::vector<std::int64_t> values(count + static_cast<std::size_t>(round), round);
          expected += 4 * round * static_cast<std::int64_t>(values.size());
          sink.send<&Sink::view>(number++, values);
          sink.send<&Sink::copy>(number++, std::span(values));
          sink.send<&Sink::hold>(number++, std::vector<std::int64_t>(values));
          sink.send<&Sink::keep>(number++, std::move(values));
        }
        if (round % 3 == 0) sink.migrate(round % rt.size());
      }
    }
    co_await rt.quiescence();
    if (rt.rank() == rt.size() - 1) {
      EXPECT_EQ(co_await sink.call<&Sink::total>(), expected);
      for (const std::size_t count : {10U, 20'000U}) {
        const auto given = co_await sink.call<&Sink::give>(count);
        EXPECT_EQ(given.size(), count);
        EXPECT_EQ(given[count - 1], expected);
      }
    }
  });
}

inline void relay(std::int32_t hops, Array<std::int64_t> values) {
  for (std::int64_t& v : values) ++v;
  if (hops == 0) return here().send<&Sink::nothing>(here().rank());
  const Rank next = (here().rank().value() + 1) % here().size();
  here().send<&relay>(next, hops - 1, std::move(values));
}
inline Array<std::int64_t> count_up(Array<std::int64_t> values) {
  for (std::int64_t& v : values) ++v;
  return values;
}

TEST_P(Programs, A1_arrays_are_handed_on_from_rank_to_rank) {
  run([](Runtime& rt) -> Task<> {
    for (const std::size_t count : {std::size_t{100}, std::size_t{8192}, std::size_t{200'000}}) {
      rt.send<&relay>(rt.rank(), 2 * rt.size(), std::vector<std::int64_t>(count));
      Array<std::int64_t> values = std::vector<std::int64_t>(count);
      for (std::int32_t r = 0; r < rt.size(); ++r) {
        auto reply = rt.request<&count_up>(r, std::move(values));
        values = co_await reply;
      }
      EXPECT_EQ(values.size(), count);
      EXPECT_TRUE(std::ranges::all_of(values, [&](auto v) { return v == rt.size(); }));
      co_await rt.quiescence();
    }
  });
}

}  // namespace roam::programs::large_arrays
