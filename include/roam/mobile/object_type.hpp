// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "roam/core/detail/type_name.hpp"
#include "roam/core/serialise.hpp"

namespace roam {

/// True if objects of class T are handed over by pointer when they move between ranks of one
/// process, instead of being serialised; this takes the same time for large objects as for small
/// ones. It is true for classes that declare `static constexpr bool moves_by_pointer = true;`, or
/// for which a program specialises it. Such an object must not depend on the rank on which it was
/// made, because neither its constructor nor its `load` runs on arrival. Between processes it is
/// always serialised.
template <class T>
inline constexpr bool moves_by_pointer = requires {
  requires T::moves_by_pointer;
};

}  // namespace roam

namespace roam::mobile {

/// A class whose objects have a place in the problem's space, for balancing strategies that put
/// neighbours together.
template <class T>
concept HasCoordinates = requires(const T& object) {
  { object.coordinates() } -> std::convertible_to<std::array<double, 3>>;
};

/// @cond what templates need
/// What the runtime must know of a class to move its objects. One per class, static, constant after
/// static initialisation; found by the hash of its symbol when an object arrives.
class ObjectType {
 public:
  struct Functions {
    void (*pack)(core::Packer& packer, const void* object);
    void* (*unpack)(core::Unpacker& unpacker);  // throws what the class's own load throws
    void (*destroy)(void* object);
    // nullptr: objects of this class have none.
    std::array<double, 3> (*coordinates)(const void* object);
    bool moves_by_pointer = false;
  };
  ObjectType(const core::ProgramName& name, std::size_t bytes, const Functions& functions);
  ObjectType(const ObjectType&) = delete;
  ObjectType& operator=(const ObjectType&) = delete;

  [[nodiscard]] std::string_view name() const { return name_.text; }
  [[nodiscard]] std::uint64_t id() const { return id_; }
  [[nodiscard]] std::size_t object_bytes() const { return bytes_; }
  [[nodiscard]] const Functions& functions() const { return functions_; }
  /// The class with this id; nullptr if the program has none.
  [[nodiscard]] static const ObjectType* find(std::uint64_t id);
  /// Throws roam::Error if two classes of the program have the same symbol, as classes in unnamed
  /// namespaces may: an arriving object could be of either.
  static void require_different_names();

 private:
  core::ProgramName name_;
  std::uint64_t id_;
  std::size_t bytes_;
  Functions functions_;
  const ObjectType* next_;
};

namespace detail {
template <class T>
void pack_object(core::Packer& packer, const void* object) {
  core::pack(packer, *static_cast<const T*>(object));
}
template <class T>
void* unpack_object(core::Unpacker& unpacker) {
  auto object = std::make_unique<T>();
  core::unpack_all_into(unpacker, *object);
  return object.release();
}
template <class T>
void destroy_object(void* object) {
  delete static_cast<T*>(object);
}
template <class T>
[[nodiscard]] constexpr auto coordinates_function() {
  std::array<double, 3> (*function)(const void* object) = nullptr;
  if constexpr (HasCoordinates<T>) {
    function = [](const void* object) -> std::array<double, 3> {
      return static_cast<const T*>(object)->coordinates();
    };
  }
  return function;
}
template <class T>
inline const ObjectType object_type_instance{
    core::program_name_of_type<T>(),
    sizeof(T),
    {&pack_object<T>, &unpack_object<T>, &destroy_object<T>, coordinates_function<T>(),
     roam::moves_by_pointer<T>}};
}  // namespace detail

/// The descriptor of T. Fails to compile, with one line naming T, if T cannot travel.
template <class T>
[[nodiscard]] const ObjectType& object_type() {
  core::require_serialisable<T>();
  if constexpr (core::can_arrive<T>) {
    return detail::object_type_instance<T>;
  }
}

/// @endcond

}  // namespace roam::mobile
