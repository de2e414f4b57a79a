// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "roam/flow/detail/instance.hpp"

namespace roam::flow {

class Scope;

/// A datum as one scope sees it: refers to the instance with its newest version. Used by the
/// scope's thread only, except for reference counting.
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

  /// True if some task, or the program, has given or will give it a value.
  [[nodiscard]] bool is_written() const { return is_written_; }
  void note_written() { is_written_ = true; }
  /// The instance with the newest version; nullptr before the first.
  [[nodiscard]] Instance* current() const { return current_; }
  /// Like current(), but makes an instance if there is none.
  [[nodiscard]] Instance& instance() {
    if (current_ == nullptr) current_ = make();
    return *current_;
  }
  /// The instance for a version that does not depend on earlier ones: a new one, unless nobody uses
  /// the present one.
  [[nodiscard]] Instance& fresh();
  /// Uses an instance that belongs to another datum, until take().
  void share(Instance& instance) { current_ = &instance; }
  /// Lets its versions be copied for tasks that read, from the next version on if tasks use the
  /// present one.
  void set_copy(Instance::Copy copy);
  /// Makes an instance that is to become the newest version.
  [[nodiscard]] Instance* make() const;
  /// Makes `instance` the newest version and owns it.
  void replace(Instance* instance);
  /// Deletes a datum to which nothing refers, and that release() has left to a GraphRun.
  static void destroy(Datum& datum) { delete &datum; }
  /// The number of this datum in the call of graph() that has this stamp.
  [[nodiscard]] std::uint32_t graph_place() const { return graph_place_; }
  [[nodiscard]] std::uint64_t graph_stamp() const { return graph_stamp_; }
  void set_graph_place(std::uint64_t stamp, std::uint32_t place) {
    graph_stamp_ = stamp;
    graph_place_ = place;
  }
  /// Gives the instance up to the caller.
  [[nodiscard]] Instance* take() { return std::exchange(current_, nullptr); }

 private:
  ~Datum();

  Scope& scope_;
  const Make make_;
  Instance::Copy copy_ = nullptr;
  DatumLabel label_;
  Instance* current_ = nullptr;
  bool is_written_ = false;
  std::uint32_t graph_place_ = 0;
  std::uint64_t graph_stamp_ = 0;  // of the run of a graph; 0: none
  std::atomic<std::uint32_t> references_{1};
};

template <class T>
[[nodiscard]] Instance* make_instance(Core& core, const DatumLabel& label) {
  return new (core) InstanceOf<T>(label);
}

}  // namespace roam::flow
