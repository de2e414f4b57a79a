// SPDX-License-Identifier: Apache-2.0
#include "roam/am/detail/arrival_order.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>

namespace arrival_order_test {

namespace {

using roam::am::ArrivalOrder;
using roam::core::Buffer;
using Turn = ArrivalOrder::Turn;

Buffer holding(const std::string& text) {
  Buffer buffer = Buffer::allocate(text.size());
  buffer.append(text.data(), text.size());
  return buffer;
}

std::string text_of(const Buffer& buffer) {
  std::string text(buffer.size(), ' ');
  if (!text.empty()) std::memcpy(text.data(), buffer.data(), text.size());
  return text;
}

Turn turn_of(ArrivalOrder& order, roam::Rank source, std::uint32_t sequence) {
  Buffer message = holding(std::to_string(sequence));
  return order.turn_of(source, sequence, message);
}

TEST(ArrivalOrder, A2_a_message_waits_for_those_before_it) {
  ArrivalOrder order;
  EXPECT_EQ(turn_of(order, 1, 2), Turn::later);
  EXPECT_EQ(turn_of(order, 1, 1), Turn::later);
  EXPECT_EQ(turn_of(order, 2, 0), Turn::now) << "another source has numbers of its own";
  EXPECT_EQ(turn_of(order, 1, 0), Turn::now);
  EXPECT_EQ(text_of(order.next_in_sequence(1).value()), "1");
  EXPECT_EQ(text_of(order.next_in_sequence(1).value()), "2");
  EXPECT_FALSE(order.next_in_sequence(1));
  EXPECT_EQ(turn_of(order, 1, 3), Turn::now);
}

TEST(ArrivalOrder, A7_a_number_comes_once) {
  ArrivalOrder order;
  EXPECT_EQ(turn_of(order, 1, 0), Turn::now);
  EXPECT_EQ(turn_of(order, 1, 0), Turn::repeated);
  EXPECT_EQ(turn_of(order, 1, 2), Turn::later);
  EXPECT_EQ(turn_of(order, 1, 2), Turn::repeated);
}

TEST(ArrivalOrder, A2_messages_wait_behind_bulk_data_of_their_source) {
  ArrivalOrder order;
  order.await(1, 7);
  order.await_beside(1, 8, holding("head"));
  Buffer behind = holding("behind");
  Buffer other = holding("other");
  EXPECT_TRUE(order.take_behind(1, behind));
  EXPECT_FALSE(order.take_behind(2, other));
  EXPECT_EQ(text_of(other), "other");

  EXPECT_TRUE(order.has_come(1, 8, holding("beside")));
  EXPECT_FALSE(order.next(1)) << "the first has not come";
  EXPECT_TRUE(order.is_awaiting());
  EXPECT_TRUE(order.has_come(1, 7, holding("long")));
  EXPECT_FALSE(order.is_awaiting());

  const auto first = order.next(1);
  EXPECT_EQ(text_of(first->message), "long");
  const auto second = order.next(1);
  EXPECT_EQ(text_of(second->message), "head");
  EXPECT_EQ(text_of(second->beside), "beside");
  EXPECT_EQ(text_of(order.next(1)->message), "behind");
  EXPECT_FALSE(order.next(1));
}

TEST(ArrivalOrder, A7_data_that_nobody_awaits_is_refused) {
  ArrivalOrder order;
  order.await(1, 7);
  EXPECT_FALSE(order.has_come(1, 8, holding("x")));
  EXPECT_FALSE(order.has_come(2, 7, holding("x")));
  EXPECT_TRUE(order.has_come(1, 7, holding("x")));
  EXPECT_FALSE(order.has_come(1, 7, holding("x"))) << "it has come before";
}

}  // namespace

}  // namespace arrival_order_test
