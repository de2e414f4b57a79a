// SPDX-License-Identifier: Apache-2.0
#include "roam/placement/detail/part_steps.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "roam/core/error.hpp"

namespace roam::placement {

namespace {

void pack_part(core::Packer& packer, const DecisionPart& part) {
  core::pack(packer, part.machine.speeds, part.graph.seconds, part.graph.rank, part.graph.links,
             part.graph.background_seconds);
}

/// The part without what only rank 0 needs. Throws MalformedMessage.
DecisionPart unpack_part(const StepMessage& message) {
  if (message.source != Rank(0)) throw MalformedMessage("a part of a decision not from rank 0");
  core::Unpacker bytes(message.bytes);
  DecisionPart part;
  part.machine.workers_per_rank = 1;
  part.machine.speeds = core::unpack<std::vector<double>>(bytes);
  part.machine.ranks = static_cast<std::int32_t>(part.machine.speeds.size());
  part.graph.seconds = core::unpack<std::vector<double>>(bytes);
  part.graph.rank = core::unpack<std::vector<std::int32_t>>(bytes);
  part.graph.links = core::unpack<std::vector<Link>>(bytes);
  part.graph.background_seconds = core::unpack<std::vector<double>>(bytes);
  const auto is_speed = [](double speed) { return std::isfinite(speed) && speed > 0; };
  if (part.machine.speeds.empty() || !std::ranges::all_of(part.machine.speeds, is_speed)) {
    throw MalformedMessage("a part of a decision for ranks without a speed");
  }
  try {
    check(part.graph, part.machine);
  } catch (const Error& error) {
    throw MalformedMessage(std::string("a part of a decision: ") + error.what());
  }
  return part;
}

}  // namespace

bool PartSteps::step(StepHost& host, std::span<const StepMessage> received) {
  switch (next_++) {
    case 0:
      if (loads_ != nullptr) divide(host);
      return true;
    case 1:
      decide(host, received);
      return true;
    default:
      hear(received);
      return false;
  }
}

void PartSteps::divide(StepHost& host) {
  divided_ = strategy_.divide(loads_->graph, loads_->machine);
  host.charge(seconds_per_object_ * loads_->machine.ranks);
  for (const DecisionPart& part : divided_.parts) {
    core::Packer packer = host.message();
    pack_part(packer, part);
    host.send(loads_->rank_of(part.first_rank), std::move(packer));
  }
}

void PartSteps::decide(StepHost& host, std::span<const StepMessage> received) {
  for (const StepMessage& message : received) {
    const DecisionPart part = unpack_part(message);
    const Placement decided = strategy_.place_part(part.graph, part.machine);
    host.charge(seconds_per_object_ * static_cast<double>(decided.size()));
    core::Packer packer = host.message();
    core::pack(packer, decided);
    host.send(0, std::move(packer));
  }
}

void PartSteps::hear(std::span<const StepMessage> received) {
  for (const StepMessage& message : received) {
    const auto is_theirs = [&](const DecisionPart& part) {
      return loads_->rank_of(part.first_rank) == message.source.value();
    };
    if (loads_ == nullptr) throw MalformedMessage("what was decided of a part, not for rank 0");
    const auto part = std::ranges::find_if(divided_.parts, is_theirs);
    core::Unpacker bytes(message.bytes);
    const auto decided = core::unpack<Placement>(bytes);
    const auto is_in_group = [&](std::int32_t rank) {
      return rank >= 0 && rank < part->machine.ranks;
    };
    if (part == divided_.parts.end() || decided.size() != part->objects.size() ||
        !std::ranges::all_of(decided, is_in_group)) {
      throw MalformedMessage("what was decided of a part, from a rank that has none, or wrongly");
    }
    join(*part, decided, divided_.placement);
  }
}

}  // namespace roam::placement
