// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "roam/am/remote_ptr.hpp"

namespace roam::am {

class RegionTable;

/// The exposure of some memory, whatever it holds: see Exposed.
class Exposure {
 public:
  Exposure();
  Exposure(std::shared_ptr<RegionTable> regions, const RemoteAddress& address);
  Exposure(Exposure&& other) noexcept;
  Exposure& operator=(Exposure&& other) noexcept;
  ~Exposure();
  [[nodiscard]] const RemoteAddress& address() const { return address_; }
  /// Returns the address and leaves it to the caller to end the exposure.
  RemoteAddress release();

 private:
  std::shared_ptr<RegionTable> regions_;
  RemoteAddress address_;
};

}  // namespace roam::am
