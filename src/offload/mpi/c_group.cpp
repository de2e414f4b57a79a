// SPDX-License-Identifier: Apache-2.0
#include "c_group.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <tuple>
#include <utility>

#include "roam/core/error.hpp"

namespace roam::offload {

namespace {

using GroupParameters = std::tuple<std::vector<CStep>, CBuffers, Array<std::byte>>;

// What the tasks have for each other is worth keeping in one place from this part of the rest on.
constexpr double negligible_part = 0.1;

std::vector<roam_buffer> buffers_of(const CStep& step, const std::vector<roam_buffer>& all) {
  std::vector<roam_buffer> own;
  for (std::size_t i = 0; i < step.buffers.size(); ++i) {
    const roam_buffer& buffer = all[step.buffers[i]];
    own.push_back({buffer.data, buffer.bytes, static_cast<roam_access>(step.access[i])});
  }
  return own;
}

/// A group as one task, whose buffers are the program's own memory.
class CGroupTask final : public detail::ResultTask<void> {
 public:
  CGroupTask(Offloader& offloader, std::vector<const CTaskTypes::Type*> types,
             std::vector<CStep> steps, std::vector<roam_buffer> buffers, bool watches)
      : ResultTask<void>(offloader.tasks(), offloader.engine(), am::EpochWork(),
                         detail::task_function<&compute_c_group>),
        types_(std::move(types)),
        steps_(std::move(steps)),
        buffers_(std::move(buffers)) {
    if (watches) watch_.remember(buffers_);
  }
  void ship(Rank victim, Shipped head) override {
    require_same(watch_.compare(buffers_));
    head.function = detail::task_function<&compute_c_group>.id();
    const CBuffers layout = layout_of(buffers_);
    messenger().post_behind(victim, head, std::type_identity<GroupParameters>{}, steps_, layout,
                            packed_inputs(messenger(), buffers_, BufferPlaces(layout)));
  }

 protected:
  void call() override {
    require_same(watch_.compare(buffers_));
    for (std::size_t i = 0; i < steps_.size(); ++i)
      types_[i]->compute(buffers_of(steps_[i], buffers_));
    require_same(watch_.compare_inputs(buffers_));
    value_.emplace();
  }
  [[nodiscard]] bool continues() const override { return true; }
  void continue_with(am::Incoming&& result) override {
    require_same(watch_.compare(buffers_));
    take_outputs(buffers_, std::move(result));
    value_.emplace();
  }

 private:
  ~CGroupTask() override = default;
  // Names the first task of the group that has the buffer.
  void require_same(const BufferWatch::Finding& found) const {
    if (found.what == nullptr) return;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const std::vector<std::uint32_t>& own = steps_[i].buffers;
      const auto place = std::ranges::find(own, found.buffer);
      if (place == own.end()) continue;
      const auto number = static_cast<std::size_t>(place - own.begin());
      throw Error(describe_buffer(types_[i]->name, number, messenger().rank().value(),
                                  buffers_of(steps_[i], buffers_)[number]) +
                  " " + found.what + " before its group was complete");
    }
  }

  const std::vector<const CTaskTypes::Type*> types_;
  const std::vector<CStep> steps_;
  const std::vector<roam_buffer> buffers_;
  BufferWatch watch_;
};

bool is_valid(const CStep& step, std::size_t buffers) {
  const auto exists = [buffers](std::uint32_t place) { return place < buffers; };
  const auto is_access = [](std::uint8_t access) {
    return access >= ROAM_IN && access <= ROAM_INOUT;
  };
  return step.buffers.size() == step.access.size() && std::ranges::all_of(step.buffers, exists) &&
         std::ranges::all_of(step.access, is_access);
}

}  // namespace

Array<std::byte> compute_c_group(const std::vector<CStep>& steps, const CBuffers& layout,
                                 Array<std::byte> inputs) {
  const CTaskTypes& types = CTaskTypes::of_this_rank();
  GuestBuffers buffers(here().messenger(), layout, std::move(inputs));
  for (const CStep& step : steps) {
    if (!is_valid(step, buffers.buffers().size()))
      throw MalformedMessage("the buffers of a task do not fit its group");
    types.find(step.type).compute(buffers_of(step, buffers.buffers()));
  }
  return std::move(buffers).outputs();
}

std::vector<roam_buffer> checked_buffers(const roam_buffer* buffers, int count, bool is_of_group) {
  if (count < 0 || (count > 0 && buffers == nullptr))
    throw Error("a task with " + std::to_string(count) + " buffers and no list of them");
  std::vector<roam_buffer> copy(buffers, buffers + count);
  for (std::size_t i = 0; i < copy.size(); ++i) {
    if (copy[i].data == nullptr && copy[i].bytes > 0)
      throw Error("buffer " + std::to_string(i) + " of a task is NULL");
    const int access = static_cast<int>(copy[i].access);
    const bool is_inner_alone = access == ROAM_INNER && !is_of_group;
    if (access < ROAM_IN || access > ROAM_LENT || is_inner_alone) {
      throw Error("buffer " + std::to_string(i) + " of a task has access " +
                  std::to_string(access) +
                  "; allowed are ROAM_IN, ROAM_OUT, ROAM_INOUT and ROAM_LENT" +
                  (is_inner_alone ? ", ROAM_INNER in groups alone" : ""));
    }
    // Another task of the group may write into what this one reads.
    if (is_of_group && access == ROAM_LENT) copy[i].access = ROAM_IN;
  }
  return copy;
}

CGroup::CGroup(const CTaskTypes& types, std::span<const roam_group_task> tasks) {
  for (const roam_group_task& task : tasks) add(types, task);
  check_overlaps();
}

void CGroup::add(const CTaskTypes& types, const roam_group_task& task) {
  if (task.name == nullptr) throw Error("a task without a name");
  const std::size_t number = parts_.size();
  Part part{&types.find(std::string(task.name)), {}, {}};
  CStep step{CTaskTypes::id_of(part.type->name), {}, {}};
  for (const roam_buffer& given : checked_buffers(task.buffers, task.count, true)) {
    const bool is_inner = given.access == ROAM_INNER;
    const roam_access access = is_inner ? ROAM_OUT : given.access;
    const std::uint32_t place = place_of(given);
    Uses& uses = uses_[place];
    auto whole = static_cast<unsigned>(buffers_[place].access);
    const bool reads = is_input(static_cast<std::uint8_t>(access));
    const bool writes = is_output(static_cast<std::uint8_t>(access));
    if (reads && uses.writer.empty()) whole |= ROAM_IN;
    if (given.access == ROAM_INNER || given.access == ROAM_OUT) uses.is_inner = is_inner;
    if (writes && !uses.is_inner) whole |= ROAM_OUT;
    buffers_[place].access = static_cast<roam_access>(whole);
    const auto needs = [&part](const std::vector<std::size_t>& earlier) {
      part.needs.insert(part.needs.end(), earlier.begin(), earlier.end());
    };
    needs(uses.writer);
    if (writes) {
      needs(uses.readers);
      uses.writer = {number};
      uses.readers.clear();
    } else {
      uses.readers.push_back(number);
    }
    bytes_apart_ += given.bytes * (reads ? 1U : 0U) + given.bytes * (writes ? 1U : 0U);
    step.buffers.push_back(place);
    step.access.push_back(static_cast<std::uint8_t>(access));
    part.buffers.push_back({given.data, given.bytes, access});
  }
  std::ranges::sort(part.needs);
  part.needs.erase(std::unique(part.needs.begin(), part.needs.end()), part.needs.end());
  std::erase(part.needs, number);  // a buffer that the task has twice
  parts_.push_back(std::move(part));
  steps_.push_back(std::move(step));
}

// The group's place of a buffer; a new one if it has not been used before.
std::uint32_t CGroup::place_of(const roam_buffer& buffer) {
  const auto known = std::ranges::find_if(buffers_, [&buffer](const roam_buffer& one) {
    return one.data == buffer.data && one.data != nullptr;
  });
  if (known == buffers_.end()) {
    buffers_.push_back({buffer.data, buffer.bytes, static_cast<roam_access>(0)});
    uses_.emplace_back();
    return static_cast<std::uint32_t>(buffers_.size() - 1);
  }
  if (known->bytes != buffer.bytes) {
    throw Error("tasks of a group have one buffer with " + std::to_string(known->bytes) +
                " and with " + std::to_string(buffer.bytes) + " bytes");
  }
  return static_cast<std::uint32_t>(known - buffers_.begin());
}

void CGroup::check_overlaps() const {
  std::vector<std::pair<const std::byte*, std::size_t>> places;
  for (const roam_buffer& one : buffers_)
    if (one.bytes > 0) places.emplace_back(static_cast<const std::byte*>(one.data), one.bytes);
  std::ranges::sort(places,
                    [](const auto& a, const auto& b) { return std::less<>()(a.first, b.first); });
  for (std::size_t i = 1; i < places.size(); ++i) {
    if (std::less<>()(places[i].first, places[i - 1].first + places[i - 1].second))
      throw Error("two different buffers of a group overlap");
  }
}

bool CGroup::has_much_inside() const {
  const CBuffers layout = layout_of(buffers_);
  const auto outside = static_cast<double>(input_bytes(layout) + output_bytes(layout));
  return static_cast<double>(bytes_apart_) - outside >= negligible_part * outside;
}

detail::ResultTask<void>* CGroup::together(Offloader& offloader, bool watches) && {
  std::vector<const CTaskTypes::Type*> types;
  for (const Part& part : parts_) types.push_back(part.type);
  return new CGroupTask(offloader, std::move(types), std::move(steps_), std::move(buffers_),
                        watches);
}

std::vector<CTask*> CGroup::apart(Offloader& offloader) const {
  std::vector<CTask*> tasks;
  for (const Part& part : parts_) {
    tasks.push_back(new CTask(offloader, *part.type, part.buffers));
    for (const std::size_t earlier : part.needs) tasks.back()->come_after(*tasks[earlier]);
  }
  return tasks;
}

}  // namespace roam::offload
