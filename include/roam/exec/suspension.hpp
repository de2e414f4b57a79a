// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <cstdint>
#include <functional>
#include <string>

#include "roam/core/spin_lock.hpp"
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

 protected:
  ~Suspension() = default;

 private:
  Engine* engine_ = nullptr;
  Execution* execution_ = nullptr;
  const char* label_ = nullptr;
  ObjectId subject_;
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

   protected:
    ~Entry() = default;

   private:
    friend class WaitList;
    Entry* previous_ = nullptr;
    Entry* next_ = nullptr;
  };

  void add(Entry* entry);
  void remove(Entry* entry);
  [[nodiscard]] std::size_t size() const;
  /// Under the list's lock: keep it short.
  void for_each(const std::function<void(const Entry&)>& visit) const;

 private:
  mutable core::SpinLock lock_;
  Entry* first_ = nullptr;  // under lock_
  std::size_t size_ = 0;    // under lock_
};

}  // namespace roam::exec
