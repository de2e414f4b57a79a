// SPDX-License-Identifier: Apache-2.0
#include "roam/exec/work_options.hpp"

#include "roam/core/option_group.hpp"

namespace roam {

std::string_view to_string(ProgressMode mode) {
  switch (mode) {
    case ProgressMode::dedicated:
      return "dedicated";
    case ProgressMode::polling:
      return "polling";
    case ProgressMode::shared:
      break;
  }
  return "shared";
}

}  // namespace roam

namespace roam::exec {

namespace {

const core::OptionGroup<WorkOptions> work_options(
    {"Workers"}, [](core::OptionGroup<WorkOptions>& group) {
      group.flag("pin", &WorkOptions::pin, "Bind workers to cores");
      group.word("progress-mode", "MODE", &WorkOptions::progress_mode,
                 {{"shared", ProgressMode::shared},
                  {"dedicated", ProgressMode::dedicated},
                  {"polling", ProgressMode::polling}},
                 "Who makes communication progress: the workers in turn (shared), a thread of its "
                 "own (dedicated), calls of poll() only (polling)");
    });

}  // namespace

}  // namespace roam::exec
