// SPDX-License-Identifier: Apache-2.0
// The snippets of docs/testing.md: a program tested under thousands of simulated schedules.
#include <cstdio>
#include <iostream>
#include <roam/roam.hpp>
#include <roam/testing/check.hpp>
#include <roam/testing/explore.hpp>

// [program]
struct Account {
  int balance = 0;
  void pay_in(int amount) { balance += amount; }
  void draw(int amount) {
    balance -= amount;
    roam::testing::check(balance >= 0, "the account is never overdrawn");
  }
  int read() const { return balance; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(balance);
  }
};

struct Bank {  // what the test knows; the ranks of a schedule share it
  roam::mobile_ptr<Account> account;
};

roam::Task<> everybody_pays(roam::Runtime& rt) {
  Bank& bank = roam::testing::state<Bank>();
  if (rt.rank() == 0) bank.account = rt.create<Account>();
  co_await rt.quiescence();
  bank.account.send<&Account::pay_in>(1);
  co_await rt.quiescence();
  const int balance = co_await bank.account.call<&Account::read>();
  roam::testing::check(balance == rt.size(), "no payment is lost");
}
// [program]

// [mistake]
roam::Task<> pay_and_draw(roam::Runtime& rt) {
  Bank& bank = roam::testing::state<Bank>();
  if (rt.rank() == 0) bank.account = rt.create<Account>();
  co_await rt.quiescence();
  if (rt.rank() == 0) bank.account.send<&Account::pay_in>(10);
  if (rt.rank() == 1) bank.account.send<&Account::draw>(5);  // nothing says that it comes second
  co_await rt.quiescence();
}
// [mistake]

// [explore]
roam::testing::Report explore(roam::Task<> (*program)(roam::Runtime&)) {
  roam::testing::ExploreOptions options;
  options.schedules = 500;
  options.ranks = {2, 3};
  return roam::testing::explore(options, [program](roam::testing::Schedule&) {
    roam::testing::Scenario scenario;  // made anew for each schedule
    scenario.program = program;
    scenario.state = std::make_shared<Bank>();
    return scenario;
  });
}
// [explore]

int main() {
  const roam::testing::Report good = explore(&everybody_pays);
  std::cout << good;
  const roam::testing::Report bad = explore(&pay_and_draw);
  std::cout << bad;
  return good.ok() && !bad.ok() ? 0 : 1;
}
