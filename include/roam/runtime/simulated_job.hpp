// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "roam/core/detail/clock.hpp"
#include "roam/core/detail/huge_heap.hpp"
#include "roam/exec/detail/sim_driver.hpp"
#include "roam/runtime/options.hpp"
#include "roam/runtime/runtime.hpp"
#include "roam/transport/detail/simulated.hpp"

namespace roam {

class SimulatedProgress;

/// Options of a simulated job. The machine determines ranks, workers and costs; the rest is for
/// tests.
struct SimulatedJobOptions {
  Options options;  ///< options.simulate must be set
  /// Delays every message by a random time up to this, in addition to the machine's jitter.
  Duration message_delay{0};
  /// Lets messages between the same two ranks overtake each other; the am layer has to restore the
  /// order.
  bool reorder = false;
  /// Treats the ranks as those of one process, which may hand objects to each other by pointer.
  bool shares_memory = false;
  /// Lets events at the same instant happen in random order instead of the order in which they were
  /// scheduled.
  bool shuffle_ties = false;
  /// Delays the beginning of each step of a worker by a random time up to this.
  Duration step_jitter{0};
  /// Makes the choices that the machine leaves open, preemption included; must outlive the job.
  /// nullptr: fixed rules.
  exec::SimChoices* choices = nullptr;
};

/// A whole job on a simulated machine, run by the calling thread in virtual time: the same runtimes
/// and programs as in a real run. The same options, seed and program give the same run (R1).
class SimulatedJob {
 public:
  /// Makes the machine and its ranks; nothing runs yet. Throws ConfigError for options that do not
  /// fit together.
  explicit SimulatedJob(const SimulatedJobOptions& options);
  SimulatedJob(const SimulatedJob&) = delete;
  SimulatedJob& operator=(const SimulatedJob&) = delete;
  ~SimulatedJob();

  /// The ranks of the machine.
  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(runtimes_.size()); }
  /// A rank of the machine; valid as long as the job.
  [[nodiscard]] Runtime& runtime(Rank rank) { return *runtimes_[rank.index()]; }
  /// Sets the handler of the error that stops the job; by default it is stored for error().
  void set_error_handler(std::function<void(const std::string&)> handler) {
    on_error_ = std::move(handler);
  }
  /// Sets a function that is called between any two events with the number of those that have
  /// happened.
  void set_interruption(std::function<void(std::uint64_t)> interruption) {
    driver_.set_interruption(std::move(interruption));
  }

  /// Runs the program on all ranks to the end of the job. Returns true if it came to a regular end.
  /// May be called once.
  bool run(const Runtime::Program& program);
  /// Makes the job fail for this reason: run() ends after the current event, and the ranks leave
  /// their records. May be called once, from any thread.
  void interrupt(const std::string& reason);
  /// Lets the ranks write what they have recorded; run() does this itself if the job fails. After
  /// interrupt() it may be called from any thread, for a job that does not end.
  void leave_records();
  /// Why run() did not come to a regular end; empty if it did.
  [[nodiscard]] const std::string& error() const { return error_; }
  /// Loses a helper now, as if its process had been killed: it does nothing more, and the other
  /// ranks hear of it within `notice` (SimulatedNetwork::lose()). Between two events; does nothing
  /// if it has ended. Throws roam::Error for a rank that is no helper.
  void lose(Rank helper, Duration notice);
  /// The virtual time.
  [[nodiscard]] Instant now() const { return clock_.now(); }
  /// The clock of virtual time, for tests of Roam itself.
  [[nodiscard]] const core::Clock& clock() const { return clock_; }
  /// Number of events that have happened so far.
  [[nodiscard]] std::uint64_t events() const { return driver_.events(); }

 private:
  void fail(const std::string& report);
  void watch();

  std::optional<core::HugeHeap> heap_;  // where there are many ranks
  core::VirtualClock clock_;
  transport::SimulatedNetwork network_;
  exec::SimDriver driver_;
  std::vector<std::unique_ptr<transport::Endpoint>> endpoints_;
  std::vector<std::unique_ptr<Runtime>> runtimes_;
  std::function<void(const std::string&)> on_error_;
  std::string error_;
  std::unique_ptr<SimulatedProgress> progress_;  // if --roam-progress asks for it
  std::string interruption_;                     // written before driver_ is told
  std::mutex records_mutex_;                     // while records are written
};

}  // namespace roam
