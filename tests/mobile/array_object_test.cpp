// SPDX-License-Identifier: Apache-2.0
// Objects whose data is in an Array, which is sent beside the rest and stays where it has arrived.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "roam/roam.hpp"
#include "roam/runtime/simulated_job.hpp"

namespace array_object_test {

namespace {

constexpr std::size_t cell_count = 40'000;

struct Field {
  std::string name;
  roam::Array<double> few;
  roam::Array<double> cells;
  std::vector<roam::Array<std::uint16_t>> layers;
  std::vector<float> weights;

  void fill(std::size_t count) {
    name = "field of " + std::to_string(count);
    few = roam::Array<double>(3);
    std::iota(few.begin(), few.end(), 0.5);
    cells = roam::Array<double>(count);
    std::iota(cells.begin(), cells.end(), 1.0);
    for (std::size_t i = 0; i < 2; ++i) {
      roam::Array<std::uint16_t> layer(count + i);
      std::fill(layer.begin(), layer.end(), static_cast<std::uint16_t>(i + 7));
      layers.push_back(std::move(layer));
    }
    weights.assign(count, 0.25F);
  }
  [[nodiscard]] bool is_as_filled(std::size_t count) const {
    if (name != "field of " + std::to_string(count) || few.size() != 3 || few[2] != 2.5 ||
        cells.size() != count || layers.size() != 2 || weights.size() != count)
      return false;
    for (std::size_t i = 0; i < count; ++i) {
      if (cells[i] != static_cast<double>(i + 1) || layers[0][i] != 7 || layers[1][i] != 8 ||
          weights[i] != 0.25F)
        return false;
    }
    return layers[1][count] == 8;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(name, few, cells, layers, weights);
  }
};

/// An object that is only an Array.
struct Bare {
  roam::Array<std::uint64_t> words;
  void fill(std::size_t count) {
    words = roam::Array<std::uint64_t>(count);
    std::iota(words.begin(), words.end(), std::uint64_t{3});
  }
  [[nodiscard]] std::uint64_t last() const { return words[words.size() - 1]; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(words);
  }
};

/// An object with a member Array that counts its instances, wherever they are.
struct Traveller {
  static inline int alive = 0;
  roam::Array<float> values;
  Traveller() { ++alive; }
  Traveller(const Traveller&) = delete;
  Traveller& operator=(const Traveller&) = delete;
  ~Traveller() { --alive; }
  void fill(std::size_t count) {
    values = roam::Array<float>(count);
    std::fill(values.begin(), values.end(), 2.5F);
  }
  // What the object does on this rank must not show on the rank that refused it, and vice versa.
  void overwrite(float value) { std::fill(values.begin(), values.end(), value); }
  [[nodiscard]] bool is_all(float value) const {
    return std::all_of(values.begin(), values.end(), [value](float v) { return v == value; });
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(values);
  }
};

roam::SimulatedJobOptions job_options(std::uint64_t seed) {
  roam::SimulatedJobOptions options;
  options.options.simulate = roam::Machine{};
  options.options.simulate->ranks = 3;
  options.options.simulate->workers_per_rank = 1 + seed % 2;
  options.options.seed = seed;
  options.reorder = seed % 3 == 0;
  options.shuffle_ties = true;
  return options;
}

TEST(ArrayObject, M6_arrives_as_it_left_whatever_its_size) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    roam::SimulatedJob job(job_options(seed));
    std::uint64_t arrivals = 0;
    for (std::int32_t r = 0; r < 3; ++r) {
      job.runtime(r).objects().set_admission([&arrivals](roam::ObjectId, std::uint64_t) {
        return ++arrivals % 4 == 0 ? std::string("not today") : std::string();
      });
    }
    const bool ended = job.run([seed](roam::Runtime& rt) -> roam::Task<> {
      if (rt.rank() != 0) co_return;
      for (const std::size_t count : {std::size_t{0}, std::size_t{5}, cell_count * seed / 6}) {
        const auto field = rt.create<Field>();
        const auto bare = rt.create<Bare>();
        field.send<&Field::fill>(count);
        bare.send<&Bare::fill>(count + 1);
        for (int move = 1; move < 6; ++move) {
          field.migrate(move % 3);
          bare.migrate((move + 1) % 3);
          if (move % 2 == 0) {
            EXPECT_TRUE(co_await field.call<&Field::is_as_filled>(count));
          }
          EXPECT_EQ(co_await bare.call<&Bare::last>(), count + 3);
        }
        EXPECT_TRUE(co_await field.call<&Field::is_as_filled>(count));
        field.destroy();
        bare.destroy();
      }
    });
    EXPECT_TRUE(ended) << "seed " << seed << ": " << job.error();
    EXPECT_GT(arrivals, 12U);
  }
}

TEST(ArrayObject, M6_what_is_lent_to_the_network_stays_until_it_has_been_read) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Traveller::alive = 0;
    {
      roam::SimulatedJob job(job_options(seed));
      std::uint64_t arrivals = 0;
      for (std::int32_t r = 0; r < 3; ++r) {
        job.runtime(r).objects().set_admission([&](roam::ObjectId, std::uint64_t) {
          return ++arrivals % 3 == 0 ? std::string("not today") : std::string();
        });
      }
      const bool ended = job.run([](roam::Runtime& rt) -> roam::Task<> {
        if (rt.rank() != 0) co_return;
        const auto one = rt.create<Traveller>();
        co_await one.call<&Traveller::fill>(cell_count);
        for (int move = 0; move < 9; ++move) {
          one.migrate((move + 1) % 3);
          const float value = static_cast<float>(move);
          one.send<&Traveller::overwrite>(value);
          if (move % 2 == 0) {
            EXPECT_TRUE(co_await one.call<&Traveller::is_all>(value));
          }
        }
        EXPECT_TRUE(co_await one.call<&Traveller::is_all>(8.0F));
        one.destroy();
      });
      EXPECT_TRUE(ended) << "seed " << seed << ": " << job.error();
      EXPECT_GE(arrivals, 5U);
    }
    EXPECT_EQ(Traveller::alive, 0) << "seed " << seed;
  }
}

std::uint64_t held() { return roam::here().messenger().stats().held_bytes; }

// In a job whose messages are the buffers themselves, the arrays are copied into rank 0's memory
// for messages, and stay there.
TEST(ArrayObject, A3_memory_of_arrays_that_have_arrived_is_the_programs) {
  roam::Options options;
  options.transport = "in-process";
  options.ranks = 2;
  options.ranks_given = true;
  options.workers = 1;
  const int status = roam::run(options, [](roam::Runtime& rt) -> roam::Task<> {
    std::vector<roam::mobile_ptr<Bare>> all;
    if (rt.rank() == 0) {
      for (int i = 0; i < 30; ++i) {
        all.push_back(rt.create<Bare>());
        co_await all.back().call<&Bare::fill>(cell_count);
        all.back().migrate(1);
      }
      for (const auto& bare : all) EXPECT_EQ(co_await bare.call<&Bare::last>(), cell_count + 2);
      EXPECT_GT(rt.messenger().stats().bytes_sent, 30 * cell_count * sizeof(std::uint64_t));
    }
    co_await rt.quiescence();
    if (rt.rank() == 0) {
      for (std::int32_t r = 0; r < rt.size(); ++r)
        EXPECT_LT(co_await rt.request<&held>(r), cell_count * sizeof(std::uint64_t));
      for (const auto& bare : all) EXPECT_EQ(co_await bare.call<&Bare::last>(), cell_count + 2);
    }
  });
  EXPECT_EQ(status, 0);
}

}  // namespace

}  // namespace array_object_test
