// SPDX-License-Identifier: Apache-2.0
// R2: arguments whose own code throws while they are decoded. The coroutine that awaits the call or
// the request gets the failure; if there is none, the job ends with a report. Nothing hangs, and
// later calls run.
#include <gtest/gtest.h>

#include <atomic>
#include <cereal/cereal.hpp>
#include <iterator>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "roam/roam.hpp"

namespace decoding_errors_test {

namespace {

enum class Throws : std::uint8_t { nothing, runtime_error, cereal_exception, bad_alloc, number };

constexpr Throws all_that_is_thrown[] = {Throws::runtime_error, Throws::cereal_exception,
                                         Throws::bad_alloc, Throws::number};

/// Decodes only if it is not meant to throw.
struct Fickle {
  Throws what = Throws::nothing;
  template <class Archive>
  void save(Archive& archive) const {
    archive(static_cast<std::uint8_t>(what));
  }
  template <class Archive>
  void load(Archive& archive) {
    std::uint8_t number = 0;
    archive(number);
    what = static_cast<Throws>(number);
    if (what == Throws::runtime_error) throw std::runtime_error("it will not load");
    if (what == Throws::cereal_exception) throw cereal::Exception("it will not load");
    if (what == Throws::bad_alloc) throw std::bad_alloc();
    if (what == Throws::number) throw 7;
  }
};

struct Box {
  int taken = 0;
  void take(const Fickle&) { ++taken; }
  void look(const Fickle&) const {}
  roam::Task<> take_slowly(Fickle) {
    ++taken;
    co_return;
  }
  void take_with_text(std::span<const char>, Fickle) { ++taken; }
  int count() const { return taken; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(taken);
  }
};

/// Load reads less, or more, than save has written.
struct ReadsLess {
  int a = 1, b = 2;
  template <class Archive>
  void save(Archive& archive) const {
    archive(a, b);
  }
  template <class Archive>
  void load(Archive& archive) {
    archive(a);
  }
};
struct ReadsMore {
  int a = 1, b = 2;
  template <class Archive>
  void save(Archive& archive) const {
    archive(a);
  }
  template <class Archive>
  void load(Archive& archive) {
    archive(a, b);
  }
};

roam::mobile_ptr<Box> make_box() { return roam::here().create<Box>(); }
void take(const Fickle&) {}
int take_and_answer(int n, Fickle) { return n; }
roam::Task<> take_slowly(Fickle) { co_return; }
void take_with_text(std::span<const char>, Fickle) {}

struct Ended {
  int status = 0;
  std::string report;
};
Ended run_job(std::uint32_t workers, const roam::Runtime::Program& program) {
  roam::Options options;
  options.transport = "in-process";
  options.ranks = 2;
  options.ranks_given = true;
  options.workers = workers;
  testing::internal::CaptureStderr();
  Ended ended;
  ended.status = roam::run(options, program);
  ended.report = testing::internal::GetCapturedStderr();
  return ended;
}

class DecodingErrors : public ::testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Workers, DecodingErrors, ::testing::Values(1, 2));

template <class Reply>
roam::Task<> expect_failure(Reply reply, const std::string& who) {
  try {
    static_cast<void>(co_await reply);
    ADD_FAILURE() << who << ": answered";
  } catch (const roam::RemoteError& error) {
    EXPECT_NE(std::string(error.what()).find(who), std::string::npos) << error.what();
  }
}

TEST_P(DecodingErrors, R2_whoever_awaits_a_call_is_told) {
  const Ended ended = run_job(GetParam(), [](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() == 0) {
      const auto box = co_await rt.request<&make_box>(1);
      for (const Throws what : all_that_is_thrown) {
        const Fickle bad{what};
        co_await expect_failure(box.call<&Box::take>(bad), "Box::take");
        co_await expect_failure(box.call<&Box::look>(bad), "Box::look");
        co_await expect_failure(box.call<&Box::take_slowly>(bad), "Box::take_slowly");
        co_await expect_failure(box.call<&Box::take_with_text>(std::string("text"), bad),
                                "Box::take_with_text");
      }
      co_await box.call<&Box::take>(Fickle{});
      EXPECT_EQ(co_await box.call<&Box::count>(), 1);
    }
    co_await rt.quiescence();
  });
  EXPECT_EQ(ended.status, 0) << ended.report;
}

TEST_P(DecodingErrors, R2_whoever_awaits_a_request_is_told) {
  const Ended ended = run_job(GetParam(), [](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() == 0) {
      for (const Throws what : all_that_is_thrown) {
        const Fickle bad{what};
        co_await expect_failure(rt.request<&take>(1, bad), "take");
        co_await expect_failure(rt.request<&take_and_answer>(1, 5, bad), "take_and_answer");
        co_await expect_failure(rt.request<&take_slowly>(1, bad), "take_slowly");
        co_await expect_failure(rt.request<&take_with_text>(1, std::string("text"), bad),
                                "take_with_text");
      }
      EXPECT_EQ(co_await rt.request<&take_and_answer>(1, 5, Fickle{}), 5);
    }
    co_await rt.quiescence();
  });
  EXPECT_EQ(ended.status, 0) << ended.report;
}

// Whatever the reason, the message itself was valid (A7).
TEST_P(DecodingErrors, M10_an_epoch_ends_though_its_work_does_not_decode) {
  std::atomic<int> errors = 0;
  const Ended ended = run_job(GetParam(), [&errors](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() == 1) rt.on_error([&errors](const std::string&) { ++errors; });
    co_await rt.barrier();
    if (rt.rank() == 0) {
      const auto box = co_await rt.request<&make_box>(1);
      for (const Throws what : all_that_is_thrown) {
        const Fickle bad{what};
        co_await rt.run_epoch([&] {
          rt.request<&take>(1, bad).ignore();
          box.call<&Box::take>(bad).ignore();
          rt.send<&take>(1, bad);
          rt.send<&take_slowly>(1, bad);
          rt.send<&take_with_text>(1, std::string("text"), bad);
          box.send<&Box::take>(bad);
          box.send<&Box::take_slowly>(bad);
          box.send<&Box::take_with_text>(std::string("text"), bad);
        });
      }
      EXPECT_EQ(errors.load(), 6 * std::ssize(all_that_is_thrown)) << "one for each that was sent";
    }
    co_await rt.quiescence();
    EXPECT_EQ(rt.messenger().stats().messages_rejected, 0U);
  });
  EXPECT_EQ(ended.status, 0) << ended.report;
}

void expect_report(const Ended& ended, const std::string& who) {
  EXPECT_EQ(ended.status, 1) << ended.report;
  EXPECT_NE(ended.report.find("rank 1, "), std::string::npos) << ended.report;
  EXPECT_NE(ended.report.find(who), std::string::npos) << ended.report;
  EXPECT_NE(ended.report.find("it will not load"), std::string::npos) << ended.report;
}

TEST_P(DecodingErrors, R2_a_call_that_nobody_awaits_ends_the_job_with_a_report) {
  const Ended ended = run_job(GetParam(), [](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() == 0) {
      const auto box = co_await rt.request<&make_box>(1);
      box.send<&Box::take>(Fickle{Throws::runtime_error});
    }
    co_await rt.quiescence();
    ADD_FAILURE() << "the job went on";
  });
  expect_report(ended, "Box::take");
}

template <auto Handler>
Ended send_bad_one(std::uint32_t workers) {
  return run_job(workers, [](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() == 0) rt.send<Handler>(1, Fickle{Throws::runtime_error});
    co_await rt.quiescence();
    ADD_FAILURE() << "the job went on";
  });
}

// --- save and load that do not match ---

void take_less(int, ReadsLess, const std::string&) { ADD_FAILURE() << "it ran"; }
roam::Task<> take_more_slowly(ReadsMore) {
  ADD_FAILURE() << "it ran";
  co_return;
}
void take_landed_less(std::span<int>, ReadsLess) { ADD_FAILURE() << "it ran"; }
ReadsLess give_less() { return {}; }

struct Eater {
  int eaten = 0;
  void eat(ReadsMore, int) { ADD_FAILURE() << "it ran"; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(eaten);
  }
};
void eat_all(roam::Gathered<Eater>, ReadsLess) { ADD_FAILURE() << "it ran"; }
roam::mobile_ptr<Eater> make_eater() { return roam::here().create<Eater>(); }

/// Nobody awaits it: the job ends with a report that names handler and type.
void expect_named(std::uint32_t workers, const std::string& handler, const std::string& type,
                  const roam::Runtime::Program& issue) {
  const Ended ended = run_job(workers, [&issue](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() == 0) co_await issue(rt);
    co_await rt.quiescence();
    ADD_FAILURE() << "the job went on";
  });
  EXPECT_EQ(ended.status, 1) << handler;
  for (const std::string& word : {std::string("rank 1, "), handler, type, std::string("its load")})
    EXPECT_NE(ended.report.find(word), std::string::npos) << word << ": " << ended.report;
}

TEST_P(DecodingErrors, R2_messages_whose_load_does_not_match_end_the_job_with_a_report) {
  expect_named(GetParam(), "take_less", "argument 2, ", [](roam::Runtime& rt) -> roam::Task<> {
    rt.send<&take_less>(1, 1, ReadsLess{}, std::string("text"));
    co_return;
  });
  expect_named(GetParam(), "take_more_slowly", "ReadsMore", [](auto& rt) -> roam::Task<> {
    rt.template send<&take_more_slowly>(1, ReadsMore{});
    co_return;
  });
}
TEST_P(DecodingErrors, R2_calls_whose_load_does_not_match_end_the_job_with_a_report) {
  expect_named(GetParam(), "Eater::eat", "ReadsMore", [](roam::Runtime& rt) -> roam::Task<> {
    const auto eater = co_await rt.request<&make_eater>(1);
    eater.send<&Eater::eat>(ReadsMore{}, 1);
  });
}
TEST_P(DecodingErrors, R2_put_ops_whose_load_does_not_match_end_the_job_with_a_report) {
  expect_named(GetParam(), "take_landed_less", "ReadsLess", [](auto& rt) -> roam::Task<> {
    const auto region = co_await rt.memory().template remote_alloc<int>(1, 1);
    const std::vector<int> one{1};
    (void)rt.memory().template put_op<&take_landed_less>(region, one, ReadsLess{});
  });
}
TEST_P(DecodingErrors, R2_multicasts_whose_load_does_not_match_end_the_job_with_a_report) {
  const Ended ended = run_job(GetParam(), [](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() == 0) {
      const auto eater = co_await rt.request<&make_eater>(1);
      const std::vector<roam::mobile_ptr<Eater>> one(1, eater);
      rt.multicast<&eat_all>(one, ReadsLess{});
    }
    co_await rt.quiescence();
    ADD_FAILURE() << "the job went on";
  });
  EXPECT_EQ(ended.status, 1);
  EXPECT_NE(ended.report.find("ReadsLess"), std::string::npos) << ended.report;
}
TEST_P(DecodingErrors, R2_broadcasts_whose_load_does_not_match_end_the_job_with_a_report) {
  const Ended ended = run_job(GetParam(), [](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() == 0) {
      const roam::Index<1> extent{4};
      const auto row = co_await rt.create_collection<Eater>(extent, roam::Placement::cyclic());
      row.broadcast<&Eater::eat>(ReadsMore{}, 1);
    }
    co_await rt.quiescence();
    ADD_FAILURE() << "the job went on";
  });
  EXPECT_EQ(ended.status, 1);
  EXPECT_NE(ended.report.find("ReadsMore"), std::string::npos) << ended.report;
}
TEST_P(DecodingErrors, R2_whoever_awaits_a_result_whose_load_does_not_match_is_told) {
  const Ended ended = run_job(GetParam(), [](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() == 0) {
      std::string text;
      try {
        (void)co_await rt.request<&give_less>(1);
      } catch (const roam::Error& error) {
        text = error.what();
      }
      EXPECT_NE(text.find("ReadsLess: its load has left 4"), std::string::npos) << text;
    }
    co_await rt.quiescence();
    EXPECT_EQ(rt.messenger().stats().messages_rejected, 0U);
  });
  EXPECT_EQ(ended.status, 0) << ended.report;
}
TEST_P(DecodingErrors, R2_collectives_whose_load_does_not_match_end_the_job_with_a_report) {
  const Ended ended = run_job(GetParam(), [](roam::Runtime& rt) -> roam::Task<> {
    (void)co_await rt.broadcast<ReadsLess>(0);
    EXPECT_EQ(rt.rank(), roam::Rank(0)) << "the job went on";  // the root needs nobody
    co_await rt.quiescence();
    ADD_FAILURE() << "the job went on";
  });
  EXPECT_EQ(ended.status, 1);
  EXPECT_NE(ended.report.find("ReadsLess"), std::string::npos) << ended.report;
}

TEST_P(DecodingErrors, R2_a_message_that_nobody_awaits_ends_the_job_with_a_report) {
  expect_report(send_bad_one<&take>(GetParam()), "take");
  expect_report(send_bad_one<&take_slowly>(GetParam()), "take_slowly");
}

}  // namespace

}  // namespace decoding_errors_test
