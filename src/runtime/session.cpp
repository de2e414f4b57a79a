// SPDX-License-Identifier: Apache-2.0
#include "roam/runtime/session.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "chosen_plugins.hpp"
#include "roam/core/detail/clock.hpp"
#include "roam/core/error.hpp"
#include "roam/exec/detail/thread_driver.hpp"
#include "roam/topology/detail/place.hpp"
#include "runtime/last_records.hpp"
#include "watchdog.hpp"

namespace roam {

namespace {

Options session_options(const transport::Network& network, Rank rank, Options options,
                        WorkerIndex workers) {
  if (options.simulate)
    throw ConfigError("a session lives in real time; --roam-simulate needs roam::run");
  if (options.helpers > 0)
    throw ConfigError("helpers need roam::run; a session cannot have any (--roam-helpers)");
  options = with_plugins(std::move(options), network.size());
  options.progress_mode = workers == 1 ? ProgressMode::polling : ProgressMode::shared;
  options.workers = workers;
  options.transport = network.name();
  const std::vector<Rank> local = network.local_ranks();
  const auto index = static_cast<std::size_t>(std::ranges::find(local, rank) - local.begin());
  options.speeds = {speed_of(options, index, local.size())};
  return options;
}

exec::ThreadDriverOptions driver_options(transport::Endpoint& endpoint) {
  exec::ThreadDriverOptions result;
  result.unsent_bytes = [&endpoint] { return endpoint.unsent_bytes(); };
  result.count_sleepers = [&endpoint](int change) { endpoint.count_sleepers(change); };
  result.network_wakes = endpoint.capabilities().wakes;
  result.main_thread_only = endpoint.capabilities().main_thread_only;
  return result;
}

}  // namespace

struct Session::Parts {
  Parts(transport::Network& network, Rank rank, const Options& options, WorkerIndex workers)
      : endpoint(network.endpoint(rank)),
        places(std::vector<topology::Processors>(1)),
        runtime(*endpoint, clock, session_options(network, rank, options, workers), {places, 0}),
        driver(runtime.engine(), driver_options(*endpoint)),
        watchdog(network, [this] { leave_records(false); }) {}

  /// Records a failure. The first one is the reason; later ones follow from it. Any thread.
  void fail(const std::string& report) {
    const std::lock_guard guard(mutex);
    if (std::exchange(failed, true)) return;
    error = report;
    if (inside > 0) watchdog.start(report);
  }
  /// Marks a call in which Roam uses the program's thread: the watchdog ignores the time that the
  /// program's own code takes between calls.
  class Inside {
   public:
    explicit Inside(Parts& parts) : parts_(parts) {
      const std::lock_guard guard(parts_.mutex);
      ++parts_.inside;
    }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    ~Inside() {
      {
        const std::lock_guard guard(parts_.mutex);
        if (--parts_.inside > 0 || !parts_.failed) return;
      }
      parts_.watchdog.call_off();
    }

   private:
    Parts& parts_;
  };
  void leave_records(bool is_at_rest) {
    runtime.leave_records(records, is_at_rest);
    records.write(error);
  }
  void close() {
    if (std::exchange(closed, true)) return;
    runtime.messenger().flush();
    if (failed) leave_records(true);
    endpoint->close(failed);
    endpoint->set_waker([] {});
  }

  core::SteadyClock clock;
  std::unique_ptr<transport::Endpoint> endpoint;
  topology::LocalPlaces places;  // of the one rank, whose threads the program may have bound
  Runtime runtime;
  exec::ThreadDriver driver;  // runs the rank in finish(), and sleeps when there is nothing to do
  LastRecords records;
  std::mutex mutex;
  std::string error;         // under mutex; constant once failed
  bool failed = false;       // under mutex; the session's thread also reads it without
  std::uint32_t inside = 0;  // number of calls; under mutex
  Watchdog watchdog;         // runs from a failure inside a call to the end of that call
  bool started = false;
  bool closed = false;
};

Session::Session(transport::Network& network, const Options& options)
    : Session(network, network.local_ranks().front(), options) {}

Session::Session(transport::Network& network, Rank rank, const Options& options,
                 WorkerIndex workers)
    : parts_(std::make_unique<Parts>(network, rank, options, workers)) {
  Parts& parts = *parts_;
  parts.runtime.set_job_error_handler([&parts](const std::string& report) { parts.fail(report); });
  parts.runtime.set_abort_listener(
      [&parts](const std::string& report, int /*signal*/) { parts.fail(report); });
  parts.runtime.quiescence_detector().hold(true);
  parts.endpoint->set_waker([&parts] { parts.driver.wake(); });
}

Session::~Session() {
  if (parts_->closed) return;
  const Parts::Inside inside(*parts_);
  if (!is_over()) {
    parts_->runtime.abort("rank " + std::to_string(parts_->runtime.rank().value()) +
                          ": its session ended without finish()");
  }
  parts_->close();
}

Runtime& Session::runtime() { return parts_->runtime; }

void Session::start(Runtime::Program program) {
  if (std::exchange(parts_->started, true)) {
    throw Error("rank " + std::to_string(parts_->runtime.rank().value()) +
                ": this session's program has been started already; use another session");
  }
  Runtime& runtime = parts_->runtime;
  runtime.start(std::move(program), [&runtime] { runtime.engine().stop(); });
  runtime.quiescence_detector().hold(false);
}

bool Session::work(WorkerIndex worker) {
  if (is_over()) return false;
  const Parts::Inside inside(*parts_);
  exec::Engine& engine = parts_->runtime.engine();
  if (engine.workers() == 1) return parts_->runtime.poll();
  return engine.step(worker).kind == exec::StepResult::Kind::ran;
}

bool Session::is_over() const { return parts_->runtime.engine().stopped(); }

void Session::finish() {
  if (parts_->closed) return;
  if (!parts_->started) start([](Runtime&) -> Task<> { co_return; });
  {
    const Parts::Inside inside(*parts_);
    parts_->driver.run();
    parts_->close();
  }
  if (parts_->failed) throw Error(parts_->error);
}

}  // namespace roam
