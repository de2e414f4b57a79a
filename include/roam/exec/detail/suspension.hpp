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
/// part of an awaiter). capture() in await_suspend before anybody may call resume(); resume()
/// exactly once, from any thread.
class Suspension : public ReadyItem {
 public:
  void capture(std::coroutine_handle<> handle);
  /// Queues the coroutine. After this call the suspension may be gone.
  void resume();
  void run(Context& context) override;
  [[nodiscard]] Execution* execution() const { return execution_; }
  /// The object that it runs on, if any.
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
 public:
  class Entry {
   public:
    /// "the reply of &Field::sample from object 3:12"
    [[nodiscard]] virtual std::string waits_for() const = 0;
    [[nodiscard]] virtual std::string who() const = 0;
    /// What a report can say beyond that; what is not known stays empty.
    struct Details {
      const Execution* execution = nullptr;  // that waits
      ObjectId subject;                      // on which it runs
      ObjectId awaited_object;
      std::uint64_t awaited_answer = 0;  // as in Execution::answers()
    };
    [[nodiscard]] virtual Details details() const { return {}; }

   protected:
    virtual ~Entry() = default;

   private:
    friend class WaitList;
    Entry* previous_ = nullptr;
    Entry* next_ = nullptr;
  };

  /// Knows who waits anyway, under a lock of its own, and says so when asked: its waits need not
  /// enter and leave the list one by one.
  class Source {
   public:
    /// Under the source's lock.
    virtual void for_each_wait(const std::function<void(const Entry&)>& visit) const = 0;

   protected:
    virtual ~Source() = default;
    /// By `difference` more wait. Under the source's lock.
    void count_waits(std::ptrdiff_t difference) {
      waiting_.store(
          waiting_.load(std::memory_order_relaxed) + static_cast<std::size_t>(difference),
          std::memory_order_relaxed);
    }

   private:
    friend class WaitList;
    std::atomic<std::size_t> waiting_{0};  // under the source's lock; read by any thread
  };

  void add(Entry* entry) {
    const core::LockGuard guard(lock_);
    add_locked(entry);
  }
  void remove(Entry* entry) {
    const core::LockGuard guard(lock_);
    remove_locked(entry);
  }
  /// For users that keep state of their own under the list's lock, so that they take one lock and
  /// not two.
  [[nodiscard]] core::SpinLock& lock() const ROAM_RETURN_CAPABILITY(lock_) { return lock_; }
  void add_locked(Entry* entry) ROAM_REQUIRES(lock_) {
    entry->previous_ = nullptr;
    entry->next_ = first_;
    if (first_ != nullptr) first_->previous_ = entry;
    first_ = entry;
    size_.store(size_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  void remove_locked(Entry* entry) ROAM_REQUIRES(lock_) {
    (entry->previous_ != nullptr ? entry->previous_->next_ : first_) = entry->next_;
    if (entry->next_ != nullptr) entry->next_->previous_ = entry->previous_;
    size_.store(size_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  }
  /// Before the engine's first step and after its last.
  void add_source(const Source* source) { sources_.push_back(source); }
  void remove_source(const Source* source) { std::erase(sources_, source); }
  /// Of about this moment; exact to a thread that has seen the rank idle, since whoever waits was
  /// counted before it let go of its worker. Takes no lock: idle ranks ask all the time.
  [[nodiscard]] std::size_t size() const {
    std::size_t count = size_.load(std::memory_order_relaxed);
    for (const Source* source : sources_) count += source->waiting_.load(std::memory_order_relaxed);
    return count;
  }
  /// A wait that a timer will end whatever else happens (a deadline) begins or ends: while there
  /// are any, whoever waits is not stuck. Begins before its wait does, ends after it. Any thread.
  void begin_deadline() { deadlines_.fetch_add(1, std::memory_order_release); }
  void end_deadline() { deadlines_.fetch_sub(1, std::memory_order_release); }
  [[nodiscard]] std::size_t deadlines() const { return deadlines_.load(std::memory_order_acquire); }
  /// Under the locks of the list and its sources: keep it short.
  void for_each(const std::function<void(const Entry&)>& visit) const;

 private:
  mutable core::SpinLock lock_;
  Entry* first_ ROAM_GUARDED_BY(lock_) = nullptr;
  std::atomic<std::size_t> size_{0};    // written under lock_, read by any thread
  std::vector<const Source*> sources_;  // constant while the engine runs
  std::atomic<std::size_t> deadlines_{0};
};

}  // namespace roam::exec
