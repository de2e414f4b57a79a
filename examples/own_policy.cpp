// SPDX-License-Identifier: Apache-2.0
// A balancing policy of its own (the scheduler class of PREMA's paper, figure 2), which
// --roam-balancer finds by its name:
//   example_own_policy --roam-ranks 2 --roam-workers 1 --roam-balancer ring
#include <cstdio>
#include <roam/balance/registry.hpp>
#include <roam/balance/transfer.hpp>
#include <roam/roam.hpp>
#include <vector>

using roam::balance::PolicyHost;
using roam::balance::RankLoad;

// [class]
/// A rank short of work asks the next one, once; that gives as soon as it has work to spare. So
/// work wanders backwards along the ring, and ranks without any are silent.
class Ring final : public roam::balance::Policy {
 public:
  Ring(double low_seconds, PolicyHost& host) : low_seconds_(low_seconds), host_(host) {}
  roam::Instant balance(roam::Instant now) override;
  void receive(roam::Rank source, std::span<const std::byte> message) override;

 private:
  enum class Kind : std::uint32_t { ask, given, withdraw };
  struct Note {
    RankLoad load;  // of the sender
    Kind kind = Kind::ask;
    std::uint32_t padding = 0;
  };
  void send(std::int32_t to, Kind kind);
  bool give_to_asker();

  const double low_seconds_;
  PolicyHost& host_;
  bool has_asked_ = false;
  bool is_asked_ = false;
  RankLoad asker_;
};
// [class]

// [balance]
roam::Instant Ring::balance(roam::Instant now) {
  if (host_.size() == 1) return roam::never;
  if (is_asked_ && give_to_asker()) is_asked_ = false;
  const RankLoad load = host_.load();
  const double lasts = load.seconds_until_idle(load.rate());
  const double low = low_seconds_ > 0 ? low_seconds_ : 4 * host_.round_trip_seconds();
  const std::int32_t next = (host_.rank().value() + 1) % host_.size();
  if (lasts >= low) {
    if (has_asked_ && lasts > 4 * low) {  // it has got work of its own
      send(next, Kind::withdraw);
      has_asked_ = false;
    }
    return now + roam::from_seconds(lasts - low / 2);  // look again when it is nearly done
  }
  if (!has_asked_) send(next, Kind::ask);
  has_asked_ = true;
  return roam::never;  // until something changes
}
// [balance]

// [give]
bool Ring::give_to_asker() {
  if (!has_spare(host_, host_.load())) return false;
  const std::int32_t previous = (host_.rank().value() + host_.size() - 1) % host_.size();
  const roam::balance::WorkRequest request{
      .from = previous, .load = asker_, .want_seconds = 1e9, .count = asker_.idle_workers()};
  if (give(host_, request, "ring").objects == 0) return false;
  send(previous, Kind::given);
  return true;
}
// [give]

void Ring::send(std::int32_t to, Kind kind) {
  const Note note{.load = host_.load(), .kind = kind};
  roam::core::Packer message = host_.message();
  message.write(&note, sizeof note);
  host_.send(to, std::move(message));
}

void Ring::receive(roam::Rank, std::span<const std::byte> message) {
  const Note note = roam::balance::read_note<Note>(message, "ring");  // checks size and load
  switch (note.kind) {
    case Kind::ask:
      is_asked_ = true;
      asker_ = note.load;
      return;
    case Kind::given:
      has_asked_ = false;
      return;
    case Kind::withdraw:
      is_asked_ = false;
      return;
  }
  throw roam::MalformedMessage("ring: unknown kind of message");
}

const roam::balance::PolicyRegistrar registrar{
    {.name = "ring",
     .description = "ranks short of work ask the next one",
     .parameters = {{.name = "low_seconds",
                     .description = "work per worker below which a rank asks; 0: from latencies",
                     .default_value = "0",
                     .minimum = 0,
                     .maximum = 1e6}},
     .create = [](const roam::balance::Parameters& parameters,
                  PolicyHost& host) -> std::unique_ptr<roam::balance::Policy> {
       return std::make_unique<Ring>(parameters.number("low_seconds"), host);
     }}};

struct Piece {
  double seconds = 0;
  void advance() { roam::here().compute(roam::from_seconds(seconds)); }
};

roam::Task<> program(roam::Runtime& rt) {
  std::vector<roam::mobile_ptr<Piece>> mine;
  for (int i = 0; rt.rank() == 0 && i < 64; ++i) mine.push_back(rt.create<Piece>(Piece{0.005}));
  for (const auto& piece : mine) piece.send<&Piece::advance>();
  co_await rt.quiescence();
  if (rt.rank() == 0) {
    std::printf("%d ranks, %.0f ms; 320 ms of work were on rank 0\n", static_cast<int>(rt.size()),
                1e3 * roam::seconds(rt.now()));
  }
}

int main(int argc, char** argv) { return roam::run(argc, argv, program); }
