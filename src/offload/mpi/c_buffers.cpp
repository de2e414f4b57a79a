// SPDX-License-Identifier: Apache-2.0
#include "c_buffers.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "roam/core/detail/parameters.hpp"
#include "roam/core/error.hpp"

namespace roam::offload {

namespace {

std::uint64_t bytes_of(const CBuffers& layout, bool (*counts)(std::uint8_t)) {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < layout.bytes.size(); ++i)
    total += counts(layout.access[i]) ? layout.bytes[i] : 0;
  return total;
}

}  // namespace

bool is_input(std::uint8_t access) { return (access & ROAM_IN) != 0; }
bool is_output(std::uint8_t access) { return (access & ROAM_OUT) != 0; }

CBuffers layout_of(const std::vector<roam_buffer>& buffers) {
  CBuffers layout;
  for (const roam_buffer& buffer : buffers) {
    layout.bytes.push_back(buffer.bytes);
    layout.access.push_back(static_cast<std::uint8_t>(buffer.access));
  }
  return layout;
}

std::uint64_t input_bytes(const CBuffers& layout) { return bytes_of(layout, is_input); }
std::uint64_t output_bytes(const CBuffers& layout) { return bytes_of(layout, is_output); }

Array<std::byte> packed_inputs(am::Messenger& messenger, const std::vector<roam_buffer>& buffers) {
  auto inputs = Array<std::byte>::in(messenger.large_memory(), input_bytes(layout_of(buffers)));
  std::byte* place = inputs.data();
  for (const roam_buffer& buffer : buffers) {
    if (!is_input(static_cast<std::uint8_t>(buffer.access)) || buffer.bytes == 0) continue;
    std::memcpy(place, buffer.data, buffer.bytes);
    place += buffer.bytes;
  }
  return inputs;
}

void take_outputs(const std::vector<roam_buffer>& buffers, am::Incoming&& result) {
  core::Unpacker bytes(result.payload());
  bytes.set_attachment(&result.attachment);
  const auto outputs =
      std::get<0>(core::unpack_parameters<std::tuple<std::span<const std::byte>>>(bytes));
  std::span<const std::byte> left(outputs.data(), outputs.size());
  for (const roam_buffer& buffer : buffers) {
    if (!is_output(static_cast<std::uint8_t>(buffer.access)) || buffer.bytes == 0) continue;
    if (left.size() < buffer.bytes) throw MalformedMessage("too little came back");
    std::memcpy(buffer.data, left.data(), buffer.bytes);
    left = left.subspan(buffer.bytes);
  }
  if (!left.empty()) throw MalformedMessage("too much came back");
}

GuestBuffers::GuestBuffers(const CBuffers& layout, std::span<const std::byte> inputs) {
  const bool is_valid =
      layout.bytes.size() == layout.access.size() &&
      std::ranges::all_of(layout.access, [](std::uint8_t one) { return one <= ROAM_INOUT; }) &&
      input_bytes(layout) == inputs.size();
  if (!is_valid) throw MalformedMessage("the buffers of a task do not fit what came");
  constexpr std::uint64_t line = 64;
  std::uint64_t total = line;
  for (const std::uint64_t bytes : layout.bytes) total += (bytes + line - 1) / line * line;
  memory_.resize(total);
  auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
  address = (address + line - 1) / line * line;
  for (std::size_t i = 0; i < layout.bytes.size(); ++i) {
    auto* const data = reinterpret_cast<std::byte*>(address);
    buffers_.push_back({data, layout.bytes[i], static_cast<roam_access>(layout.access[i])});
    address += (layout.bytes[i] + line - 1) / line * line;
    if (!is_input(layout.access[i]) || layout.bytes[i] == 0) continue;
    std::memcpy(data, inputs.data(), layout.bytes[i]);
    inputs = inputs.subspan(layout.bytes[i]);
  }
  output_bytes_ = output_bytes(layout);
}

std::vector<std::byte> GuestBuffers::outputs() const {
  std::vector<std::byte> outputs;
  outputs.reserve(output_bytes_);
  for (const roam_buffer& buffer : buffers_) {
    if (!is_output(static_cast<std::uint8_t>(buffer.access))) continue;
    const auto* const data = static_cast<const std::byte*>(buffer.data);
    outputs.insert(outputs.end(), data, data + buffer.bytes);
  }
  return outputs;
}

}  // namespace roam::offload
