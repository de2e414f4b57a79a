// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "roam/am/detail/bulk_receiver.hpp"
#include "roam/am/detail/messenger.hpp"
#include "roam/am/detail/region_pin.hpp"
#include "roam/am/detail/remote_wire.hpp"
#include "roam/am/remote_layout.hpp"
#include "roam/am/remote_operation.hpp"
#include "roam/am/remote_ptr.hpp"

namespace roam {

/// The types that can be copied into the memory of another rank: their bytes mean the same there.
template <class T>
concept RemoteElement =
    std::is_trivially_copyable_v<std::remove_const_t<T>> && !std::is_pointer_v<T> &&
    !std::is_reference_v<T> && !std::is_volatile_v<T>;

/// The types that can be written there: remote elements that are not const.
template <class T>
concept WritableElement = RemoteElement<T> && !std::is_const_v<T>;

/// The types that atomic operations work on.
template <class T>
concept RemoteInteger = std::integral<T> && !std::is_const_v<T> && !std::same_as<T, bool> &&
                        (sizeof(T) == 4 || sizeof(T) == 8);

namespace am {

class RemoteMemory;

/// Memory of the caller that other ranks may access while this object exists. The memory must
/// outlive it.
///
/// Give it back with `co_await memory.withdraw(std::move(exposed))`, which waits until no transfer
/// uses it. The destructor also refuses new transfers, and then makes progress on the calling
/// thread until those under way are over. Where it cannot wait (inside progress, and in virtual
/// time, where nothing can arrive meanwhile), transfers still under way are an error of the job
/// instead.
template <WritableElement T>
class [[nodiscard]] Exposed;

/// One-sided access of one rank to the memory of other ranks (DMCS, section 4). Made beside its
/// Messenger, on every rank. All calls return at once; coroutines await what they return (DMCS's
/// synchronous forms) or drop it (its asynchronous ones; failures then go to the job's error
/// handler). Callable from any thread of the rank.
///
/// Memory is accessible if it came from remote_alloc or is exposed; every other access throws
/// RemoteMemoryError at the co_await and changes nothing (A4). Messages to a rank, including puts,
/// take effect there in the order sent: a handler sees the data of earlier puts (A2). Two
/// concurrent puts into the same bytes may mix.
///
/// Up to the message threshold, data travels inside a message; longer data goes from the caller's
/// memory to its destination without a copy by Roam (inside a process: with one copy).
class RemoteMemory final : private BulkReceiver {
 public:
  /// @cond
  /// Binds its handlers. Must be made before the first message.
  explicit RemoteMemory(Messenger& messenger);
  /// @endcond
  RemoteMemory(const RemoteMemory&) = delete;
  RemoteMemory& operator=(const RemoteMemory&) = delete;
  ~RemoteMemory();

  // --- memory that others may touch ---

  /// Allocates `count` elements on `rank`, all bytes zero. Throws RemoteMemoryError if there is not
  /// enough memory.
  template <WritableElement T>
  [[nodiscard]] RemoteResult<remote_ptr<T>> remote_alloc(Rank rank, std::uint64_t count);
  /// Frees memory from remote_alloc, from any rank. Later accesses are refused; accesses under way
  /// end first, and then this completes.
  template <class T>
  RemoteResult<> remote_free(remote_ptr<T> memory);
  /// Lets other ranks access `memory`, which still belongs to the caller.
  template <WritableElement T>
  [[nodiscard]] Exposed<T> expose(std::span<T> memory);
  /// Ends the access of other ranks; completes when no transfer uses the memory any more.
  template <WritableElement T>
  [[nodiscard]] RemoteResult<> withdraw(Exposed<T>&& exposed);
  /// The local address of memory of this rank, valid until it is freed. Throws RemoteMemoryError if
  /// it is not memory of this rank, or not entirely inside one region.
  template <RemoteElement T>
  [[nodiscard]] std::span<T> local(remote_ptr<T> memory, std::uint64_t count) const;
  template <RemoteElement T>
  [[nodiscard]] std::span<T> local(const remote_span<T>& memory) const {
    return local(memory.data(), memory.size());
  }

  // --- put and get ---

  /// Copies `from` to `to`. `from` must not be changed until local completion.
  template <WritableElement T>
  Put put(remote_ptr<T> to, std::type_identity_t<std::span<const T>> from);
  /// Copies a value, which is read before this returns. Values as large as a machine word or half
  /// of one, and aligned to their size, are written, and read by get, in one piece.
  template <WritableElement T>
  Put put(remote_ptr<T> to, const std::type_identity_t<T>& value);
  /// Copies to.size() elements at `from` to `to`. As a receive buffer, `to` must exist until this
  /// completes, even if the result is dropped.
  template <RemoteElement T>
  RemoteResult<> get(std::type_identity_t<std::span<std::remove_const_t<T>>> to,
                     remote_ptr<T> from);
  template <RemoteElement T>
  [[nodiscard]] RemoteResult<std::remove_const_t<T>> get(remote_ptr<T> from);

  /// Does a put; then Handler(std::span<T> landed, arguments...) runs on a worker of the target, in
  /// order with what this rank sends there (A2). Completes when the data is visible; the handler
  /// may run later. The region is not freed until the handler has ended.
  template <auto Handler, WritableElement T, class... A>
  Put put_op(remote_ptr<T> to, std::type_identity_t<std::span<const T>> from, A&&... arguments);
  /// Does a get; then Handler(std::span<T> to, arguments...) runs on a worker of *this* rank,
  /// because DMCS's get_op is a put_op by the remote rank to the rank that asks (table 1).
  /// Completes when the data is here; the handler may run later, and `to` must outlive it.
  template <auto Handler, RemoteElement T, class... A>
  RemoteResult<> get_op(std::type_identity_t<std::span<std::remove_const_t<T>>> to,
                        remote_ptr<T> from, A&&... arguments);

  // --- shapes: boxes of up to three dimensions, and lists ---

  /// Copies a box of elements from here, where they are packed, to another rank. Its first element
  /// is from[0] here and to[0] there. Strides are in elements, and must not be negative at this
  /// rank. Throws RemoteMemoryError at once if the box is not inside `from`.
  template <WritableElement T>
  Put put_strided(remote_ptr<T> to, const Strides& to_strides,
                  std::type_identity_t<std::span<const T>> from, const Strides& from_strides,
                  const Extents& extents);
  /// Copies a box of elements from another rank, in the opposite direction of put_strided(). `to`
  /// must exist until this completes. Throws RemoteMemoryError at once if the box is not inside
  /// `to`.
  template <RemoteElement T>
  RemoteResult<> get_strided(std::type_identity_t<std::span<std::remove_const_t<T>>> to,
                             const Strides& to_strides, remote_ptr<T> from,
                             const Strides& from_strides, const Extents& extents);
  /// Scatters blocks: block i of `from` (`block` elements) goes to to[indices[i]]. from.size() must
  /// be indices.size() * block.
  template <WritableElement T>
  Put put_indexed(remote_ptr<T> to, std::span<const std::uint64_t> indices,
                  std::type_identity_t<std::span<const T>> from, std::uint64_t block = 1);
  /// Gathers blocks: the block at from[indices[i]] becomes block i of `to`.
  template <RemoteElement T>
  RemoteResult<> get_indexed(std::type_identity_t<std::span<std::remove_const_t<T>>> to,
                             remote_ptr<T> from, std::span<const std::uint64_t> indices,
                             std::uint64_t block = 1);

  // --- atomics: with regard to each other and to std::atomic_ref at the owner; sequentially
  // consistent. Each returns the old value. ---

  /// Adds `value`, wrapping around; gives the old value.
  template <RemoteInteger T>
  RemoteResult<T> fetch_add(remote_ptr<T> at, std::type_identity_t<T> value);
  /// Adds `value` to a floating-point number; gives the old value.
  RemoteResult<double> fetch_add(remote_ptr<double> at, double value);
  /// Bitwise and with `value`; gives the old value.
  template <RemoteInteger T>
  RemoteResult<T> fetch_and(remote_ptr<T> at, std::type_identity_t<T> value);
  /// Bitwise or with `value`; gives the old value.
  template <RemoteInteger T>
  RemoteResult<T> fetch_or(remote_ptr<T> at, std::type_identity_t<T> value);
  /// Bitwise exclusive or with `value`; gives the old value.
  template <RemoteInteger T>
  RemoteResult<T> fetch_xor(remote_ptr<T> at, std::type_identity_t<T> value);
  /// Writes `value`; gives the old one.
  template <RemoteInteger T>
  RemoteResult<T> exchange(remote_ptr<T> at, std::type_identity_t<T> value);
  /// Writes `desired` if the value is `expected`; gives the old value in either case.
  template <RemoteInteger T>
  RemoteResult<T> compare_exchange(remote_ptr<T> at, std::type_identity_t<T> expected,
                                   std::type_identity_t<T> desired);

  /// @cond
  [[nodiscard]] Messenger& messenger() const { return messenger_; }
  /// The memory that a put_op has written, checked and pinned; for its handler.
  [[nodiscard]] RegionPin landed_memory(Incoming& message, std::size_t element_bytes,
                                        std::size_t alignment) const;
  /// @endcond

 private:
  using Token = std::uint64_t;

  // Defined in src/am/remote_memory.cpp: the side that asks.
  [[nodiscard]] std::pair<Operation*, Token> start(const char* verb, const RemoteAddress& at,
                                                   std::uint64_t length, std::size_t alignment,
                                                   std::uint8_t word_bytes = 0);
  [[nodiscard]] Operation* allocate(Rank rank, std::uint64_t count, std::size_t element_bytes,
                                    std::size_t alignment);
  /// @cond
  [[nodiscard]] Operation* free(const char* verb, const RemoteAddress& at, bool is_exposed);
  /// What is sent with a put besides its data.
  struct PutExtras {
    std::uint32_t handler = 0;  // the handler of a put_op; 0: none
    core::Buffer arguments;     // packed
    bool takes_copy = false;    // the data must travel inside the message
  };
  /// @endcond
  [[nodiscard]] Operation* put_bytes(const char* verb, const RemoteAddress& to,
                                     std::span<const std::byte> from, std::size_t alignment,
                                     const PutExtras& extras);
  [[nodiscard]] Operation* get_bytes(const char* verb, std::span<std::byte> to,
                                     const RemoteAddress& from, std::uint64_t length,
                                     std::size_t alignment, exec::ReadyItem* then);
  [[nodiscard]] Operation* put_box(const RemoteAddress& to, const Layout& to_layout,
                                   std::span<const std::byte> from, const Layout& from_layout,
                                   std::size_t alignment);
  [[nodiscard]] Operation* get_box(std::span<std::byte> to, const Layout& to_layout,
                                   const RemoteAddress& from, const Layout& from_layout,
                                   std::size_t alignment);
  [[nodiscard]] Operation* put_list(const RemoteAddress& to, std::span<const std::uint64_t> indices,
                                    std::span<const std::byte> from, std::uint64_t block_bytes,
                                    std::size_t element_bytes, std::size_t alignment);
  [[nodiscard]] Operation* get_list(std::span<std::byte> to, const RemoteAddress& from,
                                    std::span<const std::uint64_t> indices,
                                    std::uint64_t block_bytes, std::size_t element_bytes,
                                    std::size_t alignment);
  [[nodiscard]] Operation* atomic(const char* verb, wire::AtomicOp op, wire::AtomicType type,
                                  const RemoteAddress& at, std::uint64_t operand,
                                  std::uint64_t expected);
  template <RemoteInteger T>
  [[nodiscard]] RemoteResult<T> atomic_on(wire::AtomicOp op, remote_ptr<T> at, T operand,
                                          T expected = {});
  [[nodiscard]] std::span<std::byte> local_bytes(const RemoteAddress& at, std::uint64_t count,
                                                 std::size_t element_bytes,
                                                 std::size_t alignment) const;
  [[nodiscard]] RemoteAddress expose_bytes(std::span<std::byte> memory);

  // Defined in src/am/remote_memory_handlers.cpp: the side that is asked. Called inside progress.
  core::Buffer landing_place(Rank source, std::uint32_t message_id, std::span<std::byte> payload,
                             std::size_t size) override;
  void landed(std::uint32_t message_id, Incoming&& message, core::Buffer data) override;
  void put_has_landed(Incoming&& message, const core::Buffer& data);
  void end_put(const wire::PutRequest& request, Incoming&& message);
  void answer(Rank to, Token token, AccessFault fault, std::uint64_t region_bytes,
              std::span<const std::byte> value = {});
  /// Answers with `bytes` bytes that fill(place) writes, unless it returns a fault.
  template <class Fill>
  void answer_with(Rank to, Token token, std::uint64_t bytes, Fill&& fill,
                   const std::uint64_t& region_bytes);
  void require_handler(std::uint32_t id) const;
  template <class Copy>
  AccessFault for_each_block(const wire::IndexedRequest& request,
                             std::span<const std::byte> indices, std::uint64_t& region_bytes,
                             Copy&& copy);
  std::span<const std::byte> read_indices(core::Unpacker& bytes,
                                          const wire::IndexedRequest& request,
                                          std::uint64_t& data_bytes) const;
  void on_put(const wire::PutRequest& request, Incoming&& rest);
  void on_get(const wire::GetRequest& request, Rank source);
  void on_put_box(const wire::PutBox& request, Incoming&& rest);
  void on_get_box(const wire::GetBox& request, Rank source);
  void on_put_indexed(const wire::PutIndexed& request, Incoming&& rest);
  void on_get_indexed(const wire::GetIndexed& request, Incoming&& rest);
  void on_atomic(const wire::AtomicRequest& request, Incoming&& rest);
  void on_allocate(const wire::AllocateRequest& request, Rank source);
  void on_free(const wire::FreeRequest& request, Rank source);
  void on_done(const wire::Done& done, Incoming&& rest);
  void on_word(const wire::WordAnswer& answer, Rank source);

  Messenger& messenger_;
  const std::shared_ptr<RegionTable> regions_;
  OperationTable::Handle operations_;
};

}  // namespace am
}  // namespace roam

#include "roam/am/remote_memory_calls.hpp"
