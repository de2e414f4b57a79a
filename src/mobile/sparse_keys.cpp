// SPDX-License-Identifier: Apache-2.0
#include "roam/mobile/detail/sparse_keys.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <unordered_map>
#include <utility>

#include "distinct_functions.hpp"
#include "roam/am/detail/system_handlers.hpp"
#include "roam/core/error.hpp"
#include "roam/mobile/sparse_collection.hpp"

namespace roam::mobile {

/// A message to a key's home; the arguments of an insertion follow.
struct KeyRequest {
  static constexpr am::MessageKind kind{"roam.sparse.request", am::Counted::yes, am::Behind::bytes};
  KeyRequestHeader header;
  std::string key;
  static constexpr auto fields(auto& m) { return std::tie(m.header, m.key); }
};

/// Tells what a key's home knows of it.
struct KeyAnswer {
  static constexpr am::MessageKind kind{"roam.sparse.answer"};
  std::uint64_t collection = 0;
  ObjectId object;
  // True: the key has to be forgotten; false: `object` is its element, if it has one.
  bool is_forgotten = false;
  std::string key;
  static constexpr auto fields(auto& m) {
    return std::tie(m.collection, m.object, m.is_forgotten, m.key);
  }
};

namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

/// Lets the queued operations of a key have their turn.
class DrainKey final : public CollectionWork {
 public:
  explicit DrainKey(std::string key) : key_(std::move(key)) {}
  bool step(CollectionState& state) override {
    state.keys().drain(key_);
    return true;
  }

 private:
  std::string key_;
};

/// Handles a request that has come to a key's home.
class ServeKey final : public CollectionWork {
 public:
  ServeKey(Rank source, const KeyRequestHeader& header, std::string key,
           std::span<const std::byte> arguments, am::EpochWork&& work)
      : source_(source),
        header_(header),
        key_(std::move(key)),
        arguments_(arguments.begin(), arguments.end()),
        work_(std::move(work)) {}
  bool step(CollectionState& state) override {
    state.keys().serve(source_, header_, key_, arguments_, std::move(work_));
    return true;
  }

 private:
  Rank source_;
  KeyRequestHeader header_;
  std::string key_;
  std::vector<std::byte> arguments_;
  am::EpochWork work_;
};

/// In virtual time, what a handler does with a key after computing happens at the handler's end.
class SubmitLater final : public exec::ReadyItem {
 public:
  SubmitLater(std::shared_ptr<CollectionState> state, std::string key,
              core::Owned<KeyOperation> operation)
      : state_(std::move(state)), key_(std::move(key)), operation_(std::move(operation)) {
    priority = Priority::high;  // before what its handler does next
  }
  void run(exec::Context& context) override {
    context.label = "collection";
    state_->keys().submit(std::move(key_), std::move(operation_));
    delete this;
  }
  void drop() override { delete this; }

 private:
  std::shared_ptr<CollectionState> state_;
  std::string key_;
  core::Owned<KeyOperation> operation_;
};

}  // namespace

KeyOperation::KeyOperation(Kind kind, const am::ReplyTo& reply_to)
    : kind_(kind),
      reply_to_(reply_to),
      work_(am::EpochWork::begin(current_collections().messenger())) {}

// What this rank knows of a key.
struct SparseKeys::Known {
  enum class State : std::uint8_t { unknown, asked, there, absent };
  State state = State::unknown;
  ObjectId object;
  bool is_draining = false;  // true: a step is running or will come
  std::deque<core::Owned<KeyOperation>> line;
};

// A key whose home this is.
struct SparseKeys::Entry {
  // A request that waits until the ranks have forgotten the key's former object.
  struct Parked {
    Rank source;
    KeyRequestHeader header;
    std::vector<std::byte> arguments;
    am::EpochWork work;
  };

  ObjectId object;
  std::set<Rank> told;  // the ranks that may know it
  // The number of ranks that have not yet answered, while the key is being erased.
  std::size_t answers_due = 0;
  am::ReplyTo eraser;
  am::EpochWork erasure;
  std::deque<Parked> parked;
};

struct SparseKeys::Tables {
  std::unordered_map<std::string, Known> known;  // under lock_
  // Keys whose home this is. Used in steps of the state's work only.
  std::map<std::string, Entry> entries;
};

SparseKeys::SparseKeys(CollectionState& state)
    : state_(state), tables_(std::make_unique<Tables>()) {}

SparseKeys::~SparseKeys() = default;

// --- for a rank that uses a key ---

ObjectId SparseKeys::known(std::string_view key) {
  if (space().engine().is_ahead_of_time()) return {};
  const std::lock_guard guard(lock_);
  const auto found = tables_->known.find(std::string(key));
  if (found == tables_->known.end()) return {};
  const Known& entry = found->second;
  return entry.state == Known::State::there && entry.line.empty() && !entry.is_draining
             ? entry.object
             : ObjectId();
}

void SparseKeys::submit(std::string key, core::Owned<KeyOperation> operation) {
  if (space().engine().is_ahead_of_time()) {
    auto* later = new SubmitLater(state_.shared_from_this(), std::move(key), std::move(operation));
    return space().engine().push(later);
  }
  bool is_first = false;
  {
    const std::lock_guard guard(lock_);
    if (!has_ended_) {
      Known& entry = tables_->known[key];
      entry.line.push_back(std::exchange(operation, nullptr));
      is_first = !entry.is_draining && entry.state != Known::State::asked;
      if (is_first) entry.is_draining = true;
    }
  }
  if (is_first) schedule(key);
  if (operation == nullptr) return;
  // It sends, or runs the program's handler of dead letters: not to be called under the lock.
  const am::EpochScope scope(operation->epoch());
  operation->fail(*this);
}

void SparseKeys::schedule(const std::string& key) { state_.add(std::make_shared<DrainKey>(key)); }

// Determines what has to be done next with a key, and the state that follows.
SparseKeys::Turn SparseKeys::next_turn(const std::string& key, core::Owned<KeyOperation>& operation,
                                       ObjectId& object, bool& is_missing) {
  const std::lock_guard guard(lock_);
  const auto found = tables_->known.find(key);
  if (found == tables_->known.end()) return Turn::over;  // the collection has ended
  Known& entry = found->second;
  if (entry.line.empty()) {
    entry.is_draining = false;
    if (entry.state != Known::State::there) tables_->known.erase(found);
    return Turn::over;
  }
  const KeyOperation::Kind kind = entry.line.front()->kind();
  if (kind == KeyOperation::Kind::use && entry.state == Known::State::unknown) {
    entry.state = Known::State::asked;
    entry.is_draining = false;
    return Turn::later;
  }
  operation = std::move(entry.line.front());
  entry.line.pop_front();
  object = entry.state == Known::State::there ? entry.object : ObjectId();
  is_missing = kind == KeyOperation::Kind::use && !object;
  const bool stays = kind == KeyOperation::Kind::use ||
                     (kind == KeyOperation::Kind::insert && static_cast<bool>(object));
  if (!stays) entry.state = Known::State::unknown;
  return Turn::next;
}

void SparseKeys::drain(const std::string& key) {
  for (;;) {
    core::Owned<KeyOperation> operation;
    ObjectId object;
    bool is_missing = false;
    const Turn turn = next_turn(key, operation, object, is_missing);
    if (turn == Turn::over) return;
    if (turn == Turn::later) {
      KeyRequestHeader header;
      header.kind = KeyRequestHeader::Kind::resolve;
      return request(home_of(key), key, header);
    }
    const am::EpochScope scope(operation->epoch());
    try {
      if (operation->kind() == KeyOperation::Kind::erase && object) space().destroy(object);
      is_missing ? operation->fail(*this) : operation->run(*this, object);
    } catch (...) {
      // Arguments could not be packed: an empty call has taken the place of that call, and ends the
      // request of the coroutine that awaits it.
      space().engine().report_error("rank " + std::to_string(space().rank().value()) +
                                    ", sparse collection " + std::to_string(state_.shape().base) +
                                    ": " + words_of(std::current_exception()));
    }
  }
}

void SparseKeys::end() {
  std::unordered_map<std::string, Known> ended;
  {
    const std::lock_guard guard(lock_);
    has_ended_ = true;
    ended.swap(tables_->known);
  }
  for (auto& [key, entry] : ended) {
    for (const auto& operation : entry.line) {
      const am::EpochScope scope(operation->epoch());
      try {
        operation->fail(*this);
      } catch (...) {  // from the program's handler of dead letters
        space().engine().report_error(words_of(std::current_exception()));
      }
    }
  }
  // Ranks that still had to forget an object do not answer any more: they have forgotten the
  // collection.
  for (auto& [key, entry] : std::exchange(tables_->entries, {})) {
    if (entry.answers_due == 0) continue;
    space().messenger().answer(entry.eraser, true);
    for (const Entry::Parked& request : entry.parked) report_gone(request.source, request.header);
  }
}

void SparseKeys::report_gone(Rank source, const KeyRequestHeader& header) const {
  if (header.is_change())
    state_.collections().report_gone({source, header.reply_token}, header.collection);
}

Rank SparseKeys::home_of(std::string_view key) const {
  return state_.shape().home_of_key(bytes_of(key));
}

void SparseKeys::request(Rank home, std::string_view key, const KeyRequestHeader& header,
                         std::span<const std::byte> arguments) {
  KeyRequestHeader full = header;
  full.collection = state_.shape().base;
  full.epoch = am::Epochs::current();
  am::Messenger& messenger = space().messenger();
  auto message = messenger.begin(KeyRequest{full, std::string(key)}, key.size() + arguments.size());
  message.packer().write(arguments.data(), arguments.size());
  messenger.post(home, std::move(message));
  if (full.epoch != 0) messenger.epochs().sent(full.epoch, home);
}

std::string SparseKeys::describe_missing(std::string_view handler) const {
  return "sparse collection " + std::to_string(state_.shape().base) +
         " has no element of that key (it was erased or never inserted); called by rank " +
         std::to_string(space().rank().value()) + ", handler " + std::string(handler);
}

void SparseKeys::resolved(const std::string& key, ObjectId object) {
  {
    const std::lock_guard guard(lock_);
    const auto found = tables_->known.find(key);
    if (has_ended_) return;
    if (found == tables_->known.end() || found->second.state != Known::State::asked)
      throw MalformedMessage("an answer about a key that nobody asked for");
    Known& entry = found->second;
    entry.state = object ? Known::State::there : Known::State::absent;
    entry.object = object;
    entry.is_draining = true;
  }
  schedule(key);
}

void SparseKeys::forget(const std::string& key, ObjectId object, Rank home) {
  {
    const std::lock_guard guard(lock_);
    const auto found = tables_->known.find(key);
    if (found != tables_->known.end() && found->second.state == Known::State::there &&
        found->second.object == object) {
      Known& entry = found->second;
      entry.state = Known::State::unknown;
      if (entry.line.empty() && !entry.is_draining) tables_->known.erase(found);
    }
  }
  KeyRequestHeader header;
  header.kind = KeyRequestHeader::Kind::forgotten;
  header.object = object.value();
  request(home, key, header);
}

// --- for a key's home ---

void SparseKeys::tell(Rank rank, const std::string& key, ObjectId object, bool is_forgotten) {
  space().messenger().post(rank, KeyAnswer{state_.shape().base, object, is_forgotten, key});
}

// An element's constructor, and the messages about an erasure, are work of the epoch that wanted
// them.
void SparseKeys::serve(Rank source, const KeyRequestHeader& header, const std::string& key,
                       std::span<const std::byte> arguments, am::EpochWork&& work) {
  const am::EpochScope scope(work.epoch());
  const am::ReplyTo to{source, header.reply_token};
  if (has_ended_) return report_gone(source, header);
  const auto found = tables_->entries.find(key);
  if (header.kind == KeyRequestHeader::Kind::forgotten) {
    if (found != tables_->entries.end() && found->second.answers_due > 0 &&
        --found->second.answers_due == 0)
      finish_erasure(key);
    return;
  }
  if (found != tables_->entries.end() && found->second.answers_due > 0) {
    found->second.parked.push_back({source, header,
                                    std::vector<std::byte>(arguments.begin(), arguments.end()),
                                    std::move(work)});
    return;
  }
  switch (header.kind) {
    case KeyRequestHeader::Kind::resolve:
      if (found != tables_->entries.end()) found->second.told.insert(source);
      return tell(source, key, found == tables_->entries.end() ? ObjectId() : found->second.object,
                  false);
    case KeyRequestHeader::Kind::insert:
      return insert(to, header, key, arguments);
    case KeyRequestHeader::Kind::erase:
      return erase(to, ObjectId(header.object), key, std::move(work));
    case KeyRequestHeader::Kind::forgotten:
      break;
  }
}

void SparseKeys::insert(const am::ReplyTo& to, const KeyRequestHeader& header,
                        const std::string& key, std::span<const std::byte> arguments) {
  am::Messenger& messenger = space().messenger();
  if (tables_->entries.contains(key)) return messenger.answer(to, false);
  try {
    const auto* make = NamedFunction<MakeElement>::find(header.make);
    if (make == nullptr) throw MalformedMessage("an insertion of an unknown class");
    tables_->entries[key].object = make->function()(space(), bytes_of(key), arguments);
  } catch (...) {
    tables_->entries.erase(key);
    const std::string text =
        "rank " + std::to_string(space().rank().value()) +
        ", insertion into a sparse collection: " + words_of(std::current_exception());
    if (!to) return space().engine().report_error(text);
    return messenger.answer_failure(to, am::ReplyStatus::handler_failed, text);
  }
  messenger.answer(to, true);
}

void SparseKeys::erase(const am::ReplyTo& to, ObjectId ended, const std::string& key,
                       am::EpochWork&& work) {
  const auto found = tables_->entries.find(key);
  if (found == tables_->entries.end()) return space().messenger().answer(to, false);
  Entry& entry = found->second;
  if (entry.object != ended) space().destroy(entry.object);
  entry.eraser = to;
  entry.erasure = std::move(work);
  entry.answers_due = entry.told.size();
  for (const Rank rank : entry.told) tell(rank, key, entry.object, true);
  if (entry.answers_due == 0) finish_erasure(key);
}

void SparseKeys::finish_erasure(const std::string& key) {
  const auto found = tables_->entries.find(key);
  const am::ReplyTo eraser = found->second.eraser;
  const am::EpochWork erasure = std::move(found->second.erasure);
  std::deque<Entry::Parked> parked = std::move(found->second.parked);
  tables_->entries.erase(found);
  space().messenger().answer(eraser, true);
  // One of these requests may erase the key once more: the others are then parked again.
  for (Entry::Parked& request : parked)
    serve(request.source, request.header, key, request.arguments, std::move(request.work));
}

std::vector<ObjectId> SparseKeys::select(const SectionBytes& section) const {
  std::vector<ObjectId> elements;
  const SectionPredicate* predicate = nullptr;
  if (section.kind == SectionBytes::Kind::predicate) {
    const auto* function = NamedFunction<SectionPredicate>::find(section.predicate);
    if (function == nullptr || function->function().of_key == nullptr)
      throw Error("the section's predicate is none of keys");
    predicate = &function->function();
  }
  std::set<std::string_view> wanted(section.keys.begin(), section.keys.end());
  for (const auto& [key, entry] : tables_->entries) {
    if (entry.answers_due > 0) continue;  // erased
    if (section.kind == SectionBytes::Kind::keys && !wanted.contains(key)) continue;
    if (predicate != nullptr && !predicate->of_key(bytes_of(key))) continue;
    elements.push_back(entry.object);
  }
  return elements;
}

// --- messages ---

void KeyChange::fail(SparseKeys& keys) {
  keys.state().collections().report_gone(reply_to(), keys.state().shape().base);
}

void Collections::bind_sparse() {
  require_distinct<MakeElement>(messenger());
  messenger().bind<&Collections::on_key_request>(*this);
  messenger().bind<&Collections::on_key_answer>(*this);
}

void Collections::on_key_request(KeyRequest&& request, am::Incoming&& arguments) {
  const KeyRequestHeader& header = request.header;
  if (header.kind > KeyRequestHeader::Kind::forgotten)
    throw MalformedMessage("an unknown request about a key");
  am::EpochWork work = am::EpochWork::arrived(messenger(), header.epoch, "a request about a key");
  const auto state = find(header.collection);
  if (state == nullptr || state->shape().dimensions != 0) {
    if (header.is_change()) report_gone({arguments.source, header.reply_token}, header.collection);
    return;  // a rank that asked for a key has forgotten the collection, or will
  }
  state->add(std::make_shared<ServeKey>(arguments.source, header, std::move(request.key),
                                        arguments.payload(), std::move(work)));
}

void Collections::on_key_answer(const KeyAnswer& answer, Rank source) {
  const auto state = find(answer.collection);
  if (state == nullptr || state->shape().dimensions != 0) return;  // it has ended
  if (answer.is_forgotten) {
    state->keys().forget(answer.key, answer.object, source);
  } else {
    state->keys().resolved(answer.key, answer.object);
  }
}

void KeyQuestion::run(SparseKeys& keys, ObjectId /*object*/) {
  keys.space().messenger().answer(reply_to(), true);
}

void KeyQuestion::fail(SparseKeys& keys) { keys.space().messenger().answer(reply_to(), false); }

}  // namespace roam::mobile
