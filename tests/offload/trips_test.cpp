// SPDX-License-Identifier: Apache-2.0
// The round trips of offloaded tasks, as a trace has them.
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "roam/offload/detail/trip_log.hpp"
#include "roam/offload/offload.hpp"
#include "roam/roam.hpp"
#include "roam/trace/record_options.hpp"
#include "support/simulated.hpp"
#include "support/temporary_folder.hpp"

namespace roam::offload {

namespace {

using Json = nlohmann::json;
using std::chrono::microseconds;

int plain_task(int value) {
  here().compute(microseconds(100));
  return value;
}

/// Takes long on other ranks than the first.
int slow_elsewhere(int value) {
  here().compute(here().rank() == 0 ? microseconds(100) : microseconds(4000));
  return value;
}

struct Trip {
  std::string label;
  std::string outcome;
  std::int32_t home;
  std::int32_t victim;
  std::map<std::string, double> at;  // seconds; what did not happen is missing
};

/// The trips in a trace, each with the visit that belongs to it.
std::vector<Trip> trips_in(const Json& trace) {
  std::vector<Trip> trips;
  std::map<std::tuple<std::int32_t, std::uint64_t, std::int32_t>, Json> visits;
  for (const Json& part : trace.at("roam").at("offload_trips")) {
    for (const Json& visit : part.at("visits"))
      EXPECT_TRUE(visits.try_emplace({visit[1], visit[0], part.at("rank")}, visit).second);
  }
  const auto add = [](Trip& trip, const char* name, const Json& time) {
    if (!time.is_null()) trip.at[name] = time;
  };
  for (const Json& part : trace.at("roam").at("offload_trips")) {
    for (const Json& entry : part.at("trips")) {
      Trip trip{part.at("labels").at(entry[1].get<std::size_t>()),
                entry[3],
                part.at("rank"),
                entry[2],
                {}};
      const char* const names[] = {"spawned", "sent", "back", "recomputed", "delivered"};
      for (std::size_t i = 0; i < 5; ++i) add(trip, names[i], entry[4 + i]);
      const auto visit = visits.find({trip.home, entry[0], trip.victim});
      if (visit != visits.end()) {
        add(trip, "arrived", visit->second[2]);
        add(trip, "begun", visit->second[3]);
        add(trip, "ended", visit->second[4]);
      }
      trips.push_back(trip);
    }
  }
  return trips;
}

struct Traced {
  std::vector<Trip> trips;
  Json trace;
  HomeCounts counts;  // of rank 0
};

/// A job of two ranks of which rank 0 spawns all tasks.
template <auto Function>
Traced traced_job(std::uint64_t seed) {
  const testing::TemporaryFolder folder;
  SimulatedJobOptions options = testing::simulated(2, seed);
  options.options.edit<OffloadOptions>().strategy = parse_plugin_choice("ccp");
  options.options.edit<trace::RecordOptions>().trace = folder.file("run.json");
  options.message_delay = microseconds(20);
  options.reorder = true;
  SimulatedJob job(options);
  Traced traced;
  EXPECT_TRUE(job.run([&](Runtime& rt) -> Task<> {
    for (int step = 0; step < 5; ++step) {
      std::vector<Result<int>> results;
      for (int i = 0; i < (rt.rank() == 0 ? 20 : 0); ++i) results.push_back(spawn<Function>(rt, i));
      (void)co_await when_all(std::move(results));
      co_await rt.barrier();
      next_step(rt);
    }
    co_await rt.quiescence();
    if (rt.rank() == 0) traced.counts = Offloader::of(rt).tasks().counts();
  })) << job.error();
  std::ifstream file(folder.file("run.json"));
  traced.trace = Json::parse(file);
  traced.trips = trips_in(traced.trace);
  return traced;
}

void expect_order(const Trip& trip, const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    ASSERT_TRUE(trip.at.contains(names[i])) << names[i];
    if (i > 0) {
      EXPECT_LE(trip.at.at(names[i - 1]), trip.at.at(names[i])) << names[i];
    }
  }
}

std::size_t count(const std::vector<Trip>& trips, const std::string& outcome) {
  return static_cast<std::size_t>(std::ranges::count(trips, outcome, &Trip::outcome));
}

TEST(RoundTrips, have_all_their_times) {
  const Traced traced = traced_job<&plain_task>(1);
  EXPECT_GT(traced.counts.returned, 20U);
  EXPECT_EQ(count(traced.trips, "used"), traced.counts.returned);
  for (const Trip& trip : traced.trips) {
    EXPECT_THAT(trip.label, ::testing::EndsWith("plain_task"));
    EXPECT_EQ(trip.home, 0);
    EXPECT_EQ(trip.victim, 1);
    if (trip.outcome != "used") continue;
    expect_order(trip, {"spawned", "sent", "arrived", "begun", "ended", "back", "delivered"});
    EXPECT_NEAR(trip.at.at("ended") - trip.at.at("begun"), 100e-6, 1e-9);
    EXPECT_FALSE(trip.at.contains("recomputed"));
  }
}

TEST(RoundTrips, of_tasks_that_were_computed_again_say_so) {
  std::size_t late = 0;
  std::size_t sent_back = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Traced traced = traced_job<&slow_elsewhere>(seed);
    EXPECT_EQ(count(traced.trips, "used"), traced.counts.returned);
    EXPECT_EQ(count(traced.trips, "late"), traced.counts.late);
    EXPECT_EQ(count(traced.trips, "sent back"), traced.counts.sent_back);
    for (const Trip& trip : traced.trips) {
      if (trip.outcome == "late") {
        ++late;
        expect_order(trip, {"spawned", "sent", "recomputed", "back"});
        expect_order(trip, {"recomputed", "delivered"});
        expect_order(trip, {"sent", "arrived", "begun", "ended", "back"});
      } else if (trip.outcome == "sent back") {
        ++sent_back;
        expect_order(trip, {"spawned", "sent", "back"});
        EXPECT_FALSE(trip.at.contains("begun"));
        expect_order(trip, {"spawned", "delivered"});
      }
    }
  }
  EXPECT_GT(late, 0U);
  EXPECT_GT(sent_back, 0U);
}

TEST(RoundTrips, are_lines_of_events_for_viewers) {
  const Traced traced = traced_job<&plain_task>(1);
  std::map<std::string, std::vector<std::string>> lines;  // by the number of the trip
  for (const Json& event : traced.trace.at("traceEvents")) {
    if (event.value("cat", "") == "offload" && event.contains("id"))
      lines[event.at("id")].push_back(event.at("ph").get<std::string>() + " " +
                                      event.at("name").get<std::string>());
  }
  EXPECT_EQ(lines.size(), traced.trips.size());
  const std::string task = traced.trips.front().label;
  for (const auto& [id, events] : lines) {
    EXPECT_THAT(events,
                ::testing::UnorderedElementsAre("b " + task, "n sent", "n begun", "n returned",
                                                "n back", "n delivered", "e " + task))
        << id;
  }
}

TEST(RoundTrips, beyond_the_bound_are_counted) {
  TripLog log;
  for (std::size_t i = 0; i < BoundedLog<trace::OffloadTrip>::most + 5; ++i)
    (void)log.add({.token = i}, i % 2 == 0 ? "even" : "odd");
  trace::OffloadTrips trips;
  log.add_to(trips);
  EXPECT_EQ(trips.trips.size(), BoundedLog<trace::OffloadTrip>::most);
  EXPECT_EQ(trips.left_out, 5U);
  EXPECT_THAT(trips.labels, ::testing::ElementsAre("even", "odd"));
  EXPECT_EQ(trips.trips[7].label, 1U);
}

}  // namespace

}  // namespace roam::offload
