// SPDX-License-Identifier: Apache-2.0
#include "roam/trace/detail/event_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "roam/core/serialise.hpp"
#include "roam/trace/run_trace.hpp"

namespace roam::trace::event_log_test {
namespace {

using ::testing::ElementsAre;

RankTrace recorded(const EventLog& log) {
  RankTrace trace;
  log.add_to(trace);
  return trace;
}

TEST(EventLog, keeps_what_each_slot_recorded_in_order) {
  EventLog log(3);
  log.handler(2, "&Field::sample", ObjectId(Rank(1), 7), Instant(10), Instant(30));
  log.handler(0, "&Field::refine", ObjectId(), Instant(20), Instant(25));
  log.handler(0, "&Field::sample", ObjectId(), Instant(30), Instant(35));
  log.migration(Instant(40), ObjectId(Rank(1), 7), 1, 0, 4096);
  const RankTrace trace = recorded(log);
  ASSERT_EQ(trace.events.size(), 3U);
  EXPECT_EQ(trace.events[0].worker, 0U);
  EXPECT_EQ(trace.events[0].begin, Instant(20));
  EXPECT_EQ(trace.events[1].begin, Instant(30));
  EXPECT_EQ(trace.events[2].worker, 2U);
  EXPECT_EQ(trace.events[2].end, Instant(30));
  EXPECT_EQ(trace.events[2].object, ObjectId(Rank(1), 7));
  EXPECT_THAT(trace.labels, ElementsAre("&Field::refine", "&Field::sample"));
  EXPECT_EQ(trace.events[2].label, 1U);
  ASSERT_EQ(trace.migrations.size(), 1U);
  EXPECT_EQ(trace.migrations[0].to, Rank(0));
  EXPECT_EQ(trace.migrations[0].bytes, 4096U);
  EXPECT_EQ(trace.dropped_events, 0U);
}

// A job may be ended while a handler runs: what has been recorded so far is read, whole events
// only.
TEST(EventLog, is_read_while_another_thread_records) {
  constexpr std::int64_t count = 200'000;  // several chunks
  EventLog log(1);
  std::thread recorder([&] {
    for (std::int64_t i = 0; i < count; ++i)
      log.handler(0, "step", ObjectId(Rank(0), 1), Instant(i), Instant(i + 1));
  });
  std::size_t seen = 0;
  while (seen < count) {
    const RankTrace trace = recorded(log);
    ASSERT_GE(trace.events.size(), seen);
    seen = trace.events.size();
    for (std::size_t i = 0; i < seen; ++i) {
      ASSERT_EQ(trace.events[i].begin, Instant(static_cast<std::int64_t>(i)));
      ASSERT_EQ(trace.events[i].end, Instant(static_cast<std::int64_t>(i) + 1));
    }
  }
  recorder.join();
}

TEST(EventLog, interns_equal_texts_at_different_addresses_once) {
  static const char first[] = "refine";
  static const char second[] = "refine";
  EventLog log(1);
  log.handler(0, first, ObjectId(), Instant(0), Instant(1));
  log.handler(0, second, ObjectId(), Instant(1), Instant(2));
  log.handler(0, nullptr, ObjectId(), Instant(2), Instant(3));
  EXPECT_THAT(recorded(log).labels, ElementsAre("refine", "unnamed"));
}

TEST(EventLog, drops_and_counts_what_is_past_the_bound) {
  for (const std::size_t bound : {0U, 1U, 63U, 64U, 65U, 10'000U}) {
    EventLog log(2, bound);
    for (int i = 0; i < 10'010; ++i) log.handler(0, "a", ObjectId(), Instant(i), Instant(i + 1));
    log.handler(1, "b", ObjectId(), Instant(0), Instant(1));
    for (int i = 0; i < 10'001; ++i) log.migration(Instant(i), ObjectId(1), 0, 1, 8);
    const RankTrace trace = recorded(log);
    const std::size_t of_other_slot = std::min<std::size_t>(bound, 1);
    ASSERT_EQ(trace.events.size(), bound + of_other_slot);
    EXPECT_EQ(trace.migrations.size(), bound);
    EXPECT_EQ(trace.dropped_events, 20'012 - 2 * bound - of_other_slot);
    for (std::size_t i = 0; i < bound; ++i) {
      ASSERT_EQ(trace.events[i].begin.count(), static_cast<std::int64_t>(i));
    }
  }
}

TEST(EventLog, slots_are_independent_across_threads) {
  constexpr std::uint32_t slots = 4;
  constexpr int each = 20'000;
  EventLog log(slots);
  std::vector<std::thread> threads;
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    threads.emplace_back([&log, slot] {
      for (int i = 0; i < each; ++i) {
        log.handler(slot, slot % 2 == 0 ? "even" : "odd", ObjectId(Rank(0), slot), Instant(i),
                    Instant(i + 1));
        if (i % 1000 == 0) log.migration(Instant(i), ObjectId(Rank(0), slot), 0, 1, 1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const RankTrace trace = recorded(log);
  ASSERT_EQ(trace.events.size(), std::size_t{slots} * each);
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    ASSERT_EQ(trace.events[i].worker, i / each);
    ASSERT_EQ(trace.events[i].object.serial(), i / each);
    ASSERT_EQ(trace.events[i].begin.count(), static_cast<std::int64_t>(i % each));
  }
  EXPECT_EQ(trace.migrations.size(), std::size_t{slots} * each / 1000);
}

// The time is not checked (machines differ), but printed.
TEST(EventLog, recording_is_cheap) {
  constexpr int count = 900'000;
  EventLog log(1);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) log.handler(0, "a", ObjectId(1), Instant(i), Instant(i + 1));
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  RecordProperty("nanoseconds_per_event", std::to_string(took.count() / count));
  std::cout << took.count() / count << " ns per event\n";
  EXPECT_EQ(log.dropped(), 0U);
}

TEST(RankTrace, travels_between_processes) {
  EventLog log(1, 2);
  for (int i = 0; i < 3; ++i) log.handler(0, "a", ObjectId(Rank(3), 5), Instant(i), Instant(9));
  log.migration(Instant(5), ObjectId(Rank(3), 5), 3, 1, 77);
  RankTrace trace = recorded(log);
  trace.rank = 3;
  trace.workers = {{0, 1.5, 0.25, 0.125, 42}};
  trace.decisions = {{0.5, "diffusion", 3, no_rank, ObjectId(Rank(3), 5), 1.0, 77, 0.5, 0.1, -1, 0,
                      "refused", "no neighbour is idle"}};
  trace.traffic = {{2, 7, 700}};
  trace.phases = {{.max_load_seconds = 3, .moved_objects = 4, .phase = 9}};
  core::Packer packer(core::Buffer::allocate(64));
  core::pack(packer, trace);
  const core::Buffer bytes = packer.take();
  core::Unpacker unpacker(bytes.bytes());
  const auto copy = core::unpack<RankTrace>(unpacker);
  EXPECT_EQ(unpacker.remaining(), 0U);
  EXPECT_EQ(copy.rank, Rank(3));
  EXPECT_EQ(copy.dropped_events, 1U);
  EXPECT_EQ(copy.workers.at(0).handlers_run, 42U);
  EXPECT_EQ(copy.labels, trace.labels);
  EXPECT_EQ(copy.events.at(1).object, ObjectId(Rank(3), 5));
  EXPECT_EQ(copy.migrations.at(0).bytes, 77U);
  EXPECT_EQ(copy.decisions.at(0).to, no_rank);
  EXPECT_EQ(copy.decisions.at(0).object, ObjectId(Rank(3), 5));
  EXPECT_EQ(copy.decisions.at(0).reason, "no neighbour is idle");
  EXPECT_EQ(copy.decisions.at(0).stay_seconds, -1);
  EXPECT_EQ(copy.traffic.at(0).bytes, 700U);
  EXPECT_EQ(copy.phases.at(0).phase, 9U);
  EXPECT_EQ(copy.phases.at(0).max_load_seconds, 3);
}

}  // namespace
}  // namespace roam::trace::event_log_test
