// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <mutex>

#include "roam/am/detail/system_handlers.hpp"
#include "roam/core/error.hpp"
#include "roam/mobile/detail/collections.hpp"

namespace roam::mobile {

namespace {
// The number of parts that are started before the worker does something else.
constexpr std::uint32_t parts_per_step = 256;
}  // namespace

std::vector<Rank> children_in_tree(Rank rank, std::int32_t size) {
  std::vector<Rank> children;
  const std::int64_t own = rank.value();
  for (std::int64_t step = 1; own + step < size && (own & step) == 0; step *= 2)
    children.emplace_back(static_cast<std::int32_t>(own + step));
  return children;
}

/// Does what is left to do if the last answer has come inside progress.
class Operation::Completion final : public exec::ReadyItem {
 public:
  explicit Completion(std::shared_ptr<Operation> operation) : operation_(std::move(operation)) {}
  void run(exec::Context& context) override {
    context.label = "collection result";
    const auto operation = std::move(operation_);
    delete this;
    operation->complete();
  }
  void drop() override { delete this; }

 private:
  std::shared_ptr<Operation> operation_;
};

Operation::Operation(Collections& collections, const OperationType& type,
                     const OperationHeader& header)
    : collections_(collections),
      type_(type),
      header_(header),
      outstanding_(1 +
                   children_in_tree(collections.rank(), collections.messenger().size()).size()) {}

std::string Operation::own_words(const std::exception_ptr& error) const {
  return "rank " + std::to_string(collections_.rank().value()) + ": " + words_of(error);
}

std::uint64_t Operation::token(std::uint32_t position) const {
  return is_awaited() ? Collections::part_token(header_.number, position) : 0;
}

bool Operation::step(CollectionState& state) {
  const am::EpochScope scope(work_.epoch());
  if (!is_prepared_) {
    is_prepared_ = true;
    try {
      total_ = prepare(state);
    } catch (...) {
      note_failure(0, own_words(std::current_exception()));
    }
    outstanding_.fetch_add(total_, std::memory_order_relaxed);
  }
  const std::uint32_t end = std::min(total_ - next_, parts_per_step) + next_;
  for (; next_ < end; ++next_) {
    try {
      start_part(state, next_);
    } catch (...) {
      part_failed(next_, own_words(std::current_exception()));
    }
  }
  if (next_ < total_) return false;
  started(state);
  one_less();
  return true;
}

void Operation::part_over() { one_less(); }

void Operation::part_failed(std::uint32_t position, const std::string& text) {
  note_failure(position, text);
  part_missing(position);
}

void Operation::note_failure(std::uint32_t position, const std::string& text) {
  if (!is_awaited()) return collections_.engine().report_error(text);
  const std::lock_guard guard(lock_);
  if (position >= failed_position_) return;
  failed_position_ = position;
  failure_ = text;
}

void Operation::child_answered(Rank child, bool has_failed, am::Incoming&& result) {
  const auto children = children_in_tree(collections_.rank(), collections_.messenger().size());
  {
    const std::lock_guard guard(lock_);
    const bool is_second = std::any_of(answers_.begin(), answers_.end(),
                                       [&](const Answer& other) { return other.child == child; });
    if (is_second || std::find(children.begin(), children.end(), child) == children.end())
      throw MalformedMessage("a result of a rank that has none to give");
    answers_.push_back({child, has_failed, std::move(result)});
  }
  // What follows runs code of the program, which must not run inside progress.
  if (outstanding_.fetch_sub(1, std::memory_order_acq_rel) == 1)
    collections_.engine().push(new Completion(shared_from_this()));
}

void Operation::one_less() {
  if (outstanding_.fetch_sub(1, std::memory_order_acq_rel) == 1) complete();
}

void Operation::take_answers() {
  std::sort(answers_.begin(), answers_.end(),
            [](const Answer& a, const Answer& b) { return a.child < b.child; });
  for (Answer& answer : answers_) {
    if (!failure_.empty()) continue;
    core::Unpacker bytes(answer.result.payload());
    if (answer.has_failed) {
      failure_ = core::unpack<std::string>(bytes);
    } else {
      take_value(bytes);
    }
  }
}

// Called by the thread that has counted to zero: no other thread uses the operation any more.
void Operation::complete() {
  const auto self = shared_from_this();
  if (!is_awaited()) return;
  const am::EpochScope scope(work_.epoch());
  try {
    complete_value();
    take_answers();
  } catch (...) {
    if (failure_.empty()) failure_ = own_words(std::current_exception());
  }
  collections_.forget(*this);
  if (failure_.empty()) {
    try {
      return give_value();
    } catch (...) {
      failure_ = own_words(std::current_exception());
    }
  }
  give_failure();
}

void Operation::give_value() {
  if (collections_.rank() == 0) return answer({Rank(header_.origin), header_.reply_token});
  auto result = collections_.messenger().begin(OperationResult{header_.number, false});
  pack_value(result.packer());
  collections_.send_up(parent_in_tree(collections_.rank()), std::move(result));
}

void Operation::give_failure() {
  am::Messenger& messenger = collections_.messenger();
  if (collections_.rank() == 0) {
    messenger.answer_failure({Rank(header_.origin), header_.reply_token},
                             am::ReplyStatus::handler_failed, failure_);
    return failed();
  }
  auto result = messenger.begin(OperationResult{header_.number, true}, failure_.size());
  core::pack(result.packer(), failure_);
  collections_.send_up(parent_in_tree(collections_.rank()), std::move(result));
}

SharedBytes::SharedBytes(std::span<const std::byte> bytes)
    : bytes_(std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end())) {}

std::span<const std::byte> SharedBytes::copy_to(std::vector<std::byte>& own) const {
  const std::span<const std::byte> shared = view();
  own.assign(shared.begin(), shared.end());
  return own;
}

std::span<const std::byte> SharedBytes::view() const {
  return bytes_ == nullptr ? std::span<const std::byte>() : *bytes_;
}

}  // namespace roam::mobile
