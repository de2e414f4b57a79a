// SPDX-License-Identifier: Apache-2.0
#include "c_buffers.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include "roam/core/detail/parameters.hpp"
#include "roam/core/error.hpp"

namespace roam::offload {

namespace {

// Smaller messages are copied anyway, and so is a large array beside more than this.
constexpr std::uint64_t least_lent_bytes = std::uint64_t{16} << 10;
constexpr std::uint64_t most_bytes_beside = std::uint64_t{8} << 10;
// Buffers that are written alone travel with those that are changed if they have at most this part
// of their bytes. Chosen: sending them there costs less than copying the others.
constexpr std::uint64_t small_part = 16;
// Chosen: sums of so many lengths do not overflow.
constexpr std::size_t most_buffers = std::size_t{1} << 14;
constexpr std::uint64_t longest_buffer = std::uint64_t{1} << 48;

bool is_read_only(std::uint8_t access) { return is_input(access) && !is_output(access); }
bool is_changed(std::uint8_t access) { return is_input(access) && is_output(access); }
bool is_written_only(std::uint8_t access) { return !is_input(access) && is_output(access); }

std::uint64_t bytes_of(const CBuffers& layout, bool (*counts)(std::uint8_t)) {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < layout.bytes.size(); ++i)
    total += counts(layout.access[i]) ? layout.bytes[i] : 0;
  return total;
}

constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + BufferPlaces::alignment - 1) / BufferPlaces::alignment * BufferPlaces::alignment;
}

/// Adds places for all buffers of some kind behind those that are there.
void add_places(const CBuffers& layout, bool (*counts)(std::uint8_t), std::size_t left_out,
                std::vector<std::size_t>& places, std::size_t& total) {
  for (std::size_t i = 0; i < layout.bytes.size(); ++i) {
    if (!counts(layout.access[i]) || i == left_out) continue;
    places[i] = aligned(total);
    total = places[i] + static_cast<std::size_t>(layout.bytes[i]);
  }
}

// The largest buffer that may be lent, if it is nearly all of the input. Two large ones are sent as
// one array, which is a copy of both.
std::size_t chosen_to_lend(const CBuffers& layout) {
  std::size_t chosen = BufferPlaces::nowhere;
  for (std::size_t i = 0; i < layout.bytes.size(); ++i) {
    if (layout.access[i] != ROAM_LENT || layout.bytes[i] < least_lent_bytes) continue;
    if (chosen == BufferPlaces::nowhere || layout.bytes[i] > layout.bytes[chosen]) chosen = i;
  }
  const bool is_nearly_all = chosen != BufferPlaces::nowhere &&
                             input_bytes(layout) - layout.bytes[chosen] <= most_bytes_beside;
  return is_nearly_all ? chosen : BufferPlaces::nowhere;
}

void require_possible(const CBuffers& layout) {
  const auto is_access = [](std::uint8_t one) { return one <= ROAM_INOUT || one == ROAM_LENT; };
  const auto is_length = [](std::uint64_t bytes) { return bytes <= longest_buffer; };
  if (layout.bytes.size() != layout.access.size() || layout.bytes.size() > most_buffers ||
      !std::ranges::all_of(layout.access, is_access) ||
      !std::ranges::all_of(layout.bytes, is_length))
    throw MalformedMessage("a task with buffers that are not possible");
}

bool is_aligned(const std::byte* address) {
  return reinterpret_cast<std::uintptr_t>(address) % BufferPlaces::alignment == 0;
}

/// Uninitialised memory that is aligned as buffers are.
ArrayPart aligned_memory(am::Messenger& messenger, std::size_t bytes) {
  auto memory = Array<std::byte>::in(messenger.large_memory(), bytes);
  if (is_aligned(memory.data())) return {std::move(memory), 0, bytes};
  memory = Array<std::byte>::in(messenger.large_memory(), bytes + BufferPlaces::alignment);
  const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
  const std::size_t shift = aligned(address) - address;
  return {std::move(memory), shift, bytes};
}

/// The memory itself, if it is aligned as buffers are, else a copy. Long messages are aligned.
ArrayPart made_aligned(am::Messenger& messenger, Array<std::byte>&& memory) {
  const std::size_t bytes = memory.size();
  if (is_aligned(memory.data())) return {std::move(memory), 0, bytes};
  ArrayPart copy = aligned_memory(messenger, bytes);
  std::memcpy(copy.data(), memory.data(), bytes);
  return copy;
}

// What is sent has no bytes that nobody has written.
void clear_gaps(const CBuffers& layout, const std::vector<std::size_t>& places,
                std::span<std::byte> memory) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] == BufferPlaces::nowhere) continue;
    const std::size_t end = places[i] + static_cast<std::size_t>(layout.bytes[i]);
    std::ranges::fill(memory.subspan(end, std::min(aligned(end), memory.size()) - end),
                      std::byte{0});
  }
}

}  // namespace

bool is_input(std::uint8_t access) { return (access & ROAM_IN) != 0; }
bool is_output(std::uint8_t access) { return (access & ROAM_OUT) != 0; }

CBuffers layout_of(const std::vector<roam_buffer>& buffers) {
  CBuffers layout;
  layout.bytes.reserve(buffers.size());
  layout.access.reserve(buffers.size());
  for (const roam_buffer& buffer : buffers) {
    layout.bytes.push_back(buffer.bytes);
    layout.access.push_back(static_cast<std::uint8_t>(buffer.access));
  }
  return layout;
}

std::uint64_t input_bytes(const CBuffers& layout) { return bytes_of(layout, is_input); }
std::uint64_t output_bytes(const CBuffers& layout) { return bytes_of(layout, is_output); }

BufferPlaces::BufferPlaces(const CBuffers& layout) {
  require_possible(layout);
  in_inputs.assign(layout.bytes.size(), nowhere);
  in_outputs = in_inputs;
  lent = chosen_to_lend(layout);
  add_places(layout, is_read_only, lent, in_inputs, input_bytes);
  const std::size_t changed_begin = aligned(input_bytes);
  add_places(layout, is_changed, lent, in_inputs, input_bytes);
  const std::uint64_t changed = bytes_of(layout, is_changed);
  if (changed > 0 && bytes_of(layout, is_written_only) <= changed / small_part) {
    outputs_begin = changed_begin;
    add_places(layout, is_written_only, lent, in_inputs, input_bytes);
    output_bytes = input_bytes - outputs_begin;
    for (std::size_t i = 0; i < in_outputs.size(); ++i)
      if (is_output(layout.access[i])) in_outputs[i] = in_inputs[i] - outputs_begin;
  } else {
    add_places(layout, is_output, lent, in_outputs, output_bytes);
  }
}

Array<std::byte> LentInputs::lend(am::Messenger& messenger, const roam_buffer& buffer) {
  messenger_.store(&messenger);
  lent_.fetch_add(1, std::memory_order_relaxed);
  messenger.begin_lending(buffer.bytes);
  const std::span<const std::byte> memory(static_cast<const std::byte*>(buffer.data), buffer.bytes);
  return core::detail::ArrayAccess::over<std::byte>(core::Buffer::borrow_to_send(memory, this),
                                                    buffer.bytes);
}

void LentInputs::take_back(std::span<std::byte> memory) noexcept {
  if (am::Messenger* const messenger = messenger_.load()) messenger->end_lending(memory.size());
  lent_.fetch_sub(1, std::memory_order_release);
}

Array<std::byte> packed_inputs(am::Messenger& messenger, const std::vector<roam_buffer>& buffers,
                               const BufferPlaces& places) {
  auto inputs = Array<std::byte>::in(messenger.large_memory(), places.input_bytes);
  clear_gaps(layout_of(buffers), places.in_inputs, {inputs.data(), inputs.size()});
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (places.in_inputs[i] == BufferPlaces::nowhere || buffers[i].bytes == 0) continue;
    std::byte* const place = inputs.data() + places.in_inputs[i];
    if (is_input(static_cast<std::uint8_t>(buffers[i].access))) {
      std::memcpy(place, buffers[i].data, buffers[i].bytes);
    } else {
      std::memset(place, 0, buffers[i].bytes);
    }
  }
  return inputs;
}

void take_outputs(const std::vector<roam_buffer>& buffers, am::Incoming&& result) {
  core::Unpacker bytes(result.payload());
  bytes.set_attachment(&result.attachment);
  const auto outputs =
      std::get<0>(core::unpack_parameters<std::tuple<std::span<const std::byte>>>(bytes));
  const BufferPlaces places(layout_of(buffers));
  if (outputs.size() != places.output_bytes)
    throw MalformedMessage("a result is not as long as the buffers of its task");
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (places.in_outputs[i] == BufferPlaces::nowhere || buffers[i].bytes == 0) continue;
    std::memcpy(buffers[i].data, outputs.data() + places.in_outputs[i], buffers[i].bytes);
  }
}

GuestBuffers::GuestBuffers(am::Messenger& messenger, const CBuffers& layout,
                           Array<std::byte>&& inputs, Array<std::byte>&& lent)
    : places_(layout) {
  const std::size_t lent_bytes = places_.lent == BufferPlaces::nowhere
                                     ? 0
                                     : static_cast<std::size_t>(layout.bytes[places_.lent]);
  if (inputs.size() != places_.input_bytes || lent.size() != lent_bytes)
    throw MalformedMessage("the buffers of a task do not fit what came");
  inputs_ = made_aligned(messenger, std::move(inputs));
  lent_ = made_aligned(messenger, std::move(lent));
  if (places_.outputs_begin == BufferPlaces::nowhere) {
    outputs_ = aligned_memory(messenger, places_.output_bytes);
    clear_gaps(layout, places_.in_outputs, {outputs_.data(), outputs_.size()});
  }
  for (std::size_t i = 0; i < layout.bytes.size(); ++i) {
    const auto bytes = static_cast<std::size_t>(layout.bytes[i]);
    std::byte* place = place_of(i);
    if (place == nullptr) place = inner_.emplace_back(aligned_memory(messenger, bytes)).data();
    const bool is_elsewhere = is_changed(layout.access[i]) && outputs_.size() > 0;
    if (is_elsewhere && bytes > 0) std::memcpy(place, inputs_.data() + places_.in_inputs[i], bytes);
    buffers_.push_back({place, bytes, static_cast<roam_access>(layout.access[i])});
  }
}

// nullptr: the buffer does not travel. What is changed is in the memory in which it is sent back.
std::byte* GuestBuffers::place_of(std::size_t buffer) {
  if (buffer == places_.lent) return lent_.data();
  const std::size_t input = places_.in_inputs[buffer];
  const std::size_t output = places_.in_outputs[buffer];
  if (output == BufferPlaces::nowhere || places_.outputs_begin != BufferPlaces::nowhere)
    return input == BufferPlaces::nowhere ? nullptr : inputs_.data() + input;
  return outputs_.data() + output;
}

Array<std::byte> GuestBuffers::outputs() && {
  if (places_.outputs_begin == BufferPlaces::nowhere) return std::move(outputs_).given_up();
  return std::move(inputs_).end_from(places_.outputs_begin).given_up();
}

}  // namespace roam::offload
