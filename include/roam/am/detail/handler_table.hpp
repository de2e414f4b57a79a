// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roam/core/detail/attachment.hpp"
#include "roam/core/detail/buffer.hpp"
#include "roam/core/detail/type_name.hpp"
#include "roam/core/types.hpp"

namespace roam::exec {
struct Context;
}

namespace roam::am {

class Messenger;
class BatchReader;
struct MessageDeclaration;

/// A message on its way to its handler: the buffer holds header and payload; `offset` is where the
/// payload starts.
struct Incoming {
  Rank source;
  core::Buffer buffer;
  std::size_t offset = 0;
  bool counted = false;
  core::Attachment attachment = {};  ///< for handlers that take one
  [[nodiscard]] std::span<const std::byte> payload() const {
    return buffer.bytes().subspan(offset);
  }
};

/// Of the symbol of a function or type of the program, or of the name of a handler of the rooms.
[[nodiscard]] constexpr std::uint32_t handler_id(std::string_view symbol) {
  const std::uint64_t hash = core::fnv1a(symbol);
  return static_cast<std::uint32_t>(hash ^ (hash >> 32));
}

/// A handler of the program, known from its use as a template argument. Runs on a worker.
struct ProgramHandler {
  core::ProgramName name;
  /// Decodes nothing yet: makes the message into a ready item of the messenger.
  void (*dispatch)(Messenger& messenger, const ProgramHandler& handler, Incoming&& message);
  /// Runs it at once, on a worker, from bytes that stay until it returns; nullptr: cannot.
  void (*run_in_place)(Messenger& messenger, const ProgramHandler& handler, Rank source,
                       std::span<const std::byte> payload, exec::Context& context) = nullptr;
  /// The same of messages of the present entry of a batch, one after the other: `most` at most, and
  /// one at least. Returns how many. nullptr where run_in_place is.
  std::uint32_t (*run_several)(Messenger& messenger, const ProgramHandler& handler, Rank source,
                               BatchReader& messages, std::uint32_t most,
                               exec::Context& context) = nullptr;
  /// As dispatch, of a message that its epoch has taken in: ends its work when the handler is over.
  void (*dispatch_in_epoch)(Messenger& messenger, const ProgramHandler& handler,
                            std::uint64_t epoch, Incoming&& message) = nullptr;
  bool takes_attachment = false;
  bool is_plain = false;  ///< no coroutine, and has run_in_place
  /// "handler &relax"; with parameters and template arguments if another has the same name.
  [[nodiscard]] std::string describe() const;
};

/// Links a ProgramHandler into the list of all of them during static initialisation; nothing writes
/// the list later.
class ProgramHandlerRegistrar {
 public:
  explicit ProgramHandlerRegistrar(const ProgramHandler& handler);
  [[nodiscard]] const ProgramHandler& handler() const { return handler_; }
  [[nodiscard]] const ProgramHandlerRegistrar* next() const { return next_; }
  [[nodiscard]] static const ProgramHandlerRegistrar* first();
  [[nodiscard]] const core::ProgramName& program_name() const { return handler_.name; }
  [[nodiscard]] std::uint32_t id() const { return id_; }

 private:
  ProgramHandler handler_;
  std::uint32_t id_;
  const ProgramHandlerRegistrar* next_;
};

/// Handler id -> what to call. Built at start-up from the program's handlers and those that the
/// rooms bind; not changed afterwards. Lookup is one probe of an open table.
class HandlerTable {
 public:
  using SystemFunction = void (*)(void* self, Incoming&& message);
  struct Entry {
    std::uint32_t id = 0;
    bool takes_attachment = false;
    std::string_view symbol;                  // of a system message: its signature
    const ProgramHandler* program = nullptr;  // or
    SystemFunction system = nullptr;  // runs at once, inside progress; must not block or run long
    void* self = nullptr;
    const ProgramHandler* plain = nullptr;            // `program`, if it is plain
    const MessageDeclaration* declaration = nullptr;  // of a system message
  };
  static_assert(sizeof(Entry) <= 64);

  /// Takes in all registered program handlers. Throws roam::Error if two symbols hash alike or two
  /// functions in different source files have the same symbol (an anonymous namespace, say).
  HandlerTable();
  /// `message` outlives the table. See Messenger::bind().
  void bind(const MessageDeclaration& message, void* self, SystemFunction function);
  /// A symbol that is no handler of this table but must exist on all ranks too (an object's method,
  /// a class). Its characters must outlive the table.
  void require_everywhere(std::string_view symbol) { required_.push_back(symbol); }
  /// nullptr if there is no such handler.
  [[nodiscard]] const Entry* find(std::uint32_t id) const {
    for (std::size_t i = id & mask_;; i = (i + 1) & mask_) {
      const Entry& entry = slots_[i];
      if (entry.symbol.empty()) return nullptr;
      if (entry.id == id) return &entry;
    }
  }
  /// Order-independent hash over all symbols: equal on ranks that understand each other (A6).
  [[nodiscard]] std::uint64_t hash() const;
  /// Sorted, for naming the first difference.
  [[nodiscard]] std::vector<std::string_view> symbols() const;
  /// All entries, by symbol: for tests and fuzzing.
  [[nodiscard]] std::vector<const Entry*> entries() const;

 private:
  void insert(const Entry& entry);
  std::vector<Entry> slots_;
  std::size_t mask_ = 0;
  std::size_t count_ = 0;
  std::vector<std::string_view> required_;
};

/// Which build of Roam this is - version, compiler, word size, byte order - as ranks compare it at
/// start (A6).
[[nodiscard]] std::string_view build_id();

}  // namespace roam::am
