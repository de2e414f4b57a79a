// SPDX-License-Identifier: Apache-2.0
#include "c_task.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "roam/core/error.hpp"

namespace roam::offload {

namespace {

using Parameters = std::tuple<std::uint32_t, CBuffers, Array<std::byte>, Array<std::byte>>;

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

void CTaskTypes::Type::compute(const std::vector<roam_buffer>& buffers) const {
  const int status = function(buffers.data(), static_cast<int>(buffers.size()));
  if (status != 0)
    throw Error("task \"" + name + "\" returned " + std::to_string(status) + ", not 0");
}

const CTaskTypes& CTaskTypes::of_this_rank() {
  const CTaskTypes* const types = here().engine().services().get<CTaskTypes>();
  if (types == nullptr) throw Error("a task by the C interface, which this rank does not use");
  return *types;
}

Array<std::byte> compute_c_task(std::uint32_t type, const CBuffers& layout, Array<std::byte> inputs,
                                Array<std::byte> lent) {
  const CTaskTypes& types = CTaskTypes::of_this_rank();
  GuestBuffers buffers(here().messenger(), layout, std::move(inputs), std::move(lent));
  types.find(type).compute(buffers.buffers());
  return std::move(buffers).outputs();
}

CTask::CTask(Offloader& offloader, const CTaskTypes::Type& type, std::vector<roam_buffer> buffers)
    : ResultTask<void>(offloader.tasks(), offloader.engine(), am::EpochWork(),
                       detail::task_function<&compute_c_task>),
      home_(offloader.tasks()),
      type_(type),
      buffers_(std::move(buffers)) {}

// The job may be over before those that have waited for this one have been submitted.
CTask::~CTask() {
  for (CTask* const later : later_)
    if (!later->is_over_.exchange(true)) later->release();
}

void CTask::watch_buffers() {
  is_watched_ = true;
  if (!waits()) watch_.remember(buffers_);
}

void CTask::require_same(const BufferWatch::Finding& found) const {
  if (found.what == nullptr) return;
  throw Error(describe_buffer(type_.name, found.buffer, messenger().rank().value(),
                              buffers_[found.buffer]) +
              " " + found.what + " before the task was complete");
}

void CTask::come_after(CTask& earlier) {
  earlier.later_.push_back(this);
  missing_.fetch_add(1, std::memory_order_relaxed);
}

void CTask::begin_later_ones() {
  for (CTask* const later : std::exchange(later_, {})) {
    if (later->missing_.fetch_sub(1, std::memory_order_acq_rel) > 1) continue;
    later->is_over_.store(true);
    if (later->is_watched_) later->watch_.remember(later->buffers_);
    home_.submit(later);
  }
}

void CTask::on_failure(const std::string& text) {
  for (CTask* const later : std::exchange(later_, {}))
    if (!later->is_over_.exchange(true)) later->fail_unbegun(text);
}

void CTask::call() {
  require_same(watch_.compare(buffers_));
  type_.compute(buffers_);
  require_same(watch_.compare_inputs(buffers_));
  value_.emplace();
  begin_later_ones();
}

void CTask::ship(Rank victim, Shipped head) {
  require_same(watch_.compare(buffers_));
  head.function = detail::task_function<&compute_c_task>.id();
  const CBuffers layout = layout_of(buffers_);
  const BufferPlaces places(layout);
  Array<std::byte> lent;
  if (places.lent != BufferPlaces::nowhere) {
    LentInputs& inputs = *messenger().engine().services().get<LentInputs>();
    lent = inputs.lend(messenger(), buffers_[places.lent]);
  }
  messenger().post_behind(victim, head, std::type_identity<Parameters>{},
                          CTaskTypes::id_of(type_.name), layout,
                          packed_inputs(messenger(), buffers_, places), std::move(lent));
}

void CTask::continue_with(am::Incoming&& result) {
  require_same(watch_.compare(buffers_));
  take_outputs(buffers_, std::move(result));
  value_.emplace();
  begin_later_ones();
}

}  // namespace roam::offload
