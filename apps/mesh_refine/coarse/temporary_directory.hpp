// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "coarse/keeper_process.hpp"

namespace mesh_refine {

/// A directory of its own under the system's directory for temporary files, readable by this user
/// alone, removed with its content at the end of its life or of this process, whatever ends that.
class TemporaryDirectory {
 public:
  /// Throws PreparationError when it cannot be made.
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// A descriptor that keeps the directory for as long as any process holds it.
  [[nodiscard]] int lifeline() const { return keeper_->lifeline(); }

 private:
  std::filesystem::path path_;
  std::optional<KeeperProcess> keeper_;
};

}  // namespace mesh_refine
