// SPDX-License-Identifier: Apache-2.0
// R3: whatever arguments, environment and configuration file hold, they are read or refused with a
// ConfigError that leaves the arguments as they were. Lines of the input are arguments, those that
// start with ROAM_ variables of the environment; behind a line "---" follows a configuration file.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "roam/core/error.hpp"
#include "roam/runtime/options.hpp"
#include "scratch_file.hpp"

namespace {

struct Input {
  std::vector<std::string> arguments;
  std::vector<std::string> environment;
  std::string file;
  bool has_file = false;
};

Input split(std::string_view text) {
  Input input;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line == "---") {
      input.has_file = true;
      input.file = text;
      break;
    }
    (line.starts_with("ROAM_") ? input.environment : input.arguments).push_back(line);
  }
  return input;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const roam::fuzz::ScratchFile config(".toml");
  Input input = split({reinterpret_cast<const char*>(data), size});
  if (input.has_file) {
    input.arguments.insert(input.arguments.begin(), "--roam-config=" + config.holding(input.file));
  }
  const std::vector<std::string> before = input.arguments;
  try {
    const auto parsed = roam::take_options(input.arguments, input.environment);
    if (parsed.options.ranks < 1 || parsed.options.ranks > roam::max_ranks) std::abort();
    if (parsed.options.simulate) roam::check(*parsed.options.simulate, "machine");
  } catch (const roam::ConfigError&) {
    if (input.arguments != before) std::abort();
  }
  return 0;
}
