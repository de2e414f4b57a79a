// SPDX-License-Identifier: Apache-2.0
#include "roam/flow/publications.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "flow/replica.hpp"
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
  messenger.bind<&Publications::on_shared>(*this);
  messenger.bind<&Publications::on_uses>(*this);
  messenger.bind<&Publications::on_replicas>(*this);
}

Rank Publications::home(const Key& key) const {
  return Rank(static_cast<std::int32_t>(core::fnv1a(key.bytes()) %
                                        static_cast<std::uint64_t>(messenger_.size())));
}

// --- publisher and reader ---

void Publications::publish(Publication&& one) {
  KeyPublished note{0, one.readers, 0, one.is_frozen, one.key.bytes(), to_string(one.where)};
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

void Publications::fetch(const Key& key, std::string_view type, KeyReceiver& receiver) {
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
    const bool is_last = served.publication.is_frozen
                             ? ++served.sent == served.replicas
                             : served.publication.readers != any_number && --served.left == 0;
    if (is_last) {
      value = std::move(served.publication.value);
      served_.erase(found);
    } else {
      value = served.publication.value;
    }
  }
  if (failure) failure->note_told();
  const bool has_failed = !words.empty();
  messenger_.post(order.to, KeyValue{order.token, has_failed, order.sharing, {}},
                  has_failed ? std::as_bytes(std::span(words)) : std::span<const std::byte>(value));
}

KeyReceiver& Publications::take_fetch(std::uint64_t token) {
  const auto found = fetches_.find(token);
  if (found == fetches_.end()) throw MalformedMessage("nobody has fetched this value");
  KeyReceiver& receiver = *found->second;
  fetches_.erase(found);
  return receiver;
}

void Publications::on_value(const KeyValue& head, am::Incoming&& rest) {
  if (head.sharing != Sharing::none) return on_replica(head, std::move(rest));
  KeyReceiver* receiver = nullptr;
  {
    const core::LockGuard guard(lock_);
    receiver = &take_fetch(head.token);
  }
  receiver->arrived(Arrived{std::move(rest), head.has_failed, false});
}

// --- readers of frozen values: what the home and the publisher send may come in any order ---

void Publications::on_replica(const KeyValue& head, am::Incoming&& rest) {
  auto replica = std::make_shared<Replica>(Arrived{std::move(rest), head.has_failed, false});
  std::vector<KeyReceiver*> readers;
  std::shared_ptr<Replica> over;
  {
    const core::LockGuard guard(lock_);
    Shared& shared = replicas_[head.token];
    shared.replica = replica;
    shared.is_counted = head.sharing == Sharing::counted;
    readers = std::move(shared.wait);
    readers.push_back(&take_fetch(head.token));
    shared.uses += static_cast<Readers>(readers.size());
    over = forget_if_over(head.token);
  }
  for (KeyReceiver* const reader : readers) reader->shares(replica);
}

void Publications::on_shared(const KeyShared& note) {
  KeyReceiver* reader = nullptr;
  std::shared_ptr<Replica> replica;
  {
    const core::LockGuard guard(lock_);
    reader = &take_fetch(note.token);
    Shared& shared = replicas_[note.first];
    if (shared.replica == nullptr) {
      shared.wait.push_back(reader);
      return;
    }
    replica = shared.replica;
    ++shared.uses;
    (void)forget_if_over(note.first);
  }
  reader->shares(std::move(replica));
}

void Publications::on_uses(const KeyUses& note) {
  std::shared_ptr<Replica> over;  // destroyed without the lock
  const core::LockGuard guard(lock_);
  replicas_[note.first].all = note.count;
  over = forget_if_over(note.first);
}

// Forgets a replica that no further fetch will share, and returns it: tasks may still read it.
std::shared_ptr<Replica> Publications::forget_if_over(std::uint64_t first) {
  const auto found = replicas_.find(first);
  if (found->second.uses != found->second.all) return nullptr;
  std::shared_ptr<Replica> replica = std::move(found->second.replica);
  replicas_.erase(found);
  return replica;
}

void Publications::on_replicas(const KeyReplicas& note) {
  std::optional<Served> over;  // destroyed without the lock
  const core::LockGuard guard(lock_);
  const auto found = served_.find(note.number);
  if (found == served_.end()) throw MalformedMessage("a value of a key is not here");
  found->second.replicas = note.count;
  if (found->second.sent != note.count) return;
  over = std::move(found->second);
  served_.erase(found);
}

// --- home ---

void Publications::serve(Rank publisher, std::uint64_t number, const Wanted& wanted) {
  messenger_.post(publisher,
                  KeyServe{number, wanted.rank, wanted.token, wanted.type, Sharing::none});
}

// Gives a frozen value to a fetch. Returns true if that was the last one.
bool Publications::give(Meeting& meeting, const Wanted& wanted, Orders& orders) {
  const auto [place, is_new] =
      meeting.replicas.try_emplace({wanted.rank, wanted.type}, Asked{wanted.token, 0});
  ++place->second.uses;
  if (is_new) {
    const Sharing sharing = meeting.readers == any_number ? Sharing::in_phase : Sharing::counted;
    orders.serve.push_back({meeting.publisher, KeyServe{meeting.number, wanted.rank, wanted.token,
                                                        wanted.type, sharing}});
  } else {
    orders.share.push_back({wanted.rank, KeyShared{wanted.token, place->second.first}});
  }
  if (meeting.readers == any_number || --meeting.left > 0) return false;
  for (const auto& [of, asked] : meeting.replicas)
    orders.uses.push_back({of.first, KeyUses{asked.first, asked.uses}});
  orders.replicas.push_back(
      {meeting.publisher,
       KeyReplicas{meeting.number, static_cast<Readers>(meeting.replicas.size())}});
  return true;
}

void Publications::send(const Orders& orders) {
  const auto post = [&](const auto& all) {
    for (const auto& [to, message] : all) messenger_.post(to, message);
  };
  post(orders.serve);
  post(orders.share);
  post(orders.uses);
  post(orders.replicas);
}

void Publications::on_published(const KeyPublished& note, Rank source) {
  const Key key = Key::of_bytes(note.key);
  std::vector<Wanted> come;
  Orders orders;
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
      meeting = {source, note.number, note.readers, left, note.phase, note.where, {}, false, {}};
      if (note.is_frozen) {
        meeting.is_frozen = true;
        meeting.left = note.readers;
        for (const Wanted& wanted : come) (void)give(meeting, wanted, orders);
        come.clear();
      }
      const bool is_over = note.readers != any_number && left == 0;
      if (is_over && !too_many.empty()) {
        meeting = Meeting{};
        meeting.wait = std::move(too_many);  // to be used for another value
      } else if (is_over) {
        meetings_.erase(key);
      }
    }
  }
  if (!other.empty())
    return messenger_.engine().report_error(published_twice(key, other, note.where));
  for (const Wanted& wanted : come) serve(source, note.number, wanted);
  send(orders);
}

void Publications::on_wanted(const KeyWanted& note, Rank source) {
  const Key key = Key::of_bytes(note.key);
  const Wanted wanted{source, note.token, note.type};
  Rank publisher = no_rank;
  std::uint64_t number = 0;
  Orders orders;
  {
    const core::LockGuard guard(lock_);
    Meeting& meeting = meetings_[key];
    if (meeting.is_over(note.phase)) meeting = Meeting{};
    publisher = meeting.publisher;
    number = meeting.number;
    if (publisher == no_rank) {
      meeting.wait.push_back(wanted);
    } else if (meeting.is_frozen) {
      publisher = no_rank;  // give() says what is sent
      if (give(meeting, wanted, orders)) meetings_.erase(key);
    } else if (meeting.readers != any_number && --meeting.left == 0) {
      meetings_.erase(key);
    }
  }
  if (publisher != no_rank) serve(publisher, number, wanted);
  send(orders);
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
      if (one.is_frozen && !one.failure)
        one.replica = std::make_shared<Replica>(std::move(one.value));
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
  std::vector<std::shared_ptr<Replica>> replicas;
  const core::LockGuard guard(lock_);
  const std::uint32_t phase = phase_++;
  const auto is_over = [&](const auto& entry) {
    const Served& served = entry.second;
    if (served.publication.readers != any_number || served.phase != phase) return false;
    ended.push_back(served.publication.failure);
    replicas.push_back(served.publication.replica);
    return true;
  };
  std::erase_if(here_, is_over);
  std::erase_if(served_, is_over);
  std::erase_if(replicas_, [&](const auto& entry) {
    const Shared& shared = entry.second;
    if (shared.is_counted || shared.replica == nullptr) return false;
    replicas.push_back(shared.replica);
    return true;
  });
  // Ranks that have continued may have published new values.
  std::erase_if(meetings_, [&](const auto& entry) {
    const Meeting& meeting = entry.second;
    return meeting.publisher != no_rank && meeting.readers == any_number && meeting.phase == phase;
  });
}

std::size_t Publications::kept() const {
  const core::LockGuard guard(lock_);
  return served_.size() + meetings_.size() + here_.size() + replicas_.size();
}

// Who has come for a frozen value is known at the home of its key.
std::vector<std::string> Publications::unread(std::size_t most) const {
  std::vector<std::string> all;
  const auto add = [&](const Key& key, const std::string& where, Readers readers, Readers left) {
    if (readers == any_number || all.size() >= most) return;
    all.push_back("key " + key.text() + " has been published at " + where + " for " +
                  std::to_string(readers) + " readers, of which " + std::to_string(left) +
                  " have not come");
  };
  const core::LockGuard guard(lock_);
  for (const auto& [number, served] : served_) {
    const Publication& one = served.publication;
    if (!one.is_frozen) add(one.key, to_string(one.where), one.readers, served.left);
  }
  for (const auto& [key, meeting] : meetings_) {
    if (meeting.is_frozen) add(key, meeting.where, meeting.readers, meeting.left);
  }
  return all;
}

}  // namespace roam::flow
