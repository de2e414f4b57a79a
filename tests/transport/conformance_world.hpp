// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <coroutine>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "roam/core/random.hpp"
#include "roam/transport/endpoint.hpp"

// What the conformance tests need to run one program per rank on any network: each on a thread of
// its own, all on one thread, or one per process. Programs are coroutines that let others run at
// `co_await member.turn()`.
namespace roam::transport::conformance {

class Program {
 public:
  struct promise_type {
    std::exception_ptr failure;
    Program get_return_object() {
      return Program(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { failure = std::current_exception(); }
  };
  explicit Program(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  Program(Program&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Program& operator=(Program&&) = delete;
  ~Program() {
    if (handle_) handle_.destroy();
  }
  /// Runs to the next turn. False once it has ended.
  bool resume() {
    if (handle_.done()) return false;
    handle_.resume();
    if (handle_.done() && handle_.promise().failure)
      std::rethrow_exception(handle_.promise().failure);
    return !handle_.done();
  }

 private:
  std::coroutine_handle<promise_type> handle_;
};

/// Generates bytes that depend on all three arguments, so that anything lost, mixed up or
/// overwritten shows. Calls at(offset, bytes, length) for eight bytes at a time; the last call may
/// have fewer. It uses few instructions, because much of the time of these tests is spent here.
template <class At>
void for_pattern(std::uint64_t seed, std::uint64_t index, std::size_t bytes, At&& at) {
  core::Random random(seed * 1000003 + index);
  std::uint64_t word = random();
  std::size_t i = 0;
  for (; i + sizeof word <= bytes; i += sizeof word, word += 0x9e3779b97f4a7c15ULL)
    at(i, &word, sizeof word);
  if (i < bytes) at(i, &word, bytes - i);
}
inline core::Buffer pattern(std::uint64_t seed, std::uint64_t index, std::size_t bytes) {
  core::Buffer buffer = core::Buffer::allocate(bytes);
  buffer.set_size(bytes);
  std::byte* const to = buffer.data();
  for_pattern(seed, index, bytes, [to](std::size_t i, const void* word, std::size_t length) {
    std::memcpy(to + i, word, length);
  });
  return buffer;
}
inline bool is_pattern(const core::Buffer& data, std::uint64_t seed, std::uint64_t index) {
  const std::byte* const from = data.data();
  bool is_same = true;
  for_pattern(seed, index, data.size(),
              [from, &is_same](std::size_t i, const void* word, std::size_t length) {
                is_same = is_same && std::memcmp(from + i, word, length) == 0;
              });
  return is_same;
}

/// One rank in a test: its endpoint, and what has been delivered to it.
class Member final : public Sink {
 public:
  struct Bulk {
    Rank source;
    BulkTag tag;
    core::Buffer data;
  };

  explicit Member(std::unique_ptr<Endpoint> end) : endpoint(std::move(end)) {}

  Rank rank() const { return endpoint->rank(); }
  std::int32_t size() const { return endpoint->size(); }
  bool ordered() const { return endpoint->capabilities().ordered; }
  std::size_t progress(std::size_t limit = 64) {
    return last_delivered = endpoint->progress(*this, limit);
  }
  /// Makes progress once, then lets others run.
  std::suspend_always turn(std::size_t limit = 64) {
    progress(limit);
    return {};
  }
  /// Takes a message out of what has come from `source`; requires that there is one.
  core::Buffer take(Rank source) {
    std::vector<core::Buffer>& from = messages[source];
    core::Buffer first = std::move(from.front());
    from.erase(from.begin());
    return first;
  }

  void message(Rank source, core::Buffer&& data) override {
    ++message_count;
    if (on_message) {
      on_message(source, std::move(data));
    } else {
      messages[source].push_back(std::move(data));
    }
  }
  void bulk(Rank source, BulkTag tag, core::Buffer&& data) override {
    bulks.push_back({source, tag, std::move(data)});
  }
  void peer_failed(Rank peer, const char* reason) override {
    failures.push_back(peer);
    failure_text = reason;
  }

  std::unique_ptr<Endpoint> endpoint;
  std::function<void(Rank, core::Buffer)> on_message;  // instead of collecting
  std::map<Rank, std::vector<core::Buffer>> messages;
  std::vector<Bulk> bulks;
  std::vector<Rank> failures;
  std::string failure_text;
  std::size_t message_count = 0;
  std::size_t last_delivered = 0;
};

/// A job on some network.
class World {
 public:
  using Main = std::function<Program(Member&)>;
  World() = default;
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  virtual ~World() = default;
  virtual std::int32_t size() const = 0;
  /// Runs `main` on every rank of this process until all have ended, then closes the endpoints.
  /// Throws after 40 seconds.
  virtual void run(const Main& main) = 0;

 protected:
  static void check_deadline(std::chrono::steady_clock::time_point start) {
    if (std::chrono::steady_clock::now() - start > std::chrono::seconds(40)) {
      throw std::runtime_error("the test makes no progress");
    }
  }
  /// Runs one rank's program until it has ended and everything that it sent has left.
  static void run_alone(Member& member, const Main& main) {
    Program program = main(member);
    const auto start = std::chrono::steady_clock::now();
    while (program.resume() || (member.progress(), member.endpoint->unsent_bytes() != 0)) {
      check_deadline(start);
      if (member.last_delivered == 0) std::this_thread::yield();
    }
    EXPECT_EQ(member.failures.size(), 0U) << member.failure_text;
    member.endpoint->close(false);
  }
};

struct Case {
  std::string name;
  std::function<std::unique_ptr<World>(std::uint64_t seed)> make;
};
inline void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

/// Base of all conformance tests. ROAM_TEST_SEED repeats a run.
class Conformance : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (const char* given = std::getenv("ROAM_TEST_SEED")) seed = std::strtoull(given, nullptr, 10);
    std::cout << "seed " << seed << std::endl;
    world = GetParam().make(seed);
  }
  std::uint64_t seed = 20240607;
  std::unique_ptr<World> world;
};

}  // namespace roam::transport::conformance
