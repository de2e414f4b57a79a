// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "roam/am/detail/region_table.hpp"
#include "roam/am/remote_ptr.hpp"

namespace roam::am {

/// The exposure of some memory, whatever it holds: see Exposed.
class Exposure {
 public:
  Exposure() = default;
  Exposure(std::shared_ptr<RegionTable> regions, const RemoteAddress& address)
      : regions_(std::move(regions)), address_(address) {}
  Exposure(Exposure&& other) noexcept
      : regions_(std::move(other.regions_)), address_(other.address_) {}
  Exposure& operator=(Exposure&& other) noexcept {
    std::swap(regions_, other.regions_);
    std::swap(address_, other.address_);
    return *this;
  }
  ~Exposure() {
    if (regions_ != nullptr) regions_->end_exposure(access_to(address_, 0, 1));
  }
  [[nodiscard]] const RemoteAddress& address() const { return address_; }
  /// Returns the address and leaves it to the caller to end the exposure.
  RemoteAddress release() {
    regions_ = nullptr;
    return address_;
  }

 private:
  std::shared_ptr<RegionTable> regions_;
  RemoteAddress address_;
};

}  // namespace roam::am
