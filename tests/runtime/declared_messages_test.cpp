// SPDX-License-Identifier: Apache-2.0
// A7: a rank whose only peer sends every kind of system message that the rooms have declared, cut
// off anywhere inside its fields, or with more behind them than there may be.
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <span>
#include <string>

#include "roam/am/detail/system_message.hpp"
#include "roam/am/detail/wire.hpp"
#include "roam/runtime/runtime.hpp"
#include "roam/transport/in_process.hpp"

namespace roam::declared_messages_test {

namespace {

class BadPeer : public ::testing::Test, private transport::Sink {
 protected:
  BadPeer() {
    rank.set_job_error_handler([](const std::string&) {});
    rank.on_error([](const std::string&) {});
    rank.start([](Runtime& rt) -> Task<> { co_await rt.quiescence(); }, [] {});
    settle();
  }
  ~BadPeer() override {
    own_end->close(false);
    peer_end->close(false);
  }

  void send(const am::HandlerTable::Entry& kind, std::span<const std::byte> payload) {
    am::WireHeader header;
    header.handler = kind.id;
    header.checked_size = static_cast<std::uint32_t>(sizeof header + payload.size());
    core::Buffer buffer = core::Buffer::allocate(header.checked_size);
    buffer.append(&header, sizeof header);
    buffer.append(payload.data(), payload.size());
    peer_end->send(0, std::move(buffer));
    settle();
  }
  [[nodiscard]] std::uint64_t rejected() { return rank.statistics().messages_rejected; }

  core::SteadyClock clock;
  transport::InProcessNetwork network{2};
  std::unique_ptr<transport::Endpoint> own_end = network.endpoint(0);
  std::unique_ptr<transport::Endpoint> peer_end = network.endpoint(1);
  Runtime rank{*own_end, clock, options()};

 private:
  static Options options() {
    Options options;
    options.ranks = 2;
    options.workers = 1;
    options.progress_mode = ProgressMode::polling;
    options.balancer.name = "diffusion";
    return options;
  }
  void settle() {
    for (int turn = 0; turn < 4; ++turn) (void)rank.poll();
    (void)peer_end->progress(*this, 1000);
  }
  void message(Rank, core::Buffer&&) override {}
  void bulk(Rank, transport::BulkTag, core::Buffer&&) override {}
  void peer_failed(Rank, const char*) override {}
};

TEST_F(BadPeer, A7_every_declared_message_is_rejected_when_cut_off_and_when_too_long) {
  std::set<std::string> declared;
  for (const am::HandlerTable::Entry* entry : rank.messenger().handlers().entries()) {
    if (entry->system == nullptr) continue;
    ASSERT_NE(entry->declaration, nullptr) << entry->symbol << " is no declared message";
    const am::MessageDeclaration& message = *entry->declaration;
    declared.emplace(message.kind.name);
    core::Packer packer(core::Buffer::allocate(256));
    message.write_example(packer);
    core::Buffer bytes = packer.take();
    std::uint64_t before = rejected();
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      send(*entry, bytes.bytes().first(length));
      EXPECT_EQ(rejected(), ++before) << message.signature << " cut off at " << length;
    }
    if (message.kind.behind != am::Behind::nothing) continue;
    bytes.append("+", 1);
    send(*entry, bytes.bytes());
    EXPECT_EQ(rejected(), before + 1) << message.signature << " with more than its fields";
  }
  for (const char* const name :
       {"roam.call", "roam.install", "roam.installed", "roam.migrate", "roam.quiescence.probe",
        "roam.collection.start", "roam.sparse.request", "roam.abort", "roam.reply"})
    EXPECT_TRUE(declared.contains(name)) << name;
}

}  // namespace

}  // namespace roam::declared_messages_test
