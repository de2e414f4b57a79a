// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "roam/core/detail/type_name.hpp"

namespace roam::offload {

class GuestTask;

/// A function whose calls may be computed on other ranks. Using it as a template argument of
/// spawn() makes it known.
struct TaskFunction {
  core::ProgramName name;
  /// Computes a task that another rank has sent, and answers it. Called on a worker; does not
  /// throw.
  void (*run_guest)(GuestTask& guest) = nullptr;
};

/// Links a TaskFunction into the list of all of them during static initialisation, of the program
/// or of a library that it loads; nothing else writes the list.
class TaskFunctionRegistrar {
 public:
  explicit TaskFunctionRegistrar(const TaskFunction& function);
  TaskFunctionRegistrar(const TaskFunctionRegistrar&) = delete;
  TaskFunctionRegistrar& operator=(const TaskFunctionRegistrar&) = delete;

  [[nodiscard]] const TaskFunction& function() const { return function_; }
  /// Identifies the function in messages: a hash of its symbol.
  [[nodiscard]] std::uint32_t id() const { return id_; }
  [[nodiscard]] const TaskFunctionRegistrar* next() const { return next_; }
  [[nodiscard]] const core::ProgramName& program_name() const { return function_.name; }
  /// The function in words: "offloadable task &predict"
  [[nodiscard]] std::string describe() const;

  [[nodiscard]] static const TaskFunctionRegistrar* first();
  /// Returns nullptr if this program has no such task.
  [[nodiscard]] static const TaskFunctionRegistrar* find(std::uint32_t id);

 private:
  const TaskFunction function_;
  const std::uint32_t id_;
  const TaskFunctionRegistrar* next_;
};

}  // namespace roam::offload
