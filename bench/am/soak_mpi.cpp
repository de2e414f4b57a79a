// SPDX-License-Identifier: Apache-2.0
// Does memory grow? Two ranks send each other messages of mixed sizes, 8 B to 1 MiB, evenly spread
// over the orders of magnitude, for a minute, a batch confirmed before the next. All must come, in
// order (A1, A2). Memory is sampled, and its growth after a warm-up of a quarter of the time told;
// the warm-up begins with full batches of each size, the most that is ever under way at a time.
//   mpirun -n 2 --bind-to core bench_soak_mpi [--short] [--seconds N] [--json FILE]
#include <mpi.h>

#include <cinttypes>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <roam/roam.hpp>
#include <roam/transport/mpi/mpi_network.hpp>

#include "../support/raw_mpi.hpp"
#include "../support/resident_memory.hpp"

namespace {

// The program itself allocates all its memory at the beginning: any growth is the runtime's.
using Bytes = std::span<const std::byte>;

constexpr std::size_t least_bytes = 8;
constexpr std::size_t most_bytes = std::size_t{1} << 20;
constexpr std::size_t batch_messages = 32;
constexpr std::size_t batch_bytes = std::size_t{4} << 20;
constexpr int full_batches = 8;  // batches of each size, at first
// Growth up to this is not significant: libraries of the system hold varying amounts, and blocks
// may get longer messages than ever before, which use more of their pages.
constexpr std::size_t tolerance_kib = 1024;
constexpr double sample_period_seconds = 0.01;

// One rank per process, one worker.
std::uint64_t heard = 0;
std::uint64_t out_of_order = 0;

void hear(Bytes payload) {
  std::uint64_t sequence = 0;
  std::memcpy(&sequence, payload.data(), sizeof sequence);
  if (sequence != heard) ++out_of_order;
  ++heard;
}

std::uint64_t how_many() { return heard; }

/// What one rank has done.
struct Diary {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t wrong = 0;
  std::vector<bench::MemorySample> samples;
  // The payload of every message, one after the other.
  std::vector<std::byte> payload = std::vector<std::byte>(most_bytes);
  template <class Archive>
  void serialize(Archive& archive) {
    archive(messages, bytes, wrong, samples);
  }
};

/// Sends a batch of messages of the lengths that next_bytes() gives, and checks that all messages
/// before them have arrived.
template <class NextBytes>
roam::Task<> send_batch(roam::Runtime& rt, Diary& diary, NextBytes next_bytes) {
  std::size_t sent_bytes = 0;
  for (std::size_t i = 0; i < batch_messages && sent_bytes < batch_bytes; ++i) {
    const std::size_t bytes = next_bytes();
    std::memcpy(diary.payload.data(), &diary.messages, sizeof diary.messages);
    rt.send<&hear>(1 - rt.rank().value(), Bytes(diary.payload).first(bytes));
    ++diary.messages;
    sent_bytes += bytes;
  }
  diary.bytes += sent_bytes;
  // The request comes behind the batch, so that the answer counts the batch (A2).
  const std::uint64_t there = co_await rt.request<&how_many>(1 - rt.rank().value());
  if (there != diary.messages) ++diary.wrong;
}

roam::Task<Diary> soak(roam::Runtime& rt, double seconds) {
  Diary diary;
  diary.samples.reserve(static_cast<std::size_t>(seconds / sample_period_seconds) + 1);
  std::mt19937_64 random(rt.options().seed + rt.rank().index());
  std::uniform_real_distribution<double> magnitude(std::log(least_bytes), std::log(most_bytes));
  const auto any_size = [&] { return static_cast<std::size_t>(std::exp(magnitude(random)) + 0.5); };
  co_await rt.barrier();
  const roam::Instant start = rt.now();
  for (std::size_t bytes = least_bytes; bytes <= most_bytes; bytes *= 2) {
    for (int batch = 0; batch < full_batches; ++batch)
      co_await send_batch(rt, diary, [bytes] { return bytes; });
  }
  for (double now = 0; now < seconds;
       now = std::chrono::duration<double>(rt.now() - start).count()) {
    if (diary.samples.empty() || now - diary.samples.back().seconds >= sample_period_seconds)
      diary.samples.push_back({now, bench::resident_kib()});
    co_await send_batch(rt, diary, any_size);
  }
  co_await rt.quiescence();
  diary.wrong += out_of_order;
  co_return diary;
}

nlohmann::json told(int rank, const Diary& diary, double warm_up, double seconds) {
  const std::int64_t growth = bench::growth_kib(diary.samples, warm_up, seconds);
  std::printf("  rank %d: %" PRIu64 " messages, %.1f GB, %" PRIu64
              " KiB at the end, grown by %" PRId64 " KiB\n",
              rank, diary.messages, static_cast<double>(diary.bytes) / 1e9,
              diary.samples.back().kib, growth);
  nlohmann::json samples = nlohmann::json::array();
  const std::size_t stride = diary.samples.size() / 600 + 1;
  for (std::size_t i = 0; i < diary.samples.size(); i += stride)
    samples.push_back({diary.samples[i].seconds, diary.samples[i].kib});
  return {{"rank", rank},
          {"messages", diary.messages},
          {"bytes", diary.bytes},
          {"growth_kib", growth},
          {"samples", samples}};
}

void tell(const std::vector<Diary>& diaries, double seconds, const std::string& file) {
  const double warm_up = seconds / 4;
  std::printf("messages of 8 B to 1 MiB both ways over MPI for %.0f s, the first %.1f to warm up\n",
              seconds, warm_up);
  nlohmann::json ranks = nlohmann::json::array();
  for (std::size_t rank = 0; rank < diaries.size(); ++rank)
    ranks.push_back(told(static_cast<int>(rank), diaries[rank], warm_up, seconds));
  bench::write_json(file, {{"benchmark", "memory under mixed messages"},
                           {"seconds", seconds},
                           {"warm_up_seconds", warm_up},
                           {"tolerance_kib", tolerance_kib},
                           {"ranks", ranks}});
}

}  // namespace

int main(int argc, char** argv) {
  int seconds = 0;
  const bench::Settings settings = bench::read_settings(argc, argv, {{"--seconds", &seconds}});
  bench::RawMpi mpi(argc, argv);
  if (!mpi.has_two_ranks()) return 2;
  if (seconds == 0) seconds = settings.is_short ? 2 : 60;
  roam::Options options;
  options.workers = 1;
  const auto network = roam::transport::make_mpi_network(MPI_COMM_WORLD);
  const auto program = [&](roam::Runtime& rt) -> roam::Task<> {
    Diary mine = co_await soak(rt, seconds);
    const std::vector<Diary> all = co_await rt.gather(0, mine);
    for (const Diary& diary : all) {
      if (diary.wrong > 0) throw roam::Error("messages were lost or came out of order");
      if (diary.samples.front().kib == 0) throw roam::Error("the memory in use is not known here");
    }
    if (rt.rank() == 0) tell(all, seconds, settings.json);
  };
  return roam::run(*network, options, program);
}
