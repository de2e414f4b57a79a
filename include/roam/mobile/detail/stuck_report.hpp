// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace roam::mobile {

/// An execution that waits although nothing makes progress any more.
struct StuckWait {
  std::int32_t rank = 0;
  std::uint64_t execution = 0;       ///< identifies it on its rank; 0: not known
  std::uint64_t subject = 0;         ///< the object on which it runs, 0: none
  std::uint64_t awaited_object = 0;  ///< 0: none
  std::uint64_t awaited_answer = 0;  ///< number of its request on its rank, 0: none
  std::int32_t answers_rank = -1;    ///< the rank whose request it answers when it is over
  std::uint64_t answers_number = 0;
  std::string who;
  std::string waits_for;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(rank, execution, subject, awaited_object, awaited_answer, answers_rank, answers_number,
            who, waits_for);
  }
};

/// A call that has arrived at its object and cannot start.
struct StuckCall {
  std::string handler;
  std::int32_t origin = -1;
  std::uint32_t sequence = 0;
  std::uint32_t expected = 0;  ///< the missing number, for a call set aside
  std::uint64_t request = 0;   ///< the number of the request whose answer its origin awaits
  std::uint64_t holder = 0;    ///< the multicast for which it would hold the object
  template <class Archive>
  void serialize(Archive& archive) {
    archive(handler, origin, sequence, expected, request, holder);
  }
};

/// An object that runs something, is held or has calls that cannot start.
struct StuckObject {
  std::int32_t rank = 0;  ///< the rank where it is
  std::uint64_t id = 0;
  std::string type;
  std::uint64_t holder = 0;            ///< the multicast that holds it, 0: none
  std::uint64_t holder_execution = 0;  ///< the handler of that multicast, on that rank
  std::uint64_t queued = 0;            ///< calls behind the present one
  std::uint64_t set_aside_count = 0;
  std::vector<StuckCall> queue;      ///< the first of the queued calls
  std::vector<StuckCall> set_aside;  ///< the first calls that wait for their predecessors
  template <class Archive>
  void serialize(Archive& archive) {
    archive(rank, id, type, holder, holder_execution, queued, set_aside_count, queue, set_aside);
  }
};

/// Executions on some ranks that wait for the end of all work.
struct StuckAtEnd {
  std::string who;
  std::string called;               ///< what the program has called: "phase()"
  std::vector<std::int32_t> ranks;  ///< the first of them
  std::uint64_t count = 0;
  static constexpr std::size_t most_ranks = 8;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(who, called, ranks, count);
  }
};

/// The program's name for an object: "Block (0, 1)".
struct StuckName {
  std::uint64_t id = 0;
  std::string name;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(id, name);
  }
};

/// What a rank knows of an epoch that is not over.
struct StuckEpoch {
  std::int32_t rank = 0;
  std::uint64_t epoch = 0;
  std::uint64_t unfinished = 0;
  bool is_open = false;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(rank, epoch, unfinished, is_open);
  }
};

/// A phase of a collection that is being reduced and to which some elements of a rank have not
/// contributed.
struct StuckPhase {
  /// What an element has contributed to the phase of the same number, but with other types.
  struct Other {
    std::string element;
    std::string values;
    template <class Archive>
    void serialize(Archive& archive) {
      archive(element, values);
    }
  };
  std::int32_t rank = 0;
  std::uint64_t number = 0;
  std::uint64_t elements = 0;  ///< the number of elements whose home is the rank
  std::uint64_t missing_count = 0;
  std::string class_name;               ///< the class of the elements
  std::string values;                   ///< the type of the values, and of what combines them
  std::vector<std::string> missing;     ///< names of the first missing elements
  std::vector<Other> others;            ///< other contributions of missing elements
  std::vector<std::string> came_again;  ///< elements that contributed twice
  static constexpr std::size_t most_elements = 8;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(rank, number, elements, missing_count, class_name, values, missing, others, came_again);
  }
};

/// Who waits for what on some ranks, when no progress is possible (M10). Its size is bounded: what
/// exceeds the bounds is only counted.
struct StuckFacts {
  std::vector<StuckWait> waits;
  std::vector<StuckObject> objects;
  std::vector<StuckAtEnd> at_end;
  std::vector<StuckName> names;  ///< the names of objects above that have one
  std::vector<StuckEpoch> epochs;
  std::vector<StuckPhase> phases;
  std::vector<std::string> notes;  ///< what rooms above add: whole sentences, one per line
  std::uint64_t waits_left_out = 0;
  std::uint64_t objects_left_out = 0;
  std::uint64_t at_end_left_out = 0;
  std::uint64_t epochs_left_out = 0;
  std::uint64_t phases_left_out = 0;
  std::uint64_t notes_left_out = 0;

  static constexpr std::size_t most_waits = 256;
  static constexpr std::size_t most_objects = 256;
  static constexpr std::size_t most_at_end = 16;  ///< different ones
  static constexpr std::size_t most_names = 1024;
  static constexpr std::size_t most_epochs = 64;
  static constexpr std::size_t most_phases = 64;
  static constexpr std::size_t most_notes = 64;
  static constexpr std::size_t most_calls = 16;  ///< for each object
  void add(StuckWait wait);
  void add(StuckObject object);
  /// Adds executions; those that wait in the same way are joined.
  void add(StuckAtEnd waiting);
  /// Gives an object a name, also in waits that have been added before.
  void add(StuckName name);
  void add(StuckEpoch epoch);
  void add(StuckPhase phase);
  void add(StuckFacts other);
  void add_note(std::string line);
  /// Every object that a wait or an object above mentions, once.
  [[nodiscard]] std::vector<std::uint64_t> objects_told_of() const;
  [[nodiscard]] bool has_name(std::uint64_t object) const;
  /// "Block (0, 1)", or "object 0:17" if it has no name.
  [[nodiscard]] std::string name_of(std::uint64_t object) const;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(waits, objects, at_end, names, epochs, phases, notes, waits_left_out, objects_left_out,
            at_end_left_out, epochs_left_out, phases_left_out, notes_left_out);
  }
};

/// The report as text: one line for each fact, then the circles of those that wait for each other,
/// and what helps.
[[nodiscard]] std::string describe(const StuckFacts& facts);
/// The report as a graph in the language of Graphviz: executions, objects and multicasts by rank,
/// and who waits for whom; circles in red.
[[nodiscard]] std::string draw(const StuckFacts& facts);

}  // namespace roam::mobile
