// SPDX-License-Identifier: Apache-2.0
#pragma once

// The runtime's own messages, each declared once as a struct: its name, whether quiescence counts
// it, and the fields that are both written and read. system_handlers.hpp sends and receives them.
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "roam/am/detail/handler_table.hpp"
#include "roam/am/detail/message_layout.hpp"
#include "roam/core/error.hpp"
#include "roam/core/serialise.hpp"

namespace roam::am {

/// Says whether a message carries work of the program, for which quiescence waits (M10).
enum class Counted : bool { no, yes };
/// What follows the fields of a message. The handler reads it and checks its length.
enum class Behind : std::uint8_t {
  nothing,
  bytes,
  bytes_and_array  ///< an array of it may travel beside the message (core/attachment.hpp)
};

/// Between which ranks a message may travel: members of the job, or helpers as well, which are
/// outside of it (MessengerOptions::helpers). To and from helpers no message is counted, whatever
/// its kind: who sends work there holds quiescence open, and the epoch, until it has come back.
enum class Reach : bool { members, helpers };

/// What all messages of one kind have in common.
struct MessageKind {
  std::string_view name;  ///< "roam.gone"; its hash is the id of the handler
  Counted counted = Counted::yes;
  Behind behind = Behind::nothing;
  Reach reach = Reach::members;
};

/// A struct that declares a kind of message:
///
///   struct Gone {
///     static constexpr MessageKind kind{"roam.gone"};
///     ObjectId object;
///     static constexpr auto fields(auto& m) { return std::tie(m.object); }
///   };
///
/// On the wire its fields follow each other in this order without gaps. A kind without fields needs
/// no fields(). A kind whose layout depends on its values has, instead of fields(), `void
/// write(core::Packer&) const`, `static M read(core::Unpacker&)` and `static constexpr void
/// describe(auto& text)`, which adds to a text that changes with the layout (A6).
template <class M>
concept SystemMessage = requires {
  { M::kind } -> std::convertible_to<MessageKind>;
}
&&(HasFields<M> || std::is_empty_v<M> || LaysItselfOut<M>);

/// The number that stands for the kind in the header of a message.
template <SystemMessage M>
inline constexpr std::uint32_t message_id = handler_id(M::kind.name);

/// What is known of a kind of message without its type: for the table of handlers, the comparison
/// of programs (A6) and fuzzing.
struct MessageDeclaration {
  MessageKind kind;
  /// For example "roam.gone(roam::ObjectId:8)". Ranks that mean the same by the message have equal
  /// texts.
  std::string_view signature;
  /// Appends the bytes of the fields of a message with default values.
  void (*write_example)(core::Packer& packer) = nullptr;
};

/// Appends the fields of a message.
template <SystemMessage M>
void write_message(core::Packer& packer, const M& message) {
  if constexpr (!std::is_empty_v<M>) write_field(packer, message);
}

/// Reads the fields of a message from the beginning of its payload and sets `taken` to the number
/// of their bytes. Throws MalformedMessage if there are too few bytes, a bool is neither true nor
/// false, or something follows although nothing may (A7).
template <SystemMessage M>
[[nodiscard]] M read_message(std::span<const std::byte> payload, std::size_t& taken) {
  constexpr bool is_all = M::kind.behind == Behind::nothing;
  if constexpr (std::is_empty_v<M> && !LaysItselfOut<M>) {
    taken = 0;
    if (is_all && !payload.empty()) detail::throw_other_length(M::kind.name);
    return {};
  } else if constexpr (has_fixed_layout<M>) {
    taken = layout_bytes<M>;
    if (is_all ? payload.size() != taken : payload.size() < taken) [[unlikely]]
      detail::throw_other_length(M::kind.name);
    M message;
    load_fields(message, payload.data());
    return message;
  } else {
    core::Unpacker bytes(payload);
    M message = read_field<M>(bytes);
    taken = payload.size() - bytes.remaining();
    if (is_all && bytes.remaining() > 0) detail::throw_other_length(M::kind.name);
    return message;
  }
}
/// Reads a message after whose fields nothing follows, or whose reader ignores what follows. Throws
/// likewise.
template <SystemMessage M>
[[nodiscard]] M read_message(std::span<const std::byte> payload) {
  std::size_t taken = 0;
  return read_message<M>(payload, taken);
}

namespace detail {
template <SystemMessage M>
inline constexpr auto signature_text = text_of([](auto& text) {
  text.add(M::kind.name);
  if constexpr (std::is_empty_v<M> && !LaysItselfOut<M>) {
    text.add("()");
  } else {
    describe_layout<M>(text);
  }
  if (M::kind.counted == Counted::yes) text.add(" counted");
  if (M::kind.behind != Behind::nothing) text.add(" ...");
  if (M::kind.behind == Behind::bytes_and_array) text.add(" array");
});

template <SystemMessage M>
void write_example(core::Packer& packer) {
  write_message(packer, M{});
}
}  // namespace detail

template <SystemMessage M>
inline constexpr MessageDeclaration message_declaration{M::kind, detail::signature_text<M>.view(),
                                                        &detail::write_example<M>};

/// A message that is being written. Its fields have been written; what is to follow them goes to
/// packer().
template <SystemMessage M>
class Outgoing {
 public:
  /// Writes the fields into `begun`, which comes from Messenger::begin().
  Outgoing(core::Packer&& begun, const M& message) : packer_(std::move(begun)) {
    write_message(packer_, message);
  }
  /// Goes on with a message that take() has given before, to which more may have been appended
  /// since.
  [[nodiscard]] static Outgoing resumed(core::Packer&& begun) { return Outgoing(std::move(begun)); }
  [[nodiscard]] core::Packer& packer() { return packer_; }
  [[nodiscard]] core::Packer take() && { return std::move(packer_); }

 private:
  explicit Outgoing(core::Packer&& begun) : packer_(std::move(begun)) {}

  core::Packer packer_;
};

}  // namespace roam::am
