// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace roam::core {

/// Asks the system to back what the heap grows by with huge pages, for a program that is about to
/// take gigabytes in small pieces and to use them in no order: with pages of 4 KiB nearly each
/// access to them has to look for its page first. It is only a wish, without effect where the heap
/// does not grow by extending the data segment (other C libraries than glibc, sanitizers). One
/// thread.
class HugeHeap {
 public:
  /// From now on the heap grows by 64 MiB at a time, and pieces of up to 32 MiB are taken from it;
  /// that stays so to the end of the process.
  HugeHeap();
  /// Asks for huge pages for what the heap has grown by since the last call, or the constructor.
  /// Costs next to nothing if it has not grown. To be called every few MiB that are taken, because
  /// what has been written to before keeps its pages.
  void look();

 private:
  std::uintptr_t end_ = 0;  // the end of the data segment when it was last looked at
};

}  // namespace roam::core
