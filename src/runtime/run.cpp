// SPDX-License-Identifier: Apache-2.0
#include "roam/runtime/run.hpp"

#include <cstdio>
#include <filesystem>
#include <latch>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "chosen_plugins.hpp"
#include "job_end.hpp"
#include "roam/balance/load_models.hpp"
#include "roam/balance/registry.hpp"
#include "roam/balance/schedulers.hpp"
#include "roam/core/error.hpp"
#include "roam/exec/thread_driver.hpp"
#include "roam/runtime/simulated_job.hpp"
#include "roam/transport/registry.hpp"
#include "simulated_end.hpp"

namespace roam {

namespace {

exec::ThreadDriverOptions driver_options(const Options& options, transport::Endpoint& endpoint,
                                         std::size_t local_index) {
  exec::ThreadDriverOptions result;
  result.network_wakes = endpoint.capabilities().wakes;
  result.main_thread_only = endpoint.capabilities().main_thread_only;
  result.unsent_bytes = [&endpoint] { return endpoint.unsent_bytes(); };
  result.count_sleepers = [&endpoint](int change) { endpoint.count_sleepers(change); };
  if (options.pin) result.first_cpu = static_cast<int>(local_index * options.workers);
  return result;
}

void drive(Runtime& runtime, transport::Endpoint& endpoint, const Options& options,
           std::size_t local_index, const Runtime::Program& program, JobEnd& end) {
  exec::ThreadDriver driver(runtime.engine(), driver_options(options, endpoint, local_index));
  endpoint.set_waker([&driver] { driver.wake(); });
  runtime.start(program, [&runtime] { runtime.engine().stop(); });
  driver.run();
  runtime.messenger().flush();
  end.leave_records(runtime);
  endpoint.close(end.failed());
  endpoint.set_waker([] {});
}

/// One rank on the calling thread (and the threads of its other workers). Throws nothing: what goes
/// wrong ends the job.
void run_rank(transport::Endpoint& endpoint, core::Clock& clock, const Options& options,
              std::size_t local_index, const Runtime::Program& program, JobEnd& end,
              std::latch& all_stopped) {
  std::optional<Runtime> runtime;
  std::optional<JobEnd::Member> member;
  try {
    runtime.emplace(endpoint, clock, options);
    member.emplace(end, *runtime);
    drive(*runtime, endpoint, options, local_index, program, end);
  } catch (...) {
    end.rank_failed(endpoint.rank());
    endpoint.set_waker([] {});
  }
  // After an error, others may still be reading what this rank's coroutines put to them.
  all_stopped.arrive_and_wait();
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
  Options rank_options = with_plugins(options, network.size());
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
  JobEnd end(network, rank_options);
  std::latch all_stopped(static_cast<std::ptrdiff_t>(ranks.size()));
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < ranks.size(); ++i) {
    others.emplace_back([&, i] {
      run_rank(*endpoints[i], clock, options_of_ranks[i], i, program, end, all_stopped);
    });
  }
  run_rank(*endpoints[0], clock, options_of_ranks[0], 0, program, end, all_stopped);
  for (auto& thread : others) thread.join();
  end.write_records();
  return end.status();
}

int run(const Options& given, const Runtime::Program& program) {
  const Options options =
      with_plugins(given, given.simulate ? std::optional(given.simulate->ranks) : std::nullopt);
  if (options.simulate) return run_simulated(options, program);
  transport::NetworkRequest request;
  if (options.ranks_given) request.ranks = options.ranks;
  request.peer_timeout = std::chrono::seconds(options.peer_timeout_seconds);
  const auto network = transport::make_network(options.transport, request);
  return run(*network, options, program);
}

int run(int& argc, char** argv, const Runtime::Program& program) {
  try {
    ParsedArguments parsed = take_options(argc, argv);
    if (argc > 0) parsed.options.program = std::filesystem::path(argv[0]).filename().string();
    if (parsed.help) {
      std::vector<std::string> networks{"auto"};
      for (const auto* kind : transport::NetworkRegistry::kinds())
        networks.emplace_back(kind->name);
      const std::vector<OptionNames> names{{"transport", networks},
                                           {"balancer", balance::balancer_names()},
                                           {"load-model", balance::load_model_names()},
                                           {"scheduler", balance::scheduler_names()}};
      std::fputs(options_help(names).c_str(), stdout);
      return 0;
    }
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
