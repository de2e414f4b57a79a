// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "roam/core/serialise.hpp"

namespace roam::flow {

/// A packer with an archive of its own that goes on in the buffer of another one.
class PackerWithin {
 public:
  explicit PackerWithin(core::Packer& outer)
      : outer_(outer),
        inner_(outer.is_counting() ? core::Packer::counting() : core::Packer(outer.take())) {}
  PackerWithin(const PackerWithin&) = delete;
  PackerWithin& operator=(const PackerWithin&) = delete;
  ~PackerWithin() {
    if (!outer_.is_counting()) outer_.buffer() = inner_.take();
  }
  [[nodiscard]] core::Packer& packer() { return inner_; }

 private:
  core::Packer& outer_;
  core::Packer inner_;
};

/// Writes something as a vector of bytes: behind its length, which is filled in afterwards, so that
/// large values are not copied.
template <class Write>
void write_with_length(core::Packer& packer, Write&& write) {
  const std::size_t at = packer.position();
  core::pack(packer, std::uint64_t{0});
  std::size_t counted = 0;
  {
    PackerWithin within(packer);
    write(within.packer());
    counted = within.packer().counted();
  }
  if (packer.is_counting()) return packer.write(&counted, counted);  // reads nothing
  const std::uint64_t length = packer.size() - at - sizeof length;
  std::memcpy(packer.buffer().data() + at, &length, sizeof length);
}

}  // namespace roam::flow
