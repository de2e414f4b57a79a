// SPDX-License-Identifier: Apache-2.0
#include "roam/mobile/call.hpp"

#include <unordered_set>

#include "owners.hpp"
#include "roam/core/error.hpp"
#include "roam/mobile/detail/object_space.hpp"
#include "roam/mobile/detail/resident.hpp"

namespace roam::mobile {

namespace {
constinit const Method* first_method = nullptr;    // written during static initialisation only
constinit const ObjectType* first_type = nullptr;  // written during static initialisation only
}  // namespace

ObjectType::ObjectType(const core::ProgramName& type_name, std::size_t bytes,
                       const Functions& type_functions)
    : name_(type_name),
      id_(core::fnv1a(type_name.symbol)),
      bytes_(bytes),
      functions_(type_functions),
      next_(first_type) {
  first_type = this;
}

const ObjectType* ObjectType::find(std::uint64_t id) {
  const ObjectType* type = first_type;
  while (type != nullptr && type->id_ != id) type = type->next_;
  return type;
}

void ObjectType::require_different_names() {
  std::unordered_set<std::uint64_t> ids;
  for (const ObjectType* type = first_type; type != nullptr; type = type->next_) {
    if (ids.insert(type->id_).second) continue;
    throw Error("two classes of mobile objects are called " +
                core::readable_symbol(type->name_.symbol) +
                "; rename one of them or put it into a named namespace");
  }
}

Method::Method(const core::ProgramName& method_name, const ObjectType* object_type, bool exclusive,
               FromWire decode)
    : name_(method_name),
      id_(am::handler_id(method_name.symbol)),
      type_(object_type),
      exclusive_(exclusive),
      from_wire_(decode),
      next_(first_method) {
  first_method = this;
}

const Method* Method::first() { return first_method; }

namespace {

// The name of a handler as the program has written it. Collections run on an element a function of
// Roam's own around the program's method, "...detail::Visit<&Block::step, void>::run". Broadcasts
// are named like for_all, too.
std::string as_written(const std::string& handler) {
  constexpr std::string_view around = "roam::mobile::detail::Visit<";
  const std::size_t begin = handler.find(around);
  const std::size_t end = handler.rfind(">::run");
  if (begin == std::string::npos || end == std::string::npos) return handler;
  const std::string inside = handler.substr(begin + around.size(), end - begin - around.size());
  constexpr std::string_view nothing = ", void";
  return inside.ends_with(nothing)
             ? "for_all<" + inside.substr(0, inside.size() - nothing.size()) + ">"
             : "reduce<" + inside + ">";
}

}  // namespace

std::string Method::describe() const {
  return as_written(core::distinct_name(name_, first_method));
}

void Call::finish(exec::Context& context) {
  space_.runs().completed(*this, run_time + context.run_time);
}

void Call::lost_object() {
  space_.owners().dead_letters.lose(header_);
  delete this;
}

void Call::abandon() {
  inside_shard.assert_held();                    // the rank ends: no other thread is left
  if (resident != nullptr) resident->end_use();  // the call is a user since it started
  delete this;
}

void Call::end_in_epoch() { space_.messenger().epochs().end_work(header_.epoch); }

std::string Call::describe() const {
  return "object " + to_string(ObjectId(header_.object)) + ", handler " + method_.describe();
}

}  // namespace roam::mobile
