// SPDX-License-Identifier: Apache-2.0
#include "transport/ucx/shared_memory.hpp"

namespace roam::transport {

SharedMemory::SharedMemory(ucp_context_h context, std::size_t bytes) : context_(context) {
  ucp_mem_map_params_t wanted{};
  wanted.field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS;
  wanted.length = bytes;
  wanted.flags = UCP_MEM_MAP_ALLOCATE;
  if (ucp_mem_map(context, &wanted, &memory_) != UCS_OK) {
    memory_ = nullptr;
    return;
  }
  void* key = nullptr;
  std::size_t key_bytes = 0;
  if (ucp_rkey_pack(context, memory_, &key, &key_bytes) != UCS_OK) return;
  key_.assign(static_cast<const char*>(key), key_bytes);
  ucp_rkey_buffer_release(key);
  ucp_mem_attr_t attributes{};
  attributes.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS;
  if (ucp_mem_query(memory_, &attributes) != UCS_OK) return;
  data_ = static_cast<std::byte*>(attributes.address);
}

SharedMemory::~SharedMemory() {
  if (memory_ != nullptr) ucp_mem_unmap(context_, memory_);
}

OpenedMemory::OpenedMemory(ucp_ep_h owner, std::uint64_t address, const std::string& key) {
  if (ucp_ep_rkey_unpack(owner, key.data(), &key_) != UCS_OK) {
    key_ = nullptr;
    return;
  }
  if (ucp_rkey_ptr(key_, address, &data_) != UCS_OK) data_ = nullptr;
}

OpenedMemory::~OpenedMemory() {
  if (key_ != nullptr) ucp_rkey_destroy(key_);
}

}  // namespace roam::transport
