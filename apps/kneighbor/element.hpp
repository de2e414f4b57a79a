// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <roam/roam.hpp>

namespace kneighbor {

class Element;
using Ring = roam::collection<Element, 1>;

/// Parameters that all elements share.
struct Pattern {
  Ring ring;
  std::int32_t neighbours = 0;
  std::int64_t bytes = 0;
  double work_seconds = 0;
  double byte_seconds = 0;  ///< in virtual time
  bool is_quadratic = false;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(ring, neighbours, bytes, work_seconds, byte_seconds, is_quadratic);
  }
};

/// Counters of what elements have received and computed.
struct Counts {
  std::uint64_t questions = 0;
  std::uint64_t answers = 0;
  std::uint64_t bytes = 0;
  std::uint64_t wrong_elements = 0;  ///< elements whose own counts are wrong
  friend Counts operator+(const Counts& a, const Counts& b) {
    return {a.questions + b.questions, a.answers + b.answers, a.bytes + b.bytes,
            a.wrong_elements + b.wrong_elements};
  }
};

/// An element of a ring. In each round it sends a message to each of its neighbours, which send it
/// back, and the round ends when all have come back. Neighbours may be rounds ahead or behind.
class Element {
 public:
  Element() = default;
  explicit Element(const roam::Index<1>& place) : place_(place[0]) {}

  void set(const Pattern& pattern) { pattern_ = pattern; }
  /// Runs that many further rounds.
  void run(std::int32_t rounds);
  /// Receives a message of a neighbour and sends it back.
  void ask(std::int64_t from, roam::Array<std::byte> data);
  /// Receives a message of its own that came back. Throws roam::Error if it is not as it was sent.
  void answer(roam::Array<std::byte> data);
  [[nodiscard]] Counts counts() const;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(place_, pattern_, round_, last_round_, missing_, questions_, answers_, bytes_);
  }

 private:
  void begin_round();
  [[nodiscard]] double work_seconds() const;

  std::int64_t place_ = 0;
  Pattern pattern_;
  std::int64_t round_ = 0;       // rounds done
  std::int64_t last_round_ = 0;  // rounds to be done
  std::int32_t missing_ = 0;     // answers that are missing in this round
  std::uint64_t questions_ = 0;  // messages received from neighbours
  std::uint64_t answers_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace kneighbor
