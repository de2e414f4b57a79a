// SPDX-License-Identifier: Apache-2.0
#include "c_task.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include "roam/core/error.hpp"

namespace roam::offload {

namespace {

using Parameters = std::tuple<std::uint32_t, CBuffers, std::span<const std::byte>>;

bool is_input(std::uint8_t access) { return (access & ROAM_IN) != 0; }
bool is_output(std::uint8_t access) { return (access & ROAM_OUT) != 0; }

void run_function(const CTaskTypes::Type& type, const std::vector<roam_buffer>& buffers) {
  const int status = type.function(buffers.data(), static_cast<int>(buffers.size()));
  if (status != 0)
    throw Error("task \"" + type.name + "\" returned " + std::to_string(status) + ", not 0");
}

/// Memory for the buffers of another rank's task, each aligned to 64 bytes as it would be on its
/// own rank.
class TaskBuffers {
 public:
  explicit TaskBuffers(const CBuffers& layout) {
    constexpr std::uint64_t line = 64;
    std::uint64_t total = line;
    for (const std::uint64_t bytes : layout.bytes) total += (bytes + line - 1) / line * line;
    memory_.resize(total);
    auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    address = (address + line - 1) / line * line;
    for (std::size_t i = 0; i < layout.bytes.size(); ++i) {
      buffers_.push_back({reinterpret_cast<void*>(address), layout.bytes[i],
                          static_cast<roam_access>(layout.access[i])});
      address += (layout.bytes[i] + line - 1) / line * line;
    }
  }
  [[nodiscard]] const std::vector<roam_buffer>& buffers() const { return buffers_; }

 private:
  std::vector<std::byte> memory_;
  std::vector<roam_buffer> buffers_;
};

std::uint64_t bytes_of(const CBuffers& layout, bool (*counts)(std::uint8_t)) {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < layout.bytes.size(); ++i)
    total += counts(layout.access[i]) ? layout.bytes[i] : 0;
  return total;
}

void check(const CBuffers& layout, std::size_t input_bytes) {
  const auto is_access = [](std::uint8_t access) {
    return access >= ROAM_IN && access <= ROAM_INOUT;
  };
  const bool is_valid = layout.bytes.size() == layout.access.size() &&
                        std::ranges::all_of(layout.access, is_access) &&
                        bytes_of(layout, is_input) == input_bytes;
  if (!is_valid) throw MalformedMessage("the buffers of a task do not fit what came");
}

}  // namespace

std::uint32_t CTaskTypes::id_of(const std::string& name) { return am::handler_id(name); }

void CTaskTypes::add(const std::string& name, roam_task_function function) {
  const std::lock_guard guard(mutex_);
  const auto [place, is_new] = types_.try_emplace(id_of(name), Type{name, function});
  if (is_new || (place->second.name == name && place->second.function == function)) return;
  throw Error("task \"" + name + "\" cannot be registered: " +
              (place->second.name == name ? "another function has this name"
                                          : "its hash is that of \"" + place->second.name + "\""));
}

const CTaskTypes::Type& CTaskTypes::find(std::uint32_t id) const {
  const std::lock_guard guard(mutex_);
  const auto place = types_.find(id);
  if (place != types_.end()) return place->second;
  throw Error("a task of a type that is not registered here; registered are " + names());
}

const CTaskTypes::Type& CTaskTypes::find(const std::string& name) const {
  const std::lock_guard guard(mutex_);
  const auto place = types_.find(id_of(name));
  if (place != types_.end() && place->second.name == name) return place->second;
  throw Error("task \"" + name + "\" is not registered; registered are " + names());
}

std::string CTaskTypes::names() const {
  std::vector<std::string> all;
  for (const auto& [id, type] : types_) all.push_back(type.name);
  std::sort(all.begin(), all.end());
  std::string text;
  for (const std::string& name : all) text += (text.empty() ? "\"" : ", \"") + name + "\"";
  return text.empty() ? "none" : text;
}

std::vector<std::byte> compute_c_task(std::uint32_t type, const CBuffers& layout,
                                      std::span<const std::byte> inputs) {
  const CTaskTypes* const types = here().engine().services().get<CTaskTypes>();
  if (types == nullptr) throw Error("a task by the C interface, which this rank does not use");
  check(layout, inputs.size());
  const TaskBuffers buffers(layout);
  for (const roam_buffer& buffer : buffers.buffers()) {
    if (!is_input(buffer.access) || buffer.bytes == 0) continue;
    std::memcpy(buffer.data, inputs.data(), buffer.bytes);
    inputs = inputs.subspan(buffer.bytes);
  }
  run_function(types->find(type), buffers.buffers());
  std::vector<std::byte> outputs;
  outputs.reserve(bytes_of(layout, is_output));
  for (const roam_buffer& buffer : buffers.buffers()) {
    if (!is_output(buffer.access)) continue;
    const auto* const data = static_cast<const std::byte*>(buffer.data);
    outputs.insert(outputs.end(), data, data + buffer.bytes);
  }
  return outputs;
}

CTask::CTask(Offloader& offloader, const CTaskTypes::Type& type, std::vector<roam_buffer> buffers)
    : ResultTask<void>(offloader.tasks(), offloader.engine(), am::EpochWork(),
                       detail::task_function<&compute_c_task>),
      type_(type),
      buffers_(std::move(buffers)) {}

void CTask::call() {
  run_function(type_, buffers_);
  value_.emplace();
}

void CTask::ship(Rank victim, Shipped head) {
  CBuffers layout;
  for (const roam_buffer& buffer : buffers_) {
    layout.bytes.push_back(buffer.bytes);
    layout.access.push_back(static_cast<std::uint8_t>(buffer.access));
  }
  auto inputs = Array<std::byte>::in(messenger().large_memory(), bytes_of(layout, is_input));
  std::byte* place = inputs.data();
  for (const roam_buffer& buffer : buffers_) {
    if (!is_input(buffer.access) || buffer.bytes == 0) continue;
    std::memcpy(place, buffer.data, buffer.bytes);
    place += buffer.bytes;
  }
  head.function = detail::task_function<&compute_c_task>.id();
  messenger().post_behind(victim, head, std::type_identity<Parameters>{},
                          CTaskTypes::id_of(type_.name), layout, std::move(inputs));
}

void CTask::continue_with(am::Incoming&& result) {
  core::Unpacker bytes(result.payload());
  bytes.set_attachment(&result.attachment);
  const auto outputs =
      std::get<0>(core::unpack_parameters<std::tuple<std::span<const std::byte>>>(bytes));
  std::span<const std::byte> left(outputs.data(), outputs.size());
  for (const roam_buffer& buffer : buffers_) {
    if (!is_output(buffer.access) || buffer.bytes == 0) continue;
    if (left.size() < buffer.bytes) throw MalformedMessage("too little came back");
    std::memcpy(buffer.data, left.data(), buffer.bytes);
    left = left.subspan(buffer.bytes);
  }
  if (!left.empty()) throw MalformedMessage("too much came back");
  value_.emplace();
}

}  // namespace roam::offload
