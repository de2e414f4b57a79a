// SPDX-License-Identifier: Apache-2.0
// Typed handlers: arguments, results, coroutines, exceptions.
#include <gmock/gmock.h>

#include <cereal/types/map.hpp>
#include <cereal/types/optional.hpp>
#include <map>
#include <numeric>
#include <optional>

#include "am/am_world.hpp"
#include "roam/core/error.hpp"

namespace roam::am::testing::request_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Point {  // travels as bytes
  double x = 0;
  double y = 0;
};
struct Shape {
  std::string name;
  std::vector<Point> corners;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(name, corners);
  }
};

int add(int a, int b) { return a + b; }
std::string describe(const Shape& shape, std::optional<int> count,
                     const std::map<std::string, double>& weights) {
  double x = 0;
  for (const Point& corner : shape.corners) x += corner.x;
  return shape.name + " " + std::to_string(shape.corners.size()) + " " +
         std::to_string(static_cast<int>(x)) + " " + std::to_string(count.value_or(-1)) + " " +
         std::to_string(weights.size());
}
std::vector<double> scaled(std::vector<double> values, double factor) noexcept {
  for (double& v : values) v *= factor;
  return values;
}
Shape square(std::string name) { return {std::move(name), {{0, 0}, {1, 0}, {1, 1}, {0, 1}}}; }
void note(const std::string& text) { log().add(text); }
std::int32_t where() { return messenger().rank().value(); }

class Requests : public OnEveryNetwork {};
INSTANTIATE_TEST_SUITE_P(Networks, Requests, ::testing::ValuesIn(all_networks()), network_name);

TEST_P(Requests, arguments_and_results_of_all_kinds) {
  const auto world = make();
  world->run([](Node& node) -> Task<> {
    if (node.messenger.rank() != 0) co_return;
    Messenger& m = node.messenger;
    EXPECT_EQ(co_await m.request<&add>(1, 3, 4), 7);
    EXPECT_EQ(co_await m.request<&add>(0, short{1}, 'a'), 98) << "to itself, with conversions";
    EXPECT_EQ(co_await m.request<&where>(1), 1);
    // Named: GCC 12 miscompiles aggregates and initializer lists that are temporaries of a co_await
    // expression.
    const Shape empty{};
    const std::map<std::string, double> weights{{"a", 1.0}, {"b", 2.0}};
    const Shape triangle{"triangle", {{1, 0}, {2, 0}, {4, 0}}};
    const std::vector<double> numbers{1.0, 2.0};
    EXPECT_EQ(co_await m.request<&describe>(1, triangle, 5, weights), "triangle 3 7 5 2");
    EXPECT_EQ(co_await m.request<&describe>(1, empty, std::nullopt, weights), " 0 0 -1 2");
    EXPECT_THAT(co_await m.request<&scaled>(1, numbers, 3), ElementsAre(3.0, 6.0));
    const Shape shape = co_await m.request<&square>(1, "unit");
    EXPECT_EQ(shape.name, "unit");
    EXPECT_EQ(shape.corners.at(2).y, 1.0);
    co_await m.request<&note>(1, "void results can be awaited");
  });
  EXPECT_THAT((*world)[1].log.lines(), ElementsAre("void results can be awaited"));
  EXPECT_EQ((*world)[1].messenger.stats().messages_rejected, 0U);
}

TEST_P(Requests, A1_every_send_runs_once) {
  WorldOptions options{.ranks = 4};
  options.engine.workers = 2;
  const auto world = make(options);
  constexpr int each = 200;
  world->run([&](Node& node) -> Task<> {
    const std::int32_t ranks = node.messenger.size();
    for (int i = 0; i < each; ++i) {
      for (std::int32_t r = 0; r < ranks; ++r) {
        node.messenger.send<&note>(
            r, std::to_string(node.messenger.rank().value()) + "." + std::to_string(i));
      }
    }
    co_await until([&] { return node.log.size() >= static_cast<std::size_t>(ranks * each); });
  });
  for (const auto& node : world->nodes) {
    std::vector<std::string> lines = node->log.lines();
    std::ranges::sort(lines);
    EXPECT_EQ(lines.size(), 4U * each);
    EXPECT_EQ(std::adjacent_find(lines.begin(), lines.end()), lines.end()) << "each is different";
    EXPECT_EQ(node->messenger.counted_sent(), 4U * each);
    EXPECT_EQ(node->messenger.counted_received(), 4U * each);
  }
}

// Coroutine handlers; reference parameters must outlive their suspensions.
Task<std::size_t> length_later(const std::string& text, const std::vector<double>& values) {
  co_await Pause(std::chrono::milliseconds(2));
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  co_await Pause(std::chrono::milliseconds(2));
  log().add(text.substr(0, 3) + " " + std::to_string(static_cast<int>(sum)));
  co_return text.size();
}
Task<int> ask_back(int depth) {
  if (depth == 0) co_return 1;
  Messenger& m = messenger();
  const Rank next((m.rank().value() + 1) % m.size());
  co_return 1 + co_await m.request<&ask_back>(next, depth - 1);
}
Task<> quiet() { co_return; }

TEST_P(Requests, coroutines_answer_when_they_end) {
  const auto world = make({.ranks = 3});
  world->run([](Node& node) -> Task<> {
    if (node.messenger.rank() != 0) co_return;
    Messenger& m = node.messenger;
    auto first = m.request<&length_later>(1, std::string(1000, 'x'), std::vector<double>(500, 2.0));
    auto second =
        m.request<&length_later>(1, std::string(2000, 'y'), std::vector<double>(500, 3.0));
    EXPECT_EQ(co_await second, 2000U);
    EXPECT_EQ(co_await first, 1000U);
    EXPECT_TRUE(first.is_ready());
    EXPECT_EQ(co_await m.request<&ask_back>(1, 20), 21);
    co_await m.request<&quiet>(2);
  });
  EXPECT_THAT((*world)[1].log.lines(), ::testing::UnorderedElementsAre("xxx 1000", "yyy 1500"));
}

int fails(int code) { throw std::runtime_error("code " + std::to_string(code)); }
Task<int> fails_later(int code) {
  co_await Pause(std::chrono::milliseconds(1));
  throw std::out_of_range("later " + std::to_string(code));
}
Task<int> passes_on(int code) { co_return co_await messenger().request<&fails>(0, code); }
void throws_an_int() { throw 5; }

template <class R>
Task<std::string> error_of(Reply<R> reply) {
  try {
    if constexpr (std::is_void_v<R>) {
      co_await reply;
    } else {
      (void)co_await reply;
    }
  } catch (const RemoteError& error) {
    co_return error.what();
  }
  co_return "no error";
}

TEST_P(Requests, exceptions_come_back_as_remote_error) {
  const auto world = make();
  world->run([](Node& node) -> Task<> {
    if (node.messenger.rank() != 0) co_return;
    Messenger& m = node.messenger;
    const std::string text = co_await error_of(m.request<&fails>(1, 42));
    EXPECT_THAT(text, HasSubstr("code 42"));
    EXPECT_THAT(text, HasSubstr("rank 1"));
    EXPECT_THAT(text, HasSubstr("fails"));
    EXPECT_THAT(co_await error_of(m.request<&fails_later>(1, 43)), HasSubstr("later 43"));
    EXPECT_THAT(co_await error_of(m.request<&passes_on>(1, 44)), HasSubstr("code 44"));
    EXPECT_THAT(co_await error_of(m.request<&throws_an_int>(1)), HasSubstr("not a std::exception"));
    EXPECT_EQ(co_await m.request<&add>(1, 1, 1), 2) << "life goes on";
  });
  for (const auto& node : world->nodes) EXPECT_TRUE(node->errors.lines().empty());
}

TEST_P(Requests, R2_exceptions_that_nobody_awaits_are_reported) {
  const auto world = make();
  world->run([&](Node& node) -> Task<> {
    if (node.messenger.rank() != 0) co_return;
    node.messenger.send<&fails>(1, 7);
    node.messenger.send<&fails_later>(1, 8);
    EXPECT_EQ(co_await node.messenger.request<&add>(1, 1, 1), 2);
    co_await until([&] { return (*world)[1].errors.size() == 2; });
  });
  const auto errors = (*world)[1].errors.lines();
  ASSERT_EQ(errors.size(), 2U);
  EXPECT_THAT(errors[0], HasSubstr("rank 1, handler"));
  EXPECT_THAT(errors[0], HasSubstr("code 7"));
  EXPECT_THAT(errors[1], HasSubstr("later 8"));
}

TEST_P(Requests, a_dropped_reply_is_ignored) {
  const auto world = make();
  world->run([](Node& node) -> Task<> {
    if (node.messenger.rank() != 0) co_return;
    for (int i = 0; i < 100; ++i) (void)node.messenger.request<&add>(1, i, i);
    EXPECT_EQ(co_await node.messenger.request<&add>(1, 1, 1), 2);
  });
  EXPECT_EQ((*world)[0].messenger.stats().messages_rejected, 0U);
}

TEST_P(Requests, a_rank_that_does_not_exist_is_an_error_at_the_caller) {
  const auto world = make();
  world->run([](Node& node) -> Task<> {
    for (const Rank bad : {Rank(-1), Rank(2), no_rank}) {
      EXPECT_THROW(node.messenger.send<&note>(bad, "x"), Error);
      EXPECT_THROW((void)node.messenger.request<&add>(bad, 1, 2), Error);
    }
    co_return;
  });
}

struct Guard {
  explicit Guard(const std::string& t) : text(t) {}
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  ~Guard() { EXPECT_EQ(text, std::string(500, 'g')); }
  const std::string& text;
};
Task<> never_ends(const std::string& text) {
  const Guard guard(text);
  log().add("waiting");
  co_await Pause(std::chrono::hours(1));
}

TEST_P(Requests, suspended_handlers_are_freed_at_the_end_before_their_arguments) {
  const auto world = make();
  world->run([&](Node& node) -> Task<> {
    if (node.messenger.rank() == 0) {
      node.messenger.send<&never_ends>(1, std::string(500, 'g'));
      (void)node.messenger.request<&never_ends>(1, std::string(500, 'g'));
    } else {
      co_await until([&] { return node.log.size() == 2; });
    }
  });
}

TEST_P(Requests, replies_still_awaited_are_aborted) {
  const auto world = make();
  std::string seen;
  world->run([&](Node& node) -> Task<> {
    if (node.messenger.rank() != 0) {
      co_await until([&] { return node.log.size() == 1; });
      co_return;
    }
    auto reply = node.messenger.request<&never_ends>(1, std::string(500, 'g'));
    node.engine.call_at(node.engine.now() + std::chrono::milliseconds(5),
                        [&] { node.messenger.abort_replies("the test says so"); });
    try {
      co_await reply;
    } catch (const JobAborted& error) {
      seen = error.what();
    }
  });
  EXPECT_THAT(seen, HasSubstr("the test says so"));
}

}  // namespace roam::am::testing::request_test
