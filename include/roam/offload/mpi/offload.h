// SPDX-License-Identifier: Apache-2.0
#ifndef ROAM_OFFLOAD_MPI_OFFLOAD_H
#define ROAM_OFFLOAD_MPI_OFFLOAD_H

/** @file
 * Reactive offloading for programs of their own: MPI with or without OpenMP or other threads, in C,
 * C++ or (by the module roam_offload) Fortran. Ranks that would wait compute tasks of ranks that
 * are late, and send the results back; see docs/offloading_mpi.md.
 *
 * All state hangs on a handle; several of them, on communicators of their own, do not disturb each
 * other. Every function returns ROAM_SUCCESS or ROAM_FAILURE, with words by roam_offload_error();
 * with a handle of roam_offload_start(), a failure ends the program instead, as one of MPI does.
 * Options of Roam's come from the environment (ROAM_OFFLOAD=diffusion, ROAM_TRACE=run.json, ...).
 */

/* A header for C: what is said of C++ does not hold for it. NOLINTBEGIN */
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What functions return when they have done what they are for. */
#define ROAM_SUCCESS 0
/** What functions return otherwise; roam_offload_error() says why. */
#define ROAM_FAILURE 1

/** The handle on which all state hangs. */
typedef struct roam_offload roam_offload;

/** What a task does with a buffer. */
typedef enum {
  ROAM_IN = 1,    /**< reads it */
  ROAM_OUT = 2,   /**< writes all of it */
  ROAM_INOUT = 3, /**< reads and changes it */
  /** writes all of it for later tasks of its group; what is in it after the group is undefined */
  ROAM_INNER = 4,
  /** reads it as ROAM_IN does, and the program leaves it as it is until the next
   * roam_offload_end_step() has returned: to another rank it goes
   * from where it lies, without a copy, if it has 16 KiB or more and all else that the task reads
   * at most 8 KiB. In groups it is ROAM_IN. */
  ROAM_LENT = 5
} roam_access;

/** Memory of `bytes` bytes. The program's own stays as it is, and is not touched by anybody else,
 * until the task is complete (ROAM_LENT: longer). A task sees the same sizes and contents wherever
 * it runs, on other ranks at addresses that are multiples of 64; what it finds in a ROAM_OUT buffer
 * is undefined. ROAM_OFFLOAD_CHECK_BUFFERS=true finds buffers that are changed or freed too early.
 */
typedef struct {
  void* data;         /**< its first byte */
  size_t bytes;       /**< its length */
  roam_access access; /**< what the task does with it */
} roam_buffer;

/** A task: computes with its buffers alone, on any thread of any rank. Anything but 0 is a failure.
 */
typedef int (*roam_task_function)(const roam_buffer* buffers, int count);

/** Joins the ranks of `communicator`, collectively; it is duplicated and remains the caller's. MPI
 * must be initialised; MPI_THREAD_FUNNELED is enough. `threads`: how many threads of the program,
 * the calling one included, will call roam_offload_wait() and roam_offload_end_step() at a time; 1
 * or more. Without a handle the reason of a failure is put into message[0..length), ended by a 0.
 */
int roam_offload_init(MPI_Comm communicator, int threads, roam_offload** handle, char* message,
                      size_t length);

/** Joins the ranks of `communicator` as roam_offload_init() does, for programs that do not go on
 * after a failure: whatever fails, here or in a later call with this handle, is written to the
 * standard error, with its rank, and MPI_Abort() ends the program. Returns the handle. */
roam_offload* roam_offload_start(MPI_Comm communicator, int threads);

/** Joins the ranks of a communicator that is given by its Fortran handle, as roam_offload_init()
 * does. The module roam_offload calls it roam_offload_init.
 */
int roam_offload_init_fortran(int communicator, int threads, roam_offload** handle, char* message,
                              size_t length);
/** The same for roam_offload_start(). */
roam_offload* roam_offload_start_fortran(int communicator, int threads);

/** Makes a function known by a name, which is the same on all ranks; before the first task of it is
 * spawned anywhere. */
int roam_offload_register(roam_offload* handle, const char* name, roam_task_function function);

/** Spawns a task that is ready to run. The list of buffers is copied, what they point to is not.
 * Any thread. */
int roam_offload_spawn(roam_offload* handle, const char* name, const roam_buffer* buffers,
                       int count);

/** Spawns a task as roam_offload_spawn() does, and states its cost: a number above 0 that is
 * proportional to its time, in any unit (cells, operations, seconds) that the tasks of this name
 * have in common. How long a unit takes is measured on each rank. Tasks without a stated cost, and
 * groups, are expected to take as long as the one at the same place of the last step. Any thread.
 */
int roam_offload_spawn_with_cost(roam_offload* handle, const char* name, const roam_buffer* buffers,
                                 int count, double cost);

/** A task of a group. */
typedef struct {
  const char* name;           /**< as it is registered */
  const roam_buffer* buffers; /**< its buffers, in the order in which its function gets them */
  int count;                  /**< their number */
} roam_group_task;

/** How the tasks of a group go to other ranks. */
typedef enum {
  /** As one task, unless what they have for each other adds less than a tenth to the data that the
   * group needs and gives anyway. */
  ROAM_BY_DATA = 0,
  ROAM_TOGETHER = 1, /**< as one task: one rank computes them, one after the other */
  /** One by one, each as soon as those are complete whose buffers it needs: several ranks may
   * compute them, and what they have for each other comes back to this rank in between. */
  ROAM_APART = 2
} roam_travel;

/** Spawns tasks that need each other's results. They have the effect of being computed in the order
 * of the list: buffers that begin at the same address are the same one, which must then have the
 * same length, and a task finds in it what the tasks before it have written; different buffers must
 * not overlap. A buffer that is only there for tasks of the group, declared as ROAM_INNER by the
 * task that writes it and as ROAM_IN or ROAM_INOUT by those after it, does not travel if the group
 * travels as one task. If a task fails, the group's later ones may be left out. The lists are
 * copied, what the buffers point to is not. Results have the same bits however the group has
 * travelled. Any thread. */
int roam_offload_spawn_group(roam_offload* handle, const roam_group_task* tasks, int count,
                             roam_travel travel);

/** Computes this rank's tasks, and those of others, until all that this rank has spawned are
 * complete. Called by the thread that made the handle as `thread` 0 and, if there are more, by the
 * others as 1 to threads - 1, at the same time: from a parallel region of OpenMP with
 * omp_get_thread_num(). They all return when it is over. Fails if a task failed. */
int roam_offload_wait(roam_offload* handle, int thread);

/** Computes tasks as roam_offload_wait() does, until the tasks of all ranks are complete:
 * collective. Then a step has ended, and what it took decides who computes for whom in the next
 * one. */
int roam_offload_end_step(roam_offload* handle, int thread);

/** What a rank has done since the beginning: numbers of tasks. */
typedef struct {
  uint64_t spawned;     /**< by this rank */
  uint64_t offloaded;   /**< sent to other ranks */
  uint64_t returned;    /**< of these, results that were used */
  uint64_t sent_back;   /**< of these, unbegun */
  uint64_t recomputed;  /**< here as well, since they were late */
  uint64_t late;        /**< results that came after that, in vain */
  uint64_t emergencies; /**< times that a rank which computed for this one delayed it */
  uint64_t guests;      /**< tasks of other ranks computed here */
} roam_offload_counts;

/** Fills *counts for this rank. Any thread. */
int roam_offload_statistics(roam_offload* handle, roam_offload_counts* counts);

/** Why the last call with this handle failed, on any thread; valid until the next one. */
const char* roam_offload_error(const roam_offload* handle);

/** Leaves the ranks, collectively, and frees the handle; *handle is NULL then. If that fails, the
 * handle remains for roam_offload_error(), and a second call frees it. By the thread that made it;
 * before MPI_Finalize(). */
int roam_offload_finalize(roam_offload** handle);

#ifdef __cplusplus
}
#endif
/* NOLINTEND */

#endif
