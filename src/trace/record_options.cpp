// SPDX-License-Identifier: Apache-2.0
#include "roam/trace/record_options.hpp"

#include "roam/core/option_group.hpp"

namespace roam::trace {

namespace {

const char* given(bool is_given) { return is_given ? "given" : "not given"; }

const core::OptionGroup<RecordOptions> record_options(
    {"Records"}, [](core::OptionGroup<RecordOptions>& group) {
      group.flag("progress", &RecordOptions::progress, "Show a live progress line").compared =
          [](const void* values) {
            return std::string(given(static_cast<const RecordOptions*>(values)->progress));
          };
      group.output_file("trace", &RecordOptions::trace, "Write an event trace to FILE").compared =
          [](const void* values) {
            return std::string(given(!static_cast<const RecordOptions*>(values)->trace.empty()));
          };
    });

}  // namespace

}  // namespace roam::trace
