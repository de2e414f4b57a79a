// SPDX-License-Identifier: Apache-2.0
// Writes a message of each declared kind, with the values that its fields have by default, into the
// given folder, as seeds for fuzz_messages.
//   record_message_corpus FOLDER
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "declared_messages.hpp"

namespace roam::fuzz {
namespace {

std::string seed_of(const am::HandlerTable::Entry& kind) {
  core::Packer packer(core::Buffer::allocate(256));
  kind.declaration->write_example(packer);
  const core::Buffer payload = packer.take();
  const MessageFrame frame{kind.id, static_cast<std::uint16_t>(payload.size()), 0};
  std::string bytes(reinterpret_cast<const char*>(&frame), sizeof frame);
  return bytes.append(reinterpret_cast<const char*>(payload.data()), payload.size());
}

int record_into(const std::filesystem::path& folder) {
  StepClock clock;
  transport::InProcessNetwork network(2);
  const auto endpoint = network.endpoint(0);
  const auto rank = start_wire_program(*endpoint, clock);
  std::filesystem::create_directories(folder);
  for (const am::HandlerTable::Entry* kind : declared_messages(*rank)) {
    const auto path = folder / std::string(kind->declaration->kind.name);
    std::ofstream file(path, std::ios::binary);
    file << seed_of(*kind);
    if (!file.flush()) throw Error("cannot write " + path.string());
  }
  endpoint->close(false);
  return 0;
}

}  // namespace
}  // namespace roam::fuzz

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: record_message_corpus FOLDER\n", stderr);
    return 2;
  }
  return roam::fuzz::record_into(argv[1]);
}
