// SPDX-License-Identifier: Apache-2.0
// Programs that check the promises of SEMANTICS on whole jobs.
#include <atomic>
#include <exception>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "roam/core/error.hpp"
#include "runtime/job_kinds.hpp"

namespace roam::programs::calls {

struct Cell {
  std::int64_t sum = 0;
  std::vector<std::int32_t> next_of_rank;  // the number each rank sends next
  std::int32_t disorder = 0;
  std::vector<double> ballast;

  void take(std::int32_t from, std::int32_t number) {
    if (next_of_rank.size() <= static_cast<std::size_t>(from))
      next_of_rank.resize(static_cast<std::size_t>(from) + 1);
    auto& next = next_of_rank[static_cast<std::size_t>(from)];
    disorder += number != next;
    next = number + 1;
    sum += number;
  }
  void fatten(std::size_t doubles) { ballast.assign(doubles, 1.5); }
  void hop(mobile_ptr<Cell> self, std::int32_t hops) {
    if (hops == 0) return;
    self.migrate((here().rank().value() + 1) % here().size());
    self.send<&Cell::hop>(self, hops - 1);
  }
  [[nodiscard]] std::int64_t total() const { return sum; }
  [[nodiscard]] std::int32_t out_of_order() const { return disorder; }
  [[nodiscard]] std::int32_t where() const { return here().rank().value(); }
  [[nodiscard]] bool ballast_is(std::size_t doubles) const {
    return ballast == std::vector<double>(doubles, 1.5);
  }
  [[nodiscard]] std::string fail(std::string text) const { throw std::runtime_error(text); }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(sum, next_of_rank, disorder, ballast);
  }
};

/// Rank 0's objects, made known to every rank by value.
struct Cells {
  std::vector<mobile_ptr<Cell>> all;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(all);
  }
};

inline void feed(Cells cells, std::int32_t count) {
  const std::int32_t self = here().rank().value();
  for (std::int32_t i = 0; i < count; ++i) {
    for (const auto& cell : cells.all) cell.send<&Cell::take>(self, i);
  }
}

TEST_P(Programs, M2_M3_calls_run_once_and_in_order_while_objects_move) {
  static constexpr std::int32_t count = 200;
  run([](Runtime& rt) -> Task<> {
    Cells cells;
    if (rt.rank() == 0) {
      for (int i = 0; i < 8; ++i) cells.all.push_back(rt.create<Cell>());
      for (std::int32_t r = 0; r < rt.size(); ++r) rt.send<&feed>(r, cells, count);
      for (const auto& cell : cells.all) cell.send<&Cell::hop>(cell, 25);
    }
    co_await rt.quiescence();
    for (const auto& cell : cells.all) {
      EXPECT_EQ(co_await cell.call<&Cell::total>(),
                std::int64_t{rt.size()} * count * (count - 1) / 2);
      EXPECT_EQ(co_await cell.call<&Cell::out_of_order>(), 0);
    }
  });
}

TEST_P(Programs, M5_state_moves_whole_however_large) {
  run([](Runtime& rt) -> Task<> {
    if (rt.rank() != 0) co_return;
    const auto cell = rt.create<Cell>();
    for (const std::size_t doubles :
         {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{300'000}}) {
      cell.send<&Cell::fatten>(doubles);
      for (std::int32_t r = rt.size() - 1; r >= 0; --r) {
        cell.migrate(r);
        EXPECT_TRUE(co_await cell.call<&Cell::ballast_is>(doubles));
      }
    }
  });
}

inline Task<> speak_to(mobile_ptr<Cell> cell) { EXPECT_GE(co_await cell.call<&Cell::where>(), 0); }

TEST_P(Programs, M7_a_moved_object_is_found_by_one_forwarding_and_then_directly) {
  run([](Runtime& rt) -> Task<> {
    mobile_ptr<Cell> cell;
    if (rt.size() >= 3 && rt.rank() == 0) {
      cell = rt.create<Cell>();
      cell.migrate(1);
      EXPECT_EQ(co_await cell.call<&Cell::where>(), 1);
      // Rank 1 now passes it on to rank 2: the home, rank 0, is told; a rank that has spoken to
      // rank 1 is not.
      co_await rt.request<&speak_to>(2, cell);
      cell.migrate(2);
    }
    co_await rt.quiescence();
    const std::uint64_t before = rt.objects().stats().calls_forwarded;
    if (cell) {
      co_await rt.request<&speak_to>(rt.size() - 1, cell);
      co_await rt.request<&speak_to>(rt.size() - 1, cell);
      co_await rt.request<&speak_to>(rt.size() - 1, cell);
    }
    co_await rt.quiescence();
    // Each rank forwards at most once: the sender then knows the new place.
    EXPECT_LE(rt.objects().stats().calls_forwarded - before, 1U);
  });
}

TEST_P(Programs, M8_no_call_runs_once_the_end_has_been_asked_for) {
  run([](Runtime& rt) -> Task<> {
    if (rt.rank() == 0) {
      for (int i = 0; i < 100; ++i) {
        const auto cell = rt.create<Cell>();
        cell.migrate(rt.size() - 1);
        EXPECT_EQ(co_await cell.call<&Cell::total>(), 0);
        cell.destroy();
        std::vector<am::Reply<std::int64_t>> answers;
        for (int k = 0; k < 30; ++k) answers.push_back(cell.call<&Cell::total>());
        for (auto& answer : answers) {
          bool is_gone = false;
          try {
            (void)co_await answer;
          } catch (const ObjectGone&) {
            is_gone = true;
          }
          EXPECT_TRUE(is_gone);
        }
      }
    }
    co_await rt.quiescence();
  });
}

TEST_P(Programs, M8_a_call_to_an_object_that_ended_or_never_was_says_so) {
  run([](Runtime& rt) -> Task<> {
    if (rt.rank() == 0) {
      const auto cell = rt.create<Cell>();
      cell.migrate(rt.size() - 1);
      cell.send<&Cell::take>(0, 0);
      EXPECT_EQ(co_await cell.call<&Cell::total>(), 0);
      cell.destroy();
      std::string text;
      try {
        (void)co_await cell.call<&Cell::total>();
      } catch (const ObjectGone& error) {
        text = error.what();
      }
      EXPECT_NE(text.find("object " + to_string(cell.id()) + " does not exist"), std::string::npos)
          << text;
      EXPECT_NE(text.find("Cell::total"), std::string::npos) << text;
      text.clear();
      const mobile_ptr<Cell> phantom(ObjectId(rt.size() - 1, 4711));
      try {
        (void)co_await phantom.call<&Cell::total>();
      } catch (const ObjectGone& error) {
        text = error.what();
      }
      EXPECT_NE(text.find(to_string(phantom.id())), std::string::npos) << text;
    }
  });
}

TEST_P(Programs, an_exception_comes_back_with_rank_object_handler_and_its_own_words) {
  run([](Runtime& rt) -> Task<> {
    if (rt.rank() != 0) co_return;
    const auto cell = rt.create<Cell>();
    cell.migrate(rt.size() - 1);
    std::string text;
    try {
      (void)co_await cell.call<&Cell::fail>(std::string("the pump is dry"));
    } catch (const RemoteError& error) {
      text = error.what();
    }
    EXPECT_NE(text.find("rank " + std::to_string(rt.size() - 1)), std::string::npos) << text;
    EXPECT_NE(text.find("object " + to_string(cell.id())), std::string::npos) << text;
    EXPECT_NE(text.find("Cell::fail"), std::string::npos) << text;
    EXPECT_NE(text.find("the pump is dry"), std::string::npos) << text;
  });
}

/// Cannot be loaded, or cannot be saved; its cargo is read or written before it fails.
struct Picky {
  enum class When : std::uint8_t { loading, saving };
  enum class What : std::uint8_t { words, nothing_in_words, exception, number };
  When when = When::loading;
  What what = What::words;
  std::int32_t value = 7;
  Array<std::uint32_t> cargo = {};

  void fill(std::size_t count) {
    cargo = Array<std::uint32_t>(count);
    std::iota(cargo.begin(), cargo.end(), 5U);
  }
  [[nodiscard]] bool is_whole(std::size_t count) const {
    bool is_whole = value == 7 && cargo.size() == count;
    for (std::size_t i = 0; is_whole && i < count; ++i) is_whole = cargo[i] == i + 5;
    return is_whole;
  }
  [[nodiscard]] std::int32_t where() const { return here().rank().value(); }
  void fail() const {
    switch (what) {
      case What::words:
        throw std::runtime_error("not here");
      case What::nothing_in_words:
        throw std::runtime_error("");
      case What::exception:
        throw std::exception();
      case What::number:
        throw 4711;
    }
  }
  template <class Archive>
  void save(Archive& archive) const {
    archive(when, what, cargo);
    if (when == When::saving) fail();
    archive(value);
  }
  template <class Archive>
  void load(Archive& archive) {
    archive(when, what, cargo, value);
    if (when == When::loading) fail();
  }
};

/// Moves an object to rank 1, and returns whether it is unchanged where it was.
inline Task<bool> stays_whole(Runtime& rt, Picky::When when, Picky::What what, std::size_t count) {
  const auto picky = rt.create<Picky>(Picky{.when = when, .what = what});
  co_await picky.call<&Picky::fill>(count);
  picky.migrate(1);
  const std::int32_t where = co_await picky.call<&Picky::where>();
  const bool is_whole = co_await picky.call<&Picky::is_whole>(count);
  co_return where == 0 && is_whole;
}

constexpr Picky::What all_that_is_thrown[] = {Picky::What::words, Picky::What::nothing_in_words,
                                              Picky::What::exception, Picky::What::number};

TEST_P(Programs, M6_a_refused_object_stays_where_it_was_with_state_and_calls) {
  run([](Runtime& rt) -> Task<> {
    std::uint64_t refused = 0;
    if (rt.rank() == 0 && rt.size() > 1) {
      for (const auto what : all_that_is_thrown) {
        for (const std::size_t count : {std::size_t{3}, std::size_t{1} << 18U}) {
          EXPECT_TRUE(co_await stays_whole(rt, Picky::When::loading, what, count))
              << static_cast<int>(what) << ", " << count;
          ++refused;
        }
      }
    }
    co_await rt.quiescence();
    EXPECT_EQ(rt.objects().stats().migrations_refused, refused);
  });
}

/// Moves objects that throw these while they are packed. They stay, and each failure is reported.
inline Task<> expect_unpacked(Runtime& rt, std::vector<Picky::What> thrown) {
  std::mutex lock;
  std::vector<std::string> reports;
  rt.on_error([&](const std::string& report) {
    EXPECT_NE(report.find("cannot be packed"), std::string::npos) << report;
    const std::lock_guard guard(lock);
    reports.push_back(report);
  });
  std::uint64_t refused = 0;
  if (rt.rank() == 0 && rt.size() > 1) {
    for (const auto what : thrown) {
      for (const std::size_t count : {std::size_t{3}, std::size_t{1} << 18U}) {
        EXPECT_TRUE(co_await stays_whole(rt, Picky::When::saving, what, count))
            << static_cast<int>(what) << ", " << count;
        ++refused;
      }
    }
  }
  co_await rt.quiescence();  // waits also for memory that was lent to the network and never sent
  EXPECT_EQ(rt.objects().stats().migrations_refused, refused);
  EXPECT_EQ(rt.messenger().stats().messages_rejected, 0U);
  EXPECT_EQ(reports.size(), refused) << ::testing::PrintToString(reports);
  rt.on_error(nullptr);
}

TEST_P(Programs, M6_an_object_that_cannot_be_packed_stays_where_it_is_and_that_is_reported) {
  run([](Runtime& rt) -> Task<> {
    std::vector<Picky::What> thrown{Picky::What::words, Picky::What::exception,
                                    Picky::What::number};
    co_await expect_unpacked(rt, std::move(thrown));
  });
}

TEST_P(Programs, M6_an_object_that_cannot_be_packed_need_not_say_why) {
  run([](Runtime& rt) -> Task<> {
    std::vector<Picky::What> thrown(1, Picky::What::nothing_in_words);
    co_await expect_unpacked(rt, std::move(thrown));
  });
}

/// A large Array, which is sent separately, and a large vector, which is not.
struct Freighter {
  static constexpr std::size_t containers = std::size_t{1} << 17U;  // 1 MiB
  Array<std::uint64_t> hold;
  std::vector<std::int32_t> deck;
  bool is_unwelcome = false;  // wherever it arrives

  void load_up(std::uint64_t voyage) {
    if (hold.empty()) hold = Array<std::uint64_t>(containers);
    std::iota(hold.begin(), hold.end(), voyage);
    deck.assign(10'000, static_cast<std::int32_t>(voyage));
  }
  void set_unwelcome(bool value) { is_unwelcome = value; }
  /// The rank where it is; -1 if it is not as it was loaded.
  [[nodiscard]] std::int32_t where_as_loaded(std::uint64_t voyage) const {
    bool is_whole = hold.size() == containers &&
                    deck == std::vector<std::int32_t>(10'000, static_cast<std::int32_t>(voyage));
    for (std::size_t i = 0; is_whole && i < containers; ++i) is_whole = hold[i] == voyage + i;
    return is_whole ? here().rank().value() : -1;
  }
  template <class Archive>
  void save(Archive& archive) const {
    archive(hold, deck, is_unwelcome);
  }
  template <class Archive>
  void load(Archive& archive) {
    archive(hold, deck, is_unwelcome);
    if (is_unwelcome) throw std::runtime_error("no berth");
  }
};

TEST_P(Programs, M6_an_array_of_an_object_is_whole_after_each_move_and_each_refusal) {
  static constexpr std::int32_t rounds = 3;
  run([](Runtime& rt) -> Task<> {
    EXPECT_GT(Freighter::containers * sizeof(std::uint64_t),
              rt.messenger().longest_message_bytes());
    if (rt.rank() == 0) {
      const auto ship = rt.create<Freighter>();
      std::uint64_t voyage = 0;
      ship.send<&Freighter::load_up>(++voyage);
      for (std::int32_t move = 0; move < rounds * rt.size(); ++move) {
        const std::int32_t from = move % rt.size();
        const std::int32_t next = (move + 1) % rt.size();
        if (move % 2 == 1) {
          co_await ship.call<&Freighter::set_unwelcome>(true);
          ship.migrate(next);
          EXPECT_EQ(co_await ship.call<&Freighter::where_as_loaded>(voyage), from);
          co_await ship.call<&Freighter::set_unwelcome>(false);
        }
        ship.migrate(next);
        EXPECT_EQ(co_await ship.call<&Freighter::where_as_loaded>(voyage), next);
        // What has arrived belongs to the program, also while the source may still have the old
        // copy.
        ship.send<&Freighter::load_up>(++voyage);
      }
      EXPECT_EQ(co_await ship.call<&Freighter::where_as_loaded>(voyage), 0);
    }
    co_await rt.quiescence();
    // Refusals of the first attempt of each odd move; counted by the rank that it left.
    std::uint64_t refused = 0;
    for (std::int32_t move = 1; rt.size() > 1 && move < rounds * rt.size(); move += 2)
      refused += move % rt.size() == rt.rank().value() ? 1U : 0U;
    EXPECT_EQ(rt.objects().stats().migrations_refused, refused);
  });
}

struct Gate {
  std::int32_t inside = 0;
  std::int32_t readers = 0;
  static inline std::atomic<int> violations{0};
  void write() {
    if (inside != 0) ++violations;
    inside = 1;
    here().compute(std::chrono::microseconds(20));
    inside = 0;
  }
  void read() const {
    if (inside != 0) ++violations;
    here().compute(std::chrono::microseconds(20));
    if (inside != 0) ++violations;
  }
  Task<std::int32_t> ask(mobile_ptr<Cell> other) {
    if (inside != 0) ++violations;
    inside = 1;  // exclusive access is kept while it waits
    const std::int32_t rank = co_await other.call<&Cell::where>();
    inside = 0;
    co_return rank;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(inside, readers);
  }
};

TEST_P(Programs, M4_exclusive_handlers_are_alone_on_their_object) {
  Gate::violations = 0;
  run([](Runtime& rt) -> Task<> {
    if (rt.rank() == 0) {
      const auto gate = rt.create<Gate>();
      const auto cell = rt.create<Cell>();
      cell.migrate(rt.size() - 1);
      for (int i = 0; i < 50; ++i) {
        gate.send<&Gate::read>();
        gate.send<&Gate::read>();
        gate.send<&Gate::write>();
        if (i % 10 == 0) {
          EXPECT_EQ(co_await gate.call<&Gate::ask>(cell), rt.size() - 1);
        }
        if (i % 7 == 0) gate.migrate(i % rt.size());
      }
    }
    co_await rt.quiescence();
  });
  EXPECT_EQ(Gate::violations, 0);
}

struct Spark {
  std::int32_t unused = 0;
  void fly(mobile_ptr<Spark> self, std::int32_t hops);
  template <class Archive>
  void serialize(Archive& archive) {
    archive(unused);
  }
};
inline std::atomic<std::int64_t> sparks_flown{0};
inline void Spark::fly(mobile_ptr<Spark> self, std::int32_t hops) {
  ++sparks_flown;
  if (hops == 0) return;
  self.migrate((here().rank().value() + hops) % here().size());
  self.send<&Spark::fly>(self, hops - 1);
}

TEST_P(Programs, M10_quiescence_comes_after_the_last_call_and_as_often_as_asked) {
  sparks_flown = 0;
  run([](Runtime& rt) -> Task<> {
    for (int round = 1; round <= 3; ++round) {
      const auto spark = rt.create<Spark>();
      spark.send<&Spark::fly>(spark, 30);
      co_await rt.quiescence();
      const std::int64_t flown = sparks_flown;
      EXPECT_EQ(flown % 31, 0) << "round " << round;  // whole flights only, in this process or all
      co_await rt.quiescence();
    }
  });
}

inline std::int32_t square(std::int32_t x) { return x * x; }
inline Task<std::int32_t> square_sum(std::int32_t up_to) {
  std::int32_t sum = 0;
  for (std::int32_t i = 1; i <= up_to; ++i)
    sum += co_await here().request<&square>(i % here().size(), i);
  co_return sum;
}

TEST_P(Programs, functions_on_ranks_answer_also_as_coroutines) {
  run([](Runtime& rt) -> Task<> {
    EXPECT_EQ(co_await rt.request<&square_sum>((rt.rank().value() + 1) % rt.size(), 10), 385);
  });
}

TEST_P(Programs, statistics_of_all_ranks_are_at_the_root_and_their_summary_is_everywhere) {
  run([](Runtime& rt) -> Task<> {
    EXPECT_EQ(co_await rt.request<&square>((rt.rank().value() + 1) % rt.size(), 3), 9);
    co_await rt.quiescence();
    rt.end_measurement();
    const Rank root = rt.size() - 1;
    const std::vector<RankStatistics> all = co_await rt.gather_statistics(root);
    const RunSummary everywhere = co_await rt.summarise_statistics();
    EXPECT_GT(everywhere.makespan_seconds, 0);
    EXPECT_GE(everywhere.handlers_run, static_cast<std::uint64_t>(rt.size()));
    if (rt.rank() != root) {
      EXPECT_TRUE(all.empty());
      EXPECT_THROW(static_cast<void>(summarise(all)), Error);
      co_return;
    }
    EXPECT_EQ(all.size(), static_cast<std::size_t>(rt.size()));
    for (std::int32_t r = 0; r < rt.size(); ++r)
      EXPECT_EQ(all.at(static_cast<std::size_t>(r)).rank, r);
    const RunSummary here_alone = summarise(all);
    EXPECT_EQ(here_alone.makespan_seconds, everywhere.makespan_seconds);
    EXPECT_EQ(here_alone.max_busy_seconds, everywhere.max_busy_seconds);
    EXPECT_EQ(here_alone.min_busy_seconds, everywhere.min_busy_seconds);
    EXPECT_NEAR(here_alone.mean_busy_seconds, everywhere.mean_busy_seconds,
                1e-12 * everywhere.mean_busy_seconds);
    EXPECT_EQ(here_alone.handlers_run, everywhere.handlers_run);
    EXPECT_EQ(here_alone.messages_sent, everywhere.messages_sent);
  });
}

}  // namespace roam::programs::calls
