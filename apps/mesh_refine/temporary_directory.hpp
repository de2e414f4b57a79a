// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace mesh_refine {

/// A directory of its own under the system's directory for temporary files, readable by this user
/// alone, removed with its content at the end of its life.
class TemporaryDirectory {
 public:
  /// Throws std::system_error when it cannot be made.
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace mesh_refine
