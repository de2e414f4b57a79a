// SPDX-License-Identifier: Apache-2.0
#include "roam/am/detail/exposed.hpp"

#include <utility>

#include "roam/am/detail/region_table.hpp"

namespace roam::am {

Exposure::Exposure() = default;

Exposure::Exposure(std::shared_ptr<RegionTable> regions, const RemoteAddress& address)
    : regions_(std::move(regions)), address_(address) {}

Exposure::Exposure(Exposure&& other) noexcept
    : regions_(std::move(other.regions_)), address_(other.address_) {}

Exposure& Exposure::operator=(Exposure&& other) noexcept {
  std::swap(regions_, other.regions_);
  std::swap(address_, other.address_);
  return *this;
}

Exposure::~Exposure() {
  if (regions_ != nullptr) regions_->end_exposure(access_to(address_, 0, 1));
}

RemoteAddress Exposure::release() {
  regions_ = nullptr;
  return address_;
}

}  // namespace roam::am
