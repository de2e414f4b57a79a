// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace roam::exec {

/// Lets other workers and ranks run between two steps of the code that runs. Only simulations have
/// one: real threads can be interrupted anywhere.
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
