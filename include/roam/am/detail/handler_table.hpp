// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roam/core/detail/attachment.hpp"
#include "roam/core/detail/buffer.hpp"
#include "roam/core/detail/prefetch.hpp"
#include "roam/core/detail/type_name.hpp"
#include "roam/core/types.hpp"

namespace roam::exec {
struct Context;
}

namespace roam::am {

class Messenger;
class BatchReader;
struct MessageDeclaration;

/// A message on its way to its handler. The buffer holds header and payload; the payload starts at
/// `offset`.
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

/// The id of a handler: a hash of the symbol of a function or type of the program, or of the name
/// of a room's handler.
[[nodiscard]] constexpr std::uint32_t handler_id(std::string_view symbol) {
  const std::uint64_t hash = core::fnv1a(symbol);
  return static_cast<std::uint32_t>(hash ^ (hash >> 32));
}

/// A handler of the program, known because it is used as a template argument. Runs on a worker.
struct ProgramHandler {
  core::ProgramName name;
  /// Turns the message into a ready item of the messenger. Decodes nothing yet.
  void (*dispatch)(Messenger& messenger, const ProgramHandler& handler, Incoming&& message);
  /// Runs the handler at once, on a worker, from bytes that stay until it returns. nullptr if it
  /// cannot run so.
  void (*run_in_place)(Messenger& messenger, const ProgramHandler& handler, Rank source,
                       std::span<const std::byte> payload, exec::Context& context) = nullptr;
  /// Runs the handler for messages of the present entry of a batch, one after the other: at least
  /// one and at most `most`. Returns their number. nullptr if run_in_place is.
  std::uint32_t (*run_several)(Messenger& messenger, const ProgramHandler& handler, Rank source,
                               BatchReader& messages, std::uint32_t most,
                               exec::Context& context) = nullptr;
  /// Like dispatch, for a message whose epoch has counted it as work: ends that work when the
  /// handler is over.
  void (*dispatch_in_epoch)(Messenger& messenger, const ProgramHandler& handler,
                            std::uint64_t epoch, Incoming&& message) = nullptr;
  bool takes_attachment = false;
  bool is_plain = false;  ///< it is no coroutine and has run_in_place
  /// The name for reports, "handler &relax"; with parameters and template arguments if another
  /// handler has the same name.
  [[nodiscard]] std::string describe() const;
};

/// Links a ProgramHandler into the list of all of them during static initialisation; the list does
/// not change later.
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

/// Finds what to call for a handler's id. Built at start-up from the program's handlers and those
/// that the rooms bind; not changed afterwards. A look-up usually takes one probe of an
/// open-addressing table.
class HandlerTable {
 public:
  using SystemFunction = void (*)(void* self, Incoming&& message);
  struct Entry {
    std::uint32_t id = 0;
    bool takes_attachment = false;
    std::string_view symbol;                  // its signature, for a system message
    const ProgramHandler* program = nullptr;  // nullptr for a system message
    SystemFunction system = nullptr;  // runs at once, inside progress; must not block or run long
    void* self = nullptr;
    const ProgramHandler* plain = nullptr;            // `program`, if it is plain
    const MessageDeclaration* declaration = nullptr;  // set for a system message
  };
  static_assert(sizeof(Entry) <= 64);

  /// Enters all registered program handlers. Throws roam::Error if two symbols have the same hash,
  /// or two functions in different source files the same symbol (in anonymous namespaces, for
  /// example).
  HandlerTable();
  /// Enters the handler of a system message; `message` must outlive the table. See
  /// Messenger::bind().
  void bind(const MessageDeclaration& message, void* self, SystemFunction function);
  /// Adds a symbol that is no handler of this table but must exist on all ranks too (an object's
  /// method, a class). Its characters must outlive the table.
  void require_everywhere(std::string_view symbol);
  /// The entry of this id; nullptr if there is no such handler.
  [[nodiscard]] const Entry* find(std::uint32_t id) const {
    for (std::size_t i = id & mask_;; i = (i + 1) & mask_) {
      const Entry& entry = slots_[i];
      if (entry.symbol.empty()) return nullptr;
      if (entry.id == id) return &entry;
    }
  }
  /// Prefetches the place where the entry of this id is as a rule.
  void look_ahead(std::uint32_t id) const { core::prefetch_to_write(&slots_[id & mask_]); }
  /// Order-independent hash over all symbols: equal on ranks that understand each other (A6).
  [[nodiscard]] std::uint64_t hash() const;
  /// All symbols, sorted, so that the first difference can be named.
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

/// Identifies this build of Roam by version, compiler, word size and byte order, as ranks compare
/// it at the start (A6).
[[nodiscard]] std::string_view build_id();

}  // namespace roam::am
