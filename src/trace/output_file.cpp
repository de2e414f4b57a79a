// SPDX-License-Identifier: Apache-2.0
#include "trace/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "roam/core/error.hpp"

namespace roam::trace {

namespace fs = std::filesystem;

OutputFile::OutputFile(const std::string& path) : path_(path), target_(path) {
  std::error_code ignored;
  // Renaming to the path would replace a symbolic link itself, and for /dev/null the device.
  if (fs::is_symlink(path, ignored)) {
    const fs::path resolved = fs::weakly_canonical(path, ignored);
    if (!ignored) target_ = resolved.string();
  }
  const fs::file_status status = fs::status(target_, ignored);
  const bool in_place = fs::exists(status) && !fs::is_regular_file(status);
  int flags = O_WRONLY | O_CLOEXEC;
  if (!in_place) {
    temporary_ = target_ + "." + std::to_string(getpid()) + ".part";
    flags |= O_CREAT | O_TRUNC;
  }
  descriptor_ = open((in_place ? target_ : temporary_).c_str(), flags, 0666);
  if (descriptor_ < 0) {
    temporary_.clear();
    fail();
  }
  buffer_.reserve(flush_bytes + 4096);
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void OutputFile::flush() {
  const char* next = buffer_.data();
  std::size_t left = buffer_.size();
  while (left > 0) {
    const ssize_t written = ::write(descriptor_, next, left);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail();
    next += written;
    left -= static_cast<std::size_t>(written);
  }
  buffer_.clear();
}

void OutputFile::commit() {
  flush();
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (close(descriptor) != 0) fail();  // network file systems report a full disk only here
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail();
  temporary_.clear();
}

void OutputFile::fail() const {
  throw Error("cannot write the trace " + path_ + ": " + std::strerror(errno) +
              "; choose another file with --roam-trace");
}

}  // namespace roam::trace
