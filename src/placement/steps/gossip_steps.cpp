// SPDX-License-Identifier: Apache-2.0
#include "gossip_steps.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "roam/placement/detail/note_lists.hpp"
#include "rumours.hpp"

namespace roam::placement {

namespace {

/// Precedes the notes of an offer. Plain bytes.
struct OfferHead {
  double giver_seconds;  // time of the giver's work, these objects included
};

class GossipSteps final : public DistributedStrategy {
 public:
  GossipSteps(const GossipSettings& settings, RankShare share)
      : settings_(settings),
        share_(std::move(share)),
        held_(share_.objects),
        rumours_(static_cast<std::size_t>(settings.known)) {
    count_work();
  }

  /// One step of an iteration: `rounds` steps of rumours, then offers, then answers to them. After
  /// the last iteration refusals are received, the owners of objects are told, and they note their
  /// moves.
  [[nodiscard]] bool step(StepHost& host, std::span<const StepMessage> received) override {
    const std::int32_t length = settings_.rounds + 2;
    const std::int32_t iteration = next_ / length;
    const std::int32_t at = next_ % length;
    may_pass_mean_ = 2 * iteration >= settings_.iterations;
    ++next_;
    if (iteration == settings_.iterations) {
      if (at == 0) {
        take_back(received);
        tell_owners(host);
        return true;
      }
      learn(received);
      return false;
    }
    if (at == 0) {
      take_back(received);
      begin_rumours(host);
    } else if (at < settings_.rounds) {
      if (hear(host, received)) spread(host);
    } else if (at == settings_.rounds) {
      (void)hear(host, received);
      offer(host);
    } else {
      answer(host, received);
    }
    return true;
  }

  [[nodiscard]] Result result() override {
    result_.work_seconds = work_;
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::int32_t rank() const { return share_.rank.value(); }
  [[nodiscard]] double mean() const { return share_.totals.mean_seconds(); }
  [[nodiscard]] double limit() const { return mean() * (1 + settings_.imbalance); }
  [[nodiscard]] double time() const { return work_ / share_.capacity; }

  /// Sums up the work again, so that rounding errors do not accumulate.
  void count_work() {
    work_ = share_.fixed_seconds;
    for (const ObjectNote& note : held_) work_ += note.seconds;
  }

  void begin_rumours(StepHost& host) {
    rumours_.clear();
    if (time() >= mean() || share_.size == 1) return;
    const Rumour mine{time(), share_.capacity, rank(), 0};
    rumours_.hear({&mine, 1}, host.random());
    spread(host);
  }

  void spread(StepHost& host) {
    for (std::int32_t i = 0; i < settings_.fanout; ++i) {
      // Any rank but this one.
      const auto other = static_cast<std::int32_t>(
          host.random().below(static_cast<std::uint64_t>(share_.size - 1)));
      core::Packer packer = host.message();
      core::pack(packer, rumours_.list());
      host.send(other < rank() ? other : other + 1, std::move(packer));
    }
  }

  [[nodiscard]] bool hear(StepHost& host, std::span<const StepMessage> received) {
    bool has_grown = false;
    for (const StepMessage& message : received) {
      core::Unpacker bytes(message.bytes);
      const auto heard = core::unpack<std::vector<Rumour>>(bytes);
      for (const Rumour& rumour : heard) {
        if (rumour.rank < 0 || rumour.rank >= share_.size || !std::isfinite(rumour.seconds) ||
            rumour.seconds < 0 || !std::isfinite(rumour.capacity) || rumour.capacity <= 0) {
          throw MalformedMessage("a rumour of no rank or an impossible load");
        }
      }
      has_grown = rumours_.hear(heard, host.random()) || has_grown;
    }
    return has_grown;
  }

  /// Offers work above the mean to others: the largest object that fits, else the smallest.
  void offer(StepHost& host) {
    if (time() <= limit() || rumours_.empty()) return;
    host.charge(settings_.seconds_per_object * static_cast<double>(held_.size()));
    std::ranges::sort(held_, [](const ObjectNote& a, const ObjectNote& b) {
      return a.seconds != b.seconds ? a.seconds < b.seconds : a.object < b.object;
    });
    const double before = time();
    std::map<std::int32_t, std::vector<ObjectNote>> offers;
    while (time() > limit() && !held_.empty()) {
      const double surplus = work_ - mean() * share_.capacity;
      auto chosen = std::ranges::upper_bound(held_, surplus, {}, &ObjectNote::seconds);
      if (chosen != held_.begin()) --chosen;
      Rumour* taker = nullptr;
      for (;; --chosen) {
        taker = rumours_.choose(chosen->seconds, most_of_taker(before), mean(), host.random());
        if (taker != nullptr || chosen == held_.begin() || chosen->seconds <= 0) break;
      }
      if (taker == nullptr || chosen->seconds <= 0) break;
      taker->seconds += chosen->seconds / taker->capacity;
      work_ -= chosen->seconds;
      offers[taker->rank].push_back(*chosen);
      held_.erase(chosen);
    }
    for (auto& [to, notes] : offers) {
      core::Packer packer = host.message();
      core::pack(packer, OfferHead{before});
      core::pack(packer, notes);
      host.send(to, std::move(packer));
      for (const ObjectNote& note : notes) offered_.push_back({to, note});
    }
  }

  /// The time that the taker may reach. In the second half of the iterations it may exceed the
  /// mean, if it then still ends before the giver (Lifflander et al., SC 2021): the slowest rank is
  /// never made slower, and objects larger than the mean allows can leave a rank that has more to
  /// do.
  [[nodiscard]] double most_of_taker(double giver_seconds) const {
    return may_pass_mean_ ? std::max(limit(), giver_seconds * (1 - 1e-9)) : limit();
  }

  void answer(StepHost& host, std::span<const StepMessage> received) {
    for (const StepMessage& message : received) {
      core::Unpacker bytes(message.bytes);
      const double most = most_of_taker(core::unpack<OfferHead>(bytes).giver_seconds);
      std::vector<std::uint64_t> refused;
      for (const ObjectNote& note : core::unpack<std::vector<ObjectNote>>(bytes)) {
        check_note(note, share_.size);
        if ((work_ + note.seconds) / share_.capacity > most) {
          refused.push_back(note.object);
          continue;
        }
        work_ += note.seconds;
        held_.push_back(note);
      }
      if (refused.empty()) continue;
      core::Packer packer = host.message();
      core::pack(packer, refused);
      host.send(message.source, std::move(packer));
    }
  }

  /// Removes the objects that were offered and not refused.
  void take_back(std::span<const StepMessage> received) {
    for (const StepMessage& message : received) {
      core::Unpacker bytes(message.bytes);
      for (const std::uint64_t object : core::unpack<std::vector<std::uint64_t>>(bytes)) {
        const auto offer = std::ranges::find_if(offered_, [&](const Offer& o) {
          return o.to == message.source.value() && o.note.object == object;
        });
        if (offer == offered_.end()) throw MalformedMessage("a refusal of what was not offered");
        held_.push_back(offer->note);
        offered_.erase(offer);
      }
    }
    offered_.clear();
    count_work();
  }

  void tell_owners(StepHost& host) {
    NoteLists moves;
    for (ObjectNote note : held_) {
      if (note.rank == rank()) continue;
      note.to = rank();
      moves.add(note.rank, note);
      ++result_.arriving_objects;
      result_.arriving_bytes += note.bytes;
    }
    moves.send(host);
  }

  void learn(std::span<const StepMessage> received) {
    for (const StepMessage& message : received) {
      core::Unpacker bytes(message.bytes);
      for (const ObjectNote& note : core::unpack<std::vector<ObjectNote>>(bytes)) {
        check_note(note, share_.size);
        if (note.rank != rank()) throw MalformedMessage("an order to move what is not here");
        result_.moves.push_back(note);
      }
    }
  }

  struct Offer {
    std::int32_t to;
    ObjectNote note;
  };

  const GossipSettings settings_;
  const RankShare share_;
  std::int32_t next_ = 0;
  bool may_pass_mean_ = false;
  std::vector<ObjectNote> held_;  // objects that would be here if all moved now
  double work_ = 0;               // their work and the work that stays
  Rumours rumours_;
  std::vector<Offer> offered_;
  Result result_;
};

}  // namespace

std::unique_ptr<DistributedStrategy> make_gossip_steps(const GossipSettings& settings,
                                                       RankShare share) {
  return std::make_unique<GossipSteps>(settings, std::move(share));
}

}  // namespace roam::placement
