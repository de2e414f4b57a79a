// SPDX-License-Identifier: Apache-2.0
// Runs the wire program on two ranks of this thread and writes what rank 1 sends to rank 0 into the
// given folder, as seeds for fuzz_wire: the whole session, and each message that is of a new kind.
//   record_wire_corpus FOLDER
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "wire_program.hpp"

namespace roam::fuzz {
namespace {

/// Passes everything on and keeps what is sent to rank 0, as frames, batches among them.
class Recorder final : public transport::Endpoint {
 public:
  explicit Recorder(std::unique_ptr<transport::Endpoint> inner)
      : inner_(std::move(inner)), capabilities_(inner_->capabilities()) {
    capabilities_.batch_bytes = 512;
  }

  [[nodiscard]] Rank rank() const override { return inner_->rank(); }
  [[nodiscard]] std::int32_t size() const override { return inner_->size(); }
  [[nodiscard]] const transport::Capabilities& capabilities() const override {
    return capabilities_;
  }
  void send(Rank destination, core::Buffer&& data) override {
    if (destination == 0) keep(0, 0, data);
    inner_->send(destination, std::move(data));
  }
  void send_bulk(Rank destination, transport::BulkTag tag, core::Buffer&& data) override {
    if (destination == 0) keep(Frame::bulk, tag, data);
    inner_->send_bulk(destination, tag, std::move(data));
  }
  void receive_bulk(Rank source, transport::BulkTag tag, std::size_t size,
                    core::Buffer target) override {
    inner_->receive_bulk(source, tag, size, std::move(target));
  }
  std::size_t progress(transport::Sink& sink, std::size_t limit) override {
    return inner_->progress(sink, limit);
  }
  [[nodiscard]] std::size_t unsent_bytes() const override { return inner_->unsent_bytes(); }
  void set_waker(std::function<void()> waker) override { inner_->set_waker(std::move(waker)); }
  void count_sleepers(int change) override { inner_->count_sleepers(change); }
  void close(bool aborting) override { inner_->close(aborting); }

  [[nodiscard]] const std::vector<std::string>& frames() const { return frames_; }

 private:
  void keep(std::uint8_t kind, transport::BulkTag tag, const core::Buffer& data) {
    const Frame frame{static_cast<std::uint8_t>(kind | Frame::as_it_is),
                      static_cast<std::uint8_t>(tag), static_cast<std::uint16_t>(data.size())};
    std::string text(reinterpret_cast<const char*>(&frame), sizeof frame);
    frames_.push_back(text.append(reinterpret_cast<const char*>(data.data()), data.size()));
  }

  std::unique_ptr<transport::Endpoint> inner_;
  transport::Capabilities capabilities_;
  std::vector<std::string> frames_;
};

/// What rank 1 sends to rank 0 in one run; empty if the program does not come to its end.
std::vector<std::string> record() {
  StepClock clock;
  transport::InProcessNetwork network(2);
  const auto endpoint = network.endpoint(0);
  Recorder recorder(network.endpoint(1));
  const auto first = start_wire_program(*endpoint, clock);
  const auto second = start_wire_program(recorder, clock);
  for (int turn = 0; turn < 1'000'000; ++turn) {
    if (first->engine().stopped() && second->engine().stopped()) return recorder.frames();
    (void)first->poll();
    (void)second->poll();
    clock.advance();
  }
  return {};
}

void write(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  if (!file.flush()) throw Error("cannot write " + path.string());
}

int record_into(const std::filesystem::path& folder) {
  const auto frames = record();
  if (frames.empty()) {
    std::fputs("record_wire_corpus: the program did not come to its end\n", stderr);
    return 1;
  }
  std::filesystem::create_directories(folder);
  std::string session;
  std::set<std::pair<std::uint8_t, std::string>> seen;
  for (const std::string& frame : frames) {
    session += frame;
    // A kind is a handler's number with the flags beside it.
    const std::string handler =
        frame.substr(sizeof(Frame), 4) + frame.substr(sizeof(Frame) + 12, 2);
    if (!seen.emplace(frame.front(), handler).second) continue;
    std::string alone = frame;
    alone.front() = static_cast<char>(alone.front() & ~Frame::as_it_is);
    write(folder / ("message_" + std::to_string(seen.size())), alone);
  }
  write(folder / "session", session);
  return 0;
}

}  // namespace
}  // namespace roam::fuzz

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: record_wire_corpus FOLDER\n", stderr);
    return 2;
  }
  return roam::fuzz::record_into(argv[1]);
}
