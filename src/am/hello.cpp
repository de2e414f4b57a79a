// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "roam/am/messenger.hpp"
#include "roam/core/rank_tree.hpp"

namespace roam::am {

namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

std::uint64_t hash_of(const HandlerTable& table, const Settings& settings) {
  std::uint64_t hash = table.hash();
  for (const auto& [setting, value] : settings)
    hash = core::fnv1a(value, core::fnv1a(setting, hash));
  return hash;
}

/// Of the first setting in which they differ; empty if there is none.
std::string differing_setting(const Settings& ours, Rank us, const Settings& theirs, Rank them) {
  for (std::size_t i = 0; i < ours.size() && i < theirs.size(); ++i) {
    if (ours[i] == theirs[i] || ours[i].first != theirs[i].first) continue;
    return "ranks " + std::to_string(us.value()) + " and " + std::to_string(them.value()) +
           " have different values of " + ours[i].first + ": \"" + ours[i].second + "\" and \"" +
           theirs[i].second + "\"; give all ranks the same";
  }
  return {};
}

std::string first_difference(const std::vector<std::string_view>& ours,
                             const std::vector<std::string>& theirs) {
  const auto [mine, other] = std::mismatch(ours.begin(), ours.end(), theirs.begin(), theirs.end());
  if (mine != ours.end() && (other == theirs.end() || *mine < *other))
    return core::readable_symbol(*mine);
  return other == theirs.end() ? std::string("(none)") : core::readable_symbol(*other);
}

}  // namespace

// Every rank sends hash, build, settings and symbols of its handlers to its parent in the binary
// tree of ranks; a parent that differs names the ranks and the first difference. Equality along all
// edges is equality of all (A6). A setting may be why handlers differ, so it is named first.
void Messenger::announce_handlers() {
  const std::optional<Rank> parent = core::RankTree(rank_, size()).parent();
  if (!parent) return;
  std::vector<std::string> symbols;
  for (const auto symbol : table_.symbols()) symbols.emplace_back(symbol);
  core::Packer packer = begin();
  core::pack(packer, hash_of(table_, settings_), std::string(build_id()), settings_, symbols);
  post(*parent, constant_handler_id("roam.hello"), std::move(packer), false);
}

void Messenger::on_hello(void* self, Incoming&& message) {
  auto& messenger = *static_cast<Messenger*>(self);
  core::Unpacker bytes(message.payload());
  if (core::unpack<std::uint64_t>(bytes) == hash_of(messenger.table_, messenger.settings_)) return;
  const auto their_build = core::unpack<std::string>(bytes);
  std::string report;
  const std::string ranks = "ranks " + std::to_string(messenger.rank_.value()) + " and " +
                            std::to_string(message.source.value()) +
                            " do not run the same program: ";
  if (their_build != build_id()) {
    report = ranks + "one was built as \"" + std::string(build_id()) + "\", the other as \"" +
             their_build + "\"";
  } else {
    const auto settings = core::unpack<Settings>(bytes);
    report = differing_setting(messenger.settings_, messenger.rank_, settings, message.source);
    if (report.empty()) {
      report = ranks + "the first handler that only one of them has is " +
               first_difference(messenger.table_.symbols(),
                                core::unpack<std::vector<std::string>>(bytes));
    }
  }
  if (messenger.on_failure_) messenger.on_failure_(report);
}

}  // namespace roam::am
