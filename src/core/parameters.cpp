// SPDX-License-Identifier: Apache-2.0
#include "roam/core/parameters.hpp"

#include <algorithm>

#include "roam/core/error.hpp"

namespace roam::core {

void write_whole(Packer& packer, std::span<const std::byte> arguments,
                 const Attachment& attachment) {
  const std::size_t behind = std::min(attachment.bytes_behind, arguments.size());
  const std::size_t place = attachment.data ? arguments.size() - behind : arguments.size();
  packer.write(arguments.data(), place);
  packer.write(attachment.data.data(), attachment.data.size());
  packer.write(arguments.data() + place, arguments.size() - place);
}

void detail::throw_wrong_count() {
  throw MalformedMessage("an array does not have the elements that the message announces");
}

}  // namespace roam::core
