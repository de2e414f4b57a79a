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
/// Waits in a coroutine until all earlier tasks that write a datum have ended.
class ValueWait : public TaskRecord, public exec::WaitList::Entry {
 public:
  ValueWait(Datum& datum, const SourceLine& where);
  ~ValueWait() override;
  /// Returns true if the value is there.
  [[nodiscard]] bool begin();
  /// Returns false if the value is there.
  [[nodiscard]] bool suspend(std::coroutine_handle<> handle);
  /// The value; throws TaskFailed, or Error if it has none.
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

/// The awaiter of `co_await handle.get()`.
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

template <class T>
class Part;

/// Refers to a datum of a flow program, as argument of tasks. A task that takes a Handle<T> itself
/// may issue tasks on the datum; one that takes a Handle<const T> may issue tasks that read it.
/// Copies refer to the same datum, which lives until the last of them, and the last task that uses
/// it, is gone. To be used where tasks are issued, by one thread at a time.
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
  /// Converts a handle for writing to one for reading; the reverse is not possible.
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

  /// `const double d = co_await h.get();` returns a copy of the value that the datum has at this
  /// point of the program, after the tasks issued before have computed it. Throws TaskFailed if one
  /// of them threw, and Error if nothing has given it a value. To be used in the coroutine that
  /// issues tasks.
  [[nodiscard]] ValueAwaiter<Value> get(SourceLine where = SourceLine::current()) const {
    return ValueAwaiter<Value>(*datum_, where);
  }
  /// Sets the name used in errors and reports; `name` must have static storage.
  const Handle& named(const char* name) const {
    datum_->set_name(name);
    return *this;
  }
  /// Lets tasks that modify the datum run beside earlier ones that read it: if one waits behind
  /// some that read, these get a copy of the value, as long as all copies of the rank take no more
  /// than --roam-flow-copy-bytes. Pays if copying takes less time than reading. To be called before
  /// tasks use the datum; a copy is made by the copy constructor, on any worker.
  const Handle& copied_for_readers() const requires(may_write) {
    datum_->set_copy(&copy_instance<Value>);
    return *this;
  }
  /// The elements [begin, end) of the datum as argument of a task:
  /// `fl.work([](std::span<double> half) { ... }, u.part(0, 50));` T has data() and size(), like
  /// std::vector, or a member part(begin, end) that returns a view, for example of the rows of a
  /// matrix, with a const overload that returns one for reading. A task waits for earlier tasks
  /// only if their parts overlap its own, and one of them modifies. A part of no elements counts as
  /// one element. Throws Error if begin > end; if the value has fewer elements, the task fails.
  [[nodiscard]] Part<T> part(std::size_t begin, std::size_t end) const;
  /// A handle through which tasks can only read the datum. A value that is published through it is
  /// on each rank only once, however many fetch it there.
  [[nodiscard]] Handle<const Value> freeze() const { return *this; }
  /// @cond
  [[nodiscard]] Datum* datum() const { return datum_; }
  /// @endcond

 private:
  Datum* datum_ = nullptr;
};

}  // namespace roam::flow
