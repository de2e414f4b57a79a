// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "roam/core/detail/spin_lock.hpp"
#include "roam/exec/context.hpp"
#include "roam/exec/ready_item.hpp"

namespace roam::exec {

/// A suspended coroutine that some event will make ready again. Lives in the coroutine's frame (as
/// part of an awaiter). await_suspend calls capture() before anybody may call resume(); resume() is
/// called exactly once, from any thread.
class Suspension : public ReadyItem {
 public:
  void capture(std::coroutine_handle<> handle);
  /// Queues the coroutine. The suspension may have been destroyed when this returns.
  void resume();
  void run(Context& context) override;
  [[nodiscard]] Execution* execution() const { return execution_; }
  /// The object on which the coroutine runs, if any.
  [[nodiscard]] ObjectId subject() const { return subject_; }

 protected:
  ~Suspension() = default;

 private:
  Engine* engine_ = nullptr;
  Execution* execution_ = nullptr;
  const char* label_ = nullptr;
  ObjectId subject_;
  std::uint64_t epoch_ = 0;
  std::coroutine_handle<> handle_;
};

/// The suspended executions of a rank and what each waits for: counted for quiescence, named in the
/// stuck report.
class WaitList {
  /// A place in the ring of entries.
  struct Place {
    Place* previous = this;
    Place* next = this;
  };

 public:
  class Entry : private Place {
   public:
    /// Completes "waits for ...": "the reply of &Field::sample from object 3:12".
    [[nodiscard]] virtual std::string waits_for() const = 0;
    [[nodiscard]] virtual std::string who() const = 0;
    /// What a report can say beyond that; what is not known is left empty.
    struct Details {
      const Execution* execution = nullptr;  // the execution that waits
      ObjectId subject;                      // the object on which it runs
      ObjectId awaited_object;
      // The number of the awaited answer, as in Execution::answers().
      std::uint64_t awaited_answer = 0;
    };
    [[nodiscard]] virtual Details details() const { return {}; }

   protected:
    virtual ~Entry() = default;

   private:
    friend class WaitList;
  };

  /// A table that knows by itself who waits, under a lock of its own, and tells when asked: its
  /// waits need not enter and leave the list one by one.
  class Source {
   public:
    /// Calls visit(entry) for each of the source's waits, under the source's lock.
    virtual void for_each_wait(const std::function<void(const Entry&)>& visit) const = 0;

   protected:
    virtual ~Source() = default;
    /// Changes the number of waits by `difference`. Under the source's lock.
    void count_waits(std::ptrdiff_t difference) {
      waiting_.store(
          waiting_.load(std::memory_order_relaxed) + static_cast<std::size_t>(difference),
          std::memory_order_relaxed);
    }

   private:
    friend class WaitList;
    std::atomic<std::size_t> waiting_{0};  // written under the source's lock, read by any thread
  };

  void add(Entry* entry) {
    const core::LockGuard guard(lock_);
    add_locked(entry);
  }
  void remove(Entry* entry) {
    const core::LockGuard guard(lock_);
    remove_locked(entry);
  }
  /// The list's lock, for users that protect state of their own with it, so that they take one lock
  /// and not two.
  [[nodiscard]] core::SpinLock& lock() const ROAM_RETURN_CAPABILITY(lock_) { return lock_; }
  void add_locked(Entry* entry) ROAM_REQUIRES(lock_) {
    Place& place = *entry;
    place.previous = &ends_;
    place.next = ends_.next;
    ends_.next->previous = &place;
    ends_.next = &place;
    size_.store(size_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  void remove_locked(Entry* entry) ROAM_REQUIRES(lock_) {
    const Place& place = *entry;
    place.previous->next = place.next;
    place.next->previous = place.previous;
    size_.store(size_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  }
  /// Adds a source of waits: before the engine's first step. Sources are removed after its last
  /// step.
  void add_source(const Source* source);
  void remove_source(const Source* source);
  /// The number of suspended executions: approximate for most threads, exact for a thread that has
  /// seen the rank idle, because whoever waits was counted before its worker became free. Takes no
  /// lock: idle ranks ask all the time.
  [[nodiscard]] std::size_t size() const {
    std::size_t count = size_.load(std::memory_order_relaxed);
    for (const Source* source : sources_) count += source->waiting_.load(std::memory_order_relaxed);
    return count;
  }
  /// Announce that a wait begins or ends which a timer will end in any case (a deadline): while
  /// there are any, waiting executions are not stuck. Begins before its wait does, ends after it.
  /// Any thread.
  void begin_deadline() { deadlines_.fetch_add(1, std::memory_order_release); }
  void end_deadline() { deadlines_.fetch_sub(1, std::memory_order_release); }
  [[nodiscard]] std::size_t deadlines() const { return deadlines_.load(std::memory_order_acquire); }
  /// From now on, whoever begins to wait may note how long the rank has been idle until then, so
  /// that it can be said for how much of its idle time it waited for whom. Any thread.
  void measure() { is_measured_.store(true, std::memory_order_release); }
  [[nodiscard]] bool is_measured() const { return is_measured_.load(std::memory_order_relaxed); }
  /// Calls visit(entry) for each wait, under the locks of the list and its sources: `visit` must be
  /// short.
  void for_each(const std::function<void(const Entry&)>& visit) const;

 private:
  mutable core::SpinLock lock_;
  std::atomic<bool> is_measured_{false};
  Place ends_ ROAM_GUARDED_BY(lock_);   // the newest entry is behind it, the oldest before it
  std::atomic<std::size_t> size_{0};    // written under lock_, read by any thread
  std::vector<const Source*> sources_;  // constant while the engine runs
  std::atomic<std::size_t> deadlines_{0};
};

}  // namespace roam::exec
