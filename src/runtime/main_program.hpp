// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roam/exec/ready_item.hpp"
#include "roam/runtime/runtime.hpp"

namespace roam {

/// The program's entry point on one rank, as an execution like any other.
class MainProgram final : public exec::ReadyItem, public exec::Execution {
 public:
  MainProgram(Runtime& runtime, Runtime::Program program, std::function<void()> finished)
      : runtime_(runtime), program_(std::move(program)), finished_(std::move(finished)) {}
  void run(exec::Context& context) override;
  void finish(exec::Context& context) override;
  /// High priority: it has work for others, which would wait while handlers of this rank run.
  [[nodiscard]] Priority urgency() const override { return Priority::high; }
  [[nodiscard]] std::string describe() const override { return "main program"; }

 private:
  Runtime& runtime_;
  Runtime::Program program_;
  std::function<void()> finished_;
  Task<> task_;
};

}  // namespace roam
