// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "roam/core/error.hpp"
#include "roam/placement/distributed.hpp"

namespace roam::placement {

/// Plain values of a message, one after the other: their number, then their bytes.
template <class T>
void pack_list(core::Packer& packer, std::span<const T> values) {
  core::pack(packer, static_cast<std::uint64_t>(values.size()));
  packer.write(values.data(), values.size_bytes());
}

template <class T>
[[nodiscard]] std::vector<T> unpack_list(core::Unpacker& bytes) {
  const auto count = core::unpack<std::uint64_t>(bytes);
  if (count > bytes.remaining() / sizeof(T)) {
    throw MalformedMessage("a list is longer than the message that it is in");
  }
  std::vector<T> values(count);
  bytes.read(values.data(), count * sizeof(T));
  return values;
}

/// Throws MalformedMessage for a note that names ranks which do not exist, or no time.
void check_note(const ObjectNote& note, std::int32_t ranks);

/// Notes that go to several ranks, sent as one list to each, in the order of ranks.
class NoteLists {
 public:
  void add(std::int32_t rank, const ObjectNote& note) { lists_[rank].push_back(note); }
  void send(StepHost& host) const;

 private:
  std::map<std::int32_t, std::vector<ObjectNote>> lists_;
};

}  // namespace roam::placement
