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
struct Context;

/// @cond
/// An item that runs several handlers, one after the other. While one of them is held back (A3) the
/// rest of them run before any other item does, as they would have.
class SeveralRuns {
 public:
  SeveralRuns() = default;
  SeveralRuns(const SeveralRuns&) = delete;
  SeveralRuns& operator=(const SeveralRuns&) = delete;
  /// Runs the next of them, nested in one of them. False if there is none.
  virtual bool run_next(Context& context) = 0;

 protected:
  ~SeveralRuns() = default;
};
/// @endcond

/// What runs now on this thread, to be handed on. One per worker slot, written by the thread that
/// turns that slot.
struct Context {
  /// @cond
  Engine* engine = nullptr;
  /// 0..workers-1: a worker; then the communication slot; then the slot shared by all other
  /// threads.
  std::uint32_t slot = 0;
  /// The execution whose code runs; nullptr between handlers.
  Execution* execution = nullptr;
  /// The name of the handler and its object (if any), for traces and reports. Static storage.
  const char* label = nullptr;
  ObjectId subject;
  /// Set by a ReadyItem whose execution ended in this run; the engine calls finish() on it.
  Execution* finished = nullptr;
  /// The coroutine that goes on as soon as the one that runs now has returned to whoever resumed
  /// it: set when one task awaits another or ends (see resume_in_turn()).
  std::coroutine_handle<> next_coroutine;
  /// When the present (or last) run began, and how long it took once it is over.
  Instant run_begin{0};
  Duration run_time{0};
  /// Handlers the present run stands for; an item that runs several says so.
  std::uint32_t runs = 1;
  /// The item that runs, if it is one of several handlers; it says so, and takes it back.
  SeveralRuns* several = nullptr;
  /// The epoch (M10) that what runs belongs to, 0: none; opaque here. Whoever sets it for a run
  /// sets it back to 0 when the run is over.
  std::uint64_t epoch = 0;
  /// @endcond
};

namespace detail {
// The only thread-local of Roam: what runs on this thread. Not to be named in a coroutine, which
// may go on in another thread with the address it found in the first.
inline constinit thread_local Context* current_context = nullptr;
}  // namespace detail

/// @cond
/// The context of the handler running on this thread, or nullptr. Never inlined, so that coroutines
/// may call it.
[[nodiscard]] Context* current();

/// Resumes `first`, then, one after the other, the coroutines that follow: a task that is awaited,
/// and whoever awaited a task that has ended. None of them is resumed inside another, so that the
/// stack does not grow with the number of awaits nor with the depth of tasks, whatever the compiler
/// makes of tail calls. `context` is the calling thread's.
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
