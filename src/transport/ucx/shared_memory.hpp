// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ucp/api/ucp.h>

#include <cstddef>
#include <string>

namespace roam::transport {

/// Memory of this process that UCX can make visible to others on the machine.
class SharedMemory {
 public:
  /// data() is nullptr if UCX cannot provide such memory.
  SharedMemory(ucp_context_h context, std::size_t bytes);
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  [[nodiscard]] std::byte* data() const { return data_; }
  /// The key with which other processes open the memory.
  [[nodiscard]] const std::string& key() const { return key_; }

 private:
  ucp_context_h context_;
  ucp_mem_h memory_ = nullptr;
  std::byte* data_ = nullptr;
  std::string key_;
};

/// Such memory, opened in another process.
class OpenedMemory {
 public:
  /// data() is nullptr if the two processes share no memory. `address` and `key` are those of the
  /// owner.
  OpenedMemory(ucp_ep_h owner, std::uint64_t address, const std::string& key);
  OpenedMemory(const OpenedMemory&) = delete;
  OpenedMemory& operator=(const OpenedMemory&) = delete;
  ~OpenedMemory();

  [[nodiscard]] void* data() const { return data_; }

 private:
  ucp_rkey_h key_ = nullptr;
  void* data_ = nullptr;
};

}  // namespace roam::transport
