// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "roam/mobile/placement.hpp"

namespace roam::flow {

/// @cond
/// A program's own relation between tasks of a for_each and the elements that they read.
struct IndexMap {
  /// The element that a task reads, of a collection of this extent.
  mobile::Coordinates (*element)(const mobile::Coordinates& task,
                                 const mobile::Coordinates& extent);
  /// Appends the tasks that read an element.
  void (*readers)(const mobile::Coordinates& element, const mobile::Coordinates& extent,
                  std::vector<mobile::Coordinates>& tasks);
};

/// Where an argument of for_each finds its datum: offset from the element that the task is for, or
/// by a map.
struct Offset {
  mobile::Coordinates by{0, 0, 0};
  bool is_periodic = false;
  const IndexMap* map = nullptr;
  [[nodiscard]] bool is_own() const { return (by[0] | by[1] | by[2]) == 0 && map == nullptr; }
};

namespace detail {

template <class F>
struct MapTraits;
template <int E, int D>
struct MapTraits<Index<E> (*)(Index<D>, Index<E>)> {
  static constexpr int of_task = D;
  static constexpr int of_element = E;
};
template <int E, int D>
struct MapTraits<Index<E> (*)(const Index<D>&, const Index<E>&)>
    : MapTraits<Index<E> (*)(Index<D>, Index<E>)> {};

template <auto Map, auto Readers, int D, int E>
inline constexpr IndexMap index_map{
    [](const mobile::Coordinates& task, const mobile::Coordinates& extent) {
      return mobile::coordinates_of(Map(mobile::index_of<D>(task), mobile::index_of<E>(extent)));
    },
    [](const mobile::Coordinates& element, const mobile::Coordinates& extent,
       std::vector<mobile::Coordinates>& tasks) {
      for (const Index<D>& task :
           Readers(mobile::index_of<E>(element), mobile::index_of<E>(extent)))
        tasks.push_back(mobile::coordinates_of(task));
    }};

}  // namespace detail
/// @endcond

}  // namespace roam::flow
