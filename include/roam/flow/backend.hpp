// SPDX-License-Identifier: Apache-2.0
#pragma once

// What runs tasks. The front end tracks who has to wait for whom; a back end is given the tasks
// that are ready, and calls Core::run() for each of them once, on some thread.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "roam/core/plugin/registrar.hpp"
#include "roam/core/plugin_choice.hpp"

namespace roam {
class Runtime;
}  // namespace roam

namespace roam::flow {

class TaskRecord;

/// What runs the tasks of one rank. Its functions may be called by any thread, several at once.
class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  /// The task is ready: task.core().run(task) is to be called, once, soon. Until then the rank must
  /// not look idle (a ready item of its engine is queued or running), so that the end of the job
  /// waits for it.
  virtual void push(TaskRecord& task) = 0;
  /// Runs a task that was pushed, here and now, for a caller that cannot go on (a full window).
  /// False: there is none, or this cannot be done here.
  virtual bool help() = 0;
  /// After the engine's last step: a task that will not run any more; nullptr: there is none.
  [[nodiscard]] virtual TaskRecord* take_back() = 0;
};

/// A back end as --roam-flow-backend names it. Registered by one line next to its implementation:
///
///   const BackendRegistrar registrar{{.name = "roam", ...}};
struct BackendKind {
  std::string name;         ///< for --roam-flow-backend
  std::string description;  ///< one line
  /// Each task runs to its end inside the call that issues it, in the order of the program; nothing
  /// is tracked, and `create` gives nullptr.
  bool runs_at_once = false;
  /// Throws ConfigError if this job cannot have it.
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

/// Registers a back end by living, as a static constant beside its implementation.
using BackendRegistrar = plugin::Registrar<BackendKind>;

/// The names of the back ends linked into this program, for --roam-help.
[[nodiscard]] std::vector<std::string> backend_names();
/// The back end of that name. Throws ConfigError, beginning with `origin`, if there is none; of one
/// that was not built in, it says what to install.
[[nodiscard]] const BackendKind& find_backend(const std::string& name, std::string_view origin);

}  // namespace roam::flow
