// SPDX-License-Identifier: Apache-2.0
#include "flow/distributions.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "roam/am/detail/system_handlers.hpp"
#include "roam/core/error.hpp"
#include "roam/mobile/detail/added_calls.hpp"

namespace roam::flow {

Distributions::Distributions(am::Messenger& messenger) : messenger_(messenger) {
  messenger_.bind<&Distributions::on_ask>(*this);
  messenger_.bind<&Distributions::on_tell>(*this);
  messenger_.bind<&Distributions::on_reads>(*this);
}

void Distributions::keep(const std::shared_ptr<Distribution>& one) {
  const core::LockGuard guard(lock_);
  if (std::ranges::find(kept_, one, &Kept::one) == kept_.end()) kept_.push_back({one});
}

void Distributions::forget_all_but(std::uint32_t flow) {
  std::vector<Kept> unused;  // destroyed without the lock
  const core::LockGuard guard(lock_);
  const auto of_others = std::partition(kept_.begin(), kept_.end(), [&](const Kept& kept) {
    return kept.one->name().flow == flow || kept.one.use_count() > 1;
  });
  unused.assign(std::move_iterator(of_others), std::move_iterator(kept_.end()));
  kept_.erase(of_others, kept_.end());
}

void Distributions::forget_unused() {
  std::vector<Kept> unused;  // destroyed without the lock
  const core::LockGuard guard(lock_);
  const auto none = std::partition(kept_.begin(), kept_.end(), [](const Kept& kept) {
    return kept.one.use_count() > 1 || kept.one->has_moved();
  });
  unused.assign(std::move_iterator(none), std::move_iterator(kept_.end()));
  kept_.erase(none, kept_.end());
}

std::shared_ptr<Distribution> Distributions::find(const DistributionName& name) const {
  const core::LockGuard guard(lock_);
  for (const Kept& kept : kept_) {
    if (kept.one->name() == name) return kept.one;
  }
  return nullptr;
}

std::shared_ptr<Distribution> Distributions::require(std::uint32_t flow,
                                                     std::uint32_t number) const {
  std::shared_ptr<Distribution> found = find({flow, number});
  if (found == nullptr) throw MalformedMessage("it is about collections that are not there");
  return found;
}

void Distributions::on_ask(const AskRank& question, Rank source) {
  const auto of = require(question.flow, question.number);
  messenger_.post(source, TellRank{question.flow, question.number, question.index,
                                   of->rank_for_others(question.index), false});
}

void Distributions::on_tell(const TellRank& answer) {
  const auto of = require(answer.flow, answer.number);
  if (answer.rank.value() < 0 || answer.rank.value() >= messenger_.size() ||
      answer.index >= of->shape().count())
    throw MalformedMessage("an index of a collection is at a rank that is none");
  if (answer.is_news) {
    of->note_moved(answer.index, answer.rank);
  } else {
    of->learn(answer.index, answer.rank);
  }
}

// --- what indices read of each other ---

void Distributions::count_reads(std::span<const std::shared_ptr<Distribution>> all) {
  std::map<std::pair<const Distribution*, Rank>, std::vector<ReadNote>> elsewhere;
  for (const auto& own : all) {
    const auto reads = own->take_reads();
    for (std::uint64_t k = 0; k < reads.size(); ++k) {
      if (reads[k] == nullptr) continue;
      for (const ElementRead& read : reads[k]->all()) {
        const auto of =
            std::ranges::find(all, read.of, [](const auto& one) { return one->name(); });
        if (of == all.end()) continue;
        const ReadNote note{read.index, own->groups()[k].value(), read.messages, read.bytes()};
        if ((*of)->contains(read.index)) {
          add_call(note, **of);
        } else {
          elsewhere[{of->get(), (*of)->told_rank_of(read.index)}].push_back(note);
        }
      }
    }
  }
  for (auto& [to, notes] : elsewhere) {
    const DistributionName& name = to.first->name();
    messenger_.post(to.second, TellReads{name.flow, name.number, std::move(notes)});
  }
}

void Distributions::note_objects(const Distribution& of) {
  const core::LockGuard guard(lock_);
  for (Kept& kept : kept_) {
    if (kept.one.get() == &of) kept.has_objects = true;
  }
}

bool Distributions::has_objects(const Distribution& of) const {
  const core::LockGuard guard(lock_);
  return std::ranges::any_of(
      kept_, [&of](const Kept& kept) { return kept.one.get() == &of && kept.has_objects; });
}

// The program of this rank has left the last phase and waits for the end of this one.
void Distributions::on_reads(const TellReads& reads) {
  const auto found = require(reads.flow, reads.number);
  const Distribution& of = *found;
  if (!has_objects(of)) throw MalformedMessage("an index was read before it has an object");
  std::map<Rank, std::vector<ReadNote>> elsewhere;
  for (const ReadNote& note : reads.notes) {
    if (note.index >= of.shape().count() || !of.exists(note.index))
      throw MalformedMessage("an index was read that a collection does not have");
    const bool is_home = of.shape().home(note.index) == of.rank();
    const Rank to = is_home ? of.rank_for_others(note.index) : of.rank();
    if (to != of.rank()) {
      elsewhere[to].push_back(note);
    } else if (of.contains(note.index)) {
      add_call(note, of);
    } else {
      throw MalformedMessage("an index was read that is not here");
    }
  }
  for (auto& [to, notes] : elsewhere)
    messenger_.post(to, TellReads{reads.flow, reads.number, std::move(notes)});
}

void Distributions::add_call(const ReadNote& note, const Distribution& of) {
  mobile::add_calls(messenger_.engine(),
                    {of.group(note.index).value(), note.reader, note.messages, note.bytes});
}

}  // namespace roam::flow
