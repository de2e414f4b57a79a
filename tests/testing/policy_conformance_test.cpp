// SPDX-License-Identifier: Apache-2.0
// Every policy of Roam keeps the contract of balance::Policy; bad ones are found out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "roam/balance/registry.hpp"
#include "roam/balance/transfer.hpp"
#include "roam/testing/conformance.hpp"

namespace roam::testing::policy_conformance_test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(PolicyConformance, all_of_roam) {
  for (const char* choice :
       {"none", "diffusion", "diffusion:initiation=both", "predictive", "work_stealing",
        "work_stealing:victim=hierarchical,group=2", "grapevine", "master_worker", "auto"}) {
    EXPECT_THAT(check_policy(parse_plugin_choice(choice), 60), IsEmpty()) << choice;
  }
}

/// A policy that does nothing but its mistake.
class Wrong final : public balance::Policy {
 public:
  Wrong(std::string fault, balance::PolicyHost& host) : fault_(std::move(fault)), host_(host) {}

  [[nodiscard]] Instant balance(Instant now) override {
    if (fault_ == "chatters") {
      send((host_.rank().value() + 1) % host_.size());
      return now + std::chrono::seconds(1);
    }
    if (fault_ == "strays") send(host_.size());
    if (fault_ == "shuffles" && host_.size() > 1) shuffle();
    return never;
  }
  void receive(Rank, std::span<const std::byte> message) override {
    if (fault_ == "trusts" && message.size() > 200) throw std::out_of_range("a vector's index");
  }
  [[nodiscard]] bool schedules() const override { return fault_ == "loses"; }
  void push(WorkerIndex, exec::ReadyItem*) override {}

 private:
  void send(std::int32_t to) {
    core::Packer message = host_.message();
    message.write(&to, sizeof to);
    host_.send(to, std::move(message));
  }
  void shuffle() {
    host_.for_each_movable(1e9, 1, [this](const balance::ObjectLoad& one) {
      balance::Decision decision;
      decision.to = (host_.rank().value() + 1) % host_.size();
      decision.object = one.object;
      decision.gain_seconds = 1;
      (void)host_.migrate(std::move(decision));
      return false;
    });
  }
  const std::string fault_;
  balance::PolicyHost& host_;
};

const balance::PolicyRegistrar registrar{
    {.name = "wrong",
     .description = "does one thing wrong",
     .parameters = {{.name = "fault",
                     .description = "which",
                     .default_value = "trusts",
                     .words = {"trusts", "strays", "chatters", "shuffles", "loses"}}},
     .create = [](const balance::Parameters& parameters,
                  balance::PolicyHost& host) -> std::unique_ptr<balance::Policy> {
       return std::make_unique<Wrong>(parameters.word("fault"), host);
     }}};

Faults check_wrong(const std::string& fault) {
  return check_policy({"wrong", {{"fault", fault}}}, 5);
}

TEST(PolicyConformance, finds_out_bad_ones) {
  EXPECT_THAT(check_wrong("trusts"), Contains(HasSubstr("refused by MalformedMessage")));
  EXPECT_THAT(check_wrong("strays"), Contains(HasSubstr("sends a message to rank 4")));
  EXPECT_THAT(check_wrong("chatters"), Contains(HasSubstr("B2: ")));
  EXPECT_THAT(check_wrong("shuffles"), Contains(HasSubstr("B3: object ")));
  EXPECT_THAT(check_wrong("loses"), Contains(HasSubstr("never came out of pop")));
  EXPECT_THAT(check_policy({"nonsense", {}}), Contains(HasSubstr("no balancer \"nonsense\"")));
}

}  // namespace
}  // namespace roam::testing::policy_conformance_test
