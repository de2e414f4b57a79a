// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "own_messages.hpp"
#include "roam/am/detail/messenger.hpp"
#include "roam/am/detail/program_comparison.hpp"
#include "roam/core/detail/rank_tree.hpp"

namespace roam::am {

namespace {

using Settings = ProgramComparison::Settings;

/// Describes the first setting in which they differ; empty if there is none.
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

ProgramComparison::ProgramComparison(Messenger& messenger,
                                     std::function<void(const std::string&)> report)
    : messenger_(messenger), report_(std::move(report)) {
  messenger_.bind<&ProgramComparison::on_hello>(*this);
}

void ProgramComparison::require_equal(std::string setting, std::string value) {
  settings_.emplace_back(std::move(setting), std::move(value));
}

std::uint64_t ProgramComparison::hash() const {
  std::uint64_t hash = messenger_.handlers().hash();
  for (const auto& [setting, value] : settings_)
    hash = core::fnv1a(value, core::fnv1a(setting, hash));
  return hash;
}

// Every rank sends hash, build, settings and symbols of its handlers to its parent in the binary
// tree of ranks; a parent that differs reports the ranks and the first difference. If all
// neighbours in the tree are equal, all ranks are (A6). Helpers, which are in no tree, have rank 0
// as their parent. Settings are compared first, because a setting may be the reason why handlers
// differ.
void ProgramComparison::announce() {
  std::optional<Rank> parent = core::RankTree(messenger_.rank(), messenger_.size()).parent();
  if (messenger_.is_helper()) parent = Rank(0);
  if (!parent) return;
  HelloDetails details{std::string(build_id()), settings_, {}};
  for (const auto symbol : messenger_.handlers().symbols()) details.symbols.emplace_back(symbol);
  Outgoing<Hello> hello = messenger_.begin(Hello{hash()});
  write_field(hello.packer(), details);
  messenger_.post(*parent, std::move(hello));
}

void ProgramComparison::on_hello(const Hello& hello, Incoming&& rest) {
  if (hello.hash == hash()) return;
  core::Unpacker bytes(rest.payload());
  // Other builds may have other details than these.
  const auto build = core::unpack<std::string>(bytes);
  std::string report;
  const std::string ranks = "ranks " + std::to_string(messenger_.rank().value()) + " and " +
                            std::to_string(rest.source.value()) + " do not run the same program: ";
  if (build != build_id()) {
    report = ranks + "one was built as \"" + std::string(build_id()) + "\", the other as \"" +
             build + "\"";
  } else {
    bytes = core::Unpacker(rest.payload());
    const auto details = read_field<HelloDetails>(bytes);
    report = differing_setting(settings_, messenger_.rank(), details.settings, rest.source);
    if (report.empty()) {
      report = ranks + "the first handler that only one of them has is " +
               first_difference(messenger_.handlers().symbols(), details.symbols);
    }
  }
  report_(report);
}

}  // namespace roam::am
