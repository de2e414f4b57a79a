// SPDX-License-Identifier: Apache-2.0
#include "roam/am/detail/handler_table.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "roam/am/detail/system_message.hpp"
#include "roam/am/detail/wire.hpp"
#include "roam/core/error.hpp"
#include "roam/core/version.hpp"

namespace roam::am {

namespace {
constinit const ProgramHandlerRegistrar* first_registrar =
    nullptr;  // written during static initialisation only
}

ProgramHandlerRegistrar::ProgramHandlerRegistrar(const ProgramHandler& handler)
    : handler_(handler), id_(handler_id(handler.name.symbol)), next_(first_registrar) {
  first_registrar = this;
}

const ProgramHandlerRegistrar* ProgramHandlerRegistrar::first() { return first_registrar; }

std::string ProgramHandler::describe() const {
  return "handler " + core::distinct_name(name, ProgramHandlerRegistrar::first());
}

HandlerTable::HandlerTable() : slots_(64), mask_(63) {
  for (auto* r = ProgramHandlerRegistrar::first(); r != nullptr; r = r->next()) {
    const ProgramHandler& handler = r->handler();
    insert({.id = r->id(),
            .takes_attachment = handler.takes_attachment,
            .symbol = handler.name.symbol,
            .program = &handler,
            .plain = handler.is_plain ? &handler : nullptr});
  }
}

void HandlerTable::bind(const MessageDeclaration& message, void* self, SystemFunction function) {
  insert({.id = handler_id(message.kind.name),
          .takes_attachment = message.kind.behind == Behind::bytes_and_array,
          .symbol = message.signature,
          .system = function,
          .self = self,
          .declaration = &message});
}

void HandlerTable::insert(const Entry& entry) {
  if (const Entry* other = find(entry.id); other != nullptr) {
    const std::string name = core::readable_symbol(entry.symbol);
    if (other->symbol == entry.symbol) {
      throw Error("two different handlers are called " + name +
                  "; give one of them another name or put it into a named namespace");
    }
    throw Error("the handlers " + name + " and " + core::readable_symbol(other->symbol) +
                " have the same id; rename one of them");
  }
  if (2 * (count_ + 1) > slots_.size()) {
    std::vector<Entry> old(slots_.size() * 2);
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    count_ = 0;
    for (const Entry& kept : old) {
      if (!kept.symbol.empty()) insert(kept);
    }
  }
  std::size_t i = entry.id & mask_;
  while (!slots_[i].symbol.empty()) i = (i + 1) & mask_;
  slots_[i] = entry;
  ++count_;
}

std::uint64_t HandlerTable::hash() const {
  std::uint64_t sum = core::fnv1a(build_id());
  for (const std::string_view symbol : symbols()) sum += core::fnv1a(symbol);
  return sum;
}

std::vector<std::string_view> HandlerTable::symbols() const {
  std::vector<std::string_view> all;
  for (const Entry& entry : slots_) {
    if (!entry.symbol.empty()) all.push_back(entry.symbol);
  }
  all.insert(all.end(), required_.begin(), required_.end());
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<const HandlerTable::Entry*> HandlerTable::entries() const {
  std::vector<const Entry*> all;
  for (const Entry& entry : slots_) {
    if (!entry.symbol.empty()) all.push_back(&entry);
  }
  std::ranges::sort(all, {}, &Entry::symbol);
  return all;
}

std::string_view build_id() {
  static_assert(std::endian::native == std::endian::little ||
                std::endian::native == std::endian::big);
#define ROAM_TEXT_OF(x) #x
#define ROAM_TEXT(x) ROAM_TEXT_OF(x)
  static_assert(wire_version == 2, "the text below says it, too");
  return "roam " ROAM_VERSION ", wire format 2, compiler " __VERSION__
         ", " ROAM_TEXT(__SIZEOF_POINTER__) "-byte pointers, byte order " ROAM_TEXT(__BYTE_ORDER__);
#undef ROAM_TEXT
#undef ROAM_TEXT_OF
}

void HandlerTable::require_everywhere(std::string_view symbol) { required_.push_back(symbol); }

}  // namespace roam::am
