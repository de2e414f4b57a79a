// SPDX-License-Identifier: Apache-2.0
#include "roam/balance/detail/job_identity.hpp"

#include <array>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <random>

#include "roam/core/detail/rank_tree.hpp"
#include "roam/core/random.hpp"

namespace roam::balance {

namespace {

std::uint64_t drawn_by_time() {
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  std::random_device device;
  return (std::uint64_t{device()} << 32 | device()) ^ static_cast<std::uint64_t>(now);
}

}  // namespace

JobIdentity::JobIdentity(am::Messenger& messenger, std::uint64_t seed)
    : messenger_(messenger), seed_(seed) {
  messenger.bind<&JobIdentity::on_told>(*this);
}

void JobIdentity::tell() {
  if (messenger_.rank() != 0) return;
  const bool is_virtual = messenger_.engine().clock().is_virtual();
  core::Random random(is_virtual ? seed_ : drawn_by_time());
  take(random() | 1);
}

void JobIdentity::take(std::uint64_t number) {
  number_.store(number, std::memory_order_relaxed);  // publishes nothing else
  for (const Rank child : core::RankTree(messenger_.rank(), messenger_.size()).children()) {
    messenger_.post(child, JobNumber{number});
  }
}

std::string JobIdentity::text() const {
  const std::uint64_t number = number_.load(std::memory_order_relaxed);
  if (number == 0) return "";
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016" PRIx64, number);
  return digits.data();
}

}  // namespace roam::balance
