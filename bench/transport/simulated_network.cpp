// SPDX-License-Identifier: Apache-2.0
// What the simulated network computes, and how fast. Without a machine: messages per second of one
// core, without and with links that ranks share, and memory, by number of ranks.
//   bench_simulated_network [--short] [--ranks N] [--repeats N] [--json FILE]     --ranks: up to so
//   many
// With one: the virtual time that patterns of messages take on it, as studies/network_check asks.
//   bench_simulated_network --machine FILE --patterns FILE --json FILE
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <queue>
#include <roam/core/error.hpp>
#include <roam/roam.hpp>
#include <roam/transport/detail/simulated.hpp>
#include <string>
#include <vector>

#include "../support/report.hpp"
#include "../support/resident_memory.hpp"
#include "../support/settings.hpp"

namespace {

using roam::Duration;
using roam::Instant;
using roam::Rank;
using roam::core::Buffer;

/// One rank after another sends, in the order given, all at the beginning.
struct Send {
  std::int32_t source;
  std::int32_t destination;
  std::size_t bytes;
};

/// Endpoints alone, turned in the order of time.
class Network final : roam::transport::Sink {
 public:
  Network(const std::vector<roam::NetworkLevel>& levels, std::int32_t ranks)
      : network_({.levels = levels, .max_message_bytes = std::size_t{1} << 40U}, ranks, clock_, 1) {
    network_.set_listener([this](Rank rank, Instant when) { turns_.emplace(when, rank); });
    network_.leave_claims_to_driver();
    for (const Rank rank : network_.local_ranks()) ends_.push_back(network_.endpoint(rank));
  }
  void send(const Send& sent) {
    Buffer data = Buffer::allocate(sent.bytes);
    data.set_size(sent.bytes);
    ends_[static_cast<std::size_t>(sent.source)]->send(sent.destination, std::move(data));
  }
  /// Until nothing is under way. Each message is answered so many times.
  void run(std::uint64_t answers) {
    answers_ = answers;
    for (;;) {
      const Instant due = network_.next_claim();
      const Instant next = turns_.empty() ? roam::never : turns_.top().first;
      if (due != roam::never && due <= next) {
        network_.claim();
        continue;
      }
      if (turns_.empty()) return;
      turning_ = turns_.top().second;
      turns_.pop();
      clock_.set(std::max(next, clock_.now()));
      ends_[turning_.index()]->progress(*this, ~std::size_t{0});
    }
  }
  [[nodiscard]] std::uint64_t arrived() const { return arrived_; }
  [[nodiscard]] double virtual_seconds() const { return roam::seconds(last_); }

 private:
  void message(Rank source, Buffer&& data) override {
    ++arrived_;
    last_ = clock_.now();
    if (answers_ == 0) return;
    --answers_;
    ends_[turning_.index()]->send(source, std::move(data));
  }
  void bulk(Rank /*source*/, roam::transport::BulkTag /*tag*/, Buffer&& /*data*/) override {}
  void peer_failed(Rank /*peer*/, const char* /*reason*/) override {}

  using Turn = std::pair<Instant, Rank>;
  roam::core::VirtualClock clock_;
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns_;
  roam::transport::SimulatedNetwork network_;
  std::vector<std::unique_ptr<roam::transport::Endpoint>> ends_;
  Rank turning_;
  std::uint64_t answers_ = 0;
  std::uint64_t arrived_ = 0;
  Instant last_{0};
};

nlohmann::json read_json(const std::string& path) {
  std::ifstream file(path);
  nlohmann::json read = nlohmann::json::parse(file, nullptr, false);
  if (!file.eof() && !file.good()) read = {};
  if (!read.is_object()) {
    std::fprintf(stderr, "%s: not a file of patterns\n", path.c_str());
    std::exit(2);
  }
  return read;
}

/// {"NAME": {"sends": [[source, destination, bytes], ...], "answers": n}, ...}
void run_patterns(const std::string& machine_path, const std::string& patterns_path,
                  const std::string& json) {
  const roam::Machine machine = roam::read_machine_file(machine_path);
  nlohmann::json seconds = nlohmann::json::object();
  const nlohmann::json patterns = read_json(patterns_path);
  for (const auto& [name, pattern] : patterns.items()) {
    Network network(machine.network, machine.ranks);
    for (const auto& sent : pattern.at("sends")) network.send({sent.at(0), sent.at(1), sent.at(2)});
    const std::uint64_t answers = pattern.value("answers", std::uint64_t{0});
    network.run(answers);
    if (network.arrived() != pattern.at("sends").size() + answers) {
      std::fprintf(stderr, "%s: messages were lost\n", name.c_str());
      std::exit(1);
    }
    seconds[name] = network.virtual_seconds();
    std::printf("  %-40s %12.9f s\n", name.c_str(), network.virtual_seconds());
  }
  bench::write_json(json, {{"benchmark", "patterns of messages"}, {"seconds", seconds}});
}

/// Nodes of 32 ranks with one interface each, 32 nodes to a switch with half as many links up.
std::vector<roam::NetworkLevel> fat_tree(bool shared) {
  roam::NetworkLevel node{.name = "node", .group_ranks = 32, .latency_seconds = 0.4e-6};
  roam::NetworkLevel leaf{.name = "switch", .group_ranks = 1024};
  if (shared) {
    node.shared_bandwidth_bytes_per_second = 100e9;
    node.uplink_bandwidth_bytes_per_second = 12e9;
    leaf.uplink_bandwidth_bytes_per_second = 12e9;
    leaf.uplinks = 16;
  }
  return {node, leaf, {.name = "machine", .latency_seconds = 2e-6}};
}

/// Nanoseconds of processor time of a message of 64 B, each rank to others all over the machine.
double nanoseconds_each(std::int32_t ranks, bool shared, std::int64_t messages) {
  Network network(fat_tree(shared), ranks);
  const std::clock_t begin = std::clock();
  std::uint64_t sent = 0;
  // All ranks at once, round by round: as many are under way as in a job.
  for (std::uint64_t round = 1; sent < static_cast<std::uint64_t>(messages); ++round) {
    for (std::int32_t rank = 0; rank < ranks; ++rank, ++sent) {
      const std::uint64_t step = round * 40503 + static_cast<std::uint64_t>(rank) * 7;
      const auto to = (static_cast<std::uint64_t>(rank) + step) % static_cast<std::uint64_t>(ranks);
      network.send({rank, static_cast<std::int32_t>(to), 64});
    }
    network.run(0);
  }
  if (network.arrived() != sent) {
    std::fprintf(stderr, "messages were lost\n");
    std::exit(1);
  }
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  return 1e9 * seconds / static_cast<double>(sent);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

nlohmann::json measure(std::int32_t ranks, std::int64_t messages, int repeats) {
  const std::uint64_t before = bench::resident_kib();
  double mebibytes = 0;
  {
    const Network idle(fat_tree(true), ranks);
    mebibytes = static_cast<double>(bench::resident_kib() - before) / 1024;
  }
  std::vector<double> apart;
  std::vector<double> shared;
  for (int i = 0; i < repeats; ++i) {
    apart.push_back(nanoseconds_each(ranks, false, messages));
    shared.push_back(nanoseconds_each(ranks, true, messages));
  }
  std::printf("  %7d  %10.0f ns  %10.0f ns  %9.1f MiB\n", ranks, median(apart), median(shared),
              mebibytes);
  std::fflush(stdout);
  return {{"ranks", ranks},
          {"nanoseconds_apart", median(apart)},
          {"nanoseconds_shared", median(shared)},
          {"memory_mib", mebibytes}};
}

/// Taken out of the arguments; empty: not there.
std::string take_option(int& argc, char** argv, const char* name) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::strcmp(argv[i], name) != 0) continue;
    std::string value = argv[i + 1];
    std::rotate(argv + i, argv + i + 2, argv + argc);
    argc -= 2;
    return value;
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const std::string machine = take_option(argc, argv, "--machine");
  const std::string patterns = take_option(argc, argv, "--patterns");
  int most = 131'072;
  const bench::Settings settings = bench::read_settings(argc, argv, {{"--ranks", &most}});
  if (machine.empty() != patterns.empty()) {
    std::fprintf(stderr, "--machine FILE and --patterns FILE go together\n");
    return 2;
  }
  try {
    if (!machine.empty()) {
      run_patterns(machine, patterns, settings.json);
      return 0;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  if (settings.is_short) most = std::min(most, 8192);
  const std::int64_t messages = settings.is_short ? 100'000 : 1'000'000;
  const int repeats = std::min(settings.repeats, 5);
  std::printf("the simulated network: processor time of a message, and memory\n");
  std::printf("  %7s  %13s  %13s  %13s\n", "ranks", "links apart", "links shared", "memory");
  nlohmann::json rows = nlohmann::json::array();
  for (int ranks = 32; ranks <= most; ranks *= 16)
    rows.push_back(measure(ranks, messages, repeats));
  bench::write_json(settings.json, {{"benchmark", "the simulated network"}, {"rows", rows}});
  return 0;
}
