// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arrived_calls.hpp"
#include "arrived_objects.hpp"
#include "cancelling.hpp"
#include "dead_letters.hpp"
#include "forgetting.hpp"
#include "forwarded_calls.hpp"
#include "holders.hpp"
#include "migrations.hpp"
#include "move_requests.hpp"
#include "moves_together.hpp"
#include "object_ends.hpp"
#include "object_packing.hpp"
#include "places.hpp"
#include "resident_loads.hpp"

namespace roam::mobile {

/// The classes that do the work of an ObjectSpace, except for the few that every call needs. Each
/// knows those before it, and the effects of its steps are carried out by EffectsApplier.
struct Owners {
  Owners(ObjectSpace& space, Residents& residents, IssuedCalls& issued, CallRuns& runs)
      : dead_letters(residents),
        forwarded(residents, issued, dead_letters),
        arrived_calls(space, residents, runs, forwarded),
        forgetting(residents, issued),
        packing(space, residents, arrived_calls),
        migrations(residents, packing),
        requests(residents, migrations),
        arrived_objects(residents, packing),
        together(residents, migrations, arrived_objects),
        places(residents),
        cancelling(residents),
        ends(space, residents, issued, migrations, dead_letters),
        holders(space, residents, issued, runs, migrations),
        loads(residents) {}

  DeadLetters dead_letters;
  ForwardedCalls forwarded;
  ArrivedCalls arrived_calls;
  Forgetting forgetting;
  ObjectPacking packing;
  Migrations migrations;
  MoveRequests requests;
  ArrivedObjects arrived_objects;
  MovesTogether together;
  Places places;
  Cancelling cancelling;
  ObjectEnds ends;
  Holders holders;
  ResidentLoads loads;
};

}  // namespace roam::mobile
