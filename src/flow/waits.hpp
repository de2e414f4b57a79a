// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "roam/flow/core.hpp"

namespace roam::flow {

/// The tasks of a Core that are there, and which wait for which. For a rank at rest.
class Core::Waits {
 public:
  explicit Waits(Core& core);
  /// What up to `most` tasks wait for: "task step (jacobi.cpp:12) waits for rim[3] (Rim,
  /// jacobi.cpp:8), to be written by task relax (jacobi.cpp:11)".
  [[nodiscard]] std::vector<std::string> all(std::size_t most) const;
  /// The part of such a sentence behind "waits for"; empty: the task does not wait for others.
  /// `depth`: so many tasks are named in front of it.
  [[nodiscard]] std::string wait_of(TaskRecord& task, int depth) const;

 private:
  struct Use {
    TaskRecord* task;
    const Access* access;
  };
  struct Blocking {
    TaskRecord* writer = nullptr;  // the last one in the line that writes
    TaskRecord* user = nullptr;    // one that uses the instance now
  };
  [[nodiscard]] Blocking blocking(const TaskRecord& of, const Access& access) const;
  [[nodiscard]] std::string words_for(const Access& access, const Blocking& found, int depth) const;
  [[nodiscard]] bool writes_it(const TaskRecord& task, const Access& access) const;

  std::vector<TaskRecord*> tasks_;
  std::unordered_map<const Instance*, std::vector<Use>> uses_;
};

}  // namespace roam::flow
