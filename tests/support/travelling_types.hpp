// SPDX-License-Identifier: Apache-2.0
#pragma once

// Classes that follow one of cereal's conventions each, for tests of what travels.
#include <cereal/types/base_class.hpp>
#include <cereal/types/memory.hpp>
#include <cereal/types/polymorphic.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "roam/core/serialise.hpp"

namespace roam::testing::travelling {

/// Trivially copyable, with free save and load: as bytes it would not keep its number.
struct Free {
  int number = 0;
  const void* handle = nullptr;  // of this rank alone
  friend bool operator==(const Free& a, const Free& b) { return a.number == b.number; }
};
template <class Archive>
void save(Archive& archive, const Free& value) {
  archive(value.number + 1000);
}
template <class Archive>
void load(Archive& archive, Free& value) {
  archive(value.number);
  value.number -= 1000;
  value.handle = nullptr;
}

/// The same with one free function for both.
struct FreeBoth {
  std::int16_t number = 0;
  friend bool operator==(const FreeBoth&, const FreeBoth&) = default;
};
template <class Archive>
void serialize(Archive& archive, FreeBoth& value) {
  archive(value.number);
}

/// With a version, too.
struct FreeVersioned {
  int number = 0;
  friend bool operator==(const FreeVersioned&, const FreeVersioned&) = default;
};
template <class Archive>
void serialize(Archive& archive, FreeVersioned& value, const std::uint32_t /*version*/) {
  archive(value.number);
}

struct FreeMinimal {
  int number = 0;
  friend bool operator==(const FreeMinimal&, const FreeMinimal&) = default;
};
template <class Archive>
std::string save_minimal(const Archive&, const FreeMinimal& value) {
  return std::to_string(value.number);
}
template <class Archive>
void load_minimal(const Archive&, FreeMinimal& value, const std::string& text) {
  value.number = std::stoi(text);
}

struct Minimal {
  int number = 0;
  friend bool operator==(const Minimal&, const Minimal&) = default;
  template <class Archive>
  int save_minimal(const Archive&) const {
    return -number;
  }
  template <class Archive>
  void load_minimal(const Archive&, const int& value) {
    number = -value;
  }
};

/// Has free functions for the archives of Roam alone.
struct OursOnly {
  std::int32_t number = 0;
  friend bool operator==(const OursOnly&, const OursOnly&) = default;
};
inline void save(core::PackArchive& archive, const OursOnly& value) {
  archive(std::int64_t{value.number});
}
inline void load(core::UnpackArchive& archive, OursOnly& value) {
  std::int64_t number = 0;
  archive(number);
  value.number = static_cast<std::int32_t>(number);
}

struct Empty {
  friend bool operator==(const Empty&, const Empty&) = default;
};

/// Writes nothing, and is more than nothing.
struct Silent {
  int cache = 7;
  friend bool operator==(const Silent&, const Silent&) = default;
  template <class Archive>
  void serialize(Archive&) {}
};

struct Base {
  std::string name;
  friend bool operator==(const Base&, const Base&) = default;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(name);
  }
};
struct Derived : Base {
  double value = 0;
  friend bool operator==(const Derived&, const Derived&) = default;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(cereal::base_class<Base>(this), value);
  }
};

/// Without a default constructor: behind a pointer only.
struct Built {
  int number;
  explicit Built(int n) : number(n) {}
  friend bool operator==(const Built&, const Built&) = default;
  template <class Archive>
  void save(Archive& archive) const {
    archive(number);
  }
  template <class Archive>
  static void load_and_construct(Archive& archive, cereal::construct<Built>& construct) {
    int number = 0;
    archive(number);
    construct(number);
  }
};

struct Shape {
  Shape() = default;
  Shape(const Shape&) = default;
  Shape& operator=(const Shape&) = default;
  virtual ~Shape() = default;
  [[nodiscard]] virtual double area() const = 0;
  friend bool operator==(const Shape& a, const Shape& b) {
    return typeid(a) == typeid(b) && a.area() == b.area();
  }
};
struct Square : Shape {
  explicit Square(double s = 0) : side(s) {}
  [[nodiscard]] double area() const override { return side * side; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(side);
  }
  double side;
};
struct Disc : Shape {
  explicit Disc(double r = 0) : radius(r) {}
  [[nodiscard]] double area() const override { return 3 * radius * radius; }
  double radius;
};
template <class Archive>
void serialize(Archive& archive, Disc& disc) {
  archive(disc.radius);
}

}  // namespace roam::testing::travelling

CEREAL_REGISTER_TYPE(roam::testing::travelling::Square)
CEREAL_REGISTER_TYPE(roam::testing::travelling::Disc)
CEREAL_REGISTER_POLYMORPHIC_RELATION(roam::testing::travelling::Shape,
                                     roam::testing::travelling::Square)
CEREAL_REGISTER_POLYMORPHIC_RELATION(roam::testing::travelling::Shape,
                                     roam::testing::travelling::Disc)
