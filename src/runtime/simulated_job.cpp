// SPDX-License-Identifier: Apache-2.0
#include "roam/runtime/simulated_job.hpp"

#include "chosen_plugins.hpp"
#include "roam/core/error.hpp"
#include "runtime/last_records.hpp"
#include "simulated_progress.hpp"

namespace roam {

namespace {

transport::SimulatedNetworkParameters network_parameters(const SimulatedJobOptions& options) {
  transport::SimulatedNetworkParameters parameters;
  parameters.levels = options.options.simulate->network;
  parameters.jitter_delay = options.message_delay;
  parameters.reorder = options.reorder;
  parameters.shares_memory = options.shares_memory;
  return parameters;
}

// Whether schedules should differ as much as possible: then ranks do not take turns. (Choices and
// shuffled ties have the same effect, which the driver takes care of.)
bool explores(const SimulatedJobOptions& options) {
  return options.reorder || options.message_delay > Duration::zero() ||
         options.step_jitter > Duration::zero();
}

// So many ranks have more memory than any cache.
constexpr std::int32_t many_ranks = 1024;
constexpr std::size_t ranks_between_looks = 64;  // at the heap, while ranks are made

std::optional<core::HugeHeap> make_heap(std::int32_t ranks) {
  if (ranks < many_ranks) return std::nullopt;
  return core::HugeHeap();
}

}  // namespace

SimulatedJob::SimulatedJob(const SimulatedJobOptions& options)
    : heap_(make_heap(options.options.simulate->ranks)),
      network_(network_parameters(options), options.options.simulate->ranks, clock_,
               options.options.seed),
      driver_(clock_,
              {.seed = options.options.seed,
               .shuffle_ties = options.shuffle_ties,
               .step_jitter = options.step_jitter,
               .lookahead = explores(options) ? Duration::zero() : network_.least_delay()}) {
  network_.set_listener([this](Rank rank, Instant when) { driver_.arrival(rank.index(), when); });
  if (network_.shares_links()) {
    network_.leave_claims_to_driver();
    driver_.set_arbiter([this] { return network_.next_claim(); }, [this] { network_.claim(); });
  }
  driver_.set_choices(options.choices);
  if (options.choices != nullptr) {
    network_.set_delays([choices = options.choices](Rank source, Rank destination) {
      return choices->message_delay(static_cast<std::uint32_t>(source.value()),
                                    static_cast<std::uint32_t>(destination.value()));
    });
  }
  static_cast<void>(members_of(options.options, options.options.simulate->ranks));
  Options rank_options = options.options;
  rank_options.workers = options.options.simulate->workers_per_rank;
  rank_options.transport = network_.name();
  const Machine& machine = *options.options.simulate;
  for (const Rank rank : network_.local_ranks()) {
    // A list of all ranks' speeds at every rank would need memory that grows with the square of
    // their number.
    rank_options.simulate->speeds = {machine.speed(rank)};
    endpoints_.push_back(network_.endpoint(rank));
    runtimes_.push_back(std::make_unique<Runtime>(*endpoints_.back(), clock_, rank_options));
    Runtime& runtime = *runtimes_.back();
    runtime.set_job_error_handler([this](const std::string& report) { fail(report); });
    driver_.add(runtime.engine());
    if (heap_ && runtimes_.size() % ranks_between_looks == 0) heap_->look();
  }
  if (options.options.progress) progress_ = std::make_unique<SimulatedProgress>(runtimes_, clock_);
  if (heap_ || progress_ != nullptr) driver_.set_watcher([this] { watch(); });
}

void SimulatedJob::watch() {
  if (heap_) heap_->look();
  if (progress_ != nullptr) progress_->look();
}

SimulatedJob::~SimulatedJob() {
  // Messages under way have no receiver any more, and no one will deliver what handlers that end
  // now still send.
  network_.set_listener(nullptr);
  while (!runtimes_.empty()) runtimes_.pop_back();
}

void SimulatedJob::fail(const std::string& report) {
  if (!error_.empty()) return;
  error_ = report;
  if (on_error_) on_error_(report);
}

bool SimulatedJob::run(const Runtime::Program& program) {
  for (auto& runtime : runtimes_) {
    Runtime& rank = *runtime;
    rank.start(program, [&rank] { rank.engine().stop(); });
  }
  if (!driver_.run()) {
    fail(driver_.is_interrupted() ? interruption_
                                  : "the simulated job came to a standstill before its end");
  }
  if (progress_ != nullptr) progress_->finish();
  if (!error_.empty()) leave_records();
  return error_.empty();
}

void SimulatedJob::lose(Rank helper, Duration notice) {
  Runtime& lost = runtime(helper);
  if (!lost.is_helper())
    throw Error("rank " + std::to_string(helper.value()) + " is no helper and cannot be lost");
  if (lost.engine().stopped()) return;
  network_.lose(helper, notice);
  lost.engine().stop();
  driver_.arrival(helper.index(), clock_.now());  // wakes its idle workers, which end
}

void SimulatedJob::interrupt(const std::string& reason) {
  interruption_ = reason;
  driver_.interrupt();
}

void SimulatedJob::leave_records() {
  const std::lock_guard guard(records_mutex_);
  LastRecords records;
  for (const auto& runtime : runtimes_) runtime->leave_records(records, true);
  records.write(driver_.is_interrupted() ? interruption_ : error_);
}

}  // namespace roam
