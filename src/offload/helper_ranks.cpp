// SPDX-License-Identifier: Apache-2.0
#include "helper_ranks.hpp"

#include "roam/core/error.hpp"
#include "roam/core/serialise.hpp"
#include "roam/topology/detail/place.hpp"

namespace roam::offload {

HelperRanks::HelperRanks(am::Messenger& messenger, const HomeTasks& tasks, const Guests& guests)
    : messenger_(messenger), meter_(messenger.engine(), tasks, guests) {
  messenger.bind<&HelperRanks::on_asked>(*this);
  messenger.bind<&HelperRanks::on_measured>(*this);
}

void HelperRanks::ask() {
  for (std::int32_t rank = messenger_.size(); rank < messenger_.size_with_helpers(); ++rank) {
    {
      const std::lock_guard guard(mutex_);
      if (lost_.contains(rank)) continue;
    }
    messenger_.post(Rank(rank), HelperAsked{});
  }
}

std::vector<HelperRanks::Measured> HelperRanks::measured() const {
  std::vector<Measured> all;
  const std::lock_guard guard(mutex_);
  for (const auto& [rank, one] : measured_) all.push_back(one);
  return all;
}

void HelperRanks::on_lost(Rank helper) {
  const std::lock_guard guard(mutex_);
  lost_.insert(helper.value());
  measured_.erase(helper.value());
}

void HelperRanks::on_asked(const HelperAsked&, Rank from) {
  if (!messenger_.is_helper()) throw MalformedMessage("a rank with steps of its own is asked");
  const Rank self = messenger_.rank();
  Measured mine{meter_.take(self), {.rank = self.value()}};
  if (!messenger_.engine().clock().is_virtual()) mine.host.host = topology::host_of_this_process();
  auto message = messenger_.begin(HelperMeasured{}, sizeof mine);
  core::pack(message.packer(), mine);
  messenger_.post(from, std::move(message));
}

void HelperRanks::on_measured(const HelperMeasured&, am::Incoming&& rest) {
  core::Unpacker bytes(rest.payload());
  const auto measured = core::unpack_all<Measured>(bytes);
  const std::int32_t source = rest.source.value();
  if (source < messenger_.size() || measured.step.rank != source || measured.host.rank != source)
    throw MalformedMessage("measurements of a rank that is no helper");
  const std::lock_guard guard(mutex_);
  if (!lost_.contains(source)) measured_[source] = measured;
}

}  // namespace roam::offload
