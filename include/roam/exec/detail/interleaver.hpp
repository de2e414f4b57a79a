// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace roam::exec {

/// Lets other things happen between two steps of what runs. Only simulations have one: real threads
/// are interrupted anywhere anyway.
class Interleaver {
 public:
  Interleaver() = default;
  Interleaver(const Interleaver&) = delete;
  Interleaver& operator=(const Interleaver&) = delete;
  /// May run other workers and ranks, there and then, before it returns.
  virtual void preempt() = 0;

 protected:
  ~Interleaver() = default;
};

}  // namespace roam::exec
