// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "balance/idle_evidence.hpp"
#include "load_trend.hpp"
#include "neighbourhood.hpp"
#include "offers.hpp"
#include "roam/balance/policy.hpp"
#include "roam/balance/transfer.hpp"

namespace roam::balance {

struct DiffusionSettings {
  const char* name = "diffusion";  ///< name in the log of decisions
  std::int32_t neighbours = 8;
  bool is_ring = false;
  bool replace_all = false;
  double low_seconds = 0;  ///< 0: from measured latencies
  double longest_pause = 1;
  bool asks = true;       ///< ranks short of work begin (receiver-initiated)
  bool gives = false;     ///< ranks with work begin (sender-initiated)
  bool predicts = false;  ///< loads include the growth that the program's own work causes
};

/// Diffusive balancing (PREMA, appendix I.2, figure 13, made complete). A rank that will soon be
/// short of work asks its neighbourhood for loads, then asks the most loaded neighbours for the
/// amount that would lift it to the neighbourhood's mean. Neighbours without work are replaced. A
/// rank that had nothing to give remembers who asked and offers work when some has come, so that
/// ranks without work need not repeat their questions. If ranks with work also act on their own,
/// they compare loads whenever their work has halved, and give before anybody asks.
class Diffusion final : public Policy {
 public:
  Diffusion(const DiffusionSettings& settings, PolicyHost& host);

  [[nodiscard]] Instant balance(Instant now) override;
  void receive(Rank source, std::span<const std::byte> message) override;
  void notify(ObjectId id, const mobile::Record& record,
              mobile::LoadListener::Change change) override;

 private:
  enum class Kind : std::uint32_t { question, answer, request, reply, offer };
  /// All messages between the policies have this one form.
  struct Note {
    RankLoad load;            // of the sender
    double want_seconds = 0;  // of a request
    double settles_in =
        0;  // answer, reply: what waits here is too new to be given, for so many seconds
    std::uint32_t count = 0;  // request: workers without work; reply: objects given; offer: how
                              // often it may be passed on
    std::uint32_t round = 0;  // question, request: number of the round; answer and reply repeat it
    // Answer, reply: another rank that had work lately; offer: the rank whose work it is.
    std::int32_t hint = -1;
    Kind kind = Kind::question;
    std::uint32_t is_generous = 0;  // question: the asking rank has work to give
    std::uint32_t padding = 0;
  };
  enum class Phase : std::uint8_t { rest, asking, requesting };
  enum class Purpose : std::uint8_t { take, give };

  [[nodiscard]] double low_seconds() const;
  [[nodiscard]] RankLoad load_to_tell();
  void send(Rank to, Kind kind, Note note);

  void begin_round(Purpose purpose);
  void on_answer(Rank source, const Note& note);
  void end_round_without_answer();

  // the rank that is short of work
  void choose_donors();
  void on_reply(Rank source, const Note& note);
  void conclude();
  void on_offer(Rank source, const Note& note);
  void pass_offer_on(Rank donor, const Note& note);

  // the rank that has work
  void on_question(Rank source, const Note& note);
  void on_request(Rank source, const Note& note);
  [[nodiscard]] Instant offer_spare(const RankLoad& load);
  [[nodiscard]] Instant consider_giving(const RankLoad& load, Instant now);
  void give_to_neighbours();

  [[nodiscard]] Duration shortest_pause() const {
    return from_seconds(2 * host_.round_trip_seconds());
  }
  [[nodiscard]] Duration longest_pause() const { return from_seconds(settings_.longest_pause); }
  [[nodiscard]] Duration patience() const {
    return from_seconds(std::max(1.0, 2000 * host_.round_trip_seconds()));
  }

  const DiffusionSettings settings_;
  PolicyHost& host_;
  Neighbourhood neighbourhood_;
  Offers offers_;
  Settling settling_;
  LoadTrend trend_;
  GrowingEvidence evidence_;

  Phase phase_ = Phase::rest;
  Purpose purpose_ = Purpose::take;
  std::uint32_t round_ = 0;
  std::size_t answers_due_ = 0;
  bool round_gave_work_ = false;
  bool round_saw_work_ = false;
  Instant asked_{0};     // when the round's questions were sent
  Instant deadline_{0};  // end of the round's present phase
  Instant next_round_{0};
  Duration pause_{0};           // before the next round, if this one is fruitless too
  Instant settles_at_ = never;  // when the first neighbour's new work may be given
  Instant loaded_since_{0};
  bool was_loaded_ = false;
  std::uint32_t rounds_without_work_ = 0;  // consecutive rounds in which nobody had any
  bool is_dormant_ = false;                // until work or an offer comes

  // Loads are compared again when this rank's work leaves the range between these:
  double level_low_ = 0;
  double level_high_ = 0;
  Instant next_level_{0};
};

}  // namespace roam::balance
