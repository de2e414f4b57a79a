// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "roam/mobile/collection_index.hpp"

namespace roam::flow {

/// The name under which a value is published: a sequence of texts, whole numbers, enumerators and
/// Index<D>, for example with a version as one part: `flow::Key("migrants", step, Index<2>{i, j})`.
/// Keys are equal if their parts are; numbers are compared by value, whatever their types.
class Key {
 public:
  /// Makes a key from one or more parts, also implicitly: `{"rim", 3}`.
  template <class... P>
    requires(sizeof...(P) > 0 && !(sizeof...(P) == 1 && (std::is_same_v<P, Key> && ...)))
  Key(const P&... parts) {  // NOLINT: from {"rim", 3}
    (add(parts), ...);
  }
  /// @cond
  /// Makes a key from the bytes() of another, as received in a message.
  [[nodiscard]] static Key of_bytes(std::string bytes) {
    Key key;
    key.bytes_ = std::move(bytes);
    return key;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  /// @endcond

  /// The key in words: "("rim", 3, (0, 1))"
  [[nodiscard]] std::string text() const;
  friend bool operator==(const Key&, const Key&) = default;

 private:
  enum class Part : char { text = 't', number = 'n', index = 'i' };
  Key() = default;
  template <class P>
  void add(const P& part) {
    if constexpr (std::is_enum_v<P>) {
      add_number(static_cast<std::int64_t>(part));
    } else if constexpr (std::is_integral_v<P>) {
      static_assert(sizeof(P) <= sizeof(std::int64_t));
      add_number(static_cast<std::int64_t>(part));
    } else {
      static_assert(std::is_convertible_v<const P&, std::string_view>,
                    "a key is made of texts, whole numbers, enumerators and Index<D>");
      if constexpr (std::is_convertible_v<const P&, std::string_view>) add_text(part);
    }
  }
  template <int D>
  void add(const Index<D>& index) {
    bytes_ += static_cast<char>(Part::index);
    bytes_ += static_cast<char>(D);
    for (int d = 0; d < D; ++d) add_raw(index[d]);
  }
  void add_number(std::int64_t number);
  void add_text(std::string_view text);
  void add_raw(std::int64_t number);

  std::string bytes_;
};

}  // namespace roam::flow

template <>
struct std::hash<roam::flow::Key> {
  std::size_t operator()(const roam::flow::Key& key) const noexcept {
    return std::hash<std::string>{}(key.bytes());
  }
};
