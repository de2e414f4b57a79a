// SPDX-License-Identifier: Apache-2.0
#include "roam/flow/detail/kept_values.hpp"

#include <algorithm>

#include "flow/nested_packing.hpp"

namespace roam::flow {

const KeptValues::One* KeptValues::find(std::uint64_t number) const {
  const auto found = std::ranges::find(all_, number, &One::number);
  return found == all_.end() ? nullptr : &*found;
}

KeptValues::One& KeptValues::require(std::uint64_t number) {
  const auto found = std::ranges::find(all_, number, &One::number);
  if (found == all_.end()) throw ValueNotKept();
  return *found;
}

void KeptValues::drop(std::uint64_t number) {
  const auto found = std::ranges::find(all_, number, &One::number);
  if (found == all_.end()) return;
  std::swap(*found, all_.back());
  all_.pop_back();
}

Array<std::byte> KeptValues::bytes_of(std::uint64_t number) {
  const One& one = require(number);
  if (one.value == nullptr)
    return Array<std::byte>::copy_of(
        std::span<const std::byte>(one.bytes.data(), one.bytes.size()));
  core::Packer packer(core::Buffer{});
  one.value->pack(packer);
  const std::size_t size = packer.size();
  return core::detail::ArrayAccess::over<std::byte>(packer.take(), size);
}

void KeptValues::One::write(core::Packer& packer) const {
  if (value == nullptr) return core::pack(packer, bytes);
  write_with_length(packer, [this](core::Packer& within) { value->pack(within); });
}

}  // namespace roam::flow
