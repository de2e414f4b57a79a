! SPDX-License-Identifier: Apache-2.0
! Time steps over rows: the ranks with few rows wait for rank 0 in each step. with_roam.f90 is the same
! program with tasks that they compute for it.
program plain
  use mpi
  use rows_of_numbers
  implicit none
  real(c_double), allocatable, target :: rows(:, :)
  integer :: ierror, provided, rank, step, row
  real(c_double) :: total, all

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  rows = first_rows(rank)
  do step = 1, steps
    do row = 1, size(rows, 2)
      call relax(rows(:, row))
    end do
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
  end do

  total = sum(rows)
  call MPI_Reduce(total, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
  if (rank == 0) print '(a, f0.6)', "sum ", all
  call MPI_Finalize(ierror)
end program
