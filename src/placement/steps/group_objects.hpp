// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "flows.hpp"
#include "placement/communication_time.hpp"
#include "roam/core/detail/machine_tree.hpp"
#include "roam/core/machine.hpp"
#include "roam/placement/distributed.hpp"
#include "roam/placement/load_graph.hpp"

namespace roam::placement {

/// The communication of an object with another one. Plain bytes.
struct Tie {
  std::uint64_t object = 0;  ///< ids
  std::uint64_t other = 0;
  double bytes = 0;
  double messages = 0;
  std::int64_t group = 0;  ///< of ranks, in which the other one is
};

/// Says in which group an object is now. Plain bytes.
struct ObjectGroup {
  std::uint64_t object = 0;
  std::int64_t group = 0;
};

/// News for a group.
struct News {
  std::int64_t to = 0;  ///< the group that has to know
  ObjectGroup what;
};

/// Objects on their way from one group to another, with all their ties.
struct Travellers {
  std::vector<ObjectNote> objects;
  std::vector<Tie> ties;
};

/// Work that one group gives to another, in objects of these sizes only.
struct SizedFlow : Flow {
  double above = 0;  ///< seconds of an object; it has more
  double most_object = std::numeric_limits<double>::max();
};

/// The objects of one group of ranks with all their communication, as the rank that decides for the
/// group knows them; each tie is known where either object is. Objects go to other groups and come
/// from them, in all groups at the same time: give(), then arrive(), then hear() what arrive() has
/// forwarded; then all groups know again where everything is. The rank in a note is the place of
/// the object's rank in the machine's tree.
class GroupObjects {
 public:
  GroupObjects() = default;
  /// `places`: of the group's ranks.
  GroupObjects(std::int64_t group, TreeRange places) : group_(group), places_(places) {}

  void add(const ObjectNote& note) { objects_.push_back(note); }
  void add(const Tie& tie) { ties_.push_back(tie); }
  /// Puts in order what was added: ties of objects that are not here, and of objects with
  /// themselves, are left out; several ties of the same two objects become one. O(n log n).
  void sort();

  [[nodiscard]] bool has(std::uint64_t object) const { return number_.contains(object); }
  [[nodiscard]] const std::vector<ObjectNote>& objects() const { return objects_; }
  [[nodiscard]] double work_seconds() const;
  /// The bytes between objects here and those of each other group, by group.
  [[nodiscard]] std::vector<std::pair<std::int64_t, double>> bytes_to_groups() const;

  /// Takes out objects that fill the flows (all from this group, each to another one) without
  /// exceeding them: one after the other that object which, for its work, communicates more with
  /// the other group and less with this one than others do; among equal ones, one of the rank that
  /// has most to do. Returns them by the group to which they go.
  [[nodiscard]] std::map<std::int64_t, Travellers> give(std::span<const SizedFlow> flows);
  /// Who has to know of the objects that the last give() took out, besides those who get them.
  [[nodiscard]] std::vector<News> news() const;
  /// Takes in objects, and hears news. Returns what has to be forwarded because an object that it
  /// concerns went elsewhere in the last give().
  [[nodiscard]] std::vector<News> arrive(std::span<const Travellers> travellers,
                                         std::span<const ObjectGroup> news);
  void hear(std::span<const ObjectGroup> news);

  /// The group as a problem by itself. Objects from other groups begin on those ranks that have
  /// least to do; objects are numbered as in objects().
  struct Problem {
    LoadGraph graph;
    std::vector<OutsideLink> outside;
  };
  /// `part`: the ranks of the group; `level_of(group)`: the level of the network on which they meet
  /// those of another.
  [[nodiscard]] Problem problem(
      const Machine& part, const std::vector<double>& fixed_seconds,
      const std::function<std::size_t(std::int64_t group)>& level_of) const;

 private:
  class Giving;
  [[nodiscard]] std::span<const Tie> ties_of(std::uint64_t object) const;
  [[nodiscard]] bool is_native(const ObjectNote& note) const { return places_.contains(note.rank); }
  void part_with(std::span<const std::int64_t> to);

  std::int64_t group_ = 0;
  TreeRange places_;
  std::vector<ObjectNote> objects_;                          // those of this group first, by id
  std::vector<Tie> ties_;                                    // by object, then by the other one
  std::unordered_map<std::uint64_t, std::uint32_t> number_;  // of each object, in objects_
  // Of the last give():
  std::unordered_map<std::uint64_t, std::int64_t> gone_;  // the new group of what was taken out
  std::vector<Tie> gone_ties_;                            // the ties of those objects
};

}  // namespace roam::placement
