// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <coroutine>
#include <functional>
#include <type_traits>
#include <utility>

#include "roam/core/detail/named_arguments.hpp"
#include "roam/core/error.hpp"
#include "roam/exec/engine.hpp"
#include "roam/mobile/detail/object_space.hpp"

namespace roam {

/// @cond
namespace mobile {
/// The object space of the rank whose code runs on this thread. Throws roam::Error outside of
/// Roam's handlers and main programs.
[[nodiscard]] ObjectSpace& current_space();
}  // namespace mobile
/// @endcond

/// Names a mobile object of class T on any rank: a value of 8 bytes, copyable, hashable,
/// serialisable, valid on every rank for the object's life (M1). Its methods may be used inside
/// handlers and main programs; none of them blocks.
template <class T>
class mobile_ptr {
 public:
  using element_type = T;
  constexpr mobile_ptr() = default;
  /// Names the object with this id, which must be of class T.
  constexpr explicit mobile_ptr(ObjectId id) : id_(id) {}

  /// The object's id, without its class.
  [[nodiscard]] constexpr ObjectId id() const { return id_; }
  [[nodiscard]] constexpr explicit operator bool() const { return static_cast<bool>(id_); }
  friend constexpr auto operator<=>(mobile_ptr, mobile_ptr) = default;

  /// Runs Method(arguments...) on the object, wherever it is by then, exactly once, after this
  /// sender's earlier calls to it. A non-const method has the object to itself; const ones may
  /// overlap.
  template <auto Method, class... A>
  void send(A&&... arguments) const {
    send_with<Method>(CallOptions{}, std::forward<A>(arguments)...);
  }
  /// Runs Method as send() does, with priority, cost or weight: see CallOptions.
  template <auto Method, class... A>
  void send_with(const CallOptions& options, A&&... arguments) const {
    if constexpr (!mobile::detail::can_run_on<Method, T>) {
      mobile::detail::explain_handler<Method, T>();
    } else {
      mobile::current_space().send<Method>(id_, options, {}, std::forward<A>(arguments)...);
    }
  }
  /// Runs Method(arguments...) on the object as send() does, and returns its result: `double q =
  /// co_await object.call<&T::quality>();`. See am::Reply for errors.
  template <auto Method, class... A>
  [[nodiscard]] auto call(A&&... arguments) const {
    return call_with<Method>(CallOptions{}, std::forward<A>(arguments)...);
  }
  /// Runs Method as call() does, with priority, deadline, cost or weight: see CallOptions.
  template <auto Method, class... A>
  [[nodiscard]] auto call_with(const CallOptions& options, A&&... arguments) const {
    if constexpr (!mobile::detail::can_run_on<Method, T>) {
      mobile::detail::explain_handler<Method, T>();
      return std::suspend_never();
    } else {
      core::require_named_arguments<A...>();
      return mobile::current_space().call<Method>(id_, options, std::forward<A>(arguments)...);
    }
  }
  /// Asks the object to move to a rank once no handler runs on it. Returns at once.
  void migrate(Rank target) const { mobile::current_space().migrate(id_, target); }
  /// Moves the object to a rank: `co_await object.migrate_and_wait(1);`. The task ends once the
  /// object has been there, after this sender's earlier calls to it. Throws roam::RemoteError if
  /// the object cannot be brought there.
  [[nodiscard]] Task<> migrate_and_wait(Rank target) const {
    return mobile::current_space().migrate_and_wait(id_, target);
  }
  /// Ends the object after this sender's earlier calls; later calls fail with ObjectGone (M8).
  void destroy() const { mobile::current_space().destroy(id_); }

  /// Writes or reads the id with an archive of the program's own. (In messages it is copied as
  /// bytes.)
  template <class Archive>
    requires(!std::is_base_of_v<core::PackArchive, Archive> &&
             !std::is_base_of_v<core::UnpackArchive, Archive>)
  void serialize(Archive& archive) {
    std::uint64_t value = id_.value();
    archive(value);
    id_ = ObjectId(value);
  }

 private:
  ObjectId id_;
};

}  // namespace roam

template <class T>
struct std::hash<roam::mobile_ptr<T>> {
  std::size_t operator()(roam::mobile_ptr<T> p) const noexcept {
    return std::hash<roam::ObjectId>{}(p.id());
  }
};
