// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

#include "roam/flow/core.hpp"
#include "roam/flow/detail/datum.hpp"

namespace roam::flow {

/// @cond
/// Waits in a coroutine until all tasks that were issued before it and write a datum are over.
class ValueWait : public TaskRecord, public exec::WaitList::Entry {
 public:
  ValueWait(Datum& datum, const SourceLine& where);
  ~ValueWait() override;
  /// True: it is there.
  [[nodiscard]] bool begin();
  /// False: it is there.
  [[nodiscard]] bool suspend(std::coroutine_handle<> handle);
  /// The value; throws TaskFailed, or Error if there is none.
  [[nodiscard]] const void* value();
  void end();

  void call() override { waiter_.resume(); }
  [[nodiscard]] std::string waits_for() const override;
  [[nodiscard]] std::string who() const override;

 private:
  struct Waiter final : exec::Suspension {};
  const DatumLabel label_;
  Access access_;
  Waiter waiter_;
  bool is_there_ = false;
  bool is_listed_ = false;
  bool is_over_ = false;
};

/// What `co_await handle.get()` waits with.
template <class T>
class ValueAwaiter {
 public:
  ValueAwaiter(Datum& datum, const SourceLine& where) : wait_(datum, where) {}
  [[nodiscard]] bool await_ready() { return wait_.begin(); }
  bool await_suspend(std::coroutine_handle<> handle) { return wait_.suspend(handle); }
  T await_resume() {
    T value = *static_cast<const T*>(wait_.value());
    wait_.end();
    return value;
  }

 private:
  ValueWait wait_;
};
/// @endcond

/// A datum of a flow program, as arguments of tasks; a task that takes Handle<T> itself may issue
/// tasks on it, and one that takes Handle<const T> tasks that read it. A value: copies name the
/// same datum, which lives until the last of them, and the last task that uses it, is gone. Used
/// where tasks are issued, by one thread at a time.
template <class T>
class [[nodiscard]] Handle {
 public:
  /// The type of the datum's value.
  using Value = std::remove_const_t<T>;
  /// False for Handle<const T>, through which tasks only read.
  static constexpr bool may_write = !std::is_const_v<T>;

  Handle() = default;
  /// @cond
  /// Takes over a reference.
  explicit Handle(Datum* datum) : datum_(datum) {}
  /// @endcond
  Handle(const Handle& other) : datum_(other.datum_) {
    if (datum_ != nullptr) datum_->add_reference();
  }
  Handle(Handle&& other) noexcept : datum_(std::exchange(other.datum_, nullptr)) {}
  /// A handle to read from one to write; the reverse is not possible.
  Handle(const Handle<Value>& other) requires(!may_write) : datum_(other.datum()) {
    if (datum_ != nullptr) datum_->add_reference();
  }
  Handle& operator=(Handle other) noexcept {
    std::swap(datum_, other.datum_);
    return *this;
  }
  ~Handle() {
    if (datum_ != nullptr) datum_->release();
  }

  /// `const double d = co_await h.get();` A copy of the value that it has at this point of the
  /// program, once the tasks issued before have given it. Throws TaskFailed if one of them threw,
  /// and Error if nobody has given it a value. In the coroutine that issues tasks.
  [[nodiscard]] ValueAwaiter<Value> get(SourceLine where = SourceLine::current()) const {
    return ValueAwaiter<Value>(*datum_, where);
  }
  /// Gives it a name for errors and reports; `name` must have static storage.
  const Handle& named(const char* name) const {
    datum_->set_name(name);
    return *this;
  }
  /// A handle through which tasks can only read the datum.
  [[nodiscard]] Handle<const Value> freeze() const { return *this; }
  /// @cond
  [[nodiscard]] Datum* datum() const { return datum_; }
  /// @endcond

 private:
  Datum* datum_ = nullptr;
};

}  // namespace roam::flow
