/* SPDX-License-Identifier: Apache-2.0
 * How calls find objects that move: the protocol of src/mobile (resident_steps.hpp and the owners above
 * it) as a model that Spin explores, every order of every step. Any rank issues calls to any object and
 * asks for any object to be moved anywhere, at any time; some arrivals are refused. Checked:
 *   each call runs once (M2), in the order in which its rank issued it (M3), where the object is, while
 *   it runs nothing else (M4); nothing is lost when an object moves (M5) or is refused (M6); whoever does
 *   not have an object knows a rank that has had it later, so that a call arrives (M7); and when nothing
 *   is left to happen, every call has run, nothing is in transit and the home knows the place.
 *
 * A step is what the program does under one lock of the directory. What it posts after that goes into
 * the network in the same step, for the network keeps no order: a message may be taken in at any later
 * time, so a thread that is slow to post is a network that is slow. The program's transport keeps the
 * order between two ranks (A2); it may then do only part of what the model does. For the same reason
 * nothing stands for threads: a step of any object on any rank may come next, as with any number of
 * workers. Where one thread takes the lock twice in a row, the rank sends itself a message, or a comment
 * says why one step is enough. A failed packing is a refusal. So two objects meet only in how many calls,
 * migrations and refusals are left.
 *
 * Names in comments are those of the functions in the program. scripts/check_protocol explores the model
 * with these settings, and finds each of its deliberate faults with those in the fault's comment:
 *   explore: OBJECTS=2 CALLS=3 MIGRATIONS=2 REFUSALS=1
 *   explore: OBJECTS=1 CALLS=2 MIGRATIONS=3 REFUSALS=2
 *   explore fully: OBJECTS=1 CALLS=4 MIGRATIONS=2 REFUSALS=1
 *   explore fully: OBJECTS=1 CALLS=3 MIGRATIONS=3 REFUSALS=1
 */

#define RANKS 3
#ifndef OBJECTS
#define OBJECTS 2
#endif
#ifndef CALLS
#define CALLS 3                        /* in all; 1 to 5 */
#endif
#ifndef MIGRATIONS
#define MIGRATIONS 2                   /* requests, in all; at most 3 */
#endif
#ifndef REFUSALS
#define REFUSALS 1
#endif

/* Deliberate faults: here and below. */
#ifdef FAULT_SKIP_SEQUENCE             /* OBJECTS=1 CALLS=2 MIGRATIONS=1 REFUSALS=0 */
#define IN_TURN(e, c) true
#else
#define IN_TURN(e, c) (SEQUENCE(c) == EXPECTED(e, ORIGIN(c)))
#endif
#ifdef FAULT_SKIP_VERSION_OF_NEWS      /* OBJECTS=1 CALLS=1 MIGRATIONS=2 REFUSALS=0 */
#define IS_NEWS(a, b) true
#else
#define IS_NEWS(a, b) ((a) > (b))
#endif
#ifdef FAULT_SKIP_VERSION_OF_ANSWER    /* OBJECTS=1 CALLS=1 MIGRATIONS=3 REFUSALS=0 */
#define ANSWERS(a, b) true
#else
#define ANSWERS(a, b) ((a) > (b))
#endif
#ifdef FAULT_MOVE_WHILE_RUNNING        /* OBJECTS=1 CALLS=1 MIGRATIONS=1 REFUSALS=0 */
#define MAY_LEAVE(e) true
#else
#define MAY_LEAVE(e) (!e.running)
#endif

#define HOME(object) (object)
#define NOBODY RANKS
#define BIT(n) (1 << (n))
#define SET(set, n) set = set | BIT(n)
#define CLEAR(set, n) set = set & ~BIT(n)

/* A call to an object is known by the rank that issued it and which of that rank's it is (its sequence
 * number), from 0. */
#define NUMBERS (RANKS * CALLS)
#define ORIGIN(c) ((c) / CALLS)
#define SEQUENCE(c) ((c) % CALLS)
/* A queue of calls: digits to the base 16, each a call plus one, the first lowest. */
#define PUSH(queue, c) \
  queue = queue | (((c) + 1) << ((queue) == 0 -> 0 : ((queue) < 16 -> 4 : ((queue) < 256 -> 8 : \
          ((queue) < 4096 -> 12 : 16)))))
#define FIRST(queue) (((queue) & 15) - 1)
#define REST(queue) ((queue) >> 4)
/* A counter for each rank: three bits each. */
#define COUNT(counters, rank) (((counters) >> (3 * (rank))) & 7)
#define COUNT_UP(counters, rank) counters = counters + (1 << (3 * (rank)))
#define EXPECTED(e, rank) COUNT(e.expected, rank)

mtype:state = {absent, settled, departing, in_transit};

/* What a rank knows of an object (Directory::Entry), and the object if it is here (Resident). */
typedef Entry {
  byte place;
  byte version;
  mtype:state state = absent;
  bit queued;              /* with the scheduler */
  bit running;
  byte target;
  byte next_target = NOBODY;
  int inbox;               /* in turn; in_transit: what came since, unchecked */
  int leaving;             /* in_transit: what was packed */
  short early;             /* set of calls */
  short expected;          /* sequence number, for each origin */
};
/* What is underway to a rank about an object. News says from whom: coded as version * RANKS + sender. The
 * same news twice is one, for what comes second is not newer. */
typedef Mail {
  short calls;             /* set of calls, as sent first: hops 0 */
  short forwarded;         /* and those passed on: hops more than 0 */
  short locations;         /* set of news: "it lives here" */
  short installed;         /* set of news: "I have taken it" */
  byte refused;            /* set of versions */
  byte wishes;             /* "move to": a counter for each goal, two bits each */
};
typedef Install {
  byte to = NOBODY;
  byte from;
  byte version;
  int inbox;
  short early;
  short expected;
};
Entry entry[RANKS * OBJECTS];
Mail mail[RANKS * OBJECTS];
Install install[OBJECTS];
#define AT(rank) entry[(rank) * OBJECTS + o]
#define HERE AT(me)
#define TO(rank) mail[(rank) * OBJECTS + o]
#define MINE TO(me)
#define POST_CALL(rank, set, n) \
  assert((rank) != me && !((TO(rank).calls | TO(rank).forwarded) & BIT(n))); SET(TO(rank).set, n)
#define POST_WISH(rank, goal) \
  assert(WISHES(rank, goal) < 3); TO(rank).wishes = TO(rank).wishes + (1 << (2 * (goal)))
#define WISHES(rank, goal) ((TO(rank).wishes >> (2 * (goal))) & 3)
#define PARCEL install[o]

short issued[OBJECTS];     /* calls of each rank; each rank's next sequence number */
short ran[OBJECTS];        /* the same for those that have run */
byte calls;                /* how many have been issued */
byte asked;                /* migrations */
byte refusals;

/* In use within one step only. */
byte c;                    /* a call or news that is taken in; 0 between steps */
hidden byte i;
hidden byte x;
hidden byte version;
hidden byte sender;
hidden int queue;

/* What has to hold after every step. Elsewhere than at an object, a rank believes it where it has been
 * later: along such a chain versions grow, so it ends. */
#define LIVES(rank) (AT(rank).state == settled || AT(rank).state == departing)
#define KNOWS_THE_WAY(rank) \
  (AT(rank).state != absent || \
   (AT(rank).place != rank && AT(AT(rank).place).version >= AT(rank).version && \
    (AT(AT(rank).place).state != absent || AT(AT(rank).place).version > AT(rank).version)))
#define CHECK \
  assert(LIVES(0) + LIVES(1) + LIVES(2) + (PARCEL.to != NOBODY) <= 1); \
  assert(KNOWS_THE_WAY(0) && KNOWS_THE_WAY(1) && KNOWS_THE_WAY(2)); \
  c = 0

/* startable, and what the caller does with its answer. */
#define CAN_START (HERE.state == settled && HERE.inbox != 0 && !HERE.running)
inline startable() {
  if
  :: CAN_START -> HERE.queued = 1
  :: else
  fi
}
inline take_in(n) {
  i = n;
  do
  :: true ->
       PUSH(HERE.inbox, i);
       COUNT_UP(HERE.expected, ORIGIN(i));
       i++;
       if
       :: SEQUENCE(i) != 0 && (HERE.early & BIT(i)) -> CLEAR(HERE.early, i)
       :: else -> break
       fi
  od
}
inline accept(n) {
  if
  :: HERE.state == in_transit -> PUSH(HERE.inbox, n)
  :: HERE.state != in_transit && IN_TURN(HERE, n) -> take_in(n); startable()
  :: else -> assert(!(HERE.early & BIT(n))); SET(HERE.early, n)
  fi
}
inline accept_all() {
  do
  :: queue != 0 -> x = FIRST(queue); queue = REST(queue); accept(x)
  :: else -> break
  od
}

/* send: here, or to where the object is believed. */
inline issue() {
  x = me * CALLS + COUNT(issued[o], me);
  COUNT_UP(issued[o], me);
  calls++;
  if
  :: HERE.state != absent -> accept(x)
  :: else -> POST_CALL(HERE.place, calls, x)
  fi;
  CHECK
}

/* run, and completed. */
inline start() {
  HERE.queued = 0;
  if
  :: CAN_START ->
       x = FIRST(HERE.inbox);
       HERE.inbox = REST(HERE.inbox);
       HERE.running = 1;
       assert(SEQUENCE(x) == COUNT(ran[o], ORIGIN(x)));
       COUNT_UP(ran[o], ORIGIN(x))
  :: else                  /* it leaves or has left */
  fi;
  CHECK
}
inline complete() {
  assert(LIVES(me));
  HERE.running = 0;
  if
  :: HERE.state == departing -> leave()
  :: else
  fi;
#ifndef FAULT_NEXT_NOT_STARTED         /* OBJECTS=1 CALLS=2 MIGRATIONS=0 REFUSALS=0 */
  startable();
#endif
  CHECK
}

/* Migrations: begin_transit, and hand_over: what is packed is what nobody touches in between. */
inline leave() {
  HERE.state = in_transit;
#ifndef FAULT_INBOX_STAYS              /* OBJECTS=1 CALLS=1 MIGRATIONS=1 REFUSALS=0 */
  HERE.leaving = HERE.inbox;
  HERE.inbox = 0;
#endif
  assert(PARCEL.to == NOBODY);
  PARCEL.to = HERE.target;
  PARCEL.from = me;
  PARCEL.version = HERE.version + 1;
  PARCEL.inbox = HERE.leaving;
#ifndef FAULT_EARLY_STAYS              /* OBJECTS=1 CALLS=2 MIGRATIONS=2 REFUSALS=0 */
  PARCEL.early = HERE.early;
#endif
  PARCEL.expected = HERE.expected
}

/* MoveRequests::route and Migrations::ask. `way` is the place, or, once max_hops are used up, the home: whatever that number is. */
inline route_migrate(goal, way) {
  if
  :: HERE.state == absent ->
       assert(way != me);  /* the place of what is elsewhere is never here */
       POST_WISH(way, goal)
  :: HERE.state == in_transit -> HERE.next_target = goal
  :: else ->
       if
       :: goal == me -> HERE.state = settled; HERE.target = 0
       :: else ->
            HERE.target = goal;
            HERE.state = departing;
            if
            :: MAY_LEAVE(HERE) -> leave()
            :: else
            fi
       fi
  fi;
  CHECK
}
inline ask(goal) {
  asked++;
  route_migrate(goal, HERE.place)
}
#define WISHED(goal) WISHES(me, goal)
inline take_wish(goal, way) {
  MINE.wishes = MINE.wishes - (1 << (2 * (goal)));
  route_migrate(goal, way)
}

/* ArrivedCalls::take, and ForwardedCalls::pass_on: `way` as above. */
inline on_call() {
  if
  :: (MINE.forwarded & BIT(c)) && HERE.state != in_transit && ORIGIN(c) != me ->
       SET(TO(ORIGIN(c)).locations, HERE.version * RANKS + me)
  :: else
  fi;
  CLEAR(MINE.calls, c);
  CLEAR(MINE.forwarded, c);
  accept(c);
  CHECK
}
inline forward_call(way) {
  CLEAR(MINE.calls, c);
  CLEAR(MINE.forwarded, c);
  POST_CALL(way, forwarded, c);
  CHECK
}

/* What came to an object in transit follows it; so does a wish to move on. */
inline send_on(rank) {
  do
  :: queue != 0 -> x = FIRST(queue); queue = REST(queue); POST_CALL(rank, forwarded, x)
  :: else -> break
  od
}
inline wish_again(place) {
  if
  :: HERE.next_target != NOBODY && HERE.next_target != place ->
       POST_WISH(me, HERE.next_target)
  :: else
  fi;
  HERE.next_target = NOBODY
}
inline complete_migration() {
  if
  :: HERE.state == in_transit && ANSWERS(version, HERE.version) ->
       HERE.place = sender;
       HERE.version = version;
       HERE.state = absent;
       queue = HERE.inbox;
       HERE.inbox = 0; HERE.leaving = 0; HERE.early = 0; HERE.expected = 0; HERE.target = 0;
       HERE.queued = 0;    /* the scheduler has one that is gone */
#ifdef FAULT_FORGET_FOLLOWERS          /* OBJECTS=1 CALLS=1 MIGRATIONS=1 REFUSALS=0 */
       queue = 0;
#endif
       send_on(sender);
       wish_again(sender)
  :: else
  fi
}

/* ArrivedObjects::install. It may be back before the rank it went to has answered. */
inline on_install() {
  if
  :: HERE.state != absent ->
       assert(HERE.state == in_transit);
       queue = HERE.inbox;
       wish_again(me)
  :: else -> queue = 0
  fi;
#ifdef FAULT_RETURN_FORGETS            /* OBJECTS=1 CALLS=1 MIGRATIONS=2 REFUSALS=0 */
  queue = 0;
#endif
  HERE.state = settled;
  HERE.place = me;
  HERE.version = PARCEL.version;
  HERE.inbox = PARCEL.inbox;
  HERE.leaving = 0;
  HERE.early = PARCEL.early;
  HERE.expected = PARCEL.expected;
  HERE.target = 0;
  HERE.queued = 0;
  accept_all();
  startable();
#ifndef FAULT_HOME_NOT_TOLD            /* OBJECTS=1 CALLS=1 MIGRATIONS=2 REFUSALS=0 */
  if
  :: HOME(o) != me && HOME(o) != PARCEL.from ->
       SET(TO(HOME(o)).locations, HERE.version * RANKS + me)
  :: else
  fi;
#endif
  SET(TO(PARCEL.from).installed, HERE.version * RANKS + me);
  forget_parcel();
  CHECK
}
inline refuse() {
  refusals++;
  assert(!(TO(PARCEL.from).refused & BIT(PARCEL.version)));
  SET(TO(PARCEL.from).refused, PARCEL.version);
  forget_parcel();
  CHECK
}
inline forget_parcel() {
  PARCEL.to = NOBODY; PARCEL.from = 0; PARCEL.version = 0; PARCEL.inbox = 0; PARCEL.early = 0;
  PARCEL.expected = 0
}

/* Migrations::end_hand_over. */
inline on_installed() {
  CLEAR(MINE.installed, c);
  version = c / RANKS;
  sender = c % RANKS;
  complete_migration();
  CHECK
}
/* Migrations::undo. */
inline on_refused() {
  CLEAR(MINE.refused, c);
  if
  :: HERE.state == in_transit && HERE.version == c - 1 ->
       queue = HERE.inbox;
       HERE.inbox = HERE.leaving;
       HERE.leaving = 0;
       HERE.state = settled;
       HERE.next_target = NOBODY;
       HERE.target = 0;
#ifdef FAULT_REFUSAL_DROPS_LATER       /* OBJECTS=1 CALLS=1 MIGRATIONS=1 REFUSALS=1 */
       queue = 0;
#endif
       accept_all();
#ifndef FAULT_REFUSED_NOT_STARTED      /* OBJECTS=1 CALLS=1 MIGRATIONS=1 REFUSALS=1 */
       startable()
#endif
  :: else
  fi;
  CHECK
}
/* Places::learn. News of an object in transit is the answer: Migrations::let_leave in the same step. */
inline on_location() {
  CLEAR(MINE.locations, c);
  version = c / RANKS;
  sender = c % RANKS;
  assert(sender != me);
  assert(HOME(o) == me || HERE.version > 0 || COUNT(issued[o], me) > 0);  /* there is an entry */
  if
  :: !IS_NEWS(version, HERE.version)
  :: IS_NEWS(version, HERE.version) && HERE.state == absent ->
       HERE.place = sender;
       HERE.version = version
  :: IS_NEWS(version, HERE.version) && HERE.state != absent ->
       assert(HERE.state == in_transit || version <= HERE.version);
#ifndef FAULT_DROP_NEWS_IN_TRANSIT     /* OBJECTS=1 CALLS=1 MIGRATIONS=2 REFUSALS=0 */
       complete_migration()
#else
       skip
#endif
  fi;
  CHECK
}

/* Any one of a set. */
#define OFFER(set, n) (set) & BIT(n) -> c = n
inline take_any(set) {
  if
  :: OFFER(set, 0) :: OFFER(set, 1) :: OFFER(set, 2) :: OFFER(set, 3) :: OFFER(set, 4)
  :: OFFER(set, 5) :: OFFER(set, 6) :: OFFER(set, 7) :: OFFER(set, 8) :: OFFER(set, 9)
  :: OFFER(set, 10) :: OFFER(set, 11) :: OFFER(set, 12) :: OFFER(set, 13) :: OFFER(set, 14)
  fi
}
#define BY_HOME (HERE.state == absent && HERE.place != HOME(o) && HOME(o) != me)

/* Everything that a rank does about an object. */
proctype work(byte me, o) {
end:
  do
  :: d_step { calls < CALLS -> issue() }
  :: d_step { asked < MIGRATIONS -> ask(0) }
  :: d_step { asked < MIGRATIONS -> ask(1) }
  :: d_step { asked < MIGRATIONS -> ask(2) }
  :: d_step { HERE.queued -> start() }
  :: d_step { HERE.running -> complete() }
  :: atomic {
       take_any(MINE.calls | MINE.forwarded);
       if
       :: d_step { HERE.state != absent -> on_call() }
       :: d_step { HERE.state == absent -> forward_call(HERE.place) }
       :: d_step { BY_HOME -> forward_call(HOME(o)) }
       fi
     }
  :: d_step { WISHED(0) -> take_wish(0, HERE.place) }
  :: d_step { WISHED(1) -> take_wish(1, HERE.place) }
  :: d_step { WISHED(2) -> take_wish(2, HERE.place) }
  :: d_step { WISHED(0) && BY_HOME -> take_wish(0, HOME(o)) }
  :: d_step { WISHED(1) && BY_HOME -> take_wish(1, HOME(o)) }
  :: d_step { WISHED(2) && BY_HOME -> take_wish(2, HOME(o)) }
  :: d_step { PARCEL.to == me -> on_install() }
  :: d_step { PARCEL.to == me && refusals < REFUSALS -> refuse() }
  :: atomic { take_any(MINE.installed); d_step { on_installed() } }
  :: atomic { take_any(MINE.refused); d_step { on_refused() } }
  :: atomic { take_any(MINE.locations); d_step { on_location() } }
  od
}

/* When nothing can happen any more, everything has. */
#define HAS(rank) (AT(rank).state == settled && AT(HOME(o)).place == rank)
proctype at_the_end(byte o) {
end:
  timeout ->
    d_step {
      assert(issued[o] == ran[o]);
      assert(HAS(0) + HAS(1) + HAS(2) == 1);
      assert(AT(0).state != in_transit && AT(1).state != in_transit && AT(2).state != in_transit)
    }
}

init {
  byte o;
  atomic {
    for (o : 0 .. OBJECTS - 1) {
      AT(0).place = HOME(o); AT(1).place = HOME(o); AT(2).place = HOME(o);
      AT(HOME(o)).state = settled;
      run work(0, o); run work(1, o); run work(2, o);
      run at_the_end(o)
    }
    o = 0
  }
}
