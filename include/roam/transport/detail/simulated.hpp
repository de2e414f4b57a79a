// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "roam/core/detail/clock.hpp"
#include "roam/core/machine.hpp"
#include "roam/transport/network.hpp"

namespace roam::transport {

/// What a message costs on one level of the machine, after the LogGP model (Alexandrov, Ionescu,
/// Schauser, Scheiman 1995). A message of k bytes given to the network at t by a rank whose network
/// interface is free from f on
///   leaves   at s = max(t + overhead, f), keeping the interface busy until s + k/bandwidth + gap,
///   and arrives  at s + k/bandwidth + latency + overhead, and late by a random time, uniform in
///   [0, jitter * (its delay without jitter)).
/// Contention at the receiver: its interface is busy for contention * (k/bandwidth + gap) with each
/// message, one after the other in the order of arrival; a message that finds it busy is late. A
/// message of a rank to itself arrives at t + overhead, and late as above. A bandwidth of 0 is
/// unlimited.
/// Links that ranks share: a message whose way has some claims them one after the other from s on,
/// each free again k/(the link's bandwidth) after it has begun with the message, and the way takes
/// it as long as the latest link says. Links are given out in the order of virtual time (at one
/// instant by rank), whatever the order of calls.
struct SimulatedNetworkParameters {
  /// The levels, innermost first. Groups nest, and the last level spans all ranks. A message is
  /// charged for the first level on which both ranks meet; a rank has one interface for all levels.
  std::vector<NetworkLevel> levels = {NetworkLevel{}};
  /// In addition, each message is late by a random time, uniform in [0, jitter_delay).
  Duration jitter_delay{0};
  /// Lets messages of one pair overtake each other (capabilities().ordered is false then).
  bool reorder = false;
  /// True: the ranks are treated as ranks of one process (capabilities().hands_over).
  bool shares_memory = false;
  std::size_t max_message_bytes = 64 * 1024;
};

/// Connects all ranks of a simulated machine on one thread, in the virtual time of `clock`. The
/// same seed and the same calls give the same arrivals, whatever the addresses. Endpoints: ordered
/// unless `reorder`. They never call the waker; the driver learns of arrivals from the listener.
/// close() drops what has not been delivered to that rank.
///
/// What a handler sends after VirtualClock::compute is sent at that later time: it enters the
/// network then, after anything that another worker of the rank sends in between, and "in the order
/// sent" refers to these times.
class SimulatedNetwork final : public Network {
 public:
  /// Called when something has been sent: `rank` has to make progress at `when` (>= clock.now()).
  /// `rank` is the destination; or the source, if it has sent ahead of time: then it has to make
  /// progress when that time has come, and the listener is called again for the arrival.
  using Listener = std::function<void(Rank rank, Instant when)>;
  struct Totals {
    std::uint64_t messages = 0;  // handed to the network, bulk transfers included
    std::uint64_t bytes = 0;
  };

  /// `clock` must outlive the network. Throws roam::ConfigError for ranks < 1 or parameters out of
  /// range.
  SimulatedNetwork(const SimulatedNetworkParameters& parameters, std::int32_t ranks,
                   const core::Clock& clock, std::uint64_t seed);
  ~SimulatedNetwork() override;

  void set_listener(Listener listener);
  /// Sets how late messages are beyond what the parameters say. Before the first message.
  using Delays = std::function<Duration(Rank source, Rank destination)>;
  void set_delays(Delays delays);
  /// From now on the rank is lost, as if its process had been killed: what is sent to it, and what
  /// it still sends, is dropped. Each other rank hears of it (Sink::peer_failed) after a random
  /// time of up to `notice`; of what was under way from it to this one, a random first part still
  /// arrives, before that or after it. Its engine is to be stopped by the caller.
  void lose(Rank rank, Duration notice);
  [[nodiscard]] Totals totals() const;
  /// No message to another rank arrives sooner than this after it was sent. The sender knows
  /// without delay that it has arrived (unsent_bytes()).
  [[nodiscard]] Duration least_delay() const;

  /// Whether messages claim links that ranks share. Who turns ranks strictly in the order of time
  /// need not know: progress() has links claimed in time, and next_arrival() counts claims in.
  /// Others do it themselves, after leave_claims_to_driver(): whenever everything before
  /// next_claim() has happened (never: nothing is to be claimed), they call claim(), which may call
  /// the listener, for arrivals not before that and at least as late as least_delay() says.
  [[nodiscard]] bool shares_links() const;
  void leave_claims_to_driver();
  [[nodiscard]] Instant next_claim() const;
  void claim();

  [[nodiscard]] std::int32_t size() const override;
  [[nodiscard]] std::vector<Rank> local_ranks() const override;
  [[nodiscard]] std::unique_ptr<Endpoint> endpoint(Rank rank) override;
  [[nodiscard]] const char* name() const override { return "simulated"; }
  [[noreturn]] void abort(int status) override;

 private:
  class Port;
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace roam::transport
