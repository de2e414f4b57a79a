// SPDX-License-Identifier: Apache-2.0
#include "roam/mobile/location_options.hpp"

#include "roam/core/option_group.hpp"

namespace roam {

std::string_view to_string(LocationPolicy policy) {
  switch (policy) {
    case LocationPolicy::eager:
      return "eager";
    case LocationPolicy::home:
      return "home";
    case LocationPolicy::lazy:
      break;
  }
  return "lazy";
}

}  // namespace roam

namespace roam::mobile {

namespace {

const core::OptionGroup<ObjectSpaceOptions> location_options(
    {"Mobile objects"}, [](core::OptionGroup<ObjectSpaceOptions>& group) {
      group.number("max-hops", "N", &ObjectSpaceOptions::max_hops, {1, 1000},
                   "Times a message is forwarded before the home rank is asked");
      group.word(
          "location-policy", "POLICY", &ObjectSpaceOptions::location_policy,
          {{"lazy", LocationPolicy::lazy},
           {"eager", LocationPolicy::eager},
           {"home", LocationPolicy::home}},
          "Who learns where a moved object is: senders whose messages were forwarded (lazy), "
          "all its callers at once (eager), its home alone, through which messages then go "
          "(home)");
      group.number("directory-limit", "N", &ObjectSpaceOptions::directory_limit, {1, 1'000'000'000},
                   "Objects of other homes whose places a rank remembers");
    });

}  // namespace

}  // namespace roam::mobile
