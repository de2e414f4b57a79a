// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "c_buffers.hpp"
#include "c_task.hpp"

namespace roam::offload {

/// A task of a group that travels as one, as it is sent: its type, and which of the group's buffers
/// are its own.
struct CStep {
  std::uint32_t type = 0;
  std::vector<std::uint32_t> buffers;
  std::vector<std::uint8_t> access;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(type, buffers, access);
  }
};

/// The tasks of a group, one after the other, and what they need of each other.
class CGroup {
 public:
  /// Throws Error if a task is not registered, or if buffers overlap that are not the same.
  CGroup(const CTaskTypes& types, std::span<const roam_group_task> tasks);

  /// True if what the tasks have for each other is a tenth or more of the rest.
  [[nodiscard]] bool has_much_inside() const;
  /// Makes one task of them all, to be submitted. `watches`: it fails if its buffers are changed or
  /// freed by others.
  [[nodiscard]] detail::ResultTask<void>* together(Offloader& offloader, bool watches) &&;
  /// Makes a task of each. Those that wait for no other one are to be submitted.
  [[nodiscard]] std::vector<CTask*> apart(Offloader& offloader) const;

 private:
  struct Part {
    const CTaskTypes::Type* type = nullptr;
    std::vector<roam_buffer> buffers;  // ROAM_INNER ones as ROAM_OUT
    std::vector<std::size_t> needs;    // earlier tasks
  };
  void add(const CTaskTypes& types, const roam_group_task& task);
  [[nodiscard]] std::uint32_t place_of(const roam_buffer& buffer);
  void check_overlaps() const;

  std::vector<roam_buffer> buffers_;  // each once, with what the whole group does with it
  std::vector<CStep> steps_;
  std::vector<Part> parts_;
  // By buffer: the tasks that have written it last, and have read it since.
  struct Uses {
    std::vector<std::size_t> writer;
    std::vector<std::size_t> readers;
    bool is_inner = false;  // nobody needs it after the group
  };
  std::vector<Uses> uses_;
  std::uint64_t bytes_apart_ = 0;  // that travel if the tasks travel one by one
};

/// Computes another rank's group.
[[nodiscard]] Array<std::byte> compute_c_group(const std::vector<CStep>& steps,
                                               const CBuffers& layout, Array<std::byte> inputs);

/// The buffers that a program has given for a task, which are checked; throws Error. ROAM_INNER is
/// for tasks of groups, and ROAM_LENT is ROAM_IN there.
[[nodiscard]] std::vector<roam_buffer> checked_buffers(const roam_buffer* buffers, int count,
                                                       bool is_of_group);

}  // namespace roam::offload
