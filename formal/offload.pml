/* SPDX-License-Identifier: Apache-2.0
 * Offloaded tasks: the protocol between the rank that has spawned them (HomeTasks) and its victims
 * (Guests), as a model that Spin explores, every order of every step. Tasks are computed at home or
 * sent away, late ones are computed at home as well, victims without room send them back, tasks that
 * cannot be packed are taken back, quotas change, and the program may drop results before they come.
 * The second victim is a helper, which may die at any moment; of the messages from and to it that are
 * under way then, any may still arrive, also after its loss has been noticed.
 * Checked:
 *   each task completes once, whatever is computed twice (O1); the completion comes, in every order;
 *   what a thread is packing is not computed here meanwhile;
 *   every answer finds its task, which still exists (nobody uses one that has been freed);
 *   of the tasks sent in a step, no victim has more than its quota (O3);
 *   and when nothing is left to happen, nothing is away, counted as away, or kept in memory.
 *
 * A step is what the program does under one lock, and what it posts then is in the network at once,
 * which keeps no order: a thread that is slow to post is a network that is slow. What a thread does
 * between two locks is remembered in the task (enqueues, finishing) or the shipment (shipping, completing),
 * so that any number of workers may be at it. Times are left out: a victim may be late at any time.
 *
 * scripts/check_protocol explores the model with these settings, and finds each of its deliberate faults
 * with those in the fault's comment:
 *   explore: TASKS=2 SHIPMENTS=2 QUOTAS=0 FAILURES=1
 *   explore: TASKS=1 SHIPMENTS=2 QUOTAS=2 FAILURES=1 DEATHS=1
 *   explore: TASKS=1 SHIPMENTS=3 QUOTAS=2 FAILURES=1
 *   explore fully: TASKS=2 SHIPMENTS=3 QUOTAS=1 FAILURES=1
 *   explore fully: TASKS=2 SHIPMENTS=2 QUOTAS=1 FAILURES=1
 */

#define VICTIMS 2
#ifndef TASKS
#define TASKS 2
#endif
#ifndef SHIPMENTS
#define SHIPMENTS 3                     /* in all: each time that a task is sent somewhere is one */
#endif
#ifndef QUOTAS
#define QUOTAS 1                        /* how often quotas may change */
#endif
#ifndef FAILURES
#define FAILURES 1                      /* tasks that cannot be packed */
#endif
#ifndef DEATHS
#define DEATHS 0                        /* 1: the helper may die */
#endif
#define HELPER 1                        /* the number of the victim that is one */
#define ROOM 1                          /* guests that wait at a victim, beside a first one */
#define NO_WINDOW 9

mtype:state = {unborn, waiting, away, recompute, running, continuing, complete};
mtype:guest = {nowhere, queued, computing};

typedef Task {
  mtype:state state = unborn;
  byte references;
  bit freed;
  bit is_queued;             /* the engine has it */
  byte enqueues;             /* threads about to queue it, which hold a reference each */
  byte finishing;            /* threads that have computed it, or gone on with its result */
  byte completions;
  bit has_result;            /* the program's Result exists */
  bit continues;             /* something is to be done with a result that comes from elsewhere */
};
/* One sending of a task: what its token stands for. */
typedef Shipment {
  byte task;
  byte victim;
  bit in_table;
  bit shipping;              /* a thread packs it */
  bit sending;               /* a thread sends it to the helper, and has not looked yet whether that is lost */
  bit completing;            /* a thread has taken its result in */
  bit shipped, recall, returned, sent_back;   /* messages under way */
  mtype:guest guest = nowhere;
};
typedef Victim {
  byte quota, used, sent, allowed, outstanding;
  byte window = NO_WINDOW;
  bit is_late;
  byte guests;               /* that wait there */
};
Task task[TASKS];
Shipment shipment[SHIPMENTS];
Victim victim[VICTIMS];
byte shipments;              /* made so far */
byte quotas;                 /* changed so far */
byte failures;
bit is_dead;                 /* the helper */
bit is_lost;                 /* and its loss has been noticed */

#define T task[t]
#define S shipment[n]
#define ST task[S.task]
#define V victim[v]
#define SV victim[S.victim]

#define USE(a) assert(!a.freed)
inline release(a) {
  USE(a);
  assert(a.references > 0);
  a.references--;
  a.freed = (a.references == 0)
}
/* PendingReply::complete: the first counts, and each drops a reference. */
inline complete_task(a) {
  USE(a);
  a.completions++;
  assert(a.completions <= 1);
  release(a)
}

/* --- home --- */

/* HomeTasks::count_quota_left, for one victim more or less. */
byte quota_left;
inline count_quota_left() {
  byte allowed_, used_, left_;
  allowed_ = 0; used_ = 0; left_ = 0;
  for (v : 0 .. VICTIMS - 1) {
    allowed_ = allowed_ + V.quota;
    used_ = used_ + V.used;
    left_ = left_ + (V.quota > V.used -> V.quota - V.used : 0)
  }
  quota_left = (allowed_ > used_ -> allowed_ - used_ : 0);
  quota_left = (left_ < quota_left -> left_ : quota_left);
  allowed_ = 0; used_ = 0; left_ = 0; v = 0
}
#ifdef FAULT_QUOTA_OVERRUN              /* TASKS=2 SHIPMENTS=2 QUOTAS=1 FAILURES=0 */
#define MAY_SEND(v) (shipments < SHIPMENTS && victim[v].outstanding < victim[v].window && \
                     !victim[v].is_late && victim[v].quota > 0)
#else
#define MAY_SEND(v) (shipments < SHIPMENTS && quota_left > 0 && victim[v].used < victim[v].quota && \
                     victim[v].outstanding < victim[v].window && !victim[v].is_late)
#endif
inline note_away(to) {
  V_used_up(to);
  n = shipments; shipments++;
  S.task = t; S.victim = to; S.in_table = 1; S.shipping = 1;
  T.state = away;
  T.references++;            /* the table's */
  if
  :: to == HELPER && DEATHS > 0 -> S.sending = 1; T.references++   /* the sending thread's */
  :: else
  fi;
  n = 0
}
inline V_used_up(to) {
  victim[to].used++;
  victim[to].sent++;
  victim[to].outstanding++;
  quota_left = (quota_left > 0 -> quota_left - 1 : 0);
  assert(victim[to].sent <= victim[to].allowed)
}
inline note_back() {
  SV.outstanding--;
  SV.is_late = 0
}
/* HomeTasks::put_back_lost and settle_lost. */
inline put_back_lost() {
#ifndef FAULT_ANSWER_OF_LOST_HELPER_USED  /* TASKS=1 SHIPMENTS=1 QUOTAS=1 FAILURES=0 DEATHS=1 */
  S.in_table = 0;
#endif
  note_back();
  if
  :: ST.state == away -> ST.state = waiting; ST.enqueues++            /* with the table's reference */
  :: ST.state == recompute ->
       ST.state = waiting;
#ifdef FAULT_QUEUED_AS_LATE_AND_AS_LOST   /* TASKS=1 SHIPMENTS=1 QUOTAS=1 FAILURES=0 DEATHS=1 */
       assert(!ST.is_queued); ST.is_queued = 1
#else
       ST.enqueues++
#endif
  :: else -> release(ST)
  fi
}
/* HomeTasks::note_full. */
inline note_full() {
  SV.sent = (SV.sent > 0 -> SV.sent - 1 : 0);
  if
  :: SV.outstanding > 0 ->
       SV.window = SV.outstanding;
       SV.used = (SV.used > 0 -> SV.used - 1 : 0)
  :: else ->
       SV.window = 1;
       SV.used = (SV.used > SV.quota -> SV.used : SV.quota)
  fi;
  count_quota_left()
}

/* HomeTasks::submit, begin, ended; what the engine does with a task. */
proctype home(byte t) {
  byte n;
  byte v;
end:
  do
  :: d_step { T.state == unborn -> T.references = 3; T.has_result = 1; T.state = waiting; T.is_queued = 1 }
  :: d_step { T.state == unborn && MAY_SEND(0) -> T.references = 2; T.has_result = 1; note_away(0) }
  :: d_step { T.state == unborn && MAY_SEND(1) -> T.references = 2; T.has_result = 1; note_away(1) }
  /* HomeTasks::ship_waiting. */
  :: d_step { T.state == waiting && MAY_SEND(0) -> USE(T); note_away(0) }
  :: d_step { T.state == waiting && MAY_SEND(1) -> USE(T); note_away(1) }
  :: d_step { T.has_result && T.state != unborn -> T.has_result = 0; release(T) }
  /* HomeTasks::enqueue. */
  :: d_step {
       T.enqueues > 0 ->
         USE(T);
         T.enqueues--;
         if
#ifdef FAULT_QUEUED_TWICE               /* TASKS=1 SHIPMENTS=1 QUOTAS=1 FAILURES=0 */
         :: true -> assert(!T.is_queued); T.is_queued = 1; T.references++
#else
         :: !T.is_queued -> T.is_queued = 1; T.references++
         :: else
#endif
         fi;
         release(T)
     }
  /* HomeTasks::begin, of the engine's item, which has a reference. */
  :: d_step {
       T.is_queued ->
         USE(T);
         T.is_queued = 0;
         if
#ifdef FAULT_GONE_ON_WITH_TWICE         /* TASKS=1 SHIPMENTS=1 QUOTAS=0 FAILURES=0 */
         :: T.state == continuing -> T.finishing++
#else
         :: T.state == continuing -> T.state = complete; T.finishing++
#endif
         :: T.state == waiting -> T.state = running; T.finishing++
         :: T.state == recompute ->
              T.state = running; T.finishing++;
              for (n : 0 .. SHIPMENTS - 1) {
                if
                :: S.in_table && S.task == t -> assert(!S.shipping); S.recall = 1
                :: else
                fi
              }
              n = 0
#ifdef FAULT_RECOMPUTED_AFTER_DELIVERY  /* TASKS=1 SHIPMENTS=1 QUOTAS=0 FAILURES=0 */
         :: T.state == complete -> T.finishing++
#endif
         :: else -> release(T)
         fi
     }
  /* HomeTask::finish. */
  :: d_step {
       T.finishing > 0 ->
         T.finishing--;
         T.state = complete;
         complete_task(T);
         release(T)
     }
  od
}

#ifdef FAULT_COMPUTED_WHILE_PACKED      /* TASKS=1 SHIPMENTS=1 QUOTAS=0 FAILURES=0 */
#define IS_PACKED(n) false
#else
#define IS_PACKED(n) (shipment[n].shipping)
#endif

#ifdef FAULT_ANSWER_OF_LOST_HELPER_USED
#define USES_ANSWER true
#else
#define USES_ANSWER !(is_lost && S.victim == HELPER)
#endif

/* --- a shipment: at home until it is sent, at its victim, and its answer at home --- */

proctype away_and_back(byte n) {
  byte v;
end:
  do
  :: d_step { S.shipping -> USE(ST); S.shipping = 0; S.shipped = 1 }
  /* The end of HomeTasks::ship_to_helper. */
  :: d_step {
       S.sending && !S.shipping ->
         USE(ST);
         S.sending = 0;
         if
#ifndef FAULT_LOST_WHILE_BEING_SENT       /* TASKS=1 SHIPMENTS=1 QUOTAS=1 FAILURES=0 DEATHS=1 */
         :: is_lost && S.in_table -> put_back_lost()
#endif
         :: else
         fi;
         release(ST)
     }
  /* The network drops what goes to a helper that has died, and what it had sent. */
  :: d_step { is_dead && S.victim == HELPER && S.shipped -> S.shipped = 0 }
  :: d_step { is_dead && S.victim == HELPER && S.recall -> S.recall = 0 }
  :: d_step { is_dead && S.victim == HELPER && S.returned -> S.returned = 0 }
  :: d_step { is_dead && S.victim == HELPER && S.sent_back -> S.sent_back = 0 }
  /* HomeTasks::take_back. */
  :: d_step {
       S.shipping && failures < FAILURES ->
         USE(ST);
         failures++;
         S.shipping = 0;
         S.in_table = 0;
         note_back();
         SV.sent = (SV.sent > 0 -> SV.sent - 1 : 0);
         assert(ST.state == away);
         ST.state = waiting;
         ST.enqueues++                 /* with the table's reference */
     }
  /* Guests::on_shipped. */
  :: d_step {
       S.shipped && !(is_dead && S.victim == HELPER) ->
         S.shipped = 0;
         if
         :: SV.guests <= ROOM -> S.guest = queued; SV.guests++
         :: else -> S.sent_back = 1
         fi
     }
  /* The victim has guests of other ranks. */
  :: d_step { S.shipped && !(is_dead && S.victim == HELPER) -> S.shipped = 0; S.sent_back = 1 }
  /* Guests::on_recall. */
  :: d_step {
       S.recall && !(is_dead && S.victim == HELPER) ->
         S.recall = 0;
         if
#ifdef FAULT_RECALLED_WHILE_COMPUTED    /* TASKS=1 SHIPMENTS=1 QUOTAS=0 FAILURES=0 */
         :: S.guest == computing -> S.sent_back = 1
#endif
         :: S.guest == queued -> S.guest = nowhere; SV.guests--; S.sent_back = 1
         :: else
         fi
     }
  /* Guests::next. */
  :: d_step { S.guest == queued -> S.guest = computing; SV.guests-- }
  :: d_step { S.guest == computing -> S.guest = nowhere; S.returned = 1 }
#ifndef FAULT_ANSWER_OF_LOST_HELPER_USED
  /* What comes after the loss has been noticed is not used. */
  :: d_step { is_lost && S.victim == HELPER && S.returned -> S.returned = 0 }
  :: d_step { is_lost && S.victim == HELPER && S.sent_back -> S.sent_back = 0 }
#endif
  /* HomeTasks::on_returned. */
  :: d_step {
       S.returned && USES_ANSWER ->
         S.returned = 0;
         assert(S.in_table);
         USE(ST);
         S.in_table = 0;
         note_back();
         if
#ifdef FAULT_LATE_RESULT_COUNTS         /* TASKS=1 SHIPMENTS=1 QUOTAS=0 FAILURES=0 */
         :: ST.state == away || ST.state == recompute || ST.state == running ->
#else
         :: ST.state == away || ST.state == recompute ->
#endif
              if
              :: !ST.continues -> ST.state = complete; S.completing = 1
#ifdef FAULT_CONTINUES_WITHOUT_QUEUE    /* TASKS=1 SHIPMENTS=1 QUOTAS=0 FAILURES=0 */
              :: ST.continues -> ST.state = continuing; release(ST)
#else
              :: ST.continues -> ST.state = continuing; ST.enqueues++
#endif
              fi
         :: else -> release(ST)
         fi
     }
  /* HomeTasks::complete_with. */
  :: d_step { S.completing -> S.completing = 0; complete_task(ST); release(ST) }
  /* HomeTasks::on_sent_back. */
  :: d_step {
       S.sent_back && USES_ANSWER ->
         S.sent_back = 0;
         assert(S.in_table);
         USE(ST);
#ifndef FAULT_TOKEN_KEPT                /* TASKS=1 SHIPMENTS=1 QUOTAS=0 FAILURES=0 */
         S.in_table = 0;
#endif
         note_back();
         if
         :: ST.state == away -> note_full()
         :: else
         fi;
         if
#ifdef FAULT_SENT_BACK_WHILE_LATE       /* TASKS=1 SHIPMENTS=1 QUOTAS=0 FAILURES=0 */
         :: ST.state == away ->
              ST.state = waiting;
              ST.enqueues++
         :: ST.state == recompute -> ST.state = complete; release(ST)
#else
         :: ST.state == away || ST.state == recompute ->
              ST.state = waiting;
              ST.enqueues++
#endif
         :: else -> release(ST)
         fi
     }
  /* HomeTasks::recompute_tasks_at: the victim is late. The program takes all of its tasks in one step, those
   * not that a thread is packing. */
  :: d_step {
       S.in_table && ST.state == away && !IS_PACKED(n) ->
         SV.is_late = 1;
         for (v : 0 .. SHIPMENTS - 1) {
           if
           :: shipment[v].in_table && shipment[v].victim == S.victim && !IS_PACKED(v) &&
                task[shipment[v].task].state == away ->
                USE(task[shipment[v].task]);
                task[shipment[v].task].state = recompute;
#ifndef FAULT_QUEUED_WITHOUT_REFERENCE  /* TASKS=1 SHIPMENTS=1 QUOTAS=0 FAILURES=0 */
                task[shipment[v].task].references++;
#endif
                task[shipment[v].task].enqueues++
           :: else
           fi
         }
         v = 0
     }
  od
}

/* HomeTasks::set_quotas: other ones within the step. */
inline set_quotas(first, second) {
  quotas++;
  victim[0].quota = first;
  victim[1].quota = (is_lost -> 0 : second);
  for (v : 0 .. VICTIMS - 1) { V.allowed = (V.allowed > V.quota -> V.allowed : V.quota) }
  v = 0;
#ifdef FAULT_QUOTAS_OF_ONE_STEP_ADD_UP  /* TASKS=2 SHIPMENTS=3 QUOTAS=1 FAILURES=0 */
  quota_left = first + second
#else
  count_quota_left()
#endif
}
/* The promise is about all victims together, too: what has gone to one does not go to another. */
#define SENT (victim[0].sent + victim[1].sent)
proctype strategy() {
  byte v;
end:
  do
  :: d_step { quotas < QUOTAS -> set_quotas(0, 2) }
  :: d_step { quotas < QUOTAS -> set_quotas(1, 1) }
  :: d_step { quotas < QUOTAS -> set_quotas(0, 0) }
  od
}
/* The helper dies; later, its loss is noticed: HomeTasks::on_lost. */
proctype death() {
  byte n, v;
end:
  d_step {
    DEATHS > 0 ->
      is_dead = 1;
      victim[HELPER].guests = 0;
      for (n : 0 .. SHIPMENTS - 1) {
        if
        :: S.victim == HELPER -> S.guest = nowhere
        :: else
        fi
      }
  };
  d_step {
    is_lost = 1;
    victim[HELPER].quota = 0;
    count_quota_left();
    for (n : 0 .. SHIPMENTS - 1) {
      if
      :: S.in_table && S.victim == HELPER && !S.sending -> put_back_lost()
      :: else
      fi
    }
  }
}
active proctype never_more_than_allowed() {
end:
  d_step { SENT > 2 -> assert(false) }
}

/* When nothing can happen any more, everything has. */
proctype at_the_end() {
  byte t, n;
end:
  timeout ->
    d_step {
      for (t : 0 .. TASKS - 1) {
        assert(T.completions == 1);
        assert(T.freed)
      }
      for (n : 0 .. SHIPMENTS - 1) { assert(!S.in_table) }
      assert(victim[0].outstanding == 0 && victim[1].outstanding == 0);
      assert(victim[0].guests == 0 && victim[1].guests == 0)
    }
}

init {
  byte i, v;
  atomic {
    victim[0].quota = 2; victim[0].allowed = 2;
    d_step { count_quota_left() }
    for (i : 0 .. TASKS - 1) {
      if :: task[i].continues = 1 :: task[i].continues = 0 fi;
      run home(i)
    }
    for (i : 0 .. SHIPMENTS - 1) { run away_and_back(i) }
    run strategy();
    run death();
    run at_the_end();
    i = 0
  }
}
