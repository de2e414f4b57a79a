// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "roam/am/detail/collectives.hpp"
#include "roam/am/detail/messenger.hpp"
#include "roam/am/remote_memory.hpp"
#include "roam/am/when.hpp"
#include "roam/balance/detail/load_model.hpp"
#include "roam/balance/phase_model.hpp"
#include "roam/balance/phase_report.hpp"
#include "roam/core/detail/named_arguments.hpp"
#include "roam/core/detail/owned.hpp"
#include "roam/exec/engine.hpp"
#include "roam/exec/task.hpp"
#include "roam/mobile/collection.hpp"
#include "roam/mobile/detail/object_space.hpp"
#include "roam/mobile/detail/quiescence.hpp"
#include "roam/mobile/mobile_ptr.hpp"
#include "roam/mobile/multicast.hpp"
#include "roam/mobile/self.hpp"
#include "roam/mobile/sparse_collection.hpp"
#include "roam/mobile/without_access.hpp"
#include "roam/runtime/detail/rank_locals.hpp"
#include "roam/runtime/options.hpp"
#include "roam/runtime/statistics.hpp"
#include "roam/topology/detail/place.hpp"
#include "roam/transport/endpoint.hpp"

namespace roam {

namespace balance {
/// @cond
class Balancer;
class Phases;
/// @endcond
}  // namespace balance

namespace trace {
struct RankTrace;
}  // namespace trace

class LastRecords;
class MainProgram;
class RankParts;

/// One rank of a running job, which programs call `rt`: it makes objects, sends messages, waits for
/// the end of work, combines values of all ranks and measures. Created by roam::run() or a Session;
/// programs get a reference. Members are thread-safe unless said otherwise; none blocks, except
/// compute().
class Runtime {
 public:
  /// A program's entry point, started once on every rank.
  using Program = std::function<Task<>(Runtime&)>;

  /// @cond
  /// options.speeds and options.simulate->speeds: of this rank alone. `location`: where it runs, if
  /// it is not simulated.
  Runtime(transport::Endpoint& endpoint, core::Clock& clock, const Options& options,
          const topology::RankLocation& location = {});
  /// @endcond
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  ~Runtime();

  /// The number of this rank: 0 <= rank() < size().
  [[nodiscard]] Rank rank() const { return messenger_->rank(); }
  /// The number of ranks of the job.
  [[nodiscard]] std::int32_t size() const { return messenger_->size(); }
  /// @cond
  /// True if this is no rank of the job but a helper (--roam-helpers), whose number is size() or
  /// more: it does not run the program.
  [[nodiscard]] bool is_helper() const { return messenger_->is_helper(); }
  /// @endcond
  /// The number of workers of this rank, which run its handlers.
  [[nodiscard]] WorkerIndex workers() const { return engine_->workers(); }
  /// @cond
  /// Where this rank runs.
  [[nodiscard]] const topology::RankLocation& location() const { return location_; }
  /// @endcond
  /// The options that the job was started with.
  [[nodiscard]] const Options& options() const { return options_; }
  /// Time since the start of the job on this rank's clock; virtual when simulated.
  [[nodiscard]] Instant now() const { return engine_->now(); }
  /// True if the job runs on a simulated machine, in virtual time.
  [[nodiscard]] bool is_simulated() const { return engine_->clock().is_virtual(); }

  /// Makes an object of class T from T(arguments...) on this rank, its home.
  template <class T, class... A>
  mobile_ptr<T> create(A&&... arguments) {
    const mobile::ObjectType& type = mobile::object_type<T>();
    core::Owned<T> object;
    if constexpr (std::is_constructible_v<T, A...>) {
      object.reset(new T(std::forward<A>(arguments)...));
    } else {  // Clang makes aggregates from parentheses from version 16 on
      object.reset(new T{std::forward<A>(arguments)...});
    }
    return mobile_ptr<T>(objects_->adopt(type, object.release()));
  }
  /// Runs Function(gathered, arguments...) once, on the rank to which all these objects have been
  /// brought, alone with all of them (M9); returns at once. See mobile::multicast() for details.
  template <auto Function, class T, class... A>
  void multicast(const std::vector<mobile_ptr<T>>& objects, A&&... arguments) {
    multicast_with<Function>(MulticastOptions{}, objects, std::forward<A>(arguments)...);
  }
  /// Runs Function as multicast() does, on a rank of the program's choice or inside another
  /// multicast: see MulticastOptions.
  template <auto Function, class T, class... A>
  void multicast_with(const MulticastOptions& options, const std::vector<mobile_ptr<T>>& objects,
                      A&&... arguments) {
    mobile::multicast<Function>(*objects_, objects, options, std::forward<A>(arguments)...);
  }
  /// Runs Function as multicast() does, and its result comes back: `double q = co_await
  /// rt.multicast_call<&refine>(pieces, 0.1);`
  template <auto Function, class T, class... A>
  [[nodiscard]] auto multicast_call(const std::vector<mobile_ptr<T>>& objects, A&&... arguments) {
    return multicast_call_with<Function>(MulticastOptions{}, objects,
                                         std::forward<A>(arguments)...);
  }
  /// Runs Function as multicast_call() does, on a rank of the program's choice or inside another
  /// multicast: see MulticastOptions.
  template <auto Function, class T, class... A>
  [[nodiscard]] auto multicast_call_with(const MulticastOptions& options,
                                         const std::vector<mobile_ptr<T>>& objects,
                                         A&&... arguments) {
    core::require_named_arguments<A...>();
    return mobile::multicast_call<Function>(*objects_, objects, options,
                                            std::forward<A>(arguments)...);
  }
  /// Makes an array of objects of class T in D dimensions, spread over all ranks (M11); called by
  /// any one rank, awaitable: `auto grid = co_await rt.create_collection<Block, 2>(extent,
  /// Placement::block(), 1.0);` Each element is made at its home, from T(index, arguments...) if
  /// there is such a constructor, else from T(arguments...). Throws roam::Error for an extent or
  /// placement that cannot be; the reply roam::RemoteError if a constructor throws, and nothing is
  /// left then.
  template <class T, int D, class... A>
  [[nodiscard]] am::Reply<collection<T, D>> create_collection(const Index<D>& extent,
                                                              const Placement& placement,
                                                              A&&... arguments) {
    core::require_named_arguments<A...>();
    return mobile::create_collection<collection<T, D>, std::decay_t<A>...>(
        *collections_of_objects_, extent, placement, arguments...);
  }
  /// Makes a collection without elements, which are inserted by their keys; called by any one rank,
  /// awaitable. Throws as create_collection() does.
  template <class T, class Key>
  [[nodiscard]] am::Reply<sparse_collection<T, Key>> create_sparse_collection(
      const Placement& placement = Placement::hash()) {
    return mobile::create_sparse_collection<sparse_collection<T, Key>>(*collections_of_objects_,
                                                                       placement);
  }
  /// Runs Function(arguments...) on a worker of `destination`. A large array given up by std::move
  /// (a std::vector, a roam::Array) is sent from where it lies; any other is copied once.
  template <auto Function, class... A>
  void send(Rank destination, A&&... arguments) {
    using Handler = std::remove_cv_t<decltype(Function)>;
    if constexpr (!core::can_be_function_handler<Handler>) {
      (void)sizeof(core::Callable<Handler>);
    } else {
      messenger_->send<Function>(destination, std::forward<A>(arguments)...);
    }
  }
  /// Runs Function(arguments...) as send() does, and its result comes back: `int n = co_await
  /// rt.request<&count>(1, text);` See am::Reply for errors.
  template <auto Function, class... A>
  [[nodiscard]] auto request(Rank destination, A&&... arguments) {
    using Handler = std::remove_cv_t<decltype(Function)>;
    if constexpr (!core::can_be_function_handler<Handler>) {
      (void)sizeof(core::Callable<Handler>);
      return std::suspend_never();
    } else {
      core::require_named_arguments<A...>();
      return messenger_->request<Function>(destination, std::forward<A>(arguments)...);
    }
  }
  /// An uninitialised array of `count` elements in memory that is reused, to be filled and passed
  /// on by std::move to send() or request(). Cheaper than fresh memory for arrays from 16 KiB to 16
  /// MiB.
  template <class T>
  [[nodiscard]] Array<T> make_array(std::size_t count) {
    return Array<T>::in(messenger_->large_memory(), count);
  }
  /// Gives one-sided access to the memory of other ranks: `co_await rt.memory().put(pointer,
  /// values);`
  [[nodiscard]] am::RemoteMemory& memory() { return *memory_; }
  /// Awaitable: waits until no handler runs, none is queued and nothing is under way anywhere
  /// (M10). To be awaited by the main program of every rank, unless it has ended.
  [[nodiscard]] auto quiescence() { return quiescence_->wait(); }

  // Epochs await the end of a part of the work (M10), as quiescence() does of all work.
  /// Begins an epoch, to which this rank may add until close_epoch() or finished(); see am::Epochs.
  [[nodiscard]] Epoch begin_epoch() { return messenger_->epochs().begin(); }
  /// Calls `issue()`, a plain function. Whatever it sends, calls, multicasts, migrates and does
  /// with collections belongs to the epoch, and so does everything that this causes. With a default
  /// Epoch it belongs to none.
  template <class F>
  auto in_epoch(Epoch epoch, F&& issue) {
    if constexpr (!std::is_void_v<std::invoke_result_t<F>>) core::require_named_function<F>();
    return messenger_->epochs().run(epoch, std::forward<F>(issue));
  }
  /// Ends an epoch for this rank: nothing more is added to it from outside. To be called by the
  /// rank that began it.
  void close_epoch(Epoch epoch) { messenger_->epochs().close(epoch); }
  /// `co_await rt.finished(epoch)` waits until nothing of the epoch runs, is queued or is under way
  /// anywhere; other work may go on. Any rank may wait; on the rank that began the epoch, this
  /// closes it.
  [[nodiscard]] Task<> finished(Epoch epoch) { return messenger_->epochs().finished(epoch); }
  /// Begins an epoch, calls `issue()` in it and waits for its end: `co_await rt.run_epoch([&] {
  /// object.send<&Field::refine>(); });`
  template <class F>
  [[nodiscard]] Task<> run_epoch(F&& issue) {
    core::require_named_function<F>();
    return messenger_->epochs().run_and_wait(std::forward<F>(issue));
  }

  /// Ends a phase of the program: awaits quiescence and, where --roam-balancer names a strategy,
  /// places the objects anew by what their calls took since the last phase ended:
  /// `const auto report = co_await rt.phase();` To be awaited by every rank's main program. See
  /// balance::Phases.
  [[nodiscard]] Task<balance::PhaseReport> phase();

  // Collectives, each awaitable: the same calls in the same order on every rank. A value has the
  // type of its argument, without reference and const, unless the call states it as T:
  // rt.gather<double>(0, 1).
  /// Waits until all ranks have called it; see am::Collectives.
  [[nodiscard]] auto barrier() { return collectives_->barrier(); }
  /// Gives every rank the root's value: `n = co_await rt.broadcast(0, n);`, or broadcast<int>(0) on
  /// a rank that has no value.
  template <class T = void, class A = T>
  [[nodiscard]] auto broadcast(Rank root, A&& value) {
    core::require_named_arguments<A>();
    return collectives_->broadcast<core::StatedOrGiven<T, A>>(root, std::forward<A>(value));
  }
  template <class T>
  [[nodiscard]] auto broadcast(Rank root) {
    return collectives_->broadcast<T>(root, T{});
  }
  /// Combines all ranks' values in the order of ranks. The result, a std::optional<T>, has a value
  /// at the root alone. `auto sum = co_await rt.reduce<std::plus<>>(0, n);` - also Min, Max,
  /// &function, or an operator as third argument.
  template <class Operator, class T = void, class A = T>
  [[nodiscard]] auto reduce(Rank root, A&& value, Operator operation = {}) {
    core::require_named_arguments<A>();
    using Value = core::StatedOrGiven<T, A>;
    return collectives_->reduce<Operator, Value>(root, std::forward<A>(value), operation);
  }
  template <auto Function, class T = void, class A = T>
  [[nodiscard]] auto reduce(Rank root, A&& value) {
    return reduce<am::FunctionOperator<Function>, T>(root, std::forward<A>(value));
  }
  /// Combines all ranks' values like reduce(), with the result, a T, on every rank: `const int most
  /// = co_await rt.allreduce<roam::Max>(n);`
  template <class Operator, class T = void, class A = T>
  [[nodiscard]] auto allreduce(A&& value, Operator operation = {}) {
    core::require_named_arguments<A>();
    using Value = core::StatedOrGiven<T, A>;
    return collectives_->allreduce<Operator, Value>(std::forward<A>(value), operation);
  }
  template <auto Function, class T = void, class A = T>
  [[nodiscard]] auto allreduce(A&& value) {
    return allreduce<am::FunctionOperator<Function>, T>(std::forward<A>(value));
  }
  /// Collects all ranks' values by rank, as std::vector<T>, at the root; the list is empty
  /// elsewhere.
  template <class T = void, class A = T>
  [[nodiscard]] auto gather(Rank root, A&& value) {
    core::require_named_arguments<A>();
    return collectives_->gather<core::StatedOrGiven<T, A>>(root, std::forward<A>(value));
  }
  /// Collects all ranks' values by rank, as std::vector<T>, on every rank.
  template <class T = void, class A = T>
  [[nodiscard]] auto allgather(A&& value) {
    core::require_named_arguments<A>();
    return collectives_->allgather<core::StatedOrGiven<T, A>>(std::forward<A>(value));
  }

  /// Occupies the calling handler's worker: spins on the thread's CPU clock, or advances virtual
  /// time.
  void compute(Duration duration) { engine_->compute(duration); }
  /// States how long the work that the calling handler has just done, or is about to do, takes on
  /// the simulated machine, on a worker of speed 1: virtual time advances by that. Does nothing in
  /// a real run, where the work takes its own time. See also Machine::measured_time_factor, with
  /// which this need not be known.
  void compute_if_simulated(Duration duration);

  /// Returns this rank's own object of type T. Each rank has one, whatever process it is in
  /// (variables with static storage are shared by all ranks of a process). The object is made at
  /// its first use, from T(runtime) if there is such a constructor, else from T(), and destroyed
  /// with the rank, in the reverse order of construction. The rank's workers share it, so it must
  /// be thread-safe unless there is only one worker. Blocks only while the object is made;
  /// exceptions of the constructor are passed on, and the next use tries again.
  template <class T>
  [[nodiscard]] T& local() {
    if constexpr (std::is_constructible_v<T, Runtime&>) {
      return locals_.get<T>([this] { return std::make_shared<T>(*this); });
    } else {
      return locals_.get<T>([] { return std::make_shared<T>(); });
    }
  }

  /// Starts or stops balancing by this rank (B5); to stop balancing in a part of the program, call
  /// it on every rank. Initially on, with the policy of --roam-balancer.
  void enable_balancing(bool enabled);
  /// Sets the program's own knowledge of loads, used instead of measured times. To be called on
  /// every rank, before objects are created there.
  void set_load_model(balance::LoadModel model);
  /// Predicts loads for strategies: function(const T&, double seconds) is given an object and what
  /// it took in the last phase, and returns what it will take in the next one, in seconds of a
  /// worker of speed 1 (or in any unit, if --roam-load-model has a `scale`). The models of
  /// --roam-load-model continue from its result. On every rank, before its first phase ends. A
  /// model of more than one class or phase is a balance::PhaseModel.
  template <class T, class Function>
  void add_phase_model(Function function) {
    add_phase_model(std::make_unique<balance::ObjectModel<T, Function>>(std::move(function)));
  }
  void add_phase_model(std::unique_ptr<balance::PhaseModel> model);

  /// Receives calls to objects that do not exist, issued without awaiting (M8). Without one, they
  /// stop the job.
  void on_dead_letter(std::function<void(const std::string&)> handler);
  /// Receives exceptions that escape handlers nobody awaits (R2). Without one, they stop the job.
  void on_error(std::function<void(const std::string&)> handler);

  /// Receives each move of an object of this rank that failed permanently: at the target, the
  /// class's load or constructor threw, or load did not read what save had written. The object
  /// stays here, and no call is lost (M6). Without a handler the first such move of each class is
  /// reported on standard error. Set it before the first move; it may run on any worker and inside
  /// progress, so it must not do more than record the event. To learn the outcome of a single move,
  /// await migrate_and_wait().
  void on_refused_move(std::function<void(const mobile::MigrationOutcome&)> handler);

  /// What the workers of this rank have done since its measurement began.
  [[nodiscard]] RankStatistics statistics() const;
  /// Starts this rank's measurement anew: statistics and trace count from here. For programs with a
  /// set-up phase; call it on all ranks after a quiescence.
  void begin_measurement();
  /// Ends this rank's measurement; until then it lasts to the end of the program.
  void end_measurement();
  /// Collects the statistics of all ranks, by rank, at `root`; the list is empty elsewhere. The
  /// values are those at the time when each rank calls this. A collective like gather(), to be
  /// called by every rank: ceil(log2(ranks)) rounds of messages.
  [[nodiscard]] am::Collective<std::vector<RankStatistics>> gather_statistics(Rank root = 0);
  /// Summarises the statistics of all ranks, with the same result on every rank; no rank collects
  /// those of all. A collective like allreduce().
  [[nodiscard]] Task<RunSummary> summarise_statistics();

  /// Progress mode `polling`: takes one turn on the calling thread; returns true if something was
  /// done. May be called from that thread only.
  bool poll();

  /// Tells all other ranks to stop because of `report`, and stops this one. `signal`: the signal
  /// that asked for the end; 0: none, it is an error. Any thread.
  void abort(const std::string& report, int signal = 0);

  /// The engine that runs the ready work of this rank, for back ends of flows.
  [[nodiscard]] exec::Engine& engine() { return *engine_; }

  /// @cond
  // --- the rooms, for those who stop at a lower floor ---
  [[nodiscard]] am::Messenger& messenger() { return *messenger_; }
  [[nodiscard]] am::Collectives& collectives() { return *collectives_; }
  [[nodiscard]] mobile::ObjectSpace& objects() { return *objects_; }
  [[nodiscard]] mobile::Quiescence& quiescence_detector() { return *quiescence_; }
  [[nodiscard]] balance::Balancer& balancer() { return *balancer_; }
  [[nodiscard]] balance::Phases& phases() { return *phases_; }

  // --- for drivers of jobs (roam::run and the test harness) ---
  /// Queues the main program; `finished` is called when the whole job is over.
  void start(Program program, std::function<void()> finished);
  /// Sets the handler of errors that stop the job; it may be called by any thread.
  void set_job_error_handler(std::function<void(const std::string&)> handler);
  /// Sets the handler of requests by other ranks to stop.
  void set_abort_listener(std::function<void(const std::string& report, int signal)> listener);
  /// Sets a function that is called before this rank reports that it is out of memory: the driver
  /// may have reserved some to release.
  void set_memory_reserve(std::function<void()> release);
  /// For a rank that was told to stop: writes the loads it has recorded, and adds its trace to
  /// `records`. Further calls, and calls after a regular end, do nothing. `is_at_rest`: all workers
  /// have ended; otherwise the caller is another thread, and what only the workers know is left
  /// out.
  void leave_records(LastRecords& records, bool is_at_rest);
  /// Adds to a trace what the rank's parts have recorded; see RankPart.
  void add_to_trace(trace::RankTrace& trace) const;
  /// @endcond

 private:
  [[nodiscard]] RankStatistics measured_since(const RankStatistics& baseline) const;
  void report_error(const std::string& report);
  void report_failure(const char* during);
  void require_equal_options();
  void refused_for_good(const mobile::MigrationOutcome& outcome);
  void pass_abort_on(const std::string& report, int signal);
  struct Abort;
  void on_abort(const Abort& abort);
  struct JobOver;
  void on_job_over(const JobOver& over);
  void tell_helpers_that_it_is_over();

  const Options options_;
  const topology::RankLocation location_;
  core::Owned<exec::Engine> engine_;
  core::Owned<am::Messenger> messenger_;
  core::Owned<am::RemoteMemory> memory_;
  core::Owned<am::Collectives> collectives_;
  core::Owned<mobile::ObjectSpace> objects_;
  core::Owned<mobile::Collections> collections_of_objects_;
  core::Owned<mobile::Quiescence> quiescence_;
  core::Owned<balance::Balancer> balancer_;
  core::Owned<balance::Phases> phases_;
  core::Owned<RankParts> parts_;  // parts that other rooms have registered
  RankLocals locals_;  // objects of the program, whose destructors may use all of the above
  core::Owned<MainProgram> main_;
  std::function<void()> stop_;         // on a helper: called when the job is over
  std::int32_t ranks_that_go_on_ = 0;  // on a helper: those that have not said that it is over
  mutable core::SpinLock measurement_lock_;
  RankStatistics baseline_;              // under measurement_lock_
  std::optional<RankStatistics> final_;  // under measurement_lock_
  std::atomic<bool> aborting_{false};
  std::atomic<bool> has_left_records_{false};
  std::set<std::string_view> classes_that_stay_;  // under measurement_lock_; reported
  std::function<void(const mobile::MigrationOutcome&)> user_refusal_handler_;
  std::function<void(const std::string&)> user_error_handler_;
  std::function<void(const std::string&)> job_error_handler_;
  std::function<void(const std::string&, int)> on_remote_abort_;
  std::function<void()> release_reserve_;
};

/// Returns the rank whose handler or main program runs on this thread. Throws roam::Error on other
/// threads.
[[nodiscard]] Runtime& here();

}  // namespace roam
