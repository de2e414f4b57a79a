// SPDX-License-Identifier: Apache-2.0
#include "roam/flow/publications.hpp"

#include <algorithm>
#include <utility>

#include "roam/am/detail/system_handlers.hpp"
#include "roam/core/detail/type_name.hpp"
#include "roam/core/error.hpp"

namespace roam::flow {

namespace {

std::string other_type(const Publication& one) {
  return "the value of key " + one.key.text() + " is fetched as another type than " + one.type +
         ", which was published at " + to_string(one.where);
}

std::string published_twice(const Key& key, const std::string& first, const std::string& second) {
  return "key " + key.text() + " is published twice, at " + first + " and at " + second +
         ", and readers of the first have not come: let a part of the key be a version";
}

}  // namespace

Publications::Publications(am::Messenger& messenger) : messenger_(messenger) {
  messenger.bind<&Publications::on_published>(*this);
  messenger.bind<&Publications::on_wanted>(*this);
  messenger.bind<&Publications::on_serve>(*this);
  messenger.bind<&Publications::on_value>(*this);
}

Rank Publications::home(const Key& key) const {
  return Rank(static_cast<std::int32_t>(core::fnv1a(key.bytes()) %
                                        static_cast<std::uint64_t>(messenger_.size())));
}

// --- publisher and reader ---

void Publications::publish(Publication&& one) {
  KeyPublished note{0, one.readers, 0, one.key.bytes(), to_string(one.where)};
  const Rank to = home(one.key);
  {
    const core::LockGuard guard(lock_);
    note.number = ++numbers_;
    note.phase = phase_;
    const Readers readers = one.readers;
    served_.emplace(note.number, Served{std::move(one), readers, phase_});
  }
  messenger_.post(to, note);
}

void Publications::fetch(const Key& key, std::string_view type, Receiver& receiver) {
  KeyWanted note{0, core::fnv1a(type), 0, key.bytes()};
  {
    const core::LockGuard guard(lock_);
    note.token = ++numbers_;
    note.phase = phase_;
    fetches_.emplace(note.token, &receiver);
  }
  messenger_.post(home(key), note);
}

void Publications::on_serve(const KeyServe& order) {
  // The last reader gets the value itself, others a copy.
  std::vector<std::byte> value;
  std::string words;
  FailureRef failure;
  {
    const core::LockGuard guard(lock_);
    const auto found = served_.find(order.number);
    if (found == served_.end()) throw MalformedMessage("a value of a key is not here");
    Served& served = found->second;
    if (served.publication.failure) {
      failure = served.publication.failure;
      words = failure->text();
    } else if (core::fnv1a(served.publication.type) != order.type) {
      words = other_type(served.publication);
    }
    const bool is_last = served.publication.readers != any_number && --served.left == 0;
    if (is_last) {
      value = std::move(served.publication.value);
      served_.erase(found);
    } else {
      value = served.publication.value;
    }
  }
  if (failure) failure->note_told();
  const bool has_failed = !words.empty();
  messenger_.post(order.to, KeyValue{order.token, has_failed},
                  has_failed ? std::as_bytes(std::span(words)) : std::span<const std::byte>(value));
}

void Publications::on_value(const KeyValue& head, am::Incoming&& rest) {
  Receiver* receiver = nullptr;
  {
    const core::LockGuard guard(lock_);
    const auto found = fetches_.find(head.token);
    if (found == fetches_.end()) throw MalformedMessage("nobody has fetched this value");
    receiver = found->second;
    fetches_.erase(found);
  }
  receiver->arrived(Arrived{std::move(rest), head.has_failed, false});
}

// --- home ---

void Publications::serve(Rank publisher, std::uint64_t number, const Wanted& wanted) {
  messenger_.post(publisher, KeyServe{number, wanted.rank, wanted.token, wanted.type});
}

void Publications::on_published(const KeyPublished& note, Rank source) {
  const Key key = Key::of_bytes(note.key);
  std::vector<Wanted> come;
  std::string other;
  {
    const core::LockGuard guard(lock_);
    Meeting& meeting = meetings_[key];
    if (meeting.is_over(note.phase)) meeting = Meeting{};
    if (meeting.publisher != no_rank) {
      other = meeting.where;
    } else {
      come = std::move(meeting.wait);
      std::vector<Wanted> too_many;
      if (note.readers != any_number && come.size() > note.readers) {
        too_many.assign(come.begin() + note.readers, come.end());
        come.resize(note.readers);
      }
      const auto left = note.readers - static_cast<Readers>(come.size());
      if (note.readers == any_number || left > 0) {
        meeting = {source, note.number, note.readers, left, note.phase, note.where, {}};
      } else if (!too_many.empty()) {
        meeting = Meeting{};
        meeting.wait = std::move(too_many);  // to be used for another value
      } else {
        meetings_.erase(key);
      }
    }
  }
  if (!other.empty())
    return messenger_.engine().report_error(published_twice(key, other, note.where));
  for (const Wanted& wanted : come) serve(source, note.number, wanted);
}

void Publications::on_wanted(const KeyWanted& note, Rank source) {
  const Key key = Key::of_bytes(note.key);
  const Wanted wanted{source, note.token, note.type};
  Rank publisher = no_rank;
  std::uint64_t number = 0;
  {
    const core::LockGuard guard(lock_);
    Meeting& meeting = meetings_[key];
    if (meeting.is_over(note.phase)) meeting = Meeting{};
    publisher = meeting.publisher;
    number = meeting.number;
    if (publisher == no_rank) {
      meeting.wait.push_back(wanted);
    } else if (meeting.readers != any_number && --meeting.left == 0) {
      meetings_.erase(key);
    }
  }
  if (publisher != no_rank) serve(publisher, number, wanted);
}

// --- at once ---

void Publications::publish_here(Publication&& one) {
  std::string other;
  std::string where = to_string(one.where);
  const Key key = one.key;
  {
    const core::LockGuard guard(lock_);
    const auto found = here_.find(key);
    if (found != here_.end()) {
      other = to_string(found->second.publication.where);
    } else {
      const Readers readers = one.readers;
      here_.emplace(key, Served{std::move(one), readers, phase_});
    }
  }
  if (!other.empty()) throw Error(published_twice(key, other, where));
}

Publication Publications::fetch_here(const Key& key, std::string_view type,
                                     const SourceLine& where) {
  const core::LockGuard guard(lock_);
  const auto found = here_.find(key);
  if (found == here_.end()) {
    throw Error("fetch (" + to_string(where) + ") of key " + key.text() +
                ", which nothing has been published as before on this rank (the back end serial "
                "runs a program in its order, and each rank by itself)");
  }
  Served& served = found->second;
  Publication one = served.publication;
  if (!one.failure && type != one.type) throw Error(other_type(one));
  if (one.readers != any_number && --served.left == 0) here_.erase(found);
  return one;
}

// --- both ---

void Publications::end_phase() {
  std::vector<FailureRef> ended;  // destroyed without the lock
  const core::LockGuard guard(lock_);
  const std::uint32_t phase = phase_++;
  const auto is_over = [&](const auto& entry) {
    const Served& served = entry.second;
    if (served.publication.readers != any_number || served.phase != phase) return false;
    ended.push_back(served.publication.failure);
    return true;
  };
  std::erase_if(here_, is_over);
  std::erase_if(served_, is_over);
  // Ranks that have continued may have published new values.
  std::erase_if(meetings_, [&](const auto& entry) {
    const Meeting& meeting = entry.second;
    return meeting.publisher != no_rank && meeting.readers == any_number && meeting.phase == phase;
  });
}

std::size_t Publications::kept() const {
  const core::LockGuard guard(lock_);
  return served_.size() + meetings_.size() + here_.size();
}

std::vector<std::string> Publications::unread(std::size_t most) const {
  std::vector<std::string> all;
  const core::LockGuard guard(lock_);
  for (const auto& [number, served] : served_) {
    if (all.size() >= most) break;
    const Publication& one = served.publication;
    if (one.readers == any_number) continue;
    all.push_back("key " + one.key.text() + " has been published at " + to_string(one.where) +
                  " for " + std::to_string(one.readers) + " readers, of which " +
                  std::to_string(served.left) + " have not come");
  }
  return all;
}

}  // namespace roam::flow
