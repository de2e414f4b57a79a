// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roam/am/messenger.hpp"

namespace roam::am {

/// Program handlers of one source rank, in order of arrival: they start in that order on whatever
/// workers are free (A2), and may overlap once started. The line itself is the ready item; each run
/// starts the first in line.
class Messenger::SourceLine final : public exec::ReadyItem {
 public:
  explicit SourceLine(exec::Engine& engine) : engine_(engine) {}
  ~SourceLine();
  void add(exec::ReadyItem* run);
  void run(exec::Context& context) override;

 private:
  exec::Engine& engine_;
  core::SpinLock lock_;
  exec::ReadyItem* first_ = nullptr;  // under lock_
  exec::ReadyItem* last_ = nullptr;   // under lock_
};

}  // namespace roam::am
