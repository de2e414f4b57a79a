// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "roam/core/object_id.hpp"
#include "roam/core/types.hpp"

namespace roam::exec {

class Engine;
class Execution;
class SpareBlocks;
struct Context;

/// @cond
/// An item that runs several handlers, one after the other. While one of these handlers is held
/// back (A3), the rest of them run before any other item does, as they would have without the
/// delay.
class SeveralRuns {
 public:
  SeveralRuns() = default;
  SeveralRuns(const SeveralRuns&) = delete;
  SeveralRuns& operator=(const SeveralRuns&) = delete;
  /// Runs the next handler, nested inside the one that is held back. False if there is none left.
  virtual bool run_next(Context& context) = 0;

 protected:
  ~SeveralRuns() = default;
};
/// @endcond

/// Says what runs now on a thread. There is one context per worker slot, written by the thread that
/// turns that slot.
struct Context {
  /// @cond
  Engine* engine = nullptr;
  /// 0..workers-1: a worker; then the communication slot; then the slot shared by all other
  /// threads.
  std::uint32_t slot = 0;
  /// The blocks that this worker has given back to itself; nullptr where there are none.
  SpareBlocks* spare_blocks = nullptr;
  /// The execution whose code runs; nullptr between handlers.
  Execution* execution = nullptr;
  /// The name of the handler and its object (if any), for traces and reports. Static storage.
  const char* label = nullptr;
  ObjectId subject;
  /// Set by a ReadyItem to its execution if that ended in this run; the engine then calls finish()
  /// on it.
  Execution* finished = nullptr;
  /// The coroutine that goes on as soon as the running one has returned to the code that resumed
  /// it: set when one task awaits another or ends (see resume_in_turn()).
  std::coroutine_handle<> next_coroutine;
  /// When the present (or last) run began, and how long it took once it is over.
  Instant run_begin{0};
  Duration run_time{0};
  /// The number of handlers that the present run stands for; an item that runs several sets it.
  std::uint32_t runs = 1;
  /// The item that runs, if it consists of several handlers: set by the item itself, and reset at
  /// its end.
  SeveralRuns* several = nullptr;
  /// The epoch (M10) to which the running code belongs, 0 for none; this room does not interpret
  /// it. Whoever sets it for a run sets it back to 0 when the run is over.
  std::uint64_t epoch = 0;
  /// @endcond
};

namespace detail {
// The only thread-local variable of Roam: what runs on this thread. Coroutines must not name it,
// because they may be resumed on another thread with the address of the first thread's variable.
inline constinit thread_local Context* current_context = nullptr;
}  // namespace detail

/// @cond
/// The context of the handler running on this thread, or nullptr. Never inlined, so that coroutines
/// may call it.
[[nodiscard]] Context* current();

/// Resumes `first`, then, one after the other, the coroutines that follow: a task that is awaited,
/// and the coroutine that awaits a task which has ended. None of them is resumed inside another, so
/// the stack does not grow with the number of awaits or the depth of tasks, whether or not the
/// compiler turns tail calls into jumps. `context` is the calling thread's.
inline void resume_in_turn(Context& context, std::coroutine_handle<> first) {
  first.resume();
  while (context.next_coroutine) std::exchange(context.next_coroutine, {}).resume();
}

/// Makes a context current for a scope (nested scopes restore the outer one).
class Scope {
 public:
  explicit Scope(Context* context) : previous_(detail::current_context) {
    detail::current_context = context;
  }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  ~Scope() { detail::current_context = previous_; }

 private:
  Context* previous_;
};
/// @endcond

}  // namespace roam::exec
