// SPDX-License-Identifier: Apache-2.0
#include "am/credits.hpp"

#include <cstring>

namespace roam::am {

namespace {

constexpr std::size_t kept_batches = 64;

// Flags of messages whose bulk data is received into the runtime's own memory.
constexpr std::uint16_t takes_memory = WireHeader::announce | WireHeader::attached;

WireHeader header_of(const core::Buffer& message) {
  WireHeader header;
  std::memcpy(&header, message.data(), sizeof header);
  return header;
}

// Adds the message to the batch; if it is a batch itself, its entries.
void append(core::Buffer& batch, const WireHeader& header, const core::Buffer& message) {
  const std::size_t bytes = message.size() - sizeof header;
  if ((header.flags & WireHeader::batch) == 0) {
    const BatchEntry entry{header.handler, static_cast<std::uint16_t>(bytes), header.flags};
    batch.append(&entry, sizeof entry);
  }
  batch.append(message.data() + sizeof header, bytes);
  WireHeader own;
  own.checked_size = static_cast<std::uint32_t>(batch.size());
  own.flags = WireHeader::batch;
  std::memcpy(batch.data(), &own, sizeof own);
}

}  // namespace

Credits::Credits(std::size_t window_bytes, std::size_t batch_bytes)
    : window_bytes_(std::max(window_bytes, smallest_window)),
      batch_bytes_(batch_bytes),
      outgoing_(&Outgoing::limit, window_bytes_),
      incoming_(&Incoming::due_at, window_bytes_ / 2) {}

std::uint64_t Credits::charge(const core::Buffer& message, const core::Buffer& bulk) {
  const std::uint64_t own = charge(message.size());
  if (!bulk || (header_of(message).flags & takes_memory) == 0) return own;
  return own + charge(bulk.size());
}

void Credits::hold(Rank destination, Waiting&& waiting) {
  Outgoing& lane = outgoing_.at(destination);
  lane.limit = 0;
  if (lane.waiting == nullptr) lane.waiting = std::make_unique<std::deque<Waiting>>();
  if (!waiting.bulk && put_into_batch(*lane.waiting, waiting.message)) return;
  count_waiting(waiting, true);
  lane.waiting->push_back(std::move(waiting));
}

bool Credits::put_into_batch(std::deque<Waiting>& waiting, const core::Buffer& message) {
  const WireHeader header = header_of(message);
  if ((header.flags & WireHeader::with_bulk) != 0) return false;
  const bool is_batch = (header.flags & WireHeader::batch) != 0;
  const std::size_t body = message.size() - sizeof header;
  const std::size_t bytes = is_batch ? body : sizeof(BatchEntry) + body;
  if (!is_batch && bytes > batch_bytes_ / 4) return false;
  if (waiting.empty() || !has_space(waiting.back(), bytes)) {
    if (is_batch) return false;  // waits as it is; later messages may be added to it
    if (batches_ == nullptr) batches_ = core::BufferPool::create(batch_bytes_, kept_batches);
    Waiting fresh{batches_->take(), {}, 0};
    fresh.message.set_size(sizeof header);
    count_waiting(fresh, true);
    waiting.push_back(std::move(fresh));
  }
  append(waiting.back().message, header, message);
  return true;
}

bool Credits::has_space(const Waiting& last, std::size_t bytes) const {
  return !last.bulk && (header_of(last.message).flags & WireHeader::batch) != 0 &&
         last.message.size() + bytes <= std::min(batch_bytes_, last.message.capacity());
}

Credits::Waiting Credits::take_first(Outgoing& lane) {
  Waiting first = std::move(lane.waiting->front());
  lane.waiting->pop_front();
  if (lane.waiting->empty()) lane.waiting.reset();
  count_waiting(first, false);
  return first;
}

void Credits::count_waiting(const Waiting& waiting, bool comes) {
  const std::size_t bytes = waiting.message.capacity() + waiting.bulk.capacity();
  const std::size_t now = comes ? waiting_bytes() + bytes : waiting_bytes() - bytes;
  waiting_bytes_.store(now, std::memory_order_relaxed);
  if (now > most_waiting_bytes()) most_waiting_bytes_.store(now, std::memory_order_relaxed);
}

bool Credits::take_grant(Rank source, std::uint64_t total) {
  Outgoing& lane = outgoing_.at(source);
  if (total <= lane.granted || total > lane.sent) return false;
  lane.granted = total;
  return true;
}

std::vector<Rank> Credits::waited_for() const {
  std::vector<Rank> ranks;
  outgoing_.all().for_each([&ranks](Rank rank, const Outgoing& lane) {
    if (lane.waiting != nullptr) ranks.push_back(rank);
  });
  return ranks;
}

void Credits::make_due(Rank source, Incoming& lane) {
  lane.due_at = std::numeric_limits<std::uint64_t>::max();
  due_.push_back(source);
}

}  // namespace roam::am
