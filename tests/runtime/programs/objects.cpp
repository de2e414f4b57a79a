// SPDX-License-Identifier: Apache-2.0
// Programs that check what objects can do besides simple calls.
#include <chrono>
#include <vector>

#include "roam/core/error.hpp"
#include "runtime/job_kinds.hpp"

namespace roam::programs::objects {

struct Account {
  std::int64_t money = 100;
  void pay_in(std::int64_t amount) { money += amount; }
  [[nodiscard]] std::int64_t balance() const { return money; }
  [[nodiscard]] std::int64_t slowly(std::int32_t milliseconds) {
    here().compute(std::chrono::milliseconds(milliseconds));
    return money;
  }
  Task<std::int64_t> ask_slow(mobile_ptr<Account> other, bool lets_others_run) {
    if (lets_others_run) {
      co_return co_await without_access(other.call<&Account::slowly>(20)) + money;
    }
    auto reply = other.call<&Account::slowly>(20);
    co_return co_await reply + money;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(money);
  }
};

struct Bank {
  std::vector<mobile_ptr<Account>> accounts;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(accounts);
  }
};

inline void transfer(Gathered<Account> two, std::int64_t amount) {
  two[0].money -= amount;
  here().compute(std::chrono::microseconds(20));  // nobody may see the half of it
  two[1].money += amount;
}
inline std::int64_t sum_of(Gathered<Account> all) {
  std::int64_t sum = 0;
  for (const Account& account : all) sum += account.money;
  return sum;
}

inline Task<> trade(Bank bank, std::int32_t transfers) {
  Runtime& rt = here();
  core::Random random(static_cast<std::uint64_t>(rt.rank().value()) + 1);
  const std::size_t count = bank.accounts.size();
  for (std::int32_t i = 0; i < transfers; ++i) {
    const std::size_t from = random.below(count);
    const std::size_t to = (from + 1 + random.below(count - 1)) % count;
    const std::vector<mobile_ptr<Account>> two{bank.accounts[from], bank.accounts[to]};
    rt.multicast<&transfer>(two, static_cast<std::int64_t>(random.below(50)));
    if (random.below(4) == 0)
      bank.accounts[from].migrate(
          static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(rt.size()))));
    if (random.below(10) != 0) continue;
    auto reply = rt.multicast_call<&sum_of>(bank.accounts);
    const std::int64_t sum = co_await reply;
    EXPECT_EQ(sum, static_cast<std::int64_t>(100 * count)) << "M9: half of a transfer was seen";
  }
}

TEST_P(Programs, M9_overlapping_multicasts_see_whole_transfers_and_do_not_deadlock) {
  run([](Runtime& rt) -> Task<> {
    Bank bank;
    if (rt.rank() == 0) {
      for (int i = 0; i < 6; ++i) bank.accounts.push_back(rt.create<Account>());
      for (std::int32_t r = 0; r < rt.size(); ++r) rt.send<&trade>(r, bank, 40);
    }
    co_await rt.quiescence();
    if (rt.rank() != 0) co_return;
    auto reply = rt.multicast_call<&sum_of>(bank.accounts);
    EXPECT_EQ(co_await reply, 600);
  });
}

TEST_P(Programs, M8_M9_a_multicast_with_an_object_that_ended_says_so_and_lets_the_others_go) {
  run([](Runtime& rt) -> Task<> {
    if (rt.rank() != 0) co_return;
    const auto lasting = rt.create<Account>();
    const auto ended = rt.create<Account>();
    ended.destroy();
    const std::vector<mobile_ptr<Account>> both{lasting, ended};
    auto reply = rt.multicast_call<&sum_of>(both);
    bool is_gone = false;
    try {
      static_cast<void>(co_await reply);
    } catch (const ObjectGone&) {
      is_gone = true;
    }
    EXPECT_TRUE(is_gone);
    EXPECT_EQ(co_await lasting.call<&Account::balance>(), 100);
  });
}

TEST_P(Programs, M4_a_method_that_awaits_keeps_its_access_unless_it_says_otherwise) {
  run([](Runtime& rt) -> Task<> {
    if (rt.rank() != 0) co_return;
    const auto one = rt.create<Account>();
    const auto other = rt.create<Account>();
    other.migrate(rt.size() - 1);
    auto keeps = one.call<&Account::ask_slow>(other, false);
    one.send<&Account::pay_in>(1);
    EXPECT_EQ(co_await keeps, 200);
    auto lets = one.call<&Account::ask_slow>(other, true);
    one.send<&Account::pay_in>(10);
    EXPECT_EQ(co_await lets, 211);
  });
}

TEST_P(Programs, a_deadline_ends_the_waiting_and_nothing_else) {
  run([](Runtime& rt) -> Task<> {
    if (rt.rank() != 0) co_return;
    const auto one = rt.create<Account>();
    one.migrate(rt.size() - 1);
    CallOptions soon;
    soon.deadline = std::chrono::milliseconds(2);
    auto slow = one.call<&Account::slowly>(20);
    auto late = one.call_with<&Account::balance>(soon);
    bool was_late = false;
    try {
      static_cast<void>(co_await late);
    } catch (const DeadlineExceeded&) {
      was_late = true;
    }
    EXPECT_TRUE(was_late || rt.size() == 1);  // one worker is busy until the answer is here
    EXPECT_EQ(co_await slow, 100);
    EXPECT_EQ(co_await one.call<&Account::balance>(), 100);
  });
}

}  // namespace roam::programs::objects
