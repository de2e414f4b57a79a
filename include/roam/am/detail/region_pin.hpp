// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace roam::am {

class RegionTable;

/// Pins a part of a region: the region is not freed while this object exists. Move-only; may be
/// destroyed by any thread, and after the rank has ended.
class RegionPin {
 public:
  RegionPin();
  RegionPin(std::shared_ptr<RegionTable> table, std::uint32_t region, std::span<std::byte> memory);
  RegionPin(RegionPin&& other) noexcept;
  RegionPin& operator=(RegionPin&& other) noexcept;
  ~RegionPin();
  [[nodiscard]] std::span<std::byte> memory() const { return memory_; }

 private:
  std::shared_ptr<RegionTable> table_;
  std::uint32_t region_ = 0;
  std::span<std::byte> memory_;
};

}  // namespace roam::am
