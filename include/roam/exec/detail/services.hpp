// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstddef>

#include "roam/core/detail/owned.hpp"
#include "roam/exec/detail/working_set.hpp"

namespace roam::exec {

namespace detail {
/// Gives the next type that is used as a service its number. Called during static initialisation of
/// the program or of a library that it loads.
[[nodiscard]] std::size_t take_service_number();
/// The number of types that are used as services.
[[nodiscard]] std::size_t service_count();
/// The number of this type; constant once static initialisation is over.
template <class Service>
inline const std::size_t service_number = take_service_number();
}  // namespace detail

/// Lets upper rooms find their own part of the running rank through its engine, although the engine
/// does not know their types: each type has a place of its own. Parts are set while the rank is
/// made, before its workers run, and reset when it ends, after they have run; in between, any
/// thread may call get().
class Services {
 public:
  Services() : Services(detail::service_count()) {}
  template <class Service>
  void set(Service* service) {
    const std::size_t number = detail::service_number<Service>;
    // A service of a library that was loaded after the rank was made has no place yet.
    if (number >= size_) grow(number + 1);
    places_[number] = service;
  }
  /// The rank's part of this type; nullptr if it has none. Costs every call one load. A type of a
  /// library that was loaded after the rank was made may be asked for only once its part has been
  /// set.
  template <class Service>
  [[nodiscard]] Service* get() const {
    const std::size_t number = detail::service_number<Service>;
    assert(number < size_);
    return static_cast<Service*>(places_[number]);
  }
  void add_to(WorkingSet& set) const { set.add(places_.get(), size_ * sizeof places_[0]); }

 private:
  explicit Services(std::size_t size) : size_(size), places_(new void*[size]()) {}
  void grow(std::size_t size);

  std::size_t size_;
  core::Owned<void*[]> places_;
};

}  // namespace roam::exec
