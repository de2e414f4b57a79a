// SPDX-License-Identifier: Apache-2.0
#ifndef ROAM_OFFLOAD_MPI_STRATEGY_H
#define ROAM_OFFLOAD_MPI_STRATEGY_H

/** @file
 * Strategies of the program's own for offloading, in C: functions that decide how many tasks each
 * rank may have computed by others (docs/offloading_mpi.md). They see what strategies in C++ see
 * (roam/offload/strategy.hpp).
 */

/* A header for C: what is said of C++ does not hold for it. NOLINTBEGIN */
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One rank's measurements of one step. Times are in seconds; those of workers, the threads that
 * compute tasks, are sums over the rank's workers. */
typedef struct {
  int rank;                /**< the rank that has measured */
  uint32_t workers;        /**< of the rank */
  double seconds;          /**< the step's length on the rank's clock */
  double idle_seconds;     /**< idle time of its workers */
  double busy_seconds;     /**< time of its workers inside tasks, its own or others' */
  double guest_seconds;    /**< the part of it spent on other ranks' tasks */
  double own_load_seconds; /**< what its own work would have taken its workers without offloading */
  double task_seconds;     /**< duration of one of its own tasks, on average */
  double ship_seconds;     /**< time of a worker to send one of them away */
  uint32_t tasks;          /**< own tasks that were spawned */
  uint32_t computed;       /**< own tasks that it has computed itself */
  uint32_t away;           /**< own tasks for which results of other ranks were used */
  uint32_t guests;         /**< tasks of other ranks that it has computed */
  uint32_t keeps;          /**< number of tasks that always stay with it */
  uint32_t recomputed;     /**< own tasks that were away and computed here as well */
  uint32_t in_vain;        /**< results of such tasks that came too late */
} roam_rank_step;

/** A rank waited for another one. */
typedef struct {
  int from;       /**< the waiting rank */
  int to;         /**< the rank waited for */
  double seconds; /**< time of its workers */
} roam_rank_wait;

/** Ranks were delayed by one that computed for them. */
typedef struct {
  int victim;         /**< the rank that computed for others */
  uint32_t times;     /**< in this step */
  const char* reason; /**< in words, such as "late results"; in static storage */
  int from;           /**< whose tasks, where the way between two ranks is congested; else -1 */
} roam_emergency;

/** Tasks of one rank that were sent to another in a step. */
typedef struct {
  int from;            /**< whose tasks */
  int to;              /**< who was to compute them */
  uint32_t offloaded;  /**< how many were sent */
  uint32_t allowed;    /**< how many might have been */
  uint32_t on_request; /**< of those sent: given because the rank had asked for them */
} roam_task_flow;

/** A step that all ranks have reported. Valid during the call that gets it. */
typedef struct {
  uint64_t step;                     /**< its number, from 0 */
  const roam_rank_step* ranks;       /**< by rank */
  size_t rank_count;                 /**< how many ranks there are */
  const roam_rank_wait* waits;       /**< no pair twice */
  size_t wait_count;                 /**< how many waits */
  const roam_emergency* emergencies; /**< of all ranks */
  size_t emergency_count;            /**< how many emergencies */
  const roam_task_flow* flows;       /**< pairs with a quota or tasks under way */
  size_t flow_count;                 /**< how many flows */
} roam_step_view;

/** The quotas that a strategy decides on. */
typedef struct roam_quotas roam_quotas;

/** From now on, `to` may compute up to `tasks` tasks of `from` in each step; to be called by
 * `decide`. Several calls for a pair add up. Returns ROAM_FAILURE, and does nothing, if there are
 * no such ranks or they are the same. */
int roam_offload_add_quota(roam_quotas* quotas, int from, int to, uint32_t tasks);

/** A strategy: functions of the program's, called on rank 0 alone, by one thread at a time that
 * computes tasks; they must not block, and call nothing of Roam's but roam_offload_add_quota(). */
typedef struct {
  const char* description; /**< one line for --roam-help; NULL: none */
  void* context;           /**< handed to `begin`, or as the state if there is none */
  /** Called before the first decision of each handle; what it returns is the state for the other
   * functions. NULL: the state is `context`. */
  void* (*begin)(void* context, int ranks);
  /** Called after each step of all ranks. The quotas that it adds replace all earlier ones. */
  void (*decide)(void* state, const roam_step_view* step, roam_quotas* quotas);
  /** Called after `decide`: how many tasks each rank may give in each step, beside quotas, to each
   * rank that asks for them because it is running out of tasks. NULL: 0, nobody asks. */
  uint32_t (*tasks_on_request)(void* state);
  /** Called when no decision will come any more, if `begin` has been called; may be NULL. */
  void (*end)(void* state);
} roam_strategy;

/** Makes a strategy known by a name, for ROAM_OFFLOAD=NAME, on every rank, as long as the program
 * runs; the struct is copied. Before roam_offload_init() or roam_offload_start(), by one thread.
 * Returns ROAM_FAILURE if there is a strategy of this name already or `decide` is missing; the
 * reason is then in message[0..length), ended by a 0, unless message is NULL. */
int roam_offload_register_strategy(const char* name, const roam_strategy* strategy, char* message,
                                   size_t length);

#ifdef __cplusplus
}
#endif
/* NOLINTEND */

#endif
