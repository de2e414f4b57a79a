// SPDX-License-Identifier: Apache-2.0
#include "roam/am/detail/source_lines.hpp"

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>

#include "source_line.hpp"

namespace roam::am {

struct SourceLines::Lines {
  std::unordered_map<std::int32_t, core::Owned<SourceLine>> of_rank;
};

SourceLines::SourceLines(Messenger& messenger)
    : messenger_(messenger), lines_(core::make_owned<Lines>()) {}

SourceLines::~SourceLines() = default;

void SourceLines::add(Rank source, exec::ReadyItem* run) {
  auto& line = lines_->of_rank[source.value()];
  if (line == nullptr) line = std::make_unique<SourceLine>(messenger_, source);
  line->add(run);
}

SourceLine::~SourceLine() {
  while (first_ != nullptr) std::exchange(first_, first_->next)->drop();
}

void SourceLine::add(exec::ReadyItem* run) {
  bool was_empty = false;
  run->next = nullptr;
  {
    const core::LockGuard guard(lock_);
    was_empty = first_ == nullptr;
    (was_empty ? first_ : last_->next) = run;
    last_ = run;
  }
  if (was_empty) messenger_.engine().push(this);
}

void SourceLine::run(exec::Context& context) {
  exec::ReadyItem* first = nullptr;
  bool more = false;
  BatchEntry entry;
  std::span<const std::byte> payload;
  std::shared_ptr<const core::Buffer> batch;
  {
    const core::LockGuard guard(lock_);
    first = first_;
    bool is_taken = true;
    if (first->has_parts) {
      auto* parts = static_cast<BatchInLine*>(first);
      static_cast<void>(parts->next_entry(entry, payload, batch));
      is_taken = parts->at_end();
    }
    if (is_taken) first_ = first->next;
    more = first_ != nullptr;
    if (batch != nullptr && !is_taken) first = nullptr;
  }
  // The next one may start on another worker as soon as this one has been taken.
  if (more) messenger_.engine().push(this);
  if (batch == nullptr) return first->run(context);
  if (first != nullptr) first->drop();
  run_entry(entry, payload, context);
}

void SourceLine::run_entry(const BatchEntry& entry, std::span<const std::byte> payload,
                           exec::Context& context) {
  const ProgramHandler& handler = *messenger_.handlers().find(entry.handler)->program;
  handler.run_in_place(messenger_, handler, source_, payload, context);
}

}  // namespace roam::am
