// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "roam/am/detail/handler_table.hpp"
#include "roam/core/object_id.hpp"
#include "roam/core/serialise.hpp"
#include "roam/mobile/collection_index.hpp"

namespace roam {

/// @cond
namespace mobile {

/// A function of the program that all ranks know by its symbol, as they know handlers: a placement
/// or a predicate. Static; linked into a list of all of its kind during static initialisation.
template <class Function>
class NamedFunction {
 public:
  NamedFunction(const core::ProgramName& function_name, Function named)
      : name_(function_name),
        id_(am::handler_id(function_name.symbol)),
        function_(named),
        next_(first_of_kind) {
    first_of_kind = this;
  }
  NamedFunction(const NamedFunction&) = delete;
  NamedFunction& operator=(const NamedFunction&) = delete;
  [[nodiscard]] std::uint32_t id() const { return id_; }
  [[nodiscard]] const core::ProgramName& program_name() const { return name_; }
  [[nodiscard]] const Function& function() const { return function_; }
  [[nodiscard]] const NamedFunction* next() const { return next_; }
  [[nodiscard]] static const NamedFunction* first() { return first_of_kind; }
  /// The function with this id; nullptr if this program has none.
  [[nodiscard]] static const NamedFunction* find(std::uint32_t id) {
    const NamedFunction* function = first_of_kind;
    while (function != nullptr && function->id_ != id) function = function->next_;
    return function;
  }

 private:
  static inline constinit const NamedFunction* first_of_kind =
      nullptr;  // written during static initialisation only
  core::ProgramName name_;
  std::uint32_t id_;
  Function function_;
  const NamedFunction* next_;
};

/// Coordinates without their number of dimensions; unused ones are 0 (in an extent: 1).
using Coordinates = std::array<std::int64_t, 3>;

template <int D>
[[nodiscard]] constexpr Coordinates coordinates_of(const Index<D>& index, std::int64_t beyond = 0) {
  Coordinates at{beyond, beyond, beyond};
  for (int d = 0; d < D; ++d) at[static_cast<std::size_t>(d)] = index[d];
  return at;
}
template <int D>
[[nodiscard]] constexpr Index<D> index_of(const Coordinates& at) {
  Index<D> index;
  for (int d = 0; d < D; ++d) index[d] = at[static_cast<std::size_t>(d)];
  return index;
}

/// A program's own map from indices or packed keys to ranks; one of the two is set.
struct PlacementMap {
  std::int32_t (*of_index)(const Coordinates& at, const Coordinates& extent,
                           std::int32_t ranks) = nullptr;
  std::int32_t (*of_key)(std::span<const std::byte> key, std::int32_t ranks) = nullptr;
  int dimensions = 0;
};

namespace detail {

template <class F>
struct PlacementMapTraits;
template <class R, int D>
struct PlacementMapTraits<R (*)(Index<D>, Index<D>, std::int32_t)> {
  template <auto Map>
  static std::int32_t call(const Coordinates& at, const Coordinates& extent, std::int32_t ranks) {
    return Rank(Map(index_of<D>(at), index_of<D>(extent), ranks)).value();
  }
  template <auto Map>
  static PlacementMap make() {
    return {&call<Map>, nullptr, D};
  }
};
template <class R, int D>
struct PlacementMapTraits<R (*)(const Index<D>&, const Index<D>&, std::int32_t)>
    : PlacementMapTraits<R (*)(Index<D>, Index<D>, std::int32_t)> {};
template <class R, class Key>
struct PlacementMapTraits<R (*)(Key, std::int32_t)> {
  template <auto Map>
  static std::int32_t call(std::span<const std::byte> key, std::int32_t ranks) {
    core::Unpacker bytes(key);
    return Rank(Map(core::unpack_all<std::decay_t<Key>>(bytes), ranks)).value();
  }
  template <auto Map>
  static PlacementMap make() {
    return {nullptr, &call<Map>, 0};
  }
};

template <auto Map>
inline const NamedFunction<PlacementMap> placement_map{
    core::program_name_of_value<Map>(),
    PlacementMapTraits<std::remove_cv_t<decltype(Map)>>::template make<Map>()};

}  // namespace detail
}  // namespace mobile
/// @endcond

/// Determines the rank on which each element of a collection is made: its home, which others ask
/// for it. Where the element is later does not depend on it. A value that can be sent.
class Placement {
 public:
  /// Gives each rank as many consecutive elements as any other, in the order of their indices (the
  /// last coordinate varies fastest).
  [[nodiscard]] static constexpr Placement block() { return {Kind::block, 0}; }
  /// Elements are dealt to the ranks in turn: element k to rank k modulo the number of ranks.
  [[nodiscard]] static constexpr Placement cyclic() { return block_cyclic(1); }
  /// Pieces of `length` consecutive elements are dealt to the ranks in turn; 0 is taken as 1.
  [[nodiscard]] static constexpr Placement block_cyclic(std::uint32_t length) {
    return {Kind::block_cyclic, length == 0 ? 1 : length};
  }
  /// Places elements by a function of the program: `Rank f(Index<D> index, Index<D> extent, int
  /// ranks)`, for sparse collections `Rank f(Key, int ranks)`; it may also return an int. It must
  /// give the same rank for the same arguments wherever and whenever it is called.
  template <auto Map>
  [[nodiscard]] static Placement by() {
    return {Kind::user, mobile::detail::placement_map<Map>.id()};
  }
  /// For sparse collections: a hash of the key determines the rank.
  [[nodiscard]] static constexpr Placement hash() { return {Kind::hash, 0}; }

  /// @cond
  enum class Kind : std::uint32_t { block, block_cyclic, hash, user };
  /// @endcond
  constexpr Placement() = default;
  /// @cond
  constexpr Placement(Kind kind, std::uint32_t parameter) : kind_(kind), parameter_(parameter) {}
  [[nodiscard]] constexpr Kind kind() const { return kind_; }
  /// The length of the pieces, or the function's id.
  [[nodiscard]] constexpr std::uint32_t parameter() const { return parameter_; }
  /// @endcond
  friend constexpr bool operator==(const Placement&, const Placement&) = default;

 private:
  Kind kind_ = Kind::block;
  std::uint32_t parameter_ = 0;
};

/// @cond
namespace mobile {

/// What every rank, and every handle, knows of a collection. Sent as bytes.
struct CollectionShape {
  /// The job-wide number of its first element, which identifies the collection. 0: none.
  std::uint64_t base = 0;
  Coordinates extent{1, 1, 1};
  Placement placement;
  std::int32_t ranks = 1;
  std::int32_t dimensions = 0;  ///< 0: sparse
  friend bool operator==(const CollectionShape&, const CollectionShape&) = default;

  /// Dense: the number of elements, including those that have been erased.
  [[nodiscard]] std::uint64_t count() const {
    return static_cast<std::uint64_t>(extent[0]) * static_cast<std::uint64_t>(extent[1]) *
           static_cast<std::uint64_t>(extent[2]);
  }
  [[nodiscard]] bool contains(const Coordinates& at) const {
    return at[0] >= 0 && at[0] < extent[0] && at[1] >= 0 && at[1] < extent[1] && at[2] >= 0 &&
           at[2] < extent[2];
  }
  [[nodiscard]] std::uint64_t linear(const Coordinates& at) const {
    return static_cast<std::uint64_t>((at[0] * extent[1] + at[1]) * extent[2] + at[2]);
  }
  [[nodiscard]] Coordinates coordinates(std::uint64_t linear) const;
  /// The home of an element. Throws roam::Error if the program's map gives no rank of the job.
  [[nodiscard]] Rank home(std::uint64_t linear) const;
  [[nodiscard]] Rank home_of_key(std::span<const std::byte> key) const;
  [[nodiscard]] ObjectId element(std::uint64_t linear) const {
    return {home(linear), ObjectId::element_bit | (base + linear)};
  }
  /// Throws roam::Error if there is no such element.
  [[nodiscard]] ObjectId element(const Coordinates& at) const {
    if (!contains(at)) throw_outside(at);
    return element(linear(at));
  }
  /// The index as text: "(2, 3)".
  [[nodiscard]] std::string describe(const Coordinates& at) const;
  /// Throws roam::Error unless it can be made: checks the extents, their product, and the
  /// placement.
  void check() const;

  /// The largest number of elements in a job, which all its collections share.
  static constexpr std::uint64_t most_elements = ObjectId::element_bit - 1;

 private:
  [[noreturn]] void throw_outside(const Coordinates& at) const;
  [[nodiscard]] std::int32_t checked_rank(std::int32_t rank, const std::string& what) const;
};

/// The elements of a dense collection whose home is one rank, in the order of their indices:
/// computed, or stored in a list if the program places them.
class HomeElements {
 public:
  /// Calls the program's map for every element of the collection, if it has one.
  HomeElements(const CollectionShape& shape, Rank rank);
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::uint64_t linear(std::uint64_t position) const;
  /// True if the element, which may be any of the collection, is one of them.
  [[nodiscard]] bool contains(std::uint64_t linear) const {
    const std::uint64_t at = position(linear);
    return at < count_ && this->linear(at) == linear;
  }
  /// The position of one of them.
  [[nodiscard]] std::uint64_t position(std::uint64_t linear) const;

 private:
  Placement placement_;
  std::uint64_t ranks_ = 1;
  std::uint64_t rank_ = 0;
  std::uint64_t first_ = 0;
  std::uint64_t count_ = 0;
  std::vector<std::uint64_t> listed_;
};

}  // namespace mobile
/// @endcond
}  // namespace roam
