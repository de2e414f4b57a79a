// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

#include "kernels/layout.hpp"

namespace seismic {

/// Doubles of fixed number, aligned as the kernels need it, zero at first.
class AlignedArray {
 public:
  AlignedArray() = default;
  explicit AlignedArray(std::size_t size)
      : data_(static_cast<double*>(
            ::operator new (size * sizeof(double), std::align_val_t{alignment}))),
        size_(size) {
    std::fill_n(data_.get(), size, 0.0);
  }

  [[nodiscard]] double* data() { return data_.get(); }
  [[nodiscard]] const double* data() const { return data_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  double& operator[](std::size_t k) { return data_.get()[k]; }
  const double& operator[](std::size_t k) const { return data_.get()[k]; }

 private:
  struct Free {
    void operator()(double* data) const { ::operator delete (data, std::align_val_t{alignment}); }
  };
  std::unique_ptr<double, Free> data_;
  std::size_t size_ = 0;
};

/// `size` doubles, rounded up so that what follows is aligned, too.
[[nodiscard]] constexpr std::size_t aligned_size(std::size_t size) {
  constexpr std::size_t doubles = alignment / sizeof(double);
  return (size + doubles - 1) / doubles * doubles;
}

}  // namespace seismic
