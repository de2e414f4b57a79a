// SPDX-License-Identifier: Apache-2.0
#include "roam/mobile/multicast.hpp"

#include <algorithm>
#include <map>

#include "owners.hpp"
#include "roam/core/error.hpp"
#include "roam/mobile/detail/resident.hpp"

namespace roam::mobile {

namespace {

bool contains(const std::vector<Resident*>& residents, ObjectId id) {
  return std::any_of(residents.begin(), residents.end(),
                     [id](const Resident* resident) { return resident->id == id; });
}

Rank known_rank(const ObjectSpace& space, ObjectId id) {
  const auto place = space.place_of(id);
  return place ? place->rank : id.home();
}

// The rank where most of the objects are; among equal ones, that of the object named first.
Rank best_rank(const ObjectSpace& space, const std::vector<ObjectId>& ids) {
  std::map<Rank, std::size_t> counts;
  for (const ObjectId id : ids) ++counts[known_rank(space, id)];
  Rank best = space.rank();
  std::size_t most = 0;
  for (const ObjectId id : ids) {
    const Rank rank = known_rank(space, id);
    if (counts[rank] > most) best = rank, most = counts[rank];
  }
  return best;
}

}  // namespace

Task<Gathering> gather_objects(ObjectSpace& space, std::vector<ObjectId> ids,
                               MulticastOptions options) {
  Holders& holders = space.owners().holders;
  Gathering gathering;
  gathering.holder = holders.new_holder();
  gathering.where = options.at;
  if (options.inside != 0) gathering.where = space.rank();
  if (gathering.where == no_rank) gathering.where = best_rank(space, ids);
  const std::vector<Resident*> outer = holders.held_by(options.inside);
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  std::erase_if(ids, [&](ObjectId id) { return contains(outer, id); });
  // All objects are sent off at once; then each is awaited in its turn.
  for (const ObjectId id : ids) {
    if (known_rank(space, id) != gathering.where) space.migrate(id, gathering.where);
  }
  std::exception_ptr failure;
  try {
    for (const ObjectId id : ids) {
      auto held = holders.hold(id, gathering.where, gathering.holder);
      co_await held;
    }
  } catch (const ObjectGone& gone) {
    failure = std::make_exception_ptr(am::AnswerFailure(am::ReplyStatus::object_gone, gone.what()));
  } catch (...) {
    failure = std::current_exception();
  }
  if (failure) {
    holders.post_release(gathering.where, gathering.holder);
    if (options.inside != 0) space.release_held(options.inside);
    std::rethrow_exception(failure);
  }
  co_return gathering;
}

std::vector<void*> HeldObjects::find(const std::vector<ObjectId>& ids,
                                     const ObjectType& type) const {
  Holders& holders = space_.owners().holders;
  if (const exec::Context* context = exec::current(); context != nullptr)
    holders.set_execution(holder_, context->execution);
  std::vector<Resident*> held = holders.held_by(holder_);
  const std::vector<Resident*> outer = holders.held_by(outer_);
  held.insert(held.end(), outer.begin(), outer.end());
  std::vector<void*> objects;
  objects.reserve(ids.size());
  for (const ObjectId id : ids) {
    const auto found = std::find_if(held.begin(), held.end(),
                                    [id](const Resident* resident) { return resident->id == id; });
    if (found == held.end() || &(*found)->type != &type)
      throw MalformedMessage("a multicast for an object that is not held or of another class");
    objects.push_back((*found)->object);
  }
  return objects;
}

}  // namespace roam::mobile
