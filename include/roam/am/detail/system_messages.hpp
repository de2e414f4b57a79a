// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "roam/am/detail/bulk_sender.hpp"
#include "roam/am/detail/handler_table.hpp"
#include "roam/am/detail/system_message.hpp"

namespace roam::am {

/// Binds the handlers of the runtime's own messages (system_message.hpp), by which the rooms above
/// communicate with other ranks, and sends such messages. Thread-safe except for bind() and
/// require_*(), which come before the first message. The templates are defined in
/// system_handlers.hpp.
class SystemMessages : public BulkSender {
 public:
  using BulkSender::begin;
  using BulkSender::begin_beside;
  using BulkSender::post;
  using BulkSender::post_beside;
  using BulkSender::post_with;

  /// From now on messages of the kind that the handler takes are given to it: `void
  /// Owner::handler(const M&)`, or with the rank that sent it, `(const M&, Rank)`, or, if something
  /// follows the fields, `(const M&, Incoming&&)` whose payload is what follows. The handler is
  /// called at once, inside progress, and must not block; it throws MalformedMessage if the message
  /// is not valid (A7).
  template <auto Handler, class Owner>
  void bind(Owner& owner);
  /// The same; everything that the handler calls is inlined into it if possible. For the message on
  /// which the time of a call depends.
  template <auto Handler, class Owner>
  void bind_flattened(Owner& owner);

  /// Sends a message of a kind that nothing follows.
  template <SystemMessage M>
  void post(Rank destination, const M& message);
  /// The same with these bytes behind the fields.
  template <SystemMessage M>
    requires has_fixed_layout<M>
  void post(Rank destination, const M& message, std::span<const std::byte> behind);
  /// Begins a message with more behind its fields, of `bytes_behind` bytes at a guess, for post().
  template <SystemMessage M>
  [[nodiscard]] Outgoing<M> begin(const M& message, std::size_t bytes_behind = 0);
  template <SystemMessage M>
  void post(Rank destination, Outgoing<M>&& message);
  /// The same, with what has been taken out of the message, if anything.
  template <SystemMessage M>
  void post_with(core::Attachment&& attachment, Rank destination, Outgoing<M>&& message);
  /// Sends arguments behind the fields, as parameters of the types of a tuple; of large ones an
  /// array travels beside the message, without a copy where it is given up.
  template <SystemMessage M, class... P, class... A>
  void post_behind(Rank destination, const M& message,
                   std::type_identity<std::tuple<P...>> parameters, A&&... arguments);
  /// Sends a message with bulk data beside it, for the BulkReceiver of the destination. Later
  /// messages to it wait until both are there (A2). A borrowed buffer is sent from where it lies.
  template <SystemMessage M>
  void post_beside(Rank destination, Outgoing<M>&& message, core::Buffer&& data);
  /// Begins such a message.
  template <SystemMessage M>
  [[nodiscard]] Outgoing<M> begin_beside(const M& message);

  /// Declares a kind of message that the BulkReceiver takes and no handler: it must be the same on
  /// all ranks, too (A6).
  template <SystemMessage M>
  void require_message() {
    table_.require_everywhere(message_declaration<M>.signature);
  }
  /// Declares a name that all ranks must know (A6); see HandlerTable.
  void require_everywhere(std::string_view symbol) { table_.require_everywhere(symbol); }
  [[nodiscard]] const HandlerTable& handlers() const { return table_; }

 protected:
  using BulkSender::BulkSender;

 private:
  HandlerTable table_;
};

}  // namespace roam::am
