// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roam/core/detail/owned.hpp"
#include "roam/core/types.hpp"
#include "roam/exec/engine.hpp"

namespace roam::am {

class Messenger;

/// The program handlers that have arrived at a rank with several workers, by the rank that sent
/// them: those of one source start in the order of their arrival (A2). Used inside poll(), by one
/// thread at a time.
class SourceLines {
 public:
  explicit SourceLines(Messenger& messenger);
  SourceLines(const SourceLines&) = delete;
  SourceLines& operator=(const SourceLines&) = delete;
  ~SourceLines();
  void add(Rank source, exec::ReadyItem* run);

 private:
  Messenger& messenger_;
  struct Lines;
  const core::Owned<Lines> lines_;
};

}  // namespace roam::am
