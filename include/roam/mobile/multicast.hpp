// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "roam/am/detail/program_handler.hpp"
#include "roam/exec/task.hpp"
#include "roam/mobile/detail/object_space.hpp"
#include "roam/mobile/mobile_ptr.hpp"

namespace roam {

/// The objects of a multicast, in the order in which they were named. All are on this rank and held
/// for the handler that has this as its first parameter: nobody else runs on them or moves them
/// until it has ended.
template <class T>
class Gathered {
 public:
  using element_type = T;
  Gathered() = default;
  /// @cond
  Gathered(std::vector<T*> objects, std::vector<ObjectId> ids, std::uint64_t holder)
      : objects_(std::move(objects)), ids_(std::move(ids)), holder_(holder) {}
  /// @endcond

  [[nodiscard]] std::size_t size() const { return objects_.size(); }
  [[nodiscard]] T& operator[](std::size_t i) const { return *objects_[i]; }
  /// A pointer that names object i.
  [[nodiscard]] mobile_ptr<T> name(std::size_t i) const { return mobile_ptr<T>(ids_[i]); }
  /// The number of the handler that holds these objects, for MulticastOptions::inside of another
  /// multicast.
  [[nodiscard]] std::uint64_t holder() const { return holder_; }

  /// @cond
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = T*;
    using reference = T&;
    explicit Iterator(T* const* at) : at_(at) {}
    [[nodiscard]] T& operator*() const { return **at_; }
    Iterator& operator++() { return ++at_, *this; }
    friend bool operator==(Iterator, Iterator) = default;

   private:
    T* const* at_;
  };
  using iterator = Iterator;
  [[nodiscard]] Iterator begin() const { return Iterator(objects_.data()); }
  [[nodiscard]] Iterator end() const { return Iterator(objects_.data() + objects_.size()); }
  /// @endcond

 private:
  std::vector<T*> objects_;
  std::vector<ObjectId> ids_;
  std::uint64_t holder_ = 0;
};

/// Where a multicast gathers its objects, and inside which other one it runs.
struct MulticastOptions {
  /// The rank to which the objects are brought; no_rank: where most of them are, as far as is known
  /// here.
  Rank at = no_rank;
  /// Gathered::holder() of the handler that issues this multicast and awaits it. Objects that it
  /// holds may be named again; the other ones are then brought to where these are.
  std::uint64_t inside = 0;
};

/// @cond
namespace mobile {

/// Objects that a multicast holds on one rank.
struct Gathering {
  std::uint64_t holder = 0;
  Rank where;
};

/// Brings the objects to one rank and holds them there, one after the other in the order of their
/// ids, so that overlapping multicasts cannot wait for each other in a circle (M9; PREMA 4.1.3,
/// ilb_multicast). Throws ObjectGone if one does not exist, roam::RemoteError if the rank refuses
/// one; objects held by then are released.
[[nodiscard]] Task<Gathering> gather_objects(ObjectSpace& space, std::vector<ObjectId> ids,
                                             MulticastOptions options);

/// What a holder holds on this rank; the destructor releases it. `outer` is the holder inside whose
/// handler the multicast was issued, or 0.
class HeldObjects {
 public:
  HeldObjects(ObjectSpace& space, std::uint64_t holder, std::uint64_t outer)
      : space_(space), holder_(holder), outer_(outer) {}
  HeldObjects(const HeldObjects&) = delete;
  HeldObjects& operator=(const HeldObjects&) = delete;
  ~HeldObjects() {
    space_.release_held(holder_);
    if (outer_ != 0) space_.release_held(outer_);
  }
  /// The objects in the order of `ids`. Throws MalformedMessage if one is not held or not of that
  /// class.
  [[nodiscard]] std::vector<void*> find(const std::vector<ObjectId>& ids,
                                        const ObjectType& type) const;

 private:
  ObjectSpace& space_;
  std::uint64_t holder_;
  std::uint64_t outer_;
};

namespace detail {

/// Takes the type of a multicast's function apart: first the objects, by value or by reference,
/// then the parameters that are sent.
template <class F>
struct MulticastFunction;
template <class R, class First, class... P>
struct MulticastFunction<R (*)(First, P...)> : MulticastFunction<R (*)(std::decay_t<First>, P...)> {
};
template <class R, class T, class... P>
struct MulticastFunction<R (*)(Gathered<T>, P...)> {
  using Result = R;
  using Object = T;
  using Rest = typename core::ParametersOf<P...>::Arguments;
};
template <class R, class... P>
struct MulticastFunction<R (*)(P...) noexcept> : MulticastFunction<R (*)(P...)> {};
template <auto F>
using MulticastOf = MulticastFunction<std::remove_cv_t<decltype(F)>>;

/// Runs on the rank where the objects are.
template <auto F, class... P>
Task<am::ResultOf<typename MulticastOf<F>::Result>> run_gathered(std::uint64_t holder,
                                                                 std::uint64_t outer,
                                                                 std::vector<ObjectId> ids,
                                                                 P... arguments) {
  using T = typename MulticastOf<F>::Object;
  const HeldObjects held(current_space(), holder, outer);
  std::vector<T*> objects;
  for (void* object : held.find(ids, object_type<T>())) objects.push_back(static_cast<T*>(object));
  Gathered<T> gathered(std::move(objects), std::move(ids), holder);
  if constexpr (exec::is_task<typename MulticastOf<F>::Result>) {
    co_return co_await F(gathered, std::move(arguments)...);
  } else {
    co_return F(gathered, std::move(arguments)...);
  }
}

/// Runs on the rank that issued the multicast.
template <auto F, class... P>
Task<am::ResultOf<typename MulticastOf<F>::Result>> coordinate(std::vector<ObjectId> ids, Rank at,
                                                               std::uint64_t inside,
                                                               P... arguments) {
  ObjectSpace& space = current_space();
  MulticastOptions options;
  options.at = at;
  options.inside = inside;
  const Gathering gathering = co_await gather_objects(space, ids, options);
  auto reply = space.messenger().request<&run_gathered<F, P...>>(
      gathering.where, gathering.holder, inside, std::move(ids), std::move(arguments)...);
  co_return co_await reply;
}

template <auto F, class... P, class Issue>
auto issue_multicast(std::type_identity<std::tuple<P...>>, Issue&& issue) {
  return std::forward<Issue>(issue).template operator()<&coordinate<F, P...>>();
}

template <class T>
std::vector<ObjectId> ids_of(const std::vector<mobile_ptr<T>>& objects) {
  std::vector<ObjectId> ids;
  ids.reserve(objects.size());
  for (const auto& object : objects) ids.push_back(object.id());
  return ids;
}

}  // namespace detail

/// Runs F(gathered, arguments...) on one rank once all the objects are there, with exclusive access
/// to all of them. F is a function `R f(roam::Gathered<T>, ...)`, which may be a coroutine, and
/// must not move the objects or await calls to them. Returns at once. It starts after this sender's
/// earlier calls to these objects; later calls may overtake it.
template <auto F, class T, class... A>
void multicast(ObjectSpace& space, const std::vector<mobile_ptr<T>>& objects,
               const MulticastOptions& options, A&&... arguments) {
  static_assert(std::is_same_v<typename detail::MulticastOf<F>::Object, T>,
                "the handler's first parameter is the Gathered<T> of the objects' class T");
  space.begin_nested(options.inside);
  detail::issue_multicast<F>(
      std::type_identity<typename detail::MulticastOf<F>::Rest>{}, [&]<auto Coordinate>() {
        space.messenger().send<Coordinate>(space.rank(), detail::ids_of(objects), options.at,
                                           options.inside, std::forward<A>(arguments)...);
      });
}
/// Does the same and returns F's result. See am::Reply for errors; also throws ObjectGone if one of
/// the objects does not exist.
template <auto F, class T, class... A>
[[nodiscard]] auto multicast_call(ObjectSpace& space, const std::vector<mobile_ptr<T>>& objects,
                                  const MulticastOptions& options, A&&... arguments) {
  static_assert(std::is_same_v<typename detail::MulticastOf<F>::Object, T>,
                "the handler's first parameter is the Gathered<T> of the objects' class T");
  space.begin_nested(options.inside);
  return detail::issue_multicast<F>(
      std::type_identity<typename detail::MulticastOf<F>::Rest>{}, [&]<auto Coordinate>() {
        return space.messenger().request<Coordinate>(space.rank(), detail::ids_of(objects),
                                                     options.at, options.inside,
                                                     std::forward<A>(arguments)...);
      });
}

}  // namespace mobile
/// @endcond
}  // namespace roam
