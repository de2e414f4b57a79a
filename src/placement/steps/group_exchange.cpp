// SPDX-License-Identifier: Apache-2.0
#include "group_exchange.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "../amount.hpp"
#include "exchange_messages.hpp"
#include "partner_search.hpp"
#include "roam/core/error.hpp"
#include "roam/placement/detail/note_lists.hpp"
#include "size_mix.hpp"

namespace roam::placement {

void GroupExchange::report(StepHost& host) const {
  const GroupObjects& objects = group_.objects();
  const std::vector<double>& speeds = group_.speeds();
  const std::vector<double>& fixed = group_.fixed_seconds();
  GroupReport report{{objects.work_seconds(), 0}, 0, std::ranges::max(speeds), 0};
  for (std::size_t m = 0; m < speeds.size(); ++m) {
    report.work.seconds += fixed[m];
    report.work.capacity += speeds[m];
    report.fixed_seconds = std::max(report.fixed_seconds, fixed[m] / speeds[m]);
  }
  for (const ObjectNote& note : objects.objects())
    report.largest = std::max(report.largest, note.seconds);
  send_to(host, job_.leader_of(0), report, objects.bytes_to_groups());
}

void GroupExchange::report_sizes(StepHost& host) const {
  std::vector<double> seconds;
  for (const ObjectNote& note : group_.objects().objects()) seconds.push_back(note.seconds);
  send_to(
      host, job_.leader_of(0),
      size_report(std::move(seconds), group_.fixed_seconds(), group_.machine(), limit_seconds_));
}

void GroupExchange::give(StepHost& host, Received received) {
  for (const StepMessage& message : received) {
    job_.require_leader();
    core::Unpacker bytes(message.bytes);
    limit_seconds_ = core::unpack<ExchangePlan>(bytes).limit_seconds;
    if (!is_amount(limit_seconds_)) throw MalformedMessage("an impossible limit of work");
    const auto flows = core::unpack<std::vector<SizedFlow>>(bytes);
    for (const SizedFlow& flow : flows) {
      job_.check(flow.to);
      if (flow.from != job_.group() || flow.to == job_.group() || !is_amount(flow.seconds))
        throw MalformedMessage("a plan for another group");
    }
    std::map<std::int64_t, std::pair<Travellers, std::vector<ObjectGroup>>> all;
    for (auto& [group, travellers] : group_.objects().give(flows))
      all[group].first = std::move(travellers);
    has_exchanged_ = has_exchanged_ || !all.empty();
    for (const News& news : group_.objects().news()) all[news.to].second.push_back(news.what);
    for (const auto& [group, both] : all)
      send_to(host, job_.leader_of(group), both.first.objects, both.first.ties, both.second);
  }
}

void GroupExchange::take(StepHost& host, Received received, std::int32_t ranks) {
  std::vector<Travellers> travellers;
  std::vector<ObjectGroup> news;
  for (const StepMessage& message : received) {
    job_.require_leader();
    core::Unpacker bytes(message.bytes);
    Travellers& some = travellers.emplace_back();
    some.objects = core::unpack<std::vector<ObjectNote>>(bytes);
    for (const ObjectNote& note : some.objects) check_note(note, ranks);
    some.ties = core::unpack<std::vector<Tie>>(bytes);
    for (const Tie& tie : some.ties) check_tie(tie, job_);
    const auto heard = core::unpack<std::vector<ObjectGroup>>(bytes);
    for (const ObjectGroup& one : heard) job_.check(one.group);
    news.insert(news.end(), heard.begin(), heard.end());
  }
  if (received.empty()) return;
  has_exchanged_ = true;
  std::map<std::int64_t, std::vector<ObjectGroup>> forwarded;
  for (const News& one : group_.objects().arrive(travellers, news))
    forwarded[one.to].push_back(one.what);
  for (const auto& [group, list] : forwarded) send_to(host, job_.leader_of(group), list);
}

void GroupExchange::settle(Received received) {
  for (const StepMessage& message : received) {
    job_.require_leader();
    core::Unpacker bytes(message.bytes);
    const auto news = core::unpack<std::vector<ObjectGroup>>(bytes);
    for (const ObjectGroup& one : news) job_.check(one.group);
    group_.objects().hear(news);
  }
}

}  // namespace roam::placement
