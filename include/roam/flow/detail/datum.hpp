// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "roam/flow/detail/instance.hpp"

namespace roam::flow {

class Scope;

/// A datum as one scope knows it: the instance that has its newest version. Used by the scope's
/// thread alone, but for the counting of references.
class Datum {
 public:
  using Make = Instance* (*)(Core&, const DatumLabel&);
  Datum(Scope& scope, Make maker, const DatumLabel& label);
  Datum(const Datum&) = delete;
  Datum& operator=(const Datum&) = delete;

  void add_reference() { references_.fetch_add(1, std::memory_order_relaxed); }
  void release();

  [[nodiscard]] Scope& scope() const { return scope_; }
  [[nodiscard]] const DatumLabel& label() const { return label_; }
  void set_name(const char* name);

  /// Some task, or the program, has given or will give it a value.
  [[nodiscard]] bool is_written() const { return is_written_; }
  void note_written() { is_written_ = true; }
  /// The instance with the newest version; nullptr before the first.
  [[nodiscard]] Instance* current() const { return current_; }
  /// The same, made if there is none.
  [[nodiscard]] Instance& instance() {
    if (current_ == nullptr) current_ = make();
    return *current_;
  }
  /// The instance for a version that owes nothing to those before: a new one, unless nobody uses
  /// the present one.
  [[nodiscard]] Instance& fresh();
  /// Uses an instance that another one owns; until take().
  void share(Instance& instance) { current_ = &instance; }
  /// A new instance that is to become the newest version.
  [[nodiscard]] Instance* make() const;
  /// It is the newest version from now on, owned.
  void replace(Instance* instance);
  /// Gives it up: the caller's.
  [[nodiscard]] Instance* take() { return std::exchange(current_, nullptr); }

 private:
  ~Datum();

  Scope& scope_;
  const Make make_;
  DatumLabel label_;
  Instance* current_ = nullptr;
  bool is_written_ = false;
  std::atomic<std::uint32_t> references_{1};
};

template <class T>
[[nodiscard]] Instance* make_instance(Core& core, const DatumLabel& label) {
  return new (core) InstanceOf<T>(label);
}

}  // namespace roam::flow
