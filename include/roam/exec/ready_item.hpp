// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "roam/core/types.hpp"

namespace roam::exec {

struct Context;

/// A piece of work that some worker may run now: every condition for it holds. Intrusive: queues
/// link items, they never own or copy them. Whoever pushes an item makes sure that it exists until
/// run() is entered; after that the item manages itself.
class ReadyItem {
 public:
  ReadyItem() = default;
  ReadyItem(const ReadyItem&) = delete;
  ReadyItem& operator=(const ReadyItem&) = delete;

  /// Runs on a worker, once per push. May set context.finished. Must not throw.
  virtual void run(Context& context) = 0;

  /// Called if the rank ends while the item is still queued: frees what run() would have freed.
  virtual void drop() {}

  Priority priority = Priority::normal;  ///< constant while queued
  bool has_parts = false;                ///< constant while queued; for Roam's own queues
  float announced_work = -1;  ///< constant while queued: seconds of an object's work; -1: not known
  ReadyItem* next = nullptr;  ///< the queue's, while queued

 protected:
  ~ReadyItem() = default;
};

/// @cond
/// One execution of a handler or of a main program. It outlives the ready items that carry it on (a
/// coroutine has one for each part). Named in reports.
class Execution {
 public:
  Execution() = default;
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  /// Called when the handler has returned for good - in virtual time, after its computing time has
  /// passed.
  virtual void finish(Context& context) = 0;
  /// Called with the length of a part of the execution that ended in a suspension, before anybody
  /// can resume it.
  virtual void ran(Duration) {}
  /// The priority with which the execution goes on after a suspension.
  [[nodiscard]] virtual Priority urgency() const { return Priority::normal; }
  /// Names the execution in error and stuck reports: "object 0:17, handler &Subdomain::refine".
  [[nodiscard]] virtual std::string describe() const = 0;
  /// The request that the execution answers when it is over: the rank that asked, and the request's
  /// number there, 0 for none.
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
