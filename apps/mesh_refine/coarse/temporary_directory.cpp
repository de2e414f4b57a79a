// SPDX-License-Identifier: Apache-2.0
#include "coarse/temporary_directory.hpp"

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

#include "coarse/preparation_error.hpp"

namespace mesh_refine {
namespace {

/// Removes the directory when standard input ends, with the system's own rm, whatever PATH says.
constexpr auto removal_script = R"(
while read -r nothing; do :; done
command -p rm -rf -- "$1"
)";

}  // namespace

TemporaryDirectory::TemporaryDirectory() {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  std::string name = (parent / "mesh_refine-XXXXXX").string();
  if (!error && ::mkdtemp(name.data()) == nullptr) error.assign(errno, std::generic_category());
  if (error) {
    const char* wanted = std::getenv("TMPDIR");
    throw PreparationError("no folder for temporary files can be made in " +
                           (parent.empty() && wanted != nullptr ? wanted : parent.string()) + " (" +
                           error.message() + "); set TMPDIR to another place");
  }
  path_ = name;
  keeper_.emplace(removal_script, std::vector<std::string>{name}, KeeperProcess::Options{});
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;  // the keeper tries again
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace mesh_refine
