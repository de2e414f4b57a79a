// SPDX-License-Identifier: Apache-2.0
#include "roam/transport/network_options.hpp"

#include "roam/core/option_group.hpp"
#include "roam/transport/registry.hpp"

namespace roam::transport {

namespace {

std::vector<std::string> names_of_transports() {
  std::vector<std::string> names = plugin::names<NetworkKind>();
  names.insert(names.begin(), "auto");
  return names;
}

std::string about_transport(std::string_view name) {
  return name == "auto" ? "The transport of the launcher that started the program, or in-process.\n"
                        : plugin::help_of<NetworkKind>(name);
}

// 0 means never. With less than two seconds, short interruptions that switches cause would end
// jobs.
std::string check_peer_timeout(std::string& text) {
  return text == "0" ? std::string{} : core::whole_number({2, 86400}, ", or 0: never")(text);
}

const core::OptionGroup<NetworkOptions> network_options(
    {"Network"}, [](core::OptionGroup<NetworkOptions>& group) {
      group
          .text("transport", "NAME", &NetworkOptions::transport, "the name of a transport",
                "How bytes move between ranks")
          .accepts(names_of_transports, about_transport);
      group
          .number("peer-timeout", "SECONDS", &NetworkOptions::peer_timeout_seconds, {},
                  "The job ends once the machine of a rank has been silent so long, 2 to 86400; 0: "
                  "never. UCX without a launcher; else the launcher decides")
          .check = check_peer_timeout;
    });

}  // namespace

}  // namespace roam::transport
