// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cereal/types/map.hpp>

#include <chrono>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "roam/roam.hpp"
#include "roam/transport/in_process.hpp"

// A program of two ranks that uses every kind of message: recorded once for the seeds, and run on
// one rank by the fuzz target, whose bytes play the other.
namespace roam::fuzz {

struct Particle {
  double mass = 0;
  std::vector<int> tags;
  std::string name;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(mass, tags, name);
  }
};

struct Cell {
  std::vector<double> values;
  void add(const std::vector<double>& more) {
    if (values.size() < 100) values.insert(values.end(), more.begin(), more.end());
  }
  [[nodiscard]] double first() const { return values.empty() ? 0 : values.front(); }
  Task<int> count(int more) { co_return static_cast<int>(values.size() % 100) + more % 2; }
  void fail(const std::string& text) { throw Error(text); }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(values);
  }
};

struct Pixel {
  int light = 0;
  std::chrono::milliseconds seen{0};
  void brighten(int by, std::chrono::milliseconds at) { light += by % 3, seen = at; }
  [[nodiscard]] int value() const { return light; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(light, seen);
  }
};

/// Its array travels beside it.
struct Plate {
  Array<double> values;
  explicit Plate(std::size_t count = 0) : values(count) {}
  [[nodiscard]] std::uint64_t size() const { return values.size(); }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(values);
  }
};

inline int brighten_all(Gathered<Pixel> all, int by) {
  for (std::size_t i = 0; i < all.size(); ++i) all[i].brighten(by, std::chrono::milliseconds(by));
  return by;
}

inline void take_numbers(std::int8_t, std::uint64_t, double, bool) {}
inline std::uint64_t take_text(const std::string& text, const std::vector<double>& numbers) {
  return text.size() + numbers.size();
}
inline Particle take_particle(const Particle& particle,
                              const std::map<std::string, std::vector<Particle>>& others) {
  Particle sum = particle;
  for (const auto& [name, list] : others) sum.name += name;
  return sum;
}
inline Task<int> take_and_suspend(mobile_ptr<Cell> cell) {
  const int count = co_await cell.call<&Cell::count>(1);
  co_return count;
}
inline void take_landed(std::span<std::int64_t> landed, std::uint8_t number) {
  for (std::int64_t& v : landed) v ^= number;
}

inline Task<> use_memory(am::RemoteMemory& memory, Rank other) {
  const auto region = co_await memory.remote_alloc<std::int64_t>(other, 100);
  const std::vector<std::int64_t> few{1, 2, 3};
  const std::vector<std::int64_t> many(90, 7);  // goes beside its message
  std::vector<std::int64_t> back(90);
  co_await memory.put(region, few);
  co_await memory.put_op<&take_landed>(region, many, std::uint8_t{3});
  (void)co_await memory.get(region);
  co_await memory.get(back, region);
  (void)co_await memory.fetch_add(region, 1);
  co_await memory.remote_free(region);
}

inline Task<> use_collectives(Runtime& rt) {
  (void)co_await rt.allreduce<Max>(rt.rank().value());
  std::vector<std::string> words(2, "word");
  (void)co_await rt.gather(0, words);
  (void)co_await rt.allgather(1.5);
  co_await rt.barrier();
}

inline Task<> use_collections(Runtime& rt) {
  const std::chrono::milliseconds now(3);
  const auto row = co_await rt.create_collection<Pixel>(Index<1>{4}, Placement::cyclic());
  co_await row.for_all<&Pixel::brighten>(1, now);
  row.section(Box<1>{{0}, {4}, {2}}).broadcast<&Pixel::brighten>(1, now);
  (void)co_await row.reduce<&Pixel::value, std::plus<>>();
  co_await row.destroy();
  const auto pixels = co_await rt.create_sparse_collection<Pixel, std::string>();
  const std::vector<std::string> keys{"red", "green", "blue", "violet"};
  for (const std::string& key : keys) {
    pixels.send_insert(key);
    co_await pixels[key].call<&Pixel::brighten>(1, now);
  }
  (void)co_await pixels.erase(keys.front());
  (void)co_await pixels.reduce<&Pixel::value, std::plus<>>();
  co_await pixels.destroy();
}

inline Task<> use_moving_objects(Runtime& rt, Rank other) {
  const std::vector<mobile_ptr<Pixel>> two{rt.create<Pixel>(), rt.create<Pixel>()};
  two[1].migrate(other);
  (void)co_await rt.multicast_call<&brighten_all>(two, 2);
  const auto plate = rt.create<Plate>(std::size_t{90});
  plate.migrate(other);
  (void)co_await plate.call<&Plate::size>();
  co_await rt.run_epoch([&] { two[1].send<&Pixel::brighten>(1, std::chrono::milliseconds(1)); });
}

inline Task<> wire_program(Runtime& rt) {
  const Rank other(1 - rt.rank().value());
  const auto mine = rt.create<Cell>();
  const auto cell = co_await rt.broadcast(0, mine);
  const std::int8_t small = -3;
  rt.send<&take_numbers>(other, small, std::uint64_t{5}, 0.5, true);
  const Particle particle{1.5, {1, 2, 3}, "one"};
  const std::vector<Particle> list{particle};
  const std::map<std::string, std::vector<Particle>> others{{"two", list}};
  const std::vector<double> numbers{1, 2, 3};
  const std::vector<double> long_numbers(60, 2.5);  // split-phase
  rt.send<&take_text>(other, std::string("text"), long_numbers);
  (void)co_await rt.request<&take_text>(other, std::string("text"), numbers);
  (void)co_await rt.request<&take_particle>(other, particle, others);
  (void)co_await rt.request<&take_and_suspend>(other, cell);
  cell.send<&Cell::add>(numbers);
  (void)co_await cell.call<&Cell::first>();
  try {
    co_await cell.call<&Cell::fail>(std::string("on purpose"));
  } catch (const Error&) {
    // What a failed call's answer looks like is worth a seed.
  }
  co_await use_memory(rt.memory(), other);
  co_await use_collectives(rt);
  co_await use_collections(rt);
  co_await use_moving_objects(rt, other);
  mine.migrate(other);
  (void)co_await mine.call<&Cell::count>(1);
  mine.destroy();
  co_await rt.quiescence();
}

/// Stands still unless told: the same bytes always do the same.
class StepClock final : public core::Clock {
 public:
  [[nodiscard]] Instant now() const override { return now_; }
  void advance() { now_ += std::chrono::microseconds(1); }

 private:
  Instant now_{0};
};

inline Options wire_options() {
  Options options;
  options.ranks = 2;
  options.workers = 1;
  options.progress_mode = ProgressMode::polling;
  options.message_threshold_bytes = 256;
  return options;
}

/// Has a rank that the caller polls run the program.
inline std::unique_ptr<Runtime> start_wire_program(transport::Endpoint& endpoint,
                                                   core::Clock& clock) {
  auto runtime = std::make_unique<Runtime>(endpoint, clock, wire_options());
  Runtime& rank = *runtime;
  rank.set_job_error_handler([](const std::string&) {});
  rank.on_error([](const std::string&) {});
  rank.on_dead_letter([](const std::string&) {});
  rank.on_refused_move([](const mobile::MigrationOutcome&) {});
  rank.start(&wire_program, [&rank] { rank.engine().stop(); });
  return runtime;
}

/// In front of each message in a seed: `kind`, the tag of a bulk transfer, the length, little end
/// first.
struct Frame {
  static constexpr std::uint8_t bulk = 1;      // a transfer under `tag`, not a message
  static constexpr std::uint8_t as_it_is = 2;  // else magic number and size are put right
  std::uint8_t kind = 0;
  std::uint8_t tag = 0;
  std::uint16_t size = 0;
};
static_assert(sizeof(Frame) == 4);

}  // namespace roam::fuzz
