// SPDX-License-Identifier: Apache-2.0
// A4, A7: forged requests and answers, given directly to the handlers of remote memory.
#include <gmock/gmock.h>

#include <cstring>
#include <limits>

#include "am/remote_memory_world.hpp"
#include "roam/am/detail/remote_wire.hpp"

namespace roam::am::testing::remote_memory_hostile_test {

using ::testing::Each;

void consume(std::span<std::int32_t> landed, int number) {
  log().add(std::to_string(landed.size()) + " " + std::to_string(number));
}
[[maybe_unused]] void mention(RemoteMemory& m) {
  const remote_ptr<std::int32_t> nowhere;
  (void)m.put_op<&consume>(nowhere, {}, 1);
}

/// Rank 0 has remote memory and is stepped by hand; rank 1 is bare and sends what it likes.
class BadAccess : public ::testing::Test, private transport::Sink {
 protected:
  BadAccess() {
    bad = network.endpoint(1);
    node = std::make_unique<Node>(network.endpoint(0), exec::EngineOptions{}, MessengerOptions{},
                                  clock);
    memory = std::make_unique<RemoteMemory>(node->messenger);
    exposed.emplace(memory->expose(std::span(field).subspan(guard, room)));
    at = exposed->get().address();
  }
  ~BadAccess() override {
    exposed.reset();
    memory.reset();
    node.reset();
    bad->close(false);
  }

  void settle() {
    for (int i = 0; i < 8; ++i) {
      (void)node->engine.step(0);
      bad->progress(*this, 100);
    }
  }
  template <class... Part>
  static core::Buffer message(std::string_view handler, std::uint16_t flags, const Part&... parts) {
    core::Packer packer(core::Buffer::allocate(256));
    WireHeader header;
    packer.write(&header, sizeof header);
    (packer.write(&parts, sizeof parts), ...);
    core::Buffer buffer = packer.take();
    header.handler = handler_id(handler);
    header.flags = flags;
    header.checked_size = static_cast<std::uint32_t>(buffer.size());
    std::memcpy(buffer.data(), &header, sizeof header);
    return buffer;
  }
  /// Sends a request, which must be refused (by an answer that names a fault, or as malformed) and
  /// must leave the memory unchanged.
  void expect_refused(core::Buffer data, const std::string& what) {
    const std::uint64_t rejected = node->messenger.stats().messages_rejected;
    faults.clear();
    bad->send(0, std::move(data));
    settle();
    expect_untouched(what);
    EXPECT_EQ(faults.size() + node->messenger.stats().messages_rejected - rejected, 1U) << what;
    for (const AccessFault fault : faults) EXPECT_NE(fault, AccessFault::none) << what;
  }
  void expect_untouched(const std::string& what) {
    EXPECT_THAT(field, Each(7)) << what;
    EXPECT_TRUE(node->log.lines().empty()) << what << ": reached user code";
    EXPECT_TRUE(node->errors.lines().empty()) << what;
    EXPECT_TRUE(node->failures.lines().empty()) << what;
    std::ranges::fill(field, 7);
  }
  /// Uses arithmetic that cannot overflow. Accesses of empty elements are never valid.
  [[nodiscard]] static bool is_inside(std::int64_t offset, std::uint64_t element,
                                      const Extents& extents, const Strides& strides) {
    if (element == 0) return false;
    __extension__ using Wide = __int128;
    Wide low = offset;
    Wide high = Wide{offset} + element;
    for (std::size_t i = 0; i < extents.size(); ++i) {
      if (extents[i] > 1000 || element > 1000) return false;
      const Wide reach = Wide{strides[i]} * (extents[i] - 1) * element;
      (reach < 0 ? low : high) += reach;
    }
    return low >= 0 && high <= Wide{room * sizeof(std::int32_t)};
  }
  [[nodiscard]] Access access(std::int64_t offset, std::uint64_t length,
                              std::uint32_t alignment = 1) const {
    return {at.region, alignment, at.generation, offset, length};
  }

  [[nodiscard]] wire::AtomicRequest atomic(std::int64_t offset) const {
    return {1, 5, at.generation, offset, at.region, wire::AtomicOp::add, wire::AtomicType::word32};
  }

  static constexpr std::size_t guard = 1000;  // elements on either side of what is exposed
  static constexpr std::size_t room = 100;    // elements exposed
  static constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  core::SteadyClock clock;
  transport::InProcessNetwork network{2};
  std::vector<std::int32_t> field = std::vector<std::int32_t>(2 * guard + room, 7);
  std::unique_ptr<Node> node;
  std::unique_ptr<transport::Endpoint> bad;
  std::unique_ptr<RemoteMemory> memory;
  std::optional<Exposed<std::int32_t>> exposed;
  RemoteAddress at;
  std::vector<AccessFault> faults;      // answers that came
  std::vector<core::Buffer> received;   // everything that came
  std::vector<core::Buffer> bulk_data;  // expected by nobody unless a test does

 private:
  void message(Rank, core::Buffer&& data) override {
    wire::Done done;
    WireHeader header;
    std::memcpy(&header, data.data(), sizeof header);
    if (header.handler == handler_id("roam.memory.done") &&
        data.size() >= sizeof header + sizeof done) {
      std::memcpy(&done, data.data() + sizeof header, sizeof done);
      faults.push_back(done.fault);
    }
    received.push_back(std::move(data));
  }
  void bulk(Rank, transport::BulkTag, core::Buffer&& data) override {
    bulk_data.push_back(std::move(data));
  }
  void peer_failed(Rank, const char*) override {}
};

TEST_F(BadAccess, a_good_put_is_taken) {
  const std::int32_t value = 9;
  const wire::PutRequest request{1, 0, AccessFault::none, 0, access(4, 4, 4)};
  bad->send(0, message("roam.memory.put", WireHeader::counted, request, value));
  settle();
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0], AccessFault::none);
  EXPECT_EQ(field[guard + 1], 9);
}

TEST_F(BadAccess, A4_offsets_and_lengths_that_overflow) {
  const std::uint64_t bytes = room * sizeof(std::int32_t);
  for (const std::int64_t offset :
       {std::int64_t{-1}, std::int64_t{-4000}, least, least + 1, most, most - 3,
        static_cast<std::int64_t>(bytes) - 3, static_cast<std::int64_t>(bytes)}) {
    const wire::PutRequest put{1, 0, AccessFault::none, 0, access(offset, 4)};
    expect_refused(message("roam.memory.put", 0, put, std::int32_t{0}),
                   "put at " + std::to_string(offset));
    expect_refused(message("roam.memory.atomic", 0, atomic(offset)), "atomic");
    for (const std::uint64_t length : {std::uint64_t{4}, bytes, ~std::uint64_t{0},
                                       ~std::uint64_t{0} - 3, std::uint64_t{1} << 63}) {
      const wire::GetRequest get{1, 1, 0, access(offset, length)};
      expect_refused(message("roam.memory.get", 0, get), "get");
    }
  }
  for (const std::uint64_t length : {bytes + 1, ~std::uint64_t{0}, std::uint64_t{1} << 63}) {
    const wire::GetRequest get{1, 1, 0, access(0, length)};
    expect_refused(message("roam.memory.get", 0, get), "get");
    const wire::PutRequest put{1, 0, AccessFault::none, 0, access(0, length)};
    expect_refused(message("roam.memory.put", 0, put, std::int32_t{0}), "put without data");
  }
}

TEST_F(BadAccess, A4_regions_generations_and_alignments) {
  const wire::PutRequest good{1, 0, AccessFault::none, 0, access(0, 4)};
  const auto with = [&](auto change) {
    wire::PutRequest request = good;
    change(request.access);
    expect_refused(message("roam.memory.put", 0, request, std::int32_t{0}), "altered");
  };
  with([](Access& a) { a.region = 1; });
  with([](Access& a) { a.region = ~0U; });
  with([](Access& a) { a.generation = 0; });
  with([](Access& a) { ++a.generation; });
  with([](Access& a) { a.generation = ~std::uint64_t{0}; });
  for (const std::uint32_t alignment : {0U, 3U, 6U, 1U << 31, ~0U})
    with([&](Access& a) { a.alignment = alignment; });
}

TEST_F(BadAccess, A4_A7_atomics_that_do_not_exist) {
  expect_refused(message("roam.memory.atomic", 0, atomic(1)), "not aligned");
  const auto with = [&](auto change) {
    wire::AtomicRequest request = atomic(0);
    change(request);
    expect_refused(message("roam.memory.atomic", 0, request), "altered");
  };
  with([](wire::AtomicRequest& r) { r.op = static_cast<wire::AtomicOp>(77); });
  with([](wire::AtomicRequest& r) { r.type = static_cast<wire::AtomicType>(77); });
  with([](wire::AtomicRequest& r) {  // the bits of a double
    r.type = wire::AtomicType::real64;
    r.op = wire::AtomicOp::bit_xor;
  });
  with([](wire::AtomicRequest& r) { r.region = ~0U; });
  with([](wire::AtomicRequest& r) { ++r.generation; });
  with([](wire::AtomicRequest& r) { r.op = wire::AtomicOp::compare_exchange; });  // with what?
  const std::uint64_t word = 7;
  expect_refused(message("roam.memory.atomic", 0, atomic(0), word), "one number too many");
  expect_refused(message("roam.memory.atomic", 0, word, word, word, word), "half of one");
}

TEST_F(BadAccess, A7_words_that_answer_nothing) {
  const remote_ptr<std::int64_t> there({1, 0, 1, 0});
  auto sum = memory->fetch_add(there, 1);
  std::vector<std::int32_t> here(4, 7);
  auto get = memory->get(here, there.cast<std::int32_t>());
  settle();
  ASSERT_EQ(received.size(), 2U);
  const auto token_of = [&](std::size_t i) {
    std::uint64_t token = 0;
    std::memcpy(&token, received[i].data() + sizeof(WireHeader), sizeof token);
    return token;
  };
  const std::uint64_t of_sum = token_of(0);
  const std::uint64_t of_get = token_of(1);
  const wire::Word word{std::byte{42}};
  const auto forged = [&](std::uint64_t token, auto... more) {
    expect_refused(message("roam.memory.word", 0, wire::WordAnswer{token, word}, more...), "word");
  };
  forged(0);
  forged(of_sum + 1000);
  forged(of_sum + (std::uint64_t{1} << 32));
  forged(of_get);  // which wants 16 bytes elsewhere
  forged(of_sum, std::uint64_t{0});
  expect_refused(message("roam.memory.word", 0, of_sum), "half a word");
  expect_refused(message("roam.memory.done", 0, wire::Done{of_sum, 0, AccessFault::none, 0}, word),
                 "a word in the form of data");
  EXPECT_FALSE(sum.is_ready());
  EXPECT_FALSE(get.is_ready());
  bad->send(0, message("roam.memory.word", 0, wire::WordAnswer{of_sum, word}));
  settle();
  EXPECT_TRUE(sum.is_ready());
  forged(of_sum);  // once more
  bad->send(0, message("roam.memory.done", 0, wire::Done{of_get, 0, AccessFault::none, 0}, here));
  settle();
  EXPECT_THAT(here, Each(7));
}

TEST_F(BadAccess, A4_only_the_owner_ends_an_exposure) {
  const wire::FreeRequest exposure{1, 1, 0, access(0, 0)};
  expect_refused(message("roam.memory.free", 0, exposure), "not its owner");
  const wire::FreeRequest freed{1, 0, 0, access(0, 0)};
  expect_refused(message("roam.memory.free", 0, freed), "not from remote_alloc");
  for (const std::uint64_t bytes : {~std::uint64_t{0}, std::uint64_t{1} << 62}) {
    const wire::AllocateRequest request{1, bytes, 8, 0};
    expect_refused(message("roam.memory.alloc", 0, request), "too much memory");
  }
  for (const std::uint32_t alignment : {0U, 3U, 1U << 30}) {
    const wire::AllocateRequest request{1, 64, alignment, 0};
    expect_refused(message("roam.memory.alloc", 0, request), "no alignment");
  }
}

TEST_F(BadAccess, A4_boxes_whose_numbers_overflow) {
  constexpr std::uint64_t huge = std::uint64_t{1} << 63;
  const Extents some[] = {{2, 2, 2},       {huge, 1, 1}, {~std::uint64_t{0}, 2, 2},
                          {huge, huge, 2}, {101, 1, 1},  {1, 1, 101}};
  const Strides apart[] = {{1, 0, 0},  {most, most, most}, {least, least, least}, {most, least, 1},
                           {1, 1, -1}, {50, 50, 1},        {-1, -1, -1}};
  for (const Extents& extents : some) {
    for (const Strides& strides : apart) {
      for (const std::int64_t offset : {std::int64_t{0}, most, least, std::int64_t{396}}) {
        for (const std::uint64_t element :
             {std::uint64_t{4}, std::uint64_t{0}, huge, ~std::uint64_t{0}}) {
          if (is_inside(offset, element, extents, strides)) continue;
          const wire::BoxRequest request{1, access(offset, element), extents, strides};
          faults.clear();
          expect_refused(message("roam.memory.get_box", 0, request), "get_box");
          expect_refused(message("roam.memory.put_box", 0, request, std::array<std::int32_t, 8>{}),
                         "put_box");
        }
      }
    }
  }
  // A small request for a large answer.
  const wire::BoxRequest request{1, access(0, 4), {1 << 20, 1 << 20, 1}, {0, 0, 0}};
  expect_refused(message("roam.memory.get_box", 0, request), "four terabytes of one element");
}

TEST_F(BadAccess, A4_indices_and_counts_that_overflow) {
  for (const std::uint64_t index : {std::uint64_t{100}, ~std::uint64_t{0}, std::uint64_t{1} << 62,
                                    std::uint64_t{1} << 61, ~std::uint64_t{0} - 249}) {
    const wire::IndexedRequest request{1, 2, 4, access(0, 4)};
    const std::array<std::uint64_t, 2> indices{0, index};
    const std::array<std::int32_t, 2> data{};
    expect_refused(message("roam.memory.put_indexed", 0, request, indices, data), "put_indexed");
    expect_refused(message("roam.memory.get_indexed", 0, request, indices), "get_indexed");
  }
  const std::array<std::uint64_t, 2> indices{0, 1};
  for (const std::uint64_t count :
       {std::uint64_t{3}, std::uint64_t{1} << 61, std::uint64_t{1} << 63, ~std::uint64_t{0},
        (std::uint64_t{1} << 61) + 2}) {
    const wire::IndexedRequest request{1, count, 4, access(0, 4)};
    expect_refused(message("roam.memory.get_indexed", 0, request, indices), "count");
  }
  for (const std::uint64_t length :
       {std::uint64_t{401}, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    const wire::IndexedRequest request{1, 2, 4, access(0, length)};
    expect_refused(message("roam.memory.get_indexed", 0, request, indices), "block");
  }
  for (const std::uint64_t element :
       {std::uint64_t{400}, ~std::uint64_t{0}, std::uint64_t{1} << 62}) {
    const wire::IndexedRequest request{1, 2, element, access(0, 4)};
    expect_refused(message("roam.memory.get_indexed", 0, request, indices), "element");
  }
  for (const std::int64_t offset : {most, least, std::int64_t{-1}}) {
    const wire::IndexedRequest request{1, 2, 4, access(offset, 4)};
    expect_refused(message("roam.memory.get_indexed", 0, request, indices), "offset");
  }
  const wire::IndexedRequest crooked{1, 2, 4, access(2, 4, 4)};
  expect_refused(message("roam.memory.get_indexed", 0, crooked, indices), "alignment");
}

TEST_F(BadAccess, A4_bulk_puts_are_refused_and_dropped) {
  const auto send = [&](const Access& to, std::size_t bytes, transport::BulkTag tag,
                        AccessFault claimed = AccessFault::none, std::uint32_t op = 0) {
    const BulkAnnouncement announcement{bytes, tag, 0};
    const wire::PutRequest request{1, op, claimed, 0, to};
    core::Buffer data = core::Buffer::allocate(bytes);
    data.set_size(bytes);
    std::memset(data.data(), 0, bytes);
    bad->send_bulk(0, tag, std::move(data));
    expect_refused(message("roam.memory.put", WireHeader::beside, announcement, request),
                   "bulk put");
  };
  send(access(4, 400), 400, 1);
  send(access(-4, 400), 400, 2);
  send(access(0, 100'000), 100'000, 3);
  send(access(0, 300), 400, 4);  // does not match the data
  Access stale = access(0, 400);
  stale.generation = 99;
  send(stale, 400, 5);
  send(access(0, 400), 400, 6, AccessFault::none, 4711);  // a put_op for no handler
  // Only the receiver sets the fault: if a sender claims one, the outcome is the same.
  const BulkAnnouncement announcement{400, 9, 0};
  const wire::PutRequest request{1, 0, AccessFault::outside, 0, access(0, 400)};
  core::Buffer data = core::Buffer::allocate(400);
  data.set_size(400);
  std::memset(data.data(), 0, 400);
  bad->send_bulk(0, 9, std::move(data));
  bad->send(0, message("roam.memory.put", WireHeader::beside, announcement, request));
  settle();
  EXPECT_EQ(field[guard], 0);
  EXPECT_EQ(field[guard - 1], 7);
  EXPECT_EQ(field[guard + room], 7);
}

TEST_F(BadAccess, A7_bulk_data_out_of_place) {
  const auto inner = message("roam.memory.put", WireHeader::beside,
                             wire::PutRequest{1, 0, AccessFault::none, 0, access(0, 4)}, 0);
  const std::uint64_t before = node->messenger.stats().messages_rejected;
  core::Buffer copy = core::Buffer::allocate(inner.size());
  copy.append(inner.data(), inner.size());
  const BulkAnnouncement announcement{copy.size(), 1, 0};
  bad->send(0, message("", WireHeader::announce, announcement));
  bad->send_bulk(0, 1, std::move(copy));
  settle();
  EXPECT_EQ(node->messenger.stats().messages_rejected, before + 1)
      << "beside inside of split-phase";
  expect_refused(message("", WireHeader::beside, std::uint64_t{4}), "half an announcement");
  const BulkAnnouncement absurd{std::uint64_t{1} << 60, 2, 0};
  expect_refused(message("", WireHeader::beside, absurd), "absurd size");
  expect_untouched("out of place");
}

TEST_F(BadAccess, A7_put_op_handlers_called_without_data) {
  const std::string_view name = core::type_symbol<PutOp<&consume>>();
  const int number = 5;
  expect_refused(message(name, 0), "nothing");
  expect_refused(message(name, 0, access(0, 401)), "outside");
  expect_refused(message(name, 0, access(0, 5), number), "not whole elements");
  expect_refused(message(name, 0, access(2, 4), number), "not aligned");
  const wire::PutRequest request{1, handler_id(name), AccessFault::none, 0, access(0, 4)};
  const std::int32_t seven = 7;
  faults.clear();
  bad->send(0, message("roam.memory.put", 0, request, number, seven));
  settle();
  EXPECT_THAT(node->log.lines(), ::testing::ElementsAre("1 5")) << "a good one";
}

TEST_F(BadAccess, A7_forged_answers) {
  std::vector<std::int32_t> here(20'000, 7);
  const remote_ptr<std::int32_t> there({1, 0, 1, 0});
  auto get = memory->get(here, there);
  settle();
  ASSERT_EQ(received.size(), 1U);
  wire::GetRequest asked;
  std::memcpy(&asked, received[0].data() + sizeof(WireHeader), sizeof asked);
  const auto done = [&](std::uint64_t token, AccessFault fault, auto... data) {
    expect_refused(message("roam.memory.done", 0, wire::Done{token, 0, fault, 0}, data...), "done");
  };
  done(0, AccessFault::none);
  done(asked.token + 1, AccessFault::none);
  done(asked.token + (std::uint64_t{1} << 32), AccessFault::none);
  done(asked.token, static_cast<AccessFault>(1000));
  done(asked.token, AccessFault::none);  // without the data
  done(asked.token, AccessFault::none, std::array<std::byte, 100>{});
  expect_refused(message("roam.memory.done", 0, std::uint32_t{1}), "half an answer");
  const auto beside = [&](std::uint64_t token, std::size_t bytes, transport::BulkTag tag,
                          bool is_sent) {
    const BulkAnnouncement announcement{bytes, tag, 0};
    core::Buffer data = core::Buffer::allocate(bytes);
    data.set_size(bytes);
    std::memset(data.data(), 1, bytes);
    if (is_sent) bad->send_bulk(0, tag, std::move(data));
    bad->send(0, message("roam.memory.landed", WireHeader::beside, announcement,
                         wire::BulkAnswer{token}));
    settle();
  };
  const std::uint64_t before = node->messenger.stats().messages_rejected;
  beside(asked.token, 79'999, 1, true);
  beside(asked.token + 1, 80'000, 2, true);
  beside(asked.token, 81'000, 3, true);
  EXPECT_EQ(node->messenger.stats().messages_rejected, before + 3);
  EXPECT_THAT(here, Each(7));
  // The right message is announced twice, and a plain answer comes while the data is on its way:
  // the first announcement counts.
  beside(asked.token, 80'000, 4, false);
  beside(asked.token, 80'000, 5, true);
  EXPECT_FALSE(get.is_ready());
  bad->send(0, message("roam.memory.done", 0, wire::Done{asked.token, 0, AccessFault::gone, 0}));
  settle();
  EXPECT_FALSE(get.is_ready());
  core::Buffer data = core::Buffer::allocate(80'000);
  data.set_size(80'000);
  std::memset(data.data(), 0, 80'000);
  bad->send_bulk(0, 4, std::move(data));
  settle();
  EXPECT_TRUE(get.is_ready());
  EXPECT_THAT(here, Each(0));
  expect_untouched("answers");
}

TEST_F(BadAccess, A7_random_requests_do_no_harm) {
  const std::uint64_t seed = 4;
  std::cout << "seed " << seed << "\n";
  core::Random random(seed);
  const char* const names[] = {
      "roam.memory.put",     "roam.memory.get",         "roam.memory.put_box",
      "roam.memory.get_box", "roam.memory.put_indexed", "roam.memory.get_indexed",
      "roam.memory.atomic",  "roam.memory.done",        "roam.memory.word"};
  const std::uint64_t numbers[] = {0, 1, 4, 100, 400, 401, ~std::uint64_t{0}, 1UL << 63, 1UL << 62};
  for (int i = 0; i < 20'000; ++i) {
    std::array<std::uint64_t, 16> words{};
    for (std::uint64_t& w : words) w = random.below(3) == 0 ? random() : numbers[random.below(9)];
    // The bytes often contain the real region and generation, at the place where puts and gets have
    // them.
    const std::size_t place = random.below(4);
    words[place] = std::uint64_t{1} << 32 | at.region;
    words[place + 1] = at.generation;
    if (random.below(4) == 0) {  // where atomics have them
      words[2] = at.generation;
      words[4] = random.below(9) << 32 | random.below(3) << 48 | at.region;
    }
    core::Buffer data = message(names[random.below(9)], 0, words);
    data.set_size(sizeof(WireHeader) + 8 * random.below(17));
    const auto size = static_cast<std::uint32_t>(data.size());
    std::memcpy(data.data() + offsetof(WireHeader, checked_size), &size, sizeof size);
    bad->send(0, std::move(data));
    if (i % 16 == 0) settle();
    received.clear();
  }
  settle();
  for (std::size_t i = 0; i < guard; ++i) {
    ASSERT_EQ(field[i], 7);
    ASSERT_EQ(field[guard + room + i], 7);
  }
  EXPECT_TRUE(node->errors.lines().empty());
}

}  // namespace roam::am::testing::remote_memory_hostile_test
