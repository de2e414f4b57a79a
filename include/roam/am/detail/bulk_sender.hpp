// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "roam/am/detail/message_sender.hpp"
#include "roam/core/detail/attachment.hpp"
#include "roam/core/detail/parameters.hpp"

namespace roam::am {

/// Sends messages with something large beside them: one of their own arrays, which travels without
/// a copy if it is given up, or bulk data for the BulkReceiver of the destination. Thread-safe.
class BulkSender : public MessageSender {
 public:
  /// Posts what write_head(packer) writes and arguments as parameters of the types of a tuple; of
  /// large arguments an array travels beside the message.
  template <class... P, class WriteHead, class... A>
  void post_parameters(Rank destination, std::uint32_t handler,
                       std::type_identity<std::tuple<P...>> parameters, WriteHead&& write_head,
                       bool counted, A&&... arguments);
  /// The same as post(), with what has been taken out of the message, if anything.
  void post_with(core::Attachment&& attachment, Rank destination, std::uint32_t handler,
                 core::Packer&& message, bool counted);
  /// The same as forward() with an attachment, in a message that begins as begin_beside() has it.
  void forward_attached(Rank destination, std::uint32_t handler, core::Buffer&& message,
                        core::Attachment&& attachment, bool counted);
  /// Sends a message that begin_beside() has begun, and this data beside it. Later messages to its
  /// destination wait until both are there (A2). A borrowed buffer is sent from where it lies.
  void post_beside(Rank destination, std::uint32_t handler, core::Packer&& message,
                   core::Buffer&& data, bool counted);
  /// Begins such a message, or one with an attachment, with room for its BulkAnnouncement.
  [[nodiscard]] core::Packer begin_beside();

  [[nodiscard]] std::size_t largest_transfer_bytes() const { return largest_transfer_bytes_; }
  /// True if what is sent by reference is only read, and given back: see begin_lending().
  [[nodiscard]] bool gives_back_what_is_sent() const { return !hands_over_; }
  /// True if all ranks are of this process: a pointer to memory means the same on each.
  [[nodiscard]] bool shares_memory() const { return hands_over_; }
  /// Called when a buffer over the program's own memory is given out to be sent, and when it is
  /// gone: quiescence waits until then, and flow control does not count its bytes. Any thread.
  void begin_lending(std::size_t bytes);
  void end_lending(std::size_t bytes);

 protected:
  BulkSender(transport::Endpoint& endpoint, exec::Engine& engine, const MessengerOptions& options);

 private:
  /// The index of the array among the arguments that is to travel beside them, if any.
  [[nodiscard]] std::optional<std::size_t> choose_attachment(const core::ArraySizes& sizes) const;

  const std::size_t largest_transfer_bytes_;
  const bool hands_over_;  // the network hands buffers over instead of copying them
};

template <class... P, class WriteHead, class... A>
void BulkSender::post_parameters(Rank destination, std::uint32_t handler,
                                 std::type_identity<std::tuple<P...>> parameters,
                                 WriteHead&& write_head, bool counted, A&&... arguments) {
  if constexpr ((core::ArrayParameter<P> || ...)) {
    const core::ArraySizes sizes = core::array_sizes(parameters, arguments...);
    if (const auto chosen = choose_attachment(sizes)) {
      core::Outlet outlet{*chosen, &large_memory()};
      core::Packer packer = begin_beside();
      write_head(packer);
      core::pack_parameters(parameters, packer, &outlet, std::forward<A>(arguments)...);
      return forward_attached(destination, handler, packer.take(), std::move(outlet.attachment),
                              counted);
    }
    core::Packer packer = begin(sizes.total);
    write_head(packer);
    core::pack_parameters(parameters, packer, nullptr, std::forward<A>(arguments)...);
    post(destination, handler, std::move(packer), counted);
  } else {
    core::Packer packer = begin();
    write_head(packer);
    core::pack_tuple_as(parameters, packer, arguments...);
    post(destination, handler, std::move(packer), counted);
  }
}

}  // namespace roam::am
