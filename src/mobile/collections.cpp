// SPDX-License-Identifier: Apache-2.0
#include "roam/mobile/detail/collections.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "distinct_functions.hpp"
#include "part_handlers.hpp"
#include "roam/am/detail/system_handlers.hpp"
#include "roam/core/error.hpp"
#include "roam/mobile/detail/stuck_report.hpp"

namespace roam::mobile {

namespace {

constinit const OperationType* first_operation_type =
    nullptr;  // written during static initialisation only

/// Notes that an element of this rank has ended, on whatever rank it was.
class EndNote final : public CollectionWork {
 public:
  explicit EndNote(std::uint64_t linear) : linear_(linear) {}
  bool step(CollectionState& state) override {
    state.note_end(linear_);
    return true;
  }

 private:
  std::uint64_t linear_;
};

}  // namespace

OperationType::OperationType(const core::ProgramName& type_name, Effect on_collection,
                             int dimensions_created, Make make_one)
    : name_(type_name),
      id_(am::handler_id(type_name.symbol)),
      effect_(on_collection),
      dimensions_(dimensions_created),
      make_(make_one),
      next_(first_operation_type) {
  first_operation_type = this;
}

const OperationType* OperationType::first() { return first_operation_type; }

Collections& current_collections() {
  const exec::Context* context = exec::current();
  Collections* collections =
      context == nullptr ? nullptr : context->engine->services().get<Collections>();
  if (collections == nullptr)
    throw Error("a collection was used on a thread where no Roam handler or main program runs");
  return *collections;
}

void part_over_here(std::uint64_t token) {
  if (const auto operation = current_collections().operation(Collections::operation_of(token)))
    operation->part_over();
}

void part_missing_here(std::uint64_t token) {
  const auto operation = current_collections().operation(Collections::operation_of(token));
  if (operation == nullptr) return;
  if (Collections::position_of(token) >= operation->total())
    throw MalformedMessage("a part of an operation that has not so many");
  operation->part_missing(Collections::position_of(token));
}

void part_failed_here(std::uint64_t token, const std::string& text) {
  if (const auto operation = current_collections().operation(Collections::operation_of(token)))
    operation->part_failed(Collections::position_of(token), text);
}

/// The head of an operation on its way to the root; its body follows.
struct Collections::Start {
  static constexpr am::MessageKind kind{"roam.collection.start", am::Counted::yes,
                                        am::Behind::bytes};
  OperationHeader header;
  static constexpr auto fields(auto& m) { return std::tie(m.header); }
};

/// The head of an operation on its way down the tree; its body follows.
struct Collections::Spread {
  static constexpr am::MessageKind kind{"roam.collection.spread", am::Counted::yes,
                                        am::Behind::bytes};
  OperationHeader header;
  static constexpr auto fields(auto& m) { return std::tie(m.header); }
};

struct Collections::Known {
  std::unordered_map<std::uint32_t, const OperationType*> types;     // constant after construction
  std::map<std::uint64_t, std::shared_ptr<CollectionState>> states;  // under lock_
  std::unordered_map<std::uint32_t, std::shared_ptr<Operation>> operations;  // under lock_
};

Collections::Collections(ObjectSpace& space) : space_(space), known_(core::make_owned<Known>()) {
  for (const OperationType* type = OperationType::first(); type != nullptr; type = type->next()) {
    const auto [other, is_new] = known_->types.emplace(type->id(), type);
    if (!is_new) {
      throw Error("the operations " + core::readable_symbol(type->program_name().symbol) + " and " +
                  core::readable_symbol(other->second->program_name().symbol) +
                  " on collections have the same id; give the functions or types in them names of "
                  "their own");
    }
    messenger().require_everywhere(type->program_name().symbol);
  }
  require_distinct<PlacementMap>(messenger());
  require_distinct<SectionPredicate>(messenger());
  messenger().bind<&Collections::on_start>(*this);
  messenger().bind<&Collections::on_spread>(*this);
  messenger().bind<&Collections::on_result>(*this);
  bind_sparse();
  engine().services().set<Collections>(this);
  space_.set_element_listener(this);
}

Collections::~Collections() {
  space_.set_element_listener(nullptr);
  engine().services().set<Collections>(nullptr);
}

core::Packer Collections::begin(const OperationType& type, std::uint64_t collection,
                                std::uint64_t reply_token) const {
  OperationHeader header;
  header.collection = collection;
  header.reply_token = reply_token;
  header.origin = rank().value();
  header.type = type.id();
  header.epoch = am::Epochs::current();
  return messenger().begin(Start{header}).take();
}

void Collections::start(core::Packer&& message) {
  messenger().post(0, am::Outgoing<Start>::resumed(std::move(message)));
  if (const std::uint64_t epoch = am::Epochs::current(); epoch != 0)
    messenger().epochs().sent(epoch, 0);
}

void Collections::check(const OperationHeader& header) const {
  if (header.origin < 0 || header.origin >= messenger().size() ||
      !known_->types.contains(header.type))
    throw MalformedMessage("not an operation on a collection");
}

CollectionShape Collections::read_shape(const OperationType& creation,
                                        std::span<const std::byte> body) const {
  core::Unpacker bytes(body);
  auto shape = core::unpack<CollectionShape>(bytes);
  shape.ranks = messenger().size();
  try {
    shape.check();
  } catch (const MalformedMessage&) {
    throw;
  } catch (const Error& error) {
    throw MalformedMessage(error.what());
  }
  if (shape.dimensions != creation.dimensions())
    throw MalformedMessage("the creation of a collection of other dimensions");
  return shape;
}

bool Collections::name_collection(OperationHeader& header, std::span<std::byte> body) {
  CollectionShape shape = read_shape(*known_->types.at(header.type), body);
  // A sparse collection takes a single number, for its base.
  const std::uint64_t count = shape.dimensions == 0 ? 1 : std::max<std::uint64_t>(1, shape.count());
  if (count > CollectionShape::most_elements - next_base_ + 1) {
    messenger().answer_failure({Rank(header.origin), header.reply_token},
                               am::ReplyStatus::handler_failed,
                               "there is no room for a collection of " + std::to_string(count) +
                                   " elements: all collections of a job together have " +
                                   std::to_string(CollectionShape::most_elements) + ", of which " +
                                   std::to_string(next_base_ - 1) + " are taken");
    return false;
  }
  shape.base = header.collection = next_base_;
  next_base_ += count;
  std::memcpy(body.data(), &shape, sizeof shape);
  return true;
}

void Collections::on_start(Start&& start, am::Incoming&& body) {
  OperationHeader& header = start.header;
  check(header);
  if (rank() != 0 || Rank(header.origin) != body.source)
    throw MalformedMessage("an operation on a collection that starts elsewhere");
  am::EpochWork work = am::EpochWork::arrived(messenger(), header.epoch, "an operation");
  const std::span<std::byte> bytes(body.buffer.data() + body.offset, body.payload().size());
  if (known_->types.at(header.type)->effect() == OperationType::Effect::creates) {
    if (!name_collection(header, bytes)) return;
  } else if (find(header.collection) == nullptr) {
    return report_gone({Rank(header.origin), header.reply_token}, header.collection);
  }
  if (++last_number_ == 0) ++last_number_;
  header.number = last_number_;
  spread(header, bytes, std::move(work));
}

void Collections::on_spread(const Spread& operation, am::Incoming&& body) {
  const OperationHeader& header = operation.header;
  check(header);
  if (rank() == 0 || body.source != parent_in_tree(rank()) || header.number == 0)
    throw MalformedMessage("an operation on a collection out of its way");
  am::EpochWork work = am::EpochWork::arrived(messenger(), header.epoch, "an operation");
  spread(header, body.payload(), std::move(work));
}

void Collections::spread(const OperationHeader& header, std::span<const std::byte> body,
                         am::EpochWork&& work) {
  for (const Rank child : children_in_tree(rank(), messenger().size())) {
    messenger().post(child, Spread{header}, body);
    if (header.epoch != 0) messenger().epochs().sent(header.epoch, child);
  }
  accept(header, body, std::move(work));
}

void Collections::accept(const OperationHeader& header, std::span<const std::byte> body,
                         am::EpochWork&& work) {
  const OperationType& type = *known_->types.at(header.type);
  const std::shared_ptr<Operation> operation = type.make()(*this, header, SharedBytes(body));
  operation->belongs_to(std::move(work));
  std::shared_ptr<CollectionState> state;
  if (type.effect() == OperationType::Effect::creates) {
    const CollectionShape shape = read_shape(type, body);
    if (shape.base == 0 || shape.base != header.collection || find(shape.base) != nullptr)
      throw MalformedMessage("a collection of no name, or another's");
    state = std::make_shared<CollectionState>(*this, shape);
  } else {
    state = find(header.collection);
    if (state == nullptr) throw MalformedMessage("an operation on no collection");
  }
  {
    const std::lock_guard guard(lock_);
    if (type.effect() == OperationType::Effect::creates) known_->states[header.collection] = state;
    if (type.effect() == OperationType::Effect::ends) known_->states.erase(header.collection);
    if (operation->is_awaited()) known_->operations[header.number] = operation;
  }
  state->add(operation);
}

void Collections::on_result(const OperationResult& result, am::Incoming&& value) {
  const auto known = operation(result.number);
  if (known == nullptr) throw MalformedMessage("a result of no operation");
  const Rank child = value.source;
  known->child_answered(child, result.has_failed, std::move(value));
}

void Collections::send_up(Rank parent, am::Outgoing<OperationResult>&& message) {
  messenger().post(parent, std::move(message));
}

std::shared_ptr<CollectionState> Collections::find(std::uint64_t base) const {
  const std::lock_guard guard(lock_);
  const auto found = known_->states.find(base);
  return found == known_->states.end() ? nullptr : found->second;
}

std::shared_ptr<CollectionState> Collections::find(ObjectId element) const {
  if (!element.is_element()) return nullptr;
  const std::uint64_t number = element.serial() & ~ObjectId::element_bit;
  const std::lock_guard guard(lock_);
  auto next = known_->states.upper_bound(number);
  if (next == known_->states.begin()) return nullptr;
  const auto& state = std::prev(next)->second;
  const CollectionShape& shape = state->shape();
  return shape.dimensions > 0 && number - shape.base < shape.count() ? state : nullptr;
}

void Collections::report_gone(const am::ReplyTo& to, std::uint64_t base) {
  space_.dead_letter(to, "collection " + std::to_string(base) +
                             " does not exist (it was destroyed or never created)");
}

std::string Collections::describe(ObjectId element) const {
  const auto state = find(element);
  if (state == nullptr) return "object " + to_string(element);
  const std::uint64_t number = element.serial() & ~ObjectId::element_bit;
  return state->name_of(number - state->shape().base) + " (object " + to_string(element) + ")";
}

void Collections::add_stuck(StuckFacts& facts) {
  for (const std::uint64_t id : facts.objects_told_of()) {
    const std::string name = name_in_reports(ObjectId(id));
    if (!name.empty()) facts.add(StuckName{id, name});
  }
  const std::lock_guard guard(lock_);
  for (const auto& [base, state] : known_->states) state->phases().add_stuck(facts);
}

// The element's name, "Block (2, 3)", with the collection if several have elements of that class;
// empty if it is no element of a dense collection.
std::string Collections::name_in_reports(ObjectId element) const {
  const auto state = find(element);
  if (state == nullptr) return {};
  const std::uint64_t number = element.serial() & ~ObjectId::element_bit;
  const std::string name = state->name_of(number - state->shape().base);
  const std::lock_guard guard(lock_);
  const auto others = std::count_if(
      known_->states.begin(), known_->states.end(),
      [&](const auto& other) { return other.second->class_name() == state->class_name(); });
  return others > 1 ? name + " of collection " + std::to_string(state->shape().base) : name;
}

std::shared_ptr<Operation> Collections::operation(std::uint32_t number) const {
  const std::lock_guard guard(lock_);
  const auto found = known_->operations.find(number);
  return found == known_->operations.end() ? nullptr : found->second;
}

void Collections::forget(const Operation& operation) {
  std::shared_ptr<Operation> forgotten;  // freed after the lock is released
  const std::lock_guard guard(lock_);
  const auto found = known_->operations.find(operation.header().number);
  if (found == known_->operations.end()) return;
  forgotten = std::move(found->second);
  known_->operations.erase(found);
}

void Collections::part_ended(Rank home, std::uint64_t token) {
  if (token == 0) return;
  if (is_now(home)) return part_over_here(token);
  messenger().send<&part_over_here>(home, token);
}

void Collections::part_failed(Rank home, std::uint64_t token, const std::string& text) {
  messenger().send<&part_failed_here>(home, token, text);
}

void Collections::part_is_dead(ObjectId id, std::uint64_t token) {
  if (token != 0) messenger().send<&part_missing_here>(id.home(), token);
}

void Collections::element_ended(ObjectId id) {
  if (const auto state = find(id)) {
    const std::uint64_t number = id.serial() & ~ObjectId::element_bit;
    state->add(std::make_shared<EndNote>(number - state->shape().base));
  }
}

}  // namespace roam::mobile
