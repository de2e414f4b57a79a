// SPDX-License-Identifier: Apache-2.0
// A7: a message that brings an object is checked as strictly as one that brings a call. What is not
// valid is rejected and counted, nothing of it is stored, and no object here is changed.
#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "roam/mobile/detail/resident.hpp"
#include "roam/roam.hpp"

namespace hostile_install_test {

namespace {

using roam::mobile::CallHeader;
using Expected = roam::mobile::ExpectedSequences::Expected;

struct Target {
  int value = 0;
  void add(int n) { value += n; }
  int get() const { return value; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(value);
  }
};
struct OtherTarget {
  int value = 0;
  void add(int n) { value += n; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(value);
  }
};
struct Container {
  roam::Array<std::int32_t> numbers;
  [[nodiscard]] std::int64_t sum() const {
    return std::accumulate(numbers.begin(), numbers.end(), std::int64_t{0});
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(numbers);
  }
};

roam::mobile_ptr<Target> make_target() { return roam::here().create<Target>(Target{100}); }
std::uint64_t rejected() { return roam::here().messenger().stats().messages_rejected; }
std::size_t residents() { return roam::here().objects().resident_count(); }
std::size_t early() { return roam::here().objects().calls_waiting_for_their_turn(); }
roam::Task<int> value_of(roam::ObjectId id) {
  auto reply = roam::mobile_ptr<Target>(id).call<&Target::get>();
  co_return co_await reply;
}
roam::Task<std::int64_t> sum_of(roam::ObjectId id) {
  auto reply = roam::mobile_ptr<Container>(id).call<&Container::sum>();
  co_return co_await reply;
}
bool knows(roam::ObjectId id) { return roam::here().objects().place_of(id).has_value(); }

/// The message that brings a Target of value 5 to rank 0, followed by one call add(7), as rank 1
/// would send it.
struct Install {
  roam::ObjectId id{roam::Rank(0), 4711};
  std::uint32_t version = 3;
  std::uint64_t type = roam::mobile::object_type<Target>().id();
  std::vector<Expected> expected = {{1, 1}};
  std::vector<CallHeader> calls;
  std::vector<CallHeader> early;
  std::size_t bytes_beside = 0;      // none: no attachment
  std::size_t bytes_behind = 0;      // the place in the message
  std::uint64_t announced_ints = 0;  // that of a Container, which has no calls

  Install() { calls.push_back(call(0)); }
  [[nodiscard]] CallHeader call(std::uint32_t sequence) const {
    CallHeader header;
    header.object = id.value();
    header.origin = 1;
    header.sequence = sequence;
    header.method = roam::mobile::detail::method_instance<&Target::add>.id();
    return header;
  }
  static void pack_calls(roam::core::Packer& packer, const std::vector<CallHeader>& headers) {
    roam::core::pack(packer, static_cast<std::uint64_t>(headers.size()));
    for (const CallHeader& header : headers) {
      header.write(packer);
      roam::core::pack(packer, std::uint64_t{sizeof(int)}, 7);
    }
  }
  void pack(roam::core::Packer& packer) const {
    roam::mobile::Record record;
    record.pending_calls = static_cast<std::uint32_t>(calls.size());
    roam::core::pack(packer, id.value(), version, type, record, expected);
    pack_calls(packer, calls);
    pack_calls(packer, early);
    if (type == roam::mobile::object_type<Container>().id()) {
      roam::core::pack(packer, announced_ints);
    } else {
      roam::core::pack(packer, Target{5});
    }
  }
  void post() const {
    roam::am::Messenger& messenger = roam::here().messenger();
    roam::core::Packer packer = messenger.begin(1024);
    pack(packer);
    roam::core::Attachment attachment;
    if (bytes_beside > 0) {
      const std::vector<std::int32_t> ones(bytes_beside / sizeof(std::int32_t) + 1, 1);
      attachment = {messenger.large_memory().take(bytes_beside), bytes_behind};
      attachment.data.append(ones.data(), bytes_beside);
    }
    messenger.post_with(std::move(attachment), 0, roam::am::handler_id("roam.install"),
                        std::move(packer), true);
  }
  /// Makes it a Container instead, of `ints` ints that come beside the message.
  void bring_container(std::size_t ints) {
    type = roam::mobile::object_type<Container>().id();
    calls.clear();
    announced_ints = ints;
    bytes_beside = ints * sizeof(std::int32_t);
  }
};

void run_job(const roam::Runtime::Program& program) {
  roam::Options options;
  options.transport = "in-process";
  options.ranks = 2;
  options.ranks_given = true;
  options.workers = 1;
  ASSERT_EQ(roam::run(options,
                      [&](roam::Runtime& rt) -> roam::Task<> {
                        if (rt.rank() == 1) co_await program(rt);
                        co_await rt.quiescence();
                      }),
            0);
}

void expect_rejected(const char* why, const std::function<void(Install&)>& spoil) {
  SCOPED_TRACE(why);
  run_job([&](roam::Runtime& rt) -> roam::Task<> {
    const std::uint64_t before = co_await rt.request<&rejected>(0);
    Install install;
    spoil(install);
    install.post();
    EXPECT_EQ(co_await rt.request<&rejected>(0), before + 1);
    EXPECT_EQ(co_await rt.request<&residents>(0), 0U);
    EXPECT_EQ(co_await rt.request<&early>(0), 0U);
    EXPECT_FALSE(co_await rt.request<&knows>(0, install.id));
    if (install.bytes_beside > 0) {
      EXPECT_LT(rt.messenger().stats().held_bytes, install.bytes_beside);
    }
  });
}

TEST(HostileInstall, A7_a_good_one_is_taken_in) {
  run_job([](roam::Runtime& rt) -> roam::Task<> {
    Install install;
    install.post();
    EXPECT_EQ(co_await rt.request<&residents>(0), 1U);
    EXPECT_EQ(co_await rt.request<&rejected>(0), 0U);
    EXPECT_EQ(co_await rt.request<&value_of>(0, install.id), 12);
  });
}

constexpr std::size_t ints_beside = 50'000;

TEST(HostileInstall, A7_a_good_one_with_an_array_beside_it_is_taken_in) {
  run_job([](roam::Runtime& rt) -> roam::Task<> {
    Install install;
    install.bring_container(ints_beside);
    install.post();
    EXPECT_EQ(co_await rt.request<&residents>(0), 1U);
    EXPECT_EQ(co_await rt.request<&rejected>(0), 0U);
    EXPECT_EQ(co_await rt.request<&sum_of>(0, install.id), std::int64_t{ints_beside});
  });
}

TEST(HostileInstall, A7_an_array_beside_an_object_that_has_none) {
  for (const std::size_t behind : {0U, 4U, 1'000'000U}) {
    expect_rejected("no array", [behind](Install& install) {
      install.bytes_beside = ints_beside * sizeof(std::int32_t);
      install.bytes_behind = behind;
    });
  }
}

TEST(HostileInstall, A7_an_array_with_other_elements_than_announced) {
  const auto expect_container_rejected = [](const char* why, const auto& spoil) {
    expect_rejected(why, [&](Install& install) {
      install.bring_container(ints_beside);
      spoil(install);
    });
  };
  expect_container_rejected("one too many", [](Install& install) { ++install.announced_ints; });
  expect_container_rejected("one too few", [](Install& install) { --install.announced_ints; });
  expect_container_rejected("none", [](Install& install) { install.announced_ints = 0; });
  expect_container_rejected("no whole elements", [](Install& install) { ++install.bytes_beside; });
  expect_container_rejected("a count whose bytes overflow", [](Install& install) {
    install.announced_ints += std::uint64_t{1} << 62;
  });
  expect_container_rejected("elsewhere", [](Install& install) { install.bytes_behind = 1; });
  expect_container_rejected("nothing beside it",
                            [](Install& install) { install.bytes_beside = 0; });
}

TEST(HostileInstall, A7_an_object_whose_home_does_not_exist) {
  expect_rejected("home 2 of 2", [](Install& install) {
    install.id = roam::ObjectId(roam::Rank(2), 4711);
    install.calls.clear();
  });
  expect_rejected("no object", [](Install& install) {
    install.id = roam::ObjectId();
    install.calls.clear();
  });
}

TEST(HostileInstall, A7_an_object_of_an_unknown_class) {
  expect_rejected("class", [](Install& install) { ++install.type; });
}

TEST(HostileInstall, A7_callers_that_do_not_exist) {
  expect_rejected("-1", [](Install& install) { install.expected = {{-1, 0}}; });
  expect_rejected("2", [](Install& install) { install.expected = {{2, 0}}; });
}

TEST(HostileInstall, A7_calls_with_headers_that_cannot_be) {
  expect_rejected("origin -1", [](Install& install) { install.calls[0].origin = -1; });
  expect_rejected("origin 2", [](Install& install) { install.calls[0].origin = 2; });
  expect_rejected("priority", [](Install& install) { install.calls[0].priority = 3; });
  expect_rejected("method", [](Install& install) { install.calls[0].method += 1; });
  expect_rejected("class", [](Install& install) {
    install.calls[0].method = roam::mobile::detail::method_instance<&OtherTarget::add>.id();
  });
  expect_rejected("object", [](Install& install) { install.calls[0].object += 1; });
  expect_rejected("regains access",
                  [](Install& install) { install.calls[0].flags = CallHeader::regains_access; });
  expect_rejected("unknown flag", [](Install& install) { install.calls[0].flags = 0x20; });
  expect_rejected("unknown flag", [](Install& install) { install.calls[0].flags = 0x80; });
}

TEST(HostileInstall, A7_calls_set_aside_with_headers_that_cannot_be) {
  const auto add_early = [](Install& install, std::uint32_t sequence) -> CallHeader& {
    return install.early.emplace_back(install.call(sequence));
  };
  expect_rejected("twice", [&](Install& install) {
    add_early(install, 5);
    add_early(install, 5);
  });
  expect_rejected("origin", [&](Install& install) { add_early(install, 5).origin = 2; });
  expect_rejected("class", [&](Install& install) {
    add_early(install, 5).method = roam::mobile::detail::method_instance<&OtherTarget::add>.id();
  });
}

TEST(HostileInstall, M5_an_object_that_lives_here_is_not_replaced) {
  run_job([](roam::Runtime& rt) -> roam::Task<> {
    const auto target = co_await rt.request<&make_target>(0);
    Install install;
    install.id = target.id();
    install.calls.clear();
    install.post();
    EXPECT_EQ(co_await rt.request<&rejected>(0), 1U);
    EXPECT_EQ(co_await rt.request<&residents>(0), 1U);
    EXPECT_EQ(co_await target.call<&Target::get>(), 100);
  });
}

/// Sends several in one message, whose last length exceeds what is there by `excess`.
void post_together(const std::vector<Install>& installs, std::uint64_t excess) {
  roam::core::Packer all = roam::here().messenger().begin(4096);
  for (const Install& install : installs) {
    roam::core::Packer one(roam::core::Buffer::allocate(1024));
    install.pack(one);
    roam::core::pack(all, std::uint64_t{one.size() + (&install == &installs.back() ? excess : 0)});
    all.write(one.buffer().data(), one.size());
  }
  roam::here().messenger().post(0, roam::am::handler_id("roam.install_together"), std::move(all),
                                true);
}

TEST(HostileInstall, A7_of_several_in_a_message_those_that_can_be_are_taken_in) {
  const auto expect_one_and = [](std::uint64_t rejected_messages, std::size_t installed,
                                 std::uint64_t excess, const std::function<void(Install&)>& spoil) {
    run_job([&](roam::Runtime& rt) -> roam::Task<> {
      std::vector<Install> installs(2);
      installs[1].id = roam::ObjectId(roam::Rank(0), 4712);
      installs[1].calls = {installs[1].call(0)};
      spoil(installs[1]);
      post_together(installs, excess);
      EXPECT_EQ(co_await rt.request<&residents>(0), installed);
      EXPECT_EQ(co_await rt.request<&rejected>(0), rejected_messages);
      EXPECT_EQ(co_await rt.request<&value_of>(0, installs[0].id), 12);
    });
  };
  expect_one_and(0, 2, 0, [](Install&) {});
  expect_one_and(1, 1, 1, [](Install&) {});
  expect_one_and(1, 1, std::uint64_t{0} - 8, [](Install&) {});
  expect_one_and(1, 1, 0, [](Install& install) { ++install.type; });
  expect_one_and(1, 1, 0, [](Install& install) { install.expected = {{2, 0}}; });
  expect_one_and(1, 1, 0, [](Install& install) {
    install.id = roam::ObjectId(roam::Rank(2), 4711);
    install.calls.clear();
  });
}

constexpr std::uint8_t bad_flags[] = {CallHeader::regains_access, 0x20, 0x40, 0x80};

TEST(HostileCall, A7_flags_that_never_travel) {
  run_job([](roam::Runtime& rt) -> roam::Task<> {
    const auto target = co_await rt.request<&make_target>(0);
    std::uint64_t count = 0;
    for (const std::uint8_t flags : bad_flags) {
      CallHeader header = Install().call(0);
      header.object = target.id().value();
      header.flags = flags;
      roam::core::Packer packer = rt.messenger().begin();
      header.write(packer);
      roam::core::pack(packer, 7);
      rt.messenger().post(0, roam::am::message_id<roam::mobile::CallHeader>, std::move(packer),
                          true);
      EXPECT_EQ(co_await rt.request<&rejected>(0), ++count) << int{flags};
    }
    EXPECT_EQ(co_await target.call<&Target::get>(), 100);
  });
}

}  // namespace

}  // namespace hostile_install_test
