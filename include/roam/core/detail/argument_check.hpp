// SPDX-License-Identifier: Apache-2.0
#pragma once

// If the arguments of a call have not decoded, they are decoded once more, one by one, to name the
// argument whose load reads something else than its save writes.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "roam/core/detail/parameters.hpp"

namespace roam::core {

/// Packed arguments. `bytes_behind` is the place where the elements of an attachment are missing,
/// as in Attachment.
struct PackedArguments {
  static constexpr std::size_t all_are_here = std::numeric_limits<std::size_t>::max();
  std::span<const std::byte> bytes;
  std::size_t bytes_behind = all_are_here;
};

/// A function that says which argument is wrong: "argument 2, Particle: its load has read 12 bytes,
/// its save writes 16"; empty if that cannot be told. The pointer is nullptr where no code of the
/// program takes part in decoding the arguments: bytes that do not decode are then not the
/// program's fault (A7).
using ArgumentCheck = std::string (*)(const PackedArguments& packed);

namespace detail {

/// Looks at the arguments one by one, from the first to the wrong one.
class ArgumentSearch {
 public:
  explicit ArgumentSearch(const PackedArguments& packed)
      : bytes_(packed.bytes), bytes_behind_(packed.bytes_behind) {}
  template <class P>
  void look_at() {
    if (is_over_) return;
    ++number_;
    try {
      if constexpr (ArrayParameter<P>) {
        skip_array(ViewParameter<P>, sizeof(ElementOf<P>));
      } else if constexpr (can_arrive<P>) {
        compare<P>();
      }
    } catch (const MalformedMessage& error) {
      found(type_name<P>(),
            std::string("its load reads more than its save has written (") + error.what() + ")");
    } catch (...) {
      is_over_ = true;  // the argument's own code has thrown; the report says so anyway
    }
  }
  [[nodiscard]] std::string result() && { return std::move(result_); }

 private:
  template <class P>
  void compare() {
    const std::size_t left = bytes_.remaining();
    const std::size_t written = counting_.counted();
    P value{};
    unpack_one(bytes_, value);
    if constexpr (!is_known_to_decode<P>) {
      pack_one(counting_, value);  // this archive knows the pointers that arguments share
      compare(type_name<P>(), left - bytes_.remaining(), counting_.counted() - written);
    }
  }
  void compare(std::string_view type, std::size_t read, std::size_t written);
  void skip_array(bool is_view, std::size_t element_bytes);
  void found(std::string_view type, const std::string& what);

  Unpacker bytes_;
  const std::size_t bytes_behind_;
  Packer counting_ = Packer::counting();
  int number_ = 0;
  bool is_over_ = false;
  std::string result_;
};

template <class Tuple>
struct ArgumentCheckOf;
template <class... P>
struct ArgumentCheckOf<std::tuple<P...>> {
  static std::string check(const PackedArguments& packed) {
    ArgumentSearch search(packed);
    (search.template look_at<P>(), ...);
    return std::move(search).result();
  }
  static constexpr bool is_needed = !((ArrayParameter<P> || is_known_to_decode<P>)&&...);
};

}  // namespace detail

/// True if argument_check() of a tuple's types is not nullptr. (For GCC 12 the comparison of the
/// pointer is no constant expression when it instruments code for undefined behaviour.)
template <class Tuple>
inline constexpr bool needs_argument_check = detail::ArgumentCheckOf<Tuple>::is_needed;

/// The check for parameters of the types of a tuple; nullptr if none is needed.
template <class Tuple>
[[nodiscard]] constexpr ArgumentCheck argument_check() {
  if constexpr (needs_argument_check<Tuple>) {
    return &detail::ArgumentCheckOf<Tuple>::check;
  } else {
    return nullptr;
  }
}

/// Throws MalformedMessage, which names the wrong argument if it can be told.
[[noreturn]] void throw_wrong_arguments(ArgumentCheck check, const PackedArguments& packed,
                                        const char* why);

/// Reads parameters that must be all there is to read. Throws MalformedMessage, which names the
/// wrong parameter if it can be told.
template <class Tuple>
[[nodiscard]] StoredParameters<Tuple> unpack_all_parameters(std::span<const std::byte> bytes) {
  try {
    Unpacker unpacker(bytes);
    auto values = unpack_parameters<Tuple>(unpacker);
    if (unpacker.remaining() > 0) throw_too_long();
    return values;
  } catch (const MalformedMessage& error) {
    throw_wrong_arguments(argument_check<Tuple>(), {bytes}, error.what());
  }
}

/// Reads all that is left as the values of a tuple, stored as they are (no Array in place of a
/// span). Throws like unpack_all_parameters().
template <class Tuple>
[[nodiscard]] Tuple unpack_whole_tuple(Unpacker& unpacker) {
  const std::span<const std::byte> bytes = unpacker.view(unpacker.remaining());
  try {
    Unpacker whole(bytes);
    Tuple values = unpack_tuple<Tuple>(whole);
    if (whole.remaining() > 0) throw_too_long();
    return values;
  } catch (const MalformedMessage& error) {
    throw_wrong_arguments(argument_check<Tuple>(), {bytes}, error.what());
  }
}

}  // namespace roam::core
