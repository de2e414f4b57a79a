! SPDX-License-Identifier: Apache-2.0
! Calls of MPI from Fortran are measured as those from C, once each, on 2 ranks. Compiled for both
! modules of MPI.
#ifdef ROAM_MPI_F08
#define SOURCE(STATUS) STATUS%MPI_SOURCE
#define TAG(STATUS) STATUS%MPI_TAG
#else
#define SOURCE(STATUS) STATUS(MPI_SOURCE)
#define TAG(STATUS) STATUS(MPI_TAG)
#endif
program waits
  use, intrinsic :: iso_c_binding
#ifdef ROAM_MPI_F08
  use mpi_f08
#else
  use mpi
#endif
  implicit none

  type, bind(c) :: wait_entry
    integer(c_int) :: rank
    real(c_double) :: seconds
    integer(c_int64_t) :: times
  end type

  interface
    subroutine roam_pmpi_exchange() bind(c)
    end subroutine
    function roam_pmpi_take_waits(entries, capacity) bind(c) result(count)
      import
      type(wait_entry) :: entries(*)
      integer(c_int), value :: capacity
      integer(c_int) :: count
    end function
    function usleep(microseconds) bind(c) result(ignored)
      import
      integer(c_int), value :: microseconds
      integer(c_int) :: ignored
    end function
    function roam_pmpi_calls() bind(c) result(calls)
      import
      integer(c_int64_t) :: calls
    end function
  end interface

  double precision :: slept = 0
  ! A core that is busy with something else lets ranks be late by themselves.
  double precision, parameter :: noise = 0.1d0
  integer :: rank, error, failures, all_failures, value, index
#ifdef ROAM_MPI_F08
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: status, statuses(2)
#else
  integer :: requests(2), status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2)
#endif
  integer(c_int64_t) :: before
  logical :: flag

  failures = 0
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call check(roam_pmpi_calls() == 1, 'MPI_Init has come through')

  call meet()
  if (rank == 0) then
    call MPI_Recv(value, 1, MPI_INTEGER, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  else
    call send(1)
  end if
  call expect_wait('Recv')

  call meet()
  if (rank == 0) then
    call MPI_Irecv(value, 1, MPI_INTEGER, 1, 2, MPI_COMM_WORLD, requests(1), error)
    call MPI_Wait(requests(1), status, error)
    call check(requests(1) == MPI_REQUEST_NULL, 'Wait leaves its request')
    call check(SOURCE(status) == 1 .and. TAG(status) == 2, 'the status of Wait')
  else
    call send(2)
  end if
  call expect_wait('Wait')

  call meet()
  if (rank == 0) then
    requests(1) = MPI_REQUEST_NULL
    call MPI_Irecv(value, 1, MPI_INTEGER, 1, 3, MPI_COMM_WORLD, requests(2), error)
    call MPI_Waitall(2, requests, statuses, error)
#ifdef ROAM_MPI_F08
    call check(statuses(2)%MPI_SOURCE == 1, 'the statuses of Waitall')
#else
    call check(statuses(MPI_SOURCE, 2) == 1, 'the statuses of Waitall')
#endif
  else
    call send(3)
  end if
  call expect_wait('Waitall')

  call meet()
  if (rank == 0) then
    requests(1) = MPI_REQUEST_NULL
    call MPI_Irecv(value, 1, MPI_INTEGER, 1, 4, MPI_COMM_WORLD, requests(2), error)
    call MPI_Waitany(2, requests, index, MPI_STATUS_IGNORE, error)
    call check(index == 2, 'the index of Waitany')
  else
    call send(4)
  end if
  call expect_wait('Waitany')

  call meet()
  value = rank + 1
  if (rank == 1) call pause_here()
  call MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call check(value == 3, 'the value of Allreduce in place')
  call expect_wait('Allreduce')

  call meet()
  if (rank == 1) call pause_here()
  call MPI_Ibarrier(MPI_COMM_WORLD, requests(1), error)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE, error)
  call expect_wait('Ibarrier')

  before = roam_pmpi_calls()
  requests(1) = MPI_REQUEST_NULL
  call MPI_Barrier(MPI_COMM_SELF, error)
  call MPI_Test(requests(1), flag, MPI_STATUS_IGNORE, error)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE, error)
  call check(roam_pmpi_calls() - before == 3, 'calls are counted once each')

  call MPI_Allreduce(failures, all_failures, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call MPI_Finalize(error)
  if (all_failures > 0) error stop 1

contains
  subroutine check(is_good, what)
    logical, intent(in) :: is_good
    character(len=*), intent(in) :: what
    if (is_good) return
    print '(a, i0, 2a)', 'rank ', rank, ': ', what
    failures = failures + 1
  end subroutine

  subroutine meet()
    type(wait_entry) :: entries(4)
    integer :: ignored
    call roam_pmpi_exchange()
    ignored = roam_pmpi_take_waits(entries, 4)
  end subroutine

  subroutine pause_here()
    double precision :: begin
    integer :: ignored
    begin = MPI_Wtime()
    ignored = usleep(250000)
    slept = MPI_Wtime() - begin
  end subroutine

  subroutine send(tag)
    integer, intent(in) :: tag
    call pause_here()
    value = 42
    call MPI_Send(value, 1, MPI_INTEGER, 0, tag, MPI_COMM_WORLD, error)
  end subroutine

  ! Rank 0 has waited for rank 1, and rank 1 for nobody.
  subroutine expect_wait(what)
    character(len=*), intent(in) :: what
    type(wait_entry) :: entries(4)
    integer :: count
    call roam_pmpi_exchange()
    count = roam_pmpi_take_waits(entries, 4)
    call MPI_Bcast(slept, 1, MPI_DOUBLE_PRECISION, 1, MPI_COMM_WORLD, error)
    if (rank == 0) then
      call check(count == 1, what // ': somebody is waited for')
      if (count == 1) call check(entries(1)%rank == 1 .and. &
          abs(entries(1)%seconds - slept) <= noise, what // ': how long')
    else if (count > 0) then
      call check(entries(1)%seconds <= noise, what // ': the late one waits for nobody')
    end if
  end subroutine
end program
