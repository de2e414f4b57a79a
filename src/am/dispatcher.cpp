// SPDX-License-Identifier: Apache-2.0
#include "roam/am/detail/dispatcher.hpp"

#include <cstring>
#include <utility>

#include "roam/am/detail/messenger.hpp"
#include "roam/core/error.hpp"

namespace roam::am {

Dispatcher::Dispatcher(Messenger& messenger, MessageMemory& memory)
    : messenger_(messenger),
      engine_(messenger.engine()),
      table_(messenger.handlers()),
      memory_(memory),
      may_run_next_(engine_.workers() == 1 && !engine_.clock().is_virtual()),
      source_lines_(messenger),
      next_message_(messenger, memory.pool(0)) {}  // the pool of the only worker

void Dispatcher::NextMessage::run(exec::Context& context) {
  core::MpscNode* const block = std::exchange(block_, nullptr);
  if (block == nullptr) __builtin_unreachable();  // put() is called before run()
  core::Buffer memory = core::Buffer::adopt(block);
  handler_->run_in_place(messenger_, *handler_, source_,
                         std::as_const(memory).bytes().subspan(sizeof(WireHeader)), context);
  pool_.recycle(std::move(memory));  // for what this worker sends next
}

void Dispatcher::call(const HandlerTable::Entry& handler, Incoming&& message) {
  try {
    if (handler.program != nullptr) {
      handler.program->dispatch(messenger_, *handler.program, std::move(message));
    } else {
      handler.system(handler.self, std::move(message));
    }
  } catch (const MalformedMessage&) {
    counters_.count_rejected();
  }
}

void Dispatcher::dispatch(Rank source, const WireHeader& header, core::Buffer&& data) {
  if ((header.flags & WireHeader::batch) != 0) return dispatch_batch(source, std::move(data));
  const HandlerTable::Entry* entry = table_.find(header.handler);
  if (entry == nullptr) return counters_.count_rejected();
  hand_over(*entry, source, std::move(data), (header.flags & WireHeader::counted) != 0);
}

void Dispatcher::dispatch_attached(Rank source, const WireHeader& header, core::Buffer&& data,
                                   core::Buffer&& array) {
  const HandlerTable::Entry* entry = table_.find(header.handler);
  if (entry == nullptr) return counters_.count_rejected();
  if (!entry->takes_attachment) return counters_.count_rejected();
  if (!array) return counters_.count_rejected();
  BulkAnnouncement announcement;
  std::memcpy(&announcement, data.data() + sizeof(WireHeader), sizeof announcement);
  const bool counted = (header.flags & WireHeader::counted) != 0;
  counters_.count_arrivals(source, 1, data.size() + array.size());
  call(*entry, {source,
                std::move(data),
                sizeof(WireHeader) + sizeof announcement,
                counted,
                {std::move(array), announcement.bytes_behind}});
  if (counted) counters_.count_taken_in(1);
}

void Dispatcher::deliver(std::uint32_t handler, Incoming&& message) {
  const HandlerTable::Entry* entry = table_.find(handler);
  if (entry == nullptr || entry->program == nullptr)
    throw MalformedMessage("a handler that does not exist is to run on the data");
  entry->program->dispatch(messenger_, *entry->program, std::move(message));
}

}  // namespace roam::am
