// SPDX-License-Identifier: Apache-2.0
// R3: whatever stands in recorded loads, they are read or refused with a ConfigError; what was read
// and is written again reads the same, moved or not. Lines "---" part the files of ranks 0, 1, ...;
// a single one that does not start with a brace goes through a file, as compressed loads come.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roam/core/error.hpp"
#include "roam/placement/detail/lb_data.hpp"
#include "scratch_file.hpp"

namespace {

using roam::placement::LbData;
using roam::placement::LbText;

std::vector<LbText> split(std::string_view text) {
  constexpr std::string_view line = "\n---\n";
  std::vector<LbText> files;
  while (true) {
    const std::size_t end = text.find(line);
    files.push_back(
        {"data." + std::to_string(files.size()) + ".json", std::string(text.substr(0, end))});
    if (end == std::string_view::npos) return files;
    text.remove_prefix(end + line.size());
  }
}

std::optional<LbData> read(std::string_view text) {
  static const roam::fuzz::ScratchFile file(".0.json");
  try {
    const std::vector<LbText> files = split(text);
    if (files.size() > 1 || text.starts_with('{')) return roam::placement::parse_lb_data(files);
    return roam::placement::read_lb_data(std::vector{file.holding(text)});
  } catch (const roam::ConfigError&) {
    return {};  // refused with a message, as promised; anything else that is thrown ends the run
  }
}

void require(bool is_so) {
  if (!is_so) std::abort();
}

void check_written(const LbData& data) {
  const std::vector<LbText> files = roam::placement::lb_files(data);
  const LbData again = roam::placement::parse_lb_data(files);
  require(again.ranks == data.ranks && again.phases.size() == data.phases.size());
  for (std::size_t p = 0; p < data.phases.size(); ++p) {
    require(again.phases[p].objects.size() == data.phases[p].objects.size());
    require(again.phases[p].graph.links.size() == data.phases[p].graph.links.size());
  }
  const std::vector<LbText> second = roam::placement::lb_files(again);
  require(second.size() == files.size());
  for (std::size_t f = 0; f < files.size(); ++f) require(second[f].text == files[f].text);
}

/// Every object on another rank.
void check_moved(LbData data) {
  for (LbData::Phase& phase : data.phases) {
    for (std::int32_t& rank : phase.graph.rank) rank = (rank + 1) % data.ranks;
  }
  const LbData again = roam::placement::parse_lb_data(roam::placement::lb_files(data));
  require(again.phases.size() == data.phases.size());
  for (std::size_t p = 0; p < data.phases.size(); ++p) {
    std::vector<std::int32_t> ranks = data.phases[p].graph.rank;
    std::vector<std::int32_t> ranks_again = again.phases[p].graph.rank;
    std::ranges::sort(ranks);
    std::ranges::sort(ranks_again);
    require(ranks == ranks_again);
    require(again.phases[p].other_communications == data.phases[p].other_communications);
    require(again.phases[p].graph.links.size() == data.phases[p].graph.links.size());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto loads = read({reinterpret_cast<const char*>(data), size});
  if (!loads) return 0;
  check_written(*loads);
  check_moved(*loads);
  return 0;
}
