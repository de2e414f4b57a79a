// SPDX-License-Identifier: Apache-2.0
#include "roam/mobile/detail/location_table.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <thread>
#include <vector>

#include "roam/core/random.hpp"
#include "roam/mobile/detail/resident.hpp"

namespace location_table_test {

using roam::ObjectId;
using roam::Rank;
using roam::mobile::LocationTable;
using roam::mobile::Place;

namespace {

ObjectId object(std::uint64_t n) { return {Rank(static_cast<std::int32_t>(n % 7)), n + 1}; }

TEST(LocationTable, knows_what_was_inserted_and_not_erased) {
  LocationTable table;
  std::map<std::uint64_t, std::uint32_t> model;
  roam::core::Random random(1);
  EXPECT_EQ(table.find(object(1)), nullptr);
  EXPECT_FALSE(table.place_of(object(1)));
  for (int step = 0; step < 200'000; ++step) {
    const std::uint64_t n = random.below(20'000);
    const auto version = static_cast<std::uint32_t>(step);
    LocationTable::Entry* entry = table.find(object(n));
    ASSERT_EQ(entry != nullptr, model.contains(n));
    if (entry == nullptr) {
      entry = &table.insert(object(n));
      EXPECT_EQ(entry->resident(), nullptr);
      EXPECT_EQ(entry->next_sequence(), 0U);
      entry->set_place(Rank(3), version);
      entry->set_next_sequence(version / 2);
      model[n] = version;
    } else if (random.below(3) == 0) {
      table.erase(*entry);
      model.erase(n);
    } else {
      EXPECT_EQ(entry->version(), model[n]);
    }
  }
  EXPECT_EQ(table.size(), model.size());
  for (const auto& [n, version] : model) {
    const auto place = table.place_of(object(n));
    ASSERT_TRUE(place);
    EXPECT_EQ(place->rank, Rank(3));
    EXPECT_EQ(place->version, version);
    EXPECT_EQ(table.find(object(n))->next_sequence(), version / 2);
  }
  std::size_t visited = 0;
  table.for_each([&](const LocationTable::Entry& entry) {
    ++visited;
    EXPECT_TRUE(model.contains(entry.id().serial() - 1));
  });
  EXPECT_EQ(visited, model.size());
}

TEST(LocationTable, an_entry_keeps_residents_sequences_and_marks_apart) {
  LocationTable table;
  LocationTable::Entry& entry = table.insert(object(5));
  entry.set_recent(true);
  EXPECT_EQ(entry.take_sequence(), 0U);
  EXPECT_EQ(entry.take_sequence(), 1U);
  EXPECT_TRUE(entry.is_recent());
  alignas(roam::mobile::Resident) std::byte memory[sizeof(roam::mobile::Resident)];
  auto* resident = reinterpret_cast<roam::mobile::Resident*>(memory);
  entry.set_resident(resident);
  EXPECT_EQ(entry.resident(), resident);
  entry.clear_resident(17);
  EXPECT_EQ(entry.resident(), nullptr);
  EXPECT_EQ(entry.next_sequence(), 17U);
  entry.set_recent(false);
  EXPECT_FALSE(entry.is_recent());
  EXPECT_EQ(entry.next_sequence(), 17U);
}

TEST(LocationTable, M7_an_entry_that_has_no_place_yet_gives_none) {
  LocationTable table;
  constexpr std::uint64_t count = 2000;  // buckets split, with and without places
  for (std::uint64_t n = 0; n < count; ++n) {
    LocationTable::Entry& entry = table.insert(object(n));
    EXPECT_FALSE(table.place_of(object(n)));
    if (n % 2 == 0) entry.set_place(Rank(0), 0);
  }
  for (std::uint64_t n = 0; n < count; ++n) {
    ASSERT_NE(table.find(object(n)), nullptr);
    ASSERT_EQ(table.place_of(object(n)).has_value(), n % 2 == 0) << "object " << n;
  }
  // The new entry uses the slot of one that had a place.
  table.erase(*table.find(object(0)));
  LocationTable::Entry& entry = table.insert(object(0));
  EXPECT_FALSE(table.place_of(object(0)));
  entry.set_place(Rank(4), 1);
  ASSERT_TRUE(table.place_of(object(0)));
  EXPECT_EQ(table.place_of(object(0))->rank, Rank(4));
}

TEST(LocationTable, takes_at_most_48_bytes_for_each_entry_at_any_size) {
  double most = 0;
  for (const bool are_neighbours : {true, false}) {
    LocationTable table;
    std::size_t next = 1000;
    for (std::uint64_t n = 0; n < 1'000'000; ++n) {
      table.insert(are_neighbours ? ObjectId(Rank(0), n + 1) : object(n)).set_place(Rank(1), 1);
      if (n + 1 != next) continue;
      const double each = static_cast<double>(table.bytes()) / static_cast<double>(n + 1);
      most = std::max(most, each);
      EXPECT_LE(each, 48.0) << "with " << n + 1 << " entries";
      next += next / 10;
    }
  }
  RecordProperty("most_bytes_per_entry", std::to_string(most));
  EXPECT_GT(most, 24.0);  // or nothing was measured
}

TEST(LocationTable, goes_around_all_entries) {
  LocationTable table;
  EXPECT_EQ(table.next_in_turn(), nullptr);
  constexpr std::uint64_t count = 1000;
  for (std::uint64_t n = 0; n < count; ++n) table.insert(object(n));
  std::map<std::uint64_t, int> seen;
  for (std::size_t i = 0; i < 64 * count; ++i) {
    if (const auto* entry = table.next_in_turn()) ++seen[entry->id().value()];
  }
  EXPECT_EQ(seen.size(), count);
}

// Readers ask without a lock while one writer inserts, erases, moves and splits. Entries that
// always exist must be found, with a version that never decreases.
TEST(LocationTable, readers_without_a_lock_see_what_is_there) {
  LocationTable table;
  constexpr std::uint64_t lasting = 300;
  const auto is_lasting = [](std::uint64_t n) { return n % 100 == 0; };
  for (std::uint64_t n = 0; n < lasting; ++n) table.insert(object(100 * n)).set_place(Rank(2), 1);
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> reads{0};
  const auto read = [&](std::uint64_t seed) {
    roam::core::Random random(seed);
    std::vector<std::uint32_t> last(lasting, 0);
    while (!stop.load(std::memory_order_relaxed)) {
      const std::uint64_t n = random.below(lasting);
      const auto place = table.place_of(object(100 * n));
      if (!place || place->version < last[n] ||
          place->rank != Rank(static_cast<std::int32_t>(place->version % 1000) + 1)) {
        ADD_FAILURE() << "object " << n << (place ? ": an old or torn place" : " is not found");
        return;
      }
      last[n] = place->version;
      const auto other = table.place_of(object(100 * n + 1));
      if (other && other->rank != Rank(9)) {
        ADD_FAILURE() << "a place of another object";
        return;
      }
      reads.fetch_add(1, std::memory_order_relaxed);
    }
  };
  std::vector<std::thread> readers;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) readers.emplace_back(read, seed);
  roam::core::Random random(9);
  std::uint32_t version = 1;
  while (version < 100'000) {
    const std::uint64_t n = random.below(50'000);
    LocationTable::Entry* entry = table.find(object(n));
    if (is_lasting(n) && n < 100 * lasting) {
      ++version;
      entry->set_place(Rank(static_cast<std::int32_t>(version % 1000) + 1), version);
    } else if (entry == nullptr) {
      table.insert(object(n)).set_place(Rank(9), 0);
    } else {
      table.erase(*entry);
    }
    if (n % 3 == 0) ++version;
  }
  stop = true;
  for (auto& reader : readers) reader.join();
  EXPECT_GT(reads.load(), 0U);
}

}  // namespace

}  // namespace location_table_test
