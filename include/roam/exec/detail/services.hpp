// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <memory>
#include <utility>

#include "roam/core/detail/owned.hpp"

namespace roam::exec {

namespace detail {
/// Counts the types that are used as services in this program. During static initialisation, of the
/// program or of a library that it loads.
[[nodiscard]] std::size_t take_service_number();
/// How many there are.
[[nodiscard]] std::size_t service_count();
/// The place of a type among them; a constant once static initialisation is over.
template <class Service>
inline const std::size_t service_number = take_service_number();
}  // namespace detail

/// Lets upper rooms find their own part of the running rank through its engine, without the engine
/// knowing their types: each type has a place of its own. Parts are set while the rank is made and
/// when it ends, before and after its workers run; get() may be called by any thread in between.
class Services {
 public:
  Services() : Services(detail::service_count()) {}
  template <class Service>
  void set(Service* service) {
    const std::size_t number = detail::service_number<Service>;
    // Of a library that was loaded after the rank was made.
    if (number >= size_) grow(number + 1);
    places_[number] = service;
  }
  /// nullptr: this rank has none. One load on the way of every call: of a type in a library that
  /// was loaded after the rank was made, only once it has been set.
  template <class Service>
  [[nodiscard]] Service* get() const {
    const std::size_t number = detail::service_number<Service>;
    assert(number < size_);
    return static_cast<Service*>(places_[number]);
  }

 private:
  explicit Services(std::size_t size) : size_(size), places_(new void*[size]()) {}
  void grow(std::size_t size) {
    Services larger(size);
    std::copy_n(places_.get(), size_, larger.places_.get());
    *this = std::move(larger);
  }

  std::size_t size_;
  core::Owned<void*[]> places_;
};

}  // namespace roam::exec
