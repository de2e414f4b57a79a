// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "roam/core/types.hpp"

namespace roam::exec {

struct Context;

/// A piece of work some worker may run now: every condition for it holds. Intrusive: queues link
/// items, they never own or copy them. Whoever pushes an item keeps it alive until run() was
/// entered; after that the item manages itself.
class ReadyItem {
 public:
  ReadyItem() = default;
  ReadyItem(const ReadyItem&) = delete;
  ReadyItem& operator=(const ReadyItem&) = delete;

  /// Runs on a worker, once per push. May set context.finished. Must not throw.
  virtual void run(Context& context) = 0;

  /// The rank ends while the item is still queued: frees what run() would have.
  virtual void drop() {}

  Priority priority = Priority::normal;  ///< constant while queued
  bool has_parts = false;                ///< constant while queued; for Roam's own queues
  float announced_work = -1;  ///< constant while queued: seconds of an object's work; -1: not known
  ReadyItem* next = nullptr;  ///< the queue's, while queued

 protected:
  ~ReadyItem() = default;
};

/// @cond
/// One execution of a handler or of a main program; it outlives the ready items that carry it
/// forward (a coroutine is several). Named in reports.
class Execution {
 public:
  Execution() = default;
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  /// Called when the handler has returned for good - in virtual time, after its computing time has
  /// passed.
  virtual void finish(Context& context) = 0;
  /// A part of it that ended in a suspension took this long; called before anybody can resume it.
  virtual void ran(Duration) {}
  /// Of it when it goes on after a suspension.
  [[nodiscard]] virtual Priority urgency() const { return Priority::normal; }
  /// "object 0:17, handler &Subdomain::refine": for error and stuck reports.
  [[nodiscard]] virtual std::string describe() const = 0;
  /// The request it answers when it is over: who asked, and its number there, 0: none.
  struct Request {
    Rank rank;
    std::uint64_t number = 0;
  };
  [[nodiscard]] virtual Request answers() const { return {}; }

 protected:
  ~Execution() = default;
};
/// @endcond

}  // namespace roam::exec
