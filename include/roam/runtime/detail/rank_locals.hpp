// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "roam/core/detail/owned.hpp"

namespace roam {

namespace detail {
/// Returns a new number for a type that is used as a rank's own state, as
/// exec::detail::take_service_number() does for services.
[[nodiscard]] std::size_t take_local_number();
[[nodiscard]] std::size_t local_count();
template <class T>
inline const std::size_t local_number = take_local_number();
}  // namespace detail

/// The objects of a rank that a program asks for, one of each type: Runtime::local<T>().
/// Thread-safe.
class RankLocals {
 public:
  RankLocals();
  RankLocals(const RankLocals&) = delete;
  RankLocals& operator=(const RankLocals&) = delete;
  /// Destroys the objects in the reverse order of their construction.
  ~RankLocals();

  /// Returns the object of type T, made by `make` at the first call. `make` returns a
  /// std::shared_ptr<T> and may ask for objects of other types.
  template <class T, class Make>
  [[nodiscard]] T& get(const Make& make) {
    const std::size_t number = detail::local_number<T>;
    if (number < size_) {
      if (void* const object = places_[number].load(std::memory_order_acquire))
        return *static_cast<T*>(object);
    }
    const std::lock_guard guard(mutex_);
    if (void* const object = find(number)) return *static_cast<T*>(object);
    std::shared_ptr<T> object = make();
    T& result = *object;
    add(number, std::move(object));
    return result;
  }

 private:
  // Both under mutex_:
  [[nodiscard]] void* find(std::size_t number) const;
  void add(std::size_t number, std::shared_ptr<void> object);

  // Number of types known when the rank was made. A library that is loaded later may have more;
  // those are searched for.
  const std::size_t size_;
  const core::Owned<std::atomic<void*>[]> places_;  // written under mutex_, read by any thread
  std::recursive_mutex mutex_;
  std::vector<std::pair<std::size_t, std::shared_ptr<void>>> made_;  // under mutex_
};

}  // namespace roam
