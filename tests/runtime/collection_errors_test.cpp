// SPDX-License-Identifier: Apache-2.0
// How errors in the use of collections are reported (M8, M10, M11, R2).
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "roam/core/error.hpp"
#include "roam/roam.hpp"

namespace collection_errors_test {

namespace {

struct Plot {
  roam::Index<1> place;
  Plot() = default;
  explicit Plot(const roam::Index<1>& index) : place(index) {}
  [[nodiscard]] std::vector<int> ragged() const {
    return std::vector<int>(static_cast<std::size_t>(place[0] + 1), 1);
  }
  void burn() const {
    if (place[0] == 2) throw std::runtime_error("the plot is on fire");
  }
  void nothing() const {}
};
using Plots = roam::collection<Plot, 1>;

roam::Options real(std::int32_t ranks) {
  roam::Options options;
  options.transport = "in-process";
  options.ranks = ranks;
  options.ranks_given = true;
  options.workers = 1;
  return options;
}

/// Runs a program on rank 0 of two; stores its output and the reports.
struct Job {
  int status = 0;
  std::string printed;
  std::atomic<int> dead_letters{0};
  std::atomic<int> errors{0};
  std::string last_error;

  explicit Job(const std::function<roam::Task<>(roam::Runtime&)>& on_rank_0,
               bool has_handlers = false) {
    testing::internal::CaptureStderr();
    status = roam::run(real(2), [&](roam::Runtime& rt) -> roam::Task<> {
      if (has_handlers) {
        rt.on_dead_letter([this](const std::string&) { ++dead_letters; });
        rt.on_error([this](const std::string& text) {
          ++errors;
          last_error = text;
        });
      }
      if (rt.rank() == 0) co_await on_rank_0(rt);
    });
    printed = testing::internal::GetCapturedStderr();
  }
};

roam::Task<Plots> make_plots(roam::Runtime& rt) {
  const roam::Index<1> extent{4};
  auto made = rt.create_collection<Plot>(extent, roam::Placement::block());
  co_return co_await made;
}

TEST(CollectionErrors, an_exception_in_a_broadcast_that_nobody_awaits_stops_the_job) {
  const Job job([](roam::Runtime& rt) -> roam::Task<> {
    const Plots plots = co_await make_plots(rt);
    plots.broadcast<&Plot::burn>();
  });
  EXPECT_NE(job.status, 0);
  EXPECT_NE(job.printed.find("the plot is on fire"), std::string::npos) << job.printed;
  EXPECT_NE(job.printed.find("rank 1"), std::string::npos) << job.printed;
}

TEST(CollectionErrors, M10_a_reduction_without_contributions_is_in_the_stuck_report) {
  const Job job([](roam::Runtime& rt) -> roam::Task<> {
    const Plots plots = co_await make_plots(rt);
    const roam::Index<1> place{1};
    plots.contribute<std::plus<>>(place, 7, 1);
    auto sum = plots.reduction<std::plus<>, int>(7);
    static_cast<void>(co_await sum);
  });
  EXPECT_NE(job.status, 0);
  EXPECT_NE(job.printed.find("no progress"), std::string::npos) << job.printed;
  EXPECT_NE(job.printed.find("reduction of contributions"), std::string::npos) << job.printed;
  EXPECT_NE(job.printed.find("rank 0: phase 7 of the collection of "), std::string::npos)
      << job.printed;
  EXPECT_NE(job.printed.find("1 of the 2 elements that this rank is the home of: "),
            std::string::npos)
      << job.printed;
  EXPECT_NE(job.printed.find("Plot (0)\n"), std::string::npos) << job.printed;
  EXPECT_EQ(job.printed.find("Plot (1)"), std::string::npos) << job.printed;
  EXPECT_NE(job.printed.find("Plot (2), "), std::string::npos) << job.printed;
  EXPECT_NE(job.printed.find("Plot (3)\n"), std::string::npos) << job.printed;
}

TEST(CollectionErrors, M10_the_stuck_report_names_values_of_another_type_and_second_contributions) {
  const Job job([](roam::Runtime& rt) -> roam::Task<> {
    const Plots plots = co_await make_plots(rt);
    for (int i : {0, 1, 1, 2}) plots.contribute<std::plus<>>(i, 7, i);
    plots.contribute<std::plus<>>(3, 7, 0.5);
    plots.contribute<std::plus<>>(0, 8, 0.5);  // of another phase
    auto sum = plots.reduction<std::plus<>, int>(7);
    static_cast<void>(co_await sum);
  });
  EXPECT_NE(job.status, 0);
  EXPECT_NE(job.printed.find("Plot (3) contributed a value of another type to phase 7: double by "),
            std::string::npos)
      << job.printed;
  EXPECT_EQ(job.printed.find("Plot (0)"), std::string::npos) << job.printed;
  // Rank 0 has its elements' values; the reduction waits for rank 1.
  EXPECT_NE(job.printed.find("Plot (1) contributed to phase 7 a second time"), std::string::npos)
      << job.printed;
  EXPECT_EQ(job.printed.find("phase 8"), std::string::npos) << job.printed;
}

TEST(CollectionErrors, M10_a_second_contribution_is_in_the_stuck_report_of_a_phase_that_lacks_one) {
  const Job job([](roam::Runtime& rt) -> roam::Task<> {
    const Plots plots = co_await make_plots(rt);
    for (int i : {1, 1, 1, 2, 3}) plots.contribute<std::plus<>>(i, 7, i);
    auto sum = plots.reduction<std::plus<>, int>(7);
    static_cast<void>(co_await sum);
  });
  EXPECT_NE(job.status, 0);
  EXPECT_NE(job.printed.find("Plot (1) contributed to phase 7 a second time"), std::string::npos)
      << job.printed;
}

TEST(CollectionErrors, a_second_contribution_is_reported_after_the_phase_has_completed) {
  const Job job(
      [](roam::Runtime& rt) -> roam::Task<> {
        const Plots plots = co_await make_plots(rt);
        for (int i : {0, 1, 2, 3}) plots.contribute<roam::Max>(i, 5, i);
        auto most = plots.reduction<roam::Max, int>(5);
        EXPECT_EQ(co_await most, 3);
        plots.contribute<roam::Max>(2, 5, 7);
        plots.contribute<roam::Max>(2, 6, 7);  // of the next phase
        co_await plots.for_all<&Plot::nothing>();
        std::string text;
        try {
          auto again = plots.reduction<roam::Max, int>(5);
          static_cast<void>(co_await again);
        } catch (const roam::RemoteError& error) {
          text = error.what();
        }
        EXPECT_NE(text.find("phase 5 of this type has been reduced already"), std::string::npos)
            << text;
      },
      true);
  EXPECT_EQ(job.status, 0) << job.printed;
  EXPECT_EQ(job.errors, 1);
  EXPECT_NE(job.last_error.find("Plot (2) contributed to phase 5 again"), std::string::npos)
      << job.last_error;
}

TEST(CollectionErrors, values_that_cannot_be_combined_fail_the_reduction) {
  const Job job([](roam::Runtime& rt) -> roam::Task<> {
    const Plots plots = co_await make_plots(rt);
    std::string text;
    try {
      auto sum = plots.reduce<&Plot::ragged, std::plus<>>();
      static_cast<void>(co_await sum);
    } catch (const roam::RemoteError& error) {
      text = error.what();
    }
    EXPECT_NE(text.find("cannot be combined"), std::string::npos) << text;
    co_await plots.for_all<&Plot::nothing>();  // other operations are not affected
  });
  EXPECT_EQ(job.status, 0) << job.printed;
}

TEST(CollectionErrors, an_element_that_contributes_twice_fails_the_phase) {
  const Job job([](roam::Runtime& rt) -> roam::Task<> {
    const Plots plots = co_await make_plots(rt);
    for (int i : {0, 1, 1, 2, 3}) plots.contribute<roam::Max>(i, 0, i);
    std::string text;
    try {
      auto most = plots.reduction<roam::Max, int>(0);
      static_cast<void>(co_await most);
    } catch (const roam::RemoteError& error) {
      text = error.what();
    }
    EXPECT_NE(text.find("Plot (1) contributed to phase 0 a second time"), std::string::npos)
        << text;
    for (int i : {0, 1, 2, 3}) plots.contribute<roam::Max>(i, 1, i);
    auto most = plots.reduction<roam::Max, int>(1);
    EXPECT_EQ(co_await most, 3);
  });
  EXPECT_EQ(job.status, 0) << job.printed;
}

TEST(CollectionErrors, a_contribution_of_an_erased_element_is_reported) {
  const Job job(
      [](roam::Runtime& rt) -> roam::Task<> {
        const Plots plots = co_await make_plots(rt);
        const roam::Index<1> place{3};
        plots.erase(place);
        try {
          co_await plots[place].call<&Plot::nothing>();
        } catch (const roam::ObjectGone&) {
        }
        plots.contribute<std::plus<>>(place, 0, 1);
      },
      true);
  EXPECT_EQ(job.status, 0) << job.printed;
  EXPECT_EQ(job.errors, 1);
  EXPECT_NE(job.last_error.find("Plot (3) to phase 0 came after the element had been erased"),
            std::string::npos)
      << job.last_error;
}

TEST(CollectionErrors, M8_operations_on_a_collection_that_has_ended_say_so) {
  const Job job(
      [](roam::Runtime& rt) -> roam::Task<> {
        const Plots plots = co_await make_plots(rt);
        co_await plots.destroy();
        bool is_gone = false;
        try {
          co_await plots.for_all<&Plot::nothing>();
        } catch (const roam::ObjectGone&) {
          is_gone = true;
        }
        EXPECT_TRUE(is_gone);
        is_gone = false;
        try {
          const roam::Index<1> place{3};
          co_await plots[place].call<&Plot::nothing>();
        } catch (const roam::ObjectGone&) {
          is_gone = true;
        }
        EXPECT_TRUE(is_gone);
        plots.broadcast<&Plot::nothing>();
      },
      true);
  EXPECT_EQ(job.status, 0) << job.printed;
  EXPECT_EQ(job.dead_letters, 1);
}

roam::Rank nowhere(roam::Index<1> index, roam::Index<1> /*extent*/, std::int32_t ranks) {
  return {index[0] == 2 ? ranks : 0};
}

TEST(CollectionErrors, what_cannot_be_made_is_an_error_at_once_or_in_the_reply) {
  const Job job([](roam::Runtime& rt) -> roam::Task<> {
    const roam::Index<1> negative{-3};
    EXPECT_THROW(static_cast<void>(rt.create_collection<Plot>(negative, roam::Placement::block())),
                 roam::Error);
    const roam::Index<1> extent{4};
    EXPECT_THROW(static_cast<void>(rt.create_collection<Plot>(extent, roam::Placement::hash())),
                 roam::Error);
    std::string text;
    try {
      auto made = rt.create_collection<Plot>(extent, roam::Placement::by<&nowhere>());
      static_cast<void>(co_await made);
    } catch (const roam::RemoteError& error) {
      text = error.what();
    }
    EXPECT_NE(text.find("element (2) on rank 2"), std::string::npos) << text;
    // It would fit, had the one before not used some names.
    const roam::Index<1> all{roam::mobile::CollectionShape::most_elements};
    text.clear();
    try {
      auto made = rt.create_collection<Plot>(all, roam::Placement::block());
      static_cast<void>(co_await made);
    } catch (const roam::RemoteError& error) {
      text = error.what();
    }
    EXPECT_NE(text.find("no room"), std::string::npos) << text;
  });
  EXPECT_EQ(job.status, 0) << job.printed;
}

}  // namespace

}  // namespace collection_errors_test
