// SPDX-License-Identifier: Apache-2.0
#pragma once

// The interface of what runs tasks. The front end tracks which tasks have to wait; a back end is
// given the tasks that are ready, and calls Core::run() once for each of them, on some thread. A
// back end on a runtime that orders tasks itself may be given what they use instead (Ordering).
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roam/core/plugin/registrar.hpp"
#include "roam/core/plugin_choice.hpp"

namespace roam {
class Runtime;
}  // namespace roam

namespace roam::flow {

class Instance;
class TaskRecord;

/// What a task does with a datum, as far as its order among other tasks is concerned.
struct DatumUse {
  /// How it uses the datum.
  enum class Mode : std::uint8_t {
    read,     ///< beside others that read
    write,    ///< alone, in the order in which tasks are submitted
    commute,  ///< alone; the order among neighbouring tasks that commute does not matter
  };
  /// The datum in one of its versions. It exists until all tasks that use it are over; then the
  /// next one may have its address.
  Instance* datum = nullptr;
  Mode mode = Mode::read;  ///< how the task uses it
  /// True: as if an empty task that writes the datum had been submitted just before. Neighbouring
  /// tasks that accumulate run beside each other, as those that read do, but not beside these.
  bool is_apart = false;
};

/// The part of a back end that orders tasks itself. Tasks are submitted in the order of the
/// program, by one thread at a time for each sequence of code that issues tasks (the main program,
/// or a task that has children); such sequences have no data in common.
class Ordering {
 public:
  Ordering() = default;
  Ordering(const Ordering&) = delete;
  Ordering& operator=(const Ordering&) = delete;
  virtual ~Ordering() = default;

  /// False: it orders the tasks of main programs only, and tasks that others issue are tracked by
  /// Roam, and pushed when they are ready.
  [[nodiscard]] virtual bool orders_children() const = 0;
  /// Takes a task. When all that was submitted before it and conflicts with it is over,
  /// task.core().admitted(task) has to be called, once, on some thread. The task is over when that
  /// call returns; if `is_held`, no sooner than end() has been called for it, by any thread, during
  /// the call or later. As for Backend::push(), the rank must not look idle.
  virtual void submit(TaskRecord& task, std::span<const DatumUse> uses, bool is_held) = 0;
  /// Ends a task that is held.
  virtual void end(TaskRecord& task) = 0;
};

/// Runs the tasks of one rank. Its functions may be called by any thread, several at once.
class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  /// Takes a task that is ready: task.core().run(task) has to be called soon, once. Until then the
  /// rank must not look idle (a ready item of its engine is queued or running), so that the end of
  /// the job waits for it.
  virtual void push(TaskRecord& task) = 0;
  /// Runs a pushed task here and now, for a caller that cannot continue (because of a full window).
  /// Returns false if there is none, or this cannot be done here.
  virtual bool help() = 0;
  /// Called after the engine's last step: returns a pushed task that will not run any more;
  /// nullptr: there is none. No task may run when that has been returned.
  [[nodiscard]] virtual TaskRecord* take_back() = 0;
  /// What orders tasks in place of Roam; nullptr: nothing does. The same during its life. Not asked
  /// in virtual time, in which a task is over later than the call that runs it.
  [[nodiscard]] virtual Ordering* ordering() { return nullptr; }
};

/// Describes a back end under the name that --roam-flow-backend uses. Registered by one line next
/// to its implementation:
///
///   const BackendRegistrar registrar{{.name = "roam", ...}};
struct BackendKind {
  std::string name;         ///< for --roam-flow-backend
  std::string description;  ///< one line
  /// True if each task runs to its end inside the call that issues it, in the order of the program;
  /// then nothing is tracked, and `create` returns nullptr.
  bool runs_at_once = false;
  /// True if bodies run on the rank's workers alone: they may use roam::here().
  bool runs_on_workers = false;
  /// Creates the back end. Throws ConfigError if it is not possible in this job.
  std::unique_ptr<Backend> (*create)(Runtime& rank) = nullptr;
};

}  // namespace roam::flow

template <>
struct roam::plugin::Family<roam::flow::BackendKind> {
  static constexpr const char* name = "back end for tasks";
  static constexpr std::uint32_t interface = 1;
  static constexpr std::uint64_t layout = layout_of<flow::BackendKind>();
};

namespace roam::flow {

/// Registers a back end as long as it exists: a static constant beside the back end's
/// implementation.
using BackendRegistrar = plugin::Registrar<BackendKind>;

/// The names of the back ends linked into this program, for --roam-help.
[[nodiscard]] std::vector<std::string> backend_names();
/// The back end of that name. Throws ConfigError, whose message begins with `origin`, if there is
/// none; for a back end that was not built in, the message says what to install.
[[nodiscard]] const BackendKind& find_backend(const std::string& name, std::string_view origin);

}  // namespace roam::flow
