// SPDX-License-Identifier: Apache-2.0
// The checker itself: histories in which one promise is broken, and one in which none is.
#include "testing/history.hpp"

#include <gtest/gtest.h>

#include <string>

#include "exec/exec_helpers.hpp"
#include "roam/mobile/detail/object_space.hpp"

namespace roam::testing::history_test {
namespace {

using Kind = mobile::ProtocolEvent::Kind;
using mobile::CallHeader;
using mobile::ProtocolEvent;

struct Thing {
  int value = 0;
  void change() { ++value; }
  [[nodiscard]] int look() const { return value; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(value);
  }
};

/// A handler that issues the calls: only what a handler issues is in order.
class Sender final : public exec::Execution {
 public:
  void finish(exec::Context& /*context*/) override {}
  [[nodiscard]] std::string describe() const override { return "a sender"; }
};

/// Feeds a history of three ranks and one object, 0:1, created on rank 0.
class HistoryTest : public ::testing::Test {
 protected:
  HistoryTest() {
    context.execution = &sender;
    object_event(Kind::created, 0, no_rank, 0);
  }

  void object_event(Kind kind, Rank at, Rank other, std::uint32_t version) {
    ProtocolEvent event;
    event.kind = kind;
    event.at = at;
    event.object = object;
    event.other = other;
    event.version = version;
    event.type = &mobile::object_type<Thing>();
    event.state = &thing;
    history.happened(event);
  }
  void call_event(Kind kind, Rank at, std::uint32_t number, bool exclusive = true,
                  std::uint16_t hops = 0) {
    CallHeader header;
    header.object = object.value();
    header.origin = 0;
    header.sequence = number;
    header.hops = hops;
    ProtocolEvent event;
    event.kind = kind;
    event.at = at;
    event.object = object;
    event.call = &header;
    event.execution = reinterpret_cast<const exec::Execution*>(&executions[number]);
    event.method = exclusive ? &mobile::detail::method_instance<&Thing::change>
                             : &mobile::detail::method_instance<&Thing::look>;
    history.happened(event);
  }
  void take_in(std::uint32_t number, bool exclusive = true) {
    call_event(Kind::issued, 0, number, exclusive);
    call_event(Kind::accepted, 0, number, exclusive);
  }
  [[nodiscard]] std::string broken() const {
    return history.violation() ? history.violation()->promise : std::string();
  }

  Sender sender;
  exec::Context context;
  const exec::Scope scope{&context};
  char executions[8] = {};  // only their addresses count
  const ObjectId object{0, 1};
  Thing thing;
  History history{3, true};
};

TEST_F(HistoryTest, nothing_is_broken_by_a_regular_life) {
  take_in(0);
  call_event(Kind::started, 0, 0);
  call_event(Kind::ended, 0, 0);
  object_event(Kind::packed, 0, 1, 0);
  object_event(Kind::installed, 1, 0, 1);
  object_event(Kind::left, 0, 1, 0);
  object_event(Kind::destroyed, 1, no_rank, 1);
  history.check_end();
  EXPECT_EQ(broken(), "");
}
TEST_F(HistoryTest, M2_a_call_that_runs_twice) {
  take_in(0);
  call_event(Kind::started, 0, 0);
  call_event(Kind::ended, 0, 0);
  call_event(Kind::started, 0, 0);
  EXPECT_EQ(broken(), "M2");
}
TEST_F(HistoryTest, M2_a_call_that_is_taken_in_twice) {
  take_in(0);
  call_event(Kind::accepted, 0, 0);
  EXPECT_EQ(broken(), "M2");
}
TEST_F(HistoryTest, M2_a_call_that_nobody_issued) {
  call_event(Kind::accepted, 0, 0);
  EXPECT_EQ(broken(), "M2");
}
TEST_F(HistoryTest, M3_a_later_call_that_starts_first) {
  call_event(Kind::issued, 0, 0);
  call_event(Kind::issued, 0, 1);
  call_event(Kind::accepted, 0, 1);
  call_event(Kind::accepted, 0, 0);
  call_event(Kind::started, 0, 1, true);
  call_event(Kind::ended, 0, 1, true);
  call_event(Kind::started, 0, 0);
  EXPECT_EQ(broken(), "M3");
}
// The sender of call 0 has ended without notice, as functions on ranks do, and the sender of call 1
// has the same address.
class SenderAtOneAddress : public HistoryTest {
 protected:
  SenderAtOneAddress() { context.engine = &engine; }
  void issue_in_two_runs() {
    call_event(Kind::issued, 0, 0);
    engine.push(exec::testing::Job::make([](exec::Context&) {}));
    while (engine.step(0).kind == exec::StepResult::Kind::ran) continue;
    call_event(Kind::issued, 0, 1);
  }
  void start_the_later_first() {
    call_event(Kind::accepted, 0, 1);
    call_event(Kind::accepted, 0, 0);
    call_event(Kind::started, 0, 1);
    call_event(Kind::ended, 0, 1);
    call_event(Kind::started, 0, 0);
    call_event(Kind::ended, 0, 0);
  }

 private:
  exec::testing::ManualClock clock_;

 protected:
  exec::Engine engine{{}, clock_};
};
TEST_F(SenderAtOneAddress, two_executions_in_two_runs_have_no_order) {
  issue_in_two_runs();
  start_the_later_first();
  EXPECT_EQ(broken(), "");
}
TEST_F(SenderAtOneAddress, M3_one_run_has_an_order) {
  call_event(Kind::issued, 0, 0);
  call_event(Kind::issued, 0, 1);
  start_the_later_first();
  EXPECT_EQ(broken(), "M3");
}
TEST_F(SenderAtOneAddress, M3_the_main_program_is_one_sender_in_all_its_runs) {
  context.label = "main program";
  issue_in_two_runs();
  start_the_later_first();
  EXPECT_EQ(broken(), "M3");
}
TEST_F(HistoryTest, M4_an_exclusive_call_beside_a_shared_one) {
  take_in(0, false);
  take_in(1);
  call_event(Kind::started, 0, 0, false);
  call_event(Kind::started, 0, 1);
  EXPECT_EQ(broken(), "M4");
}
TEST_F(HistoryTest, M4_a_shared_call_that_overtakes) {
  call_event(Kind::issued, 0, 0);
  call_event(Kind::issued, 0, 1, false);
  call_event(Kind::accepted, 0, 0);
  call_event(Kind::accepted, 0, 1, false);
  call_event(Kind::started, 0, 1, false);
  EXPECT_EQ(broken(), "M4");
}
TEST_F(HistoryTest, M5_an_object_packed_while_a_handler_runs) {
  take_in(0);
  call_event(Kind::started, 0, 0);
  object_event(Kind::packed, 0, 1, 0);
  EXPECT_EQ(broken(), "M5");
}
TEST_F(HistoryTest, M5_an_object_that_arrives_in_another_state) {
  object_event(Kind::packed, 0, 1, 0);
  thing.value = 7;
  object_event(Kind::installed, 1, 0, 1);
  EXPECT_EQ(broken(), "M5");
}
TEST_F(HistoryTest, M5_a_call_that_runs_on_an_object_under_way) {
  take_in(0);
  object_event(Kind::packed, 0, 1, 0);
  call_event(Kind::started, 0, 0);
  EXPECT_EQ(broken(), "M5");
}
TEST_F(HistoryTest, M6_an_object_that_is_refused_and_installed) {
  object_event(Kind::packed, 0, 1, 0);
  object_event(Kind::refused, 0, 1, 0);
  object_event(Kind::installed, 1, 0, 1);
  EXPECT_EQ(broken(), "M6");
}
TEST_F(HistoryTest, M7_stale_news_that_is_believed) {
  ProtocolEvent event;
  event.kind = Kind::learned;
  event.at = 2;
  event.object = object;
  event.version = 3;
  event.former_version = 4;
  history.happened(event);
  EXPECT_EQ(broken(), "M7");
}
TEST_F(HistoryTest, M7_a_sender_that_is_not_told) {
  call_event(Kind::issued, 0, 0);
  object_event(Kind::packed, 0, 1, 0);
  object_event(Kind::installed, 1, 0, 1);
  call_event(Kind::forwarded, 0, 0);
  call_event(Kind::accepted, 1, 0, true, 1);
  call_event(Kind::started, 1, 0);
  call_event(Kind::ended, 1, 0);
  history.check_end();
  EXPECT_EQ(broken(), "M7");
}
TEST_F(HistoryTest, M3_a_number_that_is_given_twice) {
  take_in(0);
  call_event(Kind::started, 0, 0);
  call_event(Kind::ended, 0, 0);
  take_in(0);
  EXPECT_EQ(broken(), "M3");
}
TEST_F(HistoryTest, the_number_of_a_call_that_could_not_be_made_is_given_again) {
  call_event(Kind::issued, 0, 0);
  call_event(Kind::withdrawn, 0, 0);
  take_in(0);
  call_event(Kind::started, 0, 0);
  call_event(Kind::ended, 0, 0);
  history.check_end();
  EXPECT_EQ(broken(), "");
}
TEST_F(HistoryTest, M10_a_call_under_way_at_the_quiescence_found) {
  take_in(0);
  ProtocolEvent event;
  event.kind = Kind::quiescent;
  event.at = 0;
  history.happened(event);
  EXPECT_EQ(broken(), "M10");
}
TEST_F(HistoryTest, M8_a_call_that_finds_no_object_though_it_lives) {
  call_event(Kind::issued, 0, 0);
  call_event(Kind::dead, 0, 0);
  EXPECT_EQ(broken(), "M8");
}
TEST_F(HistoryTest, M8_a_call_that_starts_after_the_end) {
  take_in(0);
  object_event(Kind::destroyed, 0, no_rank, 0);
  call_event(Kind::started, 0, 0);
  EXPECT_EQ(broken(), "M8");
}

}  // namespace
}  // namespace roam::testing::history_test
