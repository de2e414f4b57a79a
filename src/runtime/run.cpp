// SPDX-License-Identifier: Apache-2.0
#include "roam/runtime/run.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <latch>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "chosen_plugins.hpp"
#include "job_end.hpp"
#include "pinning.hpp"
#include "roam/core/error.hpp"
#include "roam/exec/detail/thread_driver.hpp"
#include "roam/exec/schedulers.hpp"
#include "roam/runtime/simulated_job.hpp"
#include "roam/topology/detail/place.hpp"
#include "roam/transport/detail/launcher.hpp"
#include "roam/transport/registry.hpp"
#include "simulated_end.hpp"

namespace roam {

namespace {

exec::ThreadDriverOptions driver_options(transport::Endpoint& endpoint,
                                         topology::Processors bound) {
  exec::ThreadDriverOptions result;
  result.network_wakes = endpoint.capabilities().wakes;
  result.main_thread_only = endpoint.capabilities().main_thread_only;
  result.unsent_bytes = [&endpoint] { return endpoint.unsent_bytes(); };
  result.count_sleepers = [&endpoint](int change) { endpoint.count_sleepers(change); };
  result.processors = std::move(bound);
  return result;
}

/// The ranks of this process are made on threads of their own and continue only if all could be
/// made.
class SetUp {
 public:
  explicit SetUp(std::size_t ranks) : undecided_(static_cast<std::ptrdiff_t>(ranks)) {}
  /// Reports that `ranks` of them could not be made, for this reason. The first reason is stored.
  void failed(const std::exception_ptr& reason, std::size_t ranks = 1) {
    {
      const std::lock_guard guard(mutex_);
      if (!reason_) reason_ = reason;
    }
    undecided_.count_down(static_cast<std::ptrdiff_t>(ranks));
  }
  /// Called by a rank that could be made; returns false if another could not.
  [[nodiscard]] bool all_ready() {
    undecided_.arrive_and_wait();
    return !reason_;
  }
  /// The reason, or null if all ranks were made. May be called after the last has reported.
  [[nodiscard]] const std::exception_ptr& reason() const { return reason_; }

 private:
  std::latch undecided_;
  std::mutex mutex_;
  std::exception_ptr reason_;  // under mutex_ until all are decided
};

/// State shared by the threads of all ranks of a process.
struct LocalRanks {
  LocalRanks(transport::Network& network, const Options& options, std::size_t ranks)
      : bound(processors_of_workers(options, network, ranks)),
        places(bound),
        end(network, options),
        set_up(ranks),
        all_stopped(static_cast<std::ptrdiff_t>(ranks)) {}
  const std::vector<topology::Processors> bound;  // for each rank
  topology::LocalPlaces places;
  JobEnd end;
  SetUp set_up;
  std::latch all_stopped;
};

/// One rank, used on the thread that makes it (and on the threads of its other workers).
class LocalRank {
 public:
  LocalRank(transport::Endpoint& endpoint, core::Clock& clock, const Options& options,
            topology::Processors bound, const topology::RankLocation& location, JobEnd& end)
      : endpoint_(endpoint),
        end_(end),
        runtime_(endpoint, clock, options, location),
        member_(end, runtime_),
        driver_(runtime_.engine(), driver_options(endpoint, std::move(bound))) {
    endpoint_.set_waker([this] { driver_.wake(); });
  }
  LocalRank(const LocalRank&) = delete;
  LocalRank& operator=(const LocalRank&) = delete;
  ~LocalRank() {
    endpoint_.set_waker([] {});
  }

  /// Runs the rank until the job is over. Throws nothing: any error ends the job with a report.
  void run(const Runtime::Program& program) noexcept {
    try {
      runtime_.start(program, [this] { runtime_.engine().stop(); });
      driver_.run();
      runtime_.messenger().flush();
      end_.leave_records(runtime_);
      endpoint_.close(end_.failed());
    } catch (...) {
      end_.rank_failed(endpoint_.rank());
    }
    endpoint_.set_waker([] {});
  }

 private:
  transport::Endpoint& endpoint_;
  JobEnd& end_;
  Runtime runtime_;
  JobEnd::Member member_;
  exec::ThreadDriver driver_;
};

/// The i-th rank of this process.
void run_rank(transport::Endpoint& endpoint, core::Clock& clock, const Options& options,
              std::size_t i, const Runtime::Program& program, LocalRanks& all) {
  std::unique_ptr<LocalRank> rank;
  try {
    rank = std::make_unique<LocalRank>(endpoint, clock, options, all.bound[i],
                                       topology::RankLocation(all.places, i), all.end);
  } catch (...) {
    return all.set_up.failed(std::current_exception());
  }
  if (!all.set_up.all_ready()) return;
  rank->run(program);
  // After an error, other ranks may still be reading memory in this rank's coroutines.
  all.all_stopped.arrive_and_wait();
}

/// Runs all ranks of this process; blocks until they have ended. Throws what prevented one of them
/// from being made; none has run anything then.
void run_ranks(const std::vector<std::unique_ptr<transport::Endpoint>>& endpoints,
               core::Clock& clock, const std::vector<Options>& options,
               const Runtime::Program& program, LocalRanks& all) {
  std::vector<std::thread> others;
  others.reserve(endpoints.size());
  for (std::size_t i = 1; i < endpoints.size(); ++i) {
    try {
      others.emplace_back([&, i] { run_rank(*endpoints[i], clock, options[i], i, program, all); });
    } catch (const std::system_error& error) {
      all.set_up.failed(
          std::make_exception_ptr(
              Error("cannot start a thread for rank number " + std::to_string(i + 1) +
                    " of this process: " + error.what() + "; run it with fewer --roam-ranks")),
          endpoints.size() - i);
      break;
    }
  }
  run_rank(*endpoints[0], clock, options[0], 0, program, all);
  for (auto& thread : others) thread.join();
  if (all.set_up.reason()) std::rethrow_exception(all.set_up.reason());
}

// Throws ConfigError if the network allows no threads, but the options need some.
std::uint32_t workers_of_each(const Options& options, const transport::Network& network) {
  const char* const reason = network.single_thread_reason();
  if (reason == nullptr) return workers_per_rank(options, network.ranks_on_this_machine());
  const bool is_dedicated = options.progress_mode == ProgressMode::dedicated;
  const bool has_more_workers =
      options.workers > 1 && options.progress_mode != ProgressMode::polling;
  if (is_dedicated || has_more_workers) {
    const std::string wanted = is_dedicated
                                   ? std::string("progress mode dedicated needs a thread")
                                   : std::to_string(options.workers) + " workers need threads";
    throw ConfigError(wanted + " that the transport " + network.name() + " does not allow here: " +
                      reason + ", or use --roam-workers=1 with progress mode shared or polling");
  }
  return 1;
}

/// Restores the caller's arguments: a second run with them has to find its options.
class ArgumentsKeeper {
 public:
  ArgumentsKeeper(int& argc, char** argv)
      : count_(argc), place_(argv), argc_(argc), argv_(argv, argv + std::max(argc, 0)) {}
  ArgumentsKeeper(const ArgumentsKeeper&) = delete;
  ArgumentsKeeper& operator=(const ArgumentsKeeper&) = delete;
  ~ArgumentsKeeper() {
    if (count_ == argc_) return;
    count_ = argc_;
    std::ranges::copy(argv_, place_);
    place_[argc_] = nullptr;
  }

 private:
  int& count_;
  char** const place_;
  const int argc_;
  const std::vector<char*> argv_;
};

/// True if this process has nothing to do because the first one runs all ranks of the simulated
/// machine; processes that a launcher started besides would only repeat that. The first process
/// says so if there are others. Throws ConfigError if it is not known which process this is.
bool is_left_to_the_first_process(const Options& options) {
  const std::optional<transport::Launcher> launcher = transport::detect_launcher();
  if (!launcher || launcher->ranks == 1) return false;
  const std::string origin = options.origin("simulate");
  if (!launcher->rank) {
    throw ConfigError(origin + " simulates all ranks in one process, and a launcher has started " +
                      "several (" + launcher->variable + " is set); start the program by itself");
  }
  if (*launcher->rank == 0 && launcher->ranks) {
    std::fprintf(stderr,
                 "roam: %s simulates all ranks in one process: the first of the %d that were "
                 "started does, the others end at once\n",
                 origin.c_str(), *launcher->ranks);
  }
  return *launcher->rank != 0;
}

int run_simulated(const Options& options, const Runtime::Program& program) {
  SimulatedJob job({.options = options});
  job.set_error_handler(
      [](const std::string& report) { std::fprintf(stderr, "roam: %s\n", report.c_str()); });
  SimulatedEnd end(job, options);
  const bool is_regular = job.run(program);
  const int signal = end.signal();
  return is_regular ? 0 : signal != 0 ? StopSignals::exit_status(signal) : 1;
}

}  // namespace

int run(transport::Network& network, const Options& options, const Runtime::Program& program) {
  Options rank_options = with_plugins(options, members_of(options, network.size()));
  core::SteadyClock clock;
  const std::vector<Rank> ranks = network.local_ranks();
  rank_options.workers = workers_of_each(options, network);
  rank_options.transport = network.name();
  std::vector<std::unique_ptr<transport::Endpoint>> endpoints;
  for (const Rank rank : ranks) endpoints.push_back(network.endpoint(rank));
  std::vector<Options> options_of_ranks(ranks.size(), rank_options);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    options_of_ranks[i].speeds = {speed_of(rank_options, i, ranks.size())};
  }
  LastRecords::remove_older(options.trace, ranks.front());
  LocalRanks all(network, rank_options, ranks.size());
  try {
    run_ranks(endpoints, clock, options_of_ranks, program, all);
  } catch (...) {
    if (network.size() == static_cast<std::int32_t>(ranks.size())) throw;
    all.end.rank_failed(ranks.front());  // the other processes would otherwise wait for this one
  }
  all.end.write_records();
  all.end.let_others_write();
  return all.end.status();
}

int run(const Options& given, const Runtime::Program& program) {
  const Options options =
      with_plugins(given, given.simulate ? std::optional(members_of(given, given.simulate->ranks))
                                         : std::nullopt);
  if (options.simulate) return run_simulated(options, program);
  transport::NetworkRequest request;
  if (options.ranks_given) request.ranks = options.ranks;
  request.peer_timeout = std::chrono::seconds(options.peer_timeout_seconds);
  request.helpers = options.helpers;
  const auto network = transport::make_network(options.transport, request);
  return run(*network, options, program);
}

int run(int& argc, char** argv, const Runtime::Program& program, const Options& defaults) {
  const ArgumentsKeeper keeper(argc, argv);
  try {
    ParsedArguments parsed = take_options(argc, argv, defaults);
    if (argc > 0) parsed.options.program = std::filesystem::path(argv[0]).filename().string();
    if (parsed.help) {
      std::fputs(options_help(parsed.help_topic, defaults).c_str(), stdout);
      return 0;
    }
    if (parsed.options.simulate && is_left_to_the_first_process(parsed.options)) return 0;
    return run(parsed.options, program);
  } catch (const ConfigError& error) {
    std::fprintf(stderr, "roam: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "roam: %s\n", error.what());
    return 1;
  }
}

}  // namespace roam
