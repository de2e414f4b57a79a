// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "roam/offload/mpi/offload.h"
#include "roam/offload/offload.hpp"

namespace roam::offload {

/// The tasks that a program has registered by name on one rank. A service of the rank. Any thread.
class CTaskTypes {
 public:
  struct Type {
    std::string name;
    roam_task_function function = nullptr;
  };
  /// Throws Error if another function has that name, or another name the same hash.
  void add(const std::string& name, roam_task_function function);
  /// Throws Error that lists the known names.
  [[nodiscard]] const Type& find(std::uint32_t id) const;
  [[nodiscard]] const Type& find(const std::string& name) const;
  [[nodiscard]] static std::uint32_t id_of(const std::string& name);

 private:
  [[nodiscard]] std::string names() const;

  mutable std::mutex mutex_;
  std::unordered_map<std::uint32_t, Type> types_;  // under mutex_; entries stay where they are
};

/// The layout of a task's buffers, as it is sent.
struct CBuffers {
  std::vector<std::uint64_t> bytes;
  std::vector<std::uint8_t> access;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(bytes, access);
  }
};

/// Computes another rank's task: `inputs` are its ROAM_IN and ROAM_INOUT buffers one behind the
/// other; returns its ROAM_OUT and ROAM_INOUT buffers in the same form.
[[nodiscard]] std::vector<std::byte> compute_c_task(std::uint32_t type, const CBuffers& buffers,
                                                    std::span<const std::byte> inputs);

/// A task whose buffers are the program's own memory. When it is computed here they are used in
/// place; data sent to another rank, and data received, are copied once.
class CTask final : public detail::ResultTask<void> {
 public:
  CTask(Offloader& offloader, const CTaskTypes::Type& type, std::vector<roam_buffer> buffers);
  void ship(Rank victim, Shipped head) override;

 protected:
  void call() override;
  [[nodiscard]] bool continues() const override { return true; }
  void continue_with(am::Incoming&& result) override;

 private:
  ~CTask() override = default;

  const CTaskTypes::Type& type_;
  const std::vector<roam_buffer> buffers_;
};

}  // namespace roam::offload
