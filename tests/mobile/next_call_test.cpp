// SPDX-License-Identifier: Apache-2.0
// A call that a single idle worker receives for an object at rest starts at once, in real time
// only. Tests of this special case.
#include <gtest/gtest.h>

#include <functional>
#include <roam/roam.hpp>

namespace next_call_test {

namespace {

/// Used by rank 0's one worker alone until the job is at rest.
struct Meeting {
  struct Waiter final : roam::exec::Suspension {};
  Waiter waiter;
  bool has_met = false;
  bool has_arrived = false;
  bool has_met_before_the_last = false;
};
Meeting* meeting = nullptr;

struct WaitForArrival {
  [[nodiscard]] bool await_ready() const { return meeting->has_arrived; }
  void await_suspend(std::coroutine_handle<> handle) const { meeting->waiter.capture(handle); }
  void await_resume() const {}
};

struct Place {
  roam::Task<> meet() const {
    co_await WaitForArrival{};
    meeting->has_met = true;
  }
  roam::Task<> meet_alone() {
    co_await WaitForArrival{};
    meeting->has_met = true;
  }
  void arrive() const {
    meeting->has_arrived = true;
    meeting->waiter.resume();
  }
  void be_last() { meeting->has_met_before_the_last = meeting->has_met; }
  void be_last_and_look() const { meeting->has_met_before_the_last = meeting->has_met; }
  template <class Archive>
  void serialize(Archive&) {}
};

roam::mobile_ptr<Place> make_place() { return roam::here().create<Place>(); }

template <auto F>
void post_as(std::uint32_t sequence, roam::mobile_ptr<Place> place) {
  roam::Runtime& rt = roam::here();
  roam::mobile::CallHeader header;
  header.object = place.id().value();
  header.origin = rt.rank().value();
  header.sequence = sequence;
  header.method = roam::mobile::detail::method_instance<F>.id();
  roam::core::Packer packer = rt.messenger().begin();
  header.write(packer);
  rt.messenger().post(0, roam::am::message_id<roam::mobile::CallHeader>, std::move(packer), true);
}

/// Runs the program on two ranks of one worker each; `here` is the meeting of rank 0.
void run_as(Meeting& here, const std::function<roam::Task<>(roam::Runtime&)>& program) {
  meeting = &here;
  roam::Options options;
  options.ranks = 2;
  options.ranks_given = true;
  options.workers = 1;
  options.transport = "in-process";
  ASSERT_EQ(roam::run(options, program), 0);
}

// Both only read the object. The second comes first and is set aside; the first starts at once and
// waits for the second.
TEST(NextCall, M4_does_not_keep_out_one_that_came_early_and_may_overlap) {
  for (int round = 0; round < 100; ++round) {
    const auto program = [](roam::Runtime& rt) -> roam::Task<> {
      if (rt.rank() == 1) {
        const auto place = co_await rt.request<&make_place>(0);
        post_as<&Place::arrive>(1, place);
        post_as<&Place::meet>(0, place);
      }
      co_await rt.quiescence();
    };
    Meeting here;
    ASSERT_NO_FATAL_FAILURE(run_as(here, program));
    ASSERT_TRUE(here.has_arrived) << "round " << round;
    ASSERT_TRUE(here.has_met) << "round " << round;
  }
}

void arrive() {
  meeting->has_arrived = true;
  meeting->waiter.resume();
}

/// The first of two calls has started and waits for a message; the second comes before that
/// message.
template <auto First, auto Second>
void expect_second_waits_for_first() {
  for (int round = 0; round < 100; ++round) {
    const auto program = [](roam::Runtime& rt) -> roam::Task<> {
      if (rt.rank() == 1) {
        const auto place = co_await rt.request<&make_place>(0);
        place.template send<First>();
        place.template send<Second>();
        rt.send<&arrive>(0);
      }
      co_await rt.quiescence();
    };
    Meeting here;
    ASSERT_NO_FATAL_FAILURE(run_as(here, program));
    ASSERT_TRUE(here.has_met_before_the_last) << "round " << round;
  }
}

TEST(NextCall, M4_an_exclusive_call_does_not_start_beside_a_shared_one) {
  expect_second_waits_for_first<&Place::meet, &Place::be_last>();
}

TEST(NextCall, M4_a_shared_call_does_not_start_beside_an_exclusive_one) {
  expect_second_waits_for_first<&Place::meet_alone, &Place::be_last_and_look>();
}

}  // namespace

}  // namespace next_call_test
