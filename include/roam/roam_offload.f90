! SPDX-License-Identifier: Apache-2.0
! The interface of roam/offload.h for Fortran 2008: compile this file with the program's compiler, and
! link the program with Roam. What each function does stands in roam/offload.h.
!
! A communicator is given by its Fortran handle: the integer of mpif.h and of `use mpi`, or
! communicator%MPI_VAL of `use mpi_f08`. Names end in c_null_char. A task is a function
!   integer(c_int) function f(buffers, count) bind(C)
!     type(roam_buffer), intent(in) :: buffers(*)
!     integer(c_int), value :: count
! that finds its arrays by c_f_pointer(buffers(i)%data, array, shape).
module roam_offload
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: roam_buffer, roam_counts, roam_task, roam_in, roam_out, roam_inout, roam_lent, roam_success
  public :: roam_offload_init, roam_offload_start, roam_offload_register, roam_offload_spawn, roam_offload_wait
  public :: roam_inner, roam_group_task, roam_by_data, roam_together, roam_apart, roam_offload_spawn_group
  public :: roam_offload_spawn_with_cost
  public :: roam_offload_end_step, roam_offload_statistics, roam_offload_finalize, roam_offload_error

  enum, bind(C)
    enumerator :: roam_in = 1, roam_out = 2, roam_inout = 3, roam_inner = 4, roam_lent = 5
  end enum
  enum, bind(C)
    enumerator :: roam_by_data = 0, roam_together = 1, roam_apart = 2
  end enum
  integer(c_int), parameter :: roam_success = 0

  type, bind(C) :: roam_buffer
    type(c_ptr) :: data = c_null_ptr
    integer(c_size_t) :: bytes = 0
    integer(c_int) :: access = roam_in
  end type

  ! name: c_loc of characters that end in c_null_char; buffers: c_loc of an array of roam_buffer.
  type, bind(C) :: roam_group_task
    type(c_ptr) :: name = c_null_ptr
    type(c_ptr) :: buffers = c_null_ptr
    integer(c_int) :: count = 0
  end type

  type, bind(C) :: roam_counts
    integer(c_int64_t) :: spawned, offloaded, returned, sent_back, recomputed, late, emergencies, guests
  end type

  abstract interface
    integer(c_int) function roam_task(buffers, count) bind(C)
      import :: roam_buffer, c_int
      type(roam_buffer), intent(in) :: buffers(*)
      integer(c_int), value :: count
    end function
  end interface

  interface
    integer(c_int) function roam_offload_init(communicator, threads, handle, message, length) &
        bind(C, name="roam_offload_init_fortran")
      import :: c_int, c_ptr, c_char, c_size_t
      integer(c_int), value :: communicator, threads
      type(c_ptr), intent(out) :: handle
      character(kind=c_char), intent(out) :: message(*)
      integer(c_size_t), value :: length
    end function
    type(c_ptr) function roam_offload_start(communicator, threads) bind(C, name="roam_offload_start_fortran")
      import :: c_int, c_ptr
      integer(c_int), value :: communicator, threads
    end function
    integer(c_int) function roam_offload_register(handle, name, task) bind(C)
      import :: c_int, c_ptr, c_char, c_funptr
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
      type(c_funptr), value :: task
    end function
    integer(c_int) function roam_offload_spawn(handle, name, buffers, count) bind(C)
      import :: c_int, c_ptr, c_char, roam_buffer
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
      type(roam_buffer), intent(in) :: buffers(*)
      integer(c_int), value :: count
    end function
    integer(c_int) function roam_offload_spawn_with_cost(handle, name, buffers, count, cost) bind(C)
      import :: c_int, c_double, c_ptr, c_char, roam_buffer
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
      type(roam_buffer), intent(in) :: buffers(*)
      integer(c_int), value :: count
      real(c_double), value :: cost
    end function
    integer(c_int) function roam_offload_spawn_group(handle, tasks, count, travel) bind(C)
      import :: c_int, c_ptr, roam_group_task
      type(c_ptr), value :: handle
      type(roam_group_task), intent(in) :: tasks(*)
      integer(c_int), value :: count, travel
    end function
    integer(c_int) function roam_offload_wait(handle, thread) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
      integer(c_int), value :: thread
    end function
    integer(c_int) function roam_offload_end_step(handle, thread) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
      integer(c_int), value :: thread
    end function
    integer(c_int) function roam_offload_statistics(handle, counts) bind(C)
      import :: c_int, c_ptr, roam_counts
      type(c_ptr), value :: handle
      type(roam_counts), intent(out) :: counts
    end function
    integer(c_int) function roam_offload_finalize(handle) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: handle
    end function
    type(c_ptr) function error_of(handle) bind(C, name="roam_offload_error")
      import :: c_ptr
      type(c_ptr), value :: handle
    end function
    integer(c_size_t) function length_of(text) bind(C, name="strlen")
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
    end function
  end interface

contains

  ! Why the last call with this handle failed.
  function roam_offload_error(handle) result(text)
    type(c_ptr), intent(in) :: handle
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: characters(:)
    type(c_ptr) :: words
    integer :: i
    words = error_of(handle)
    call c_f_pointer(words, characters, [length_of(words)])
    allocate (character(len=size(characters)) :: text)
    do i = 1, size(characters)
      text(i:i) = characters(i)
    end do
  end function
end module
