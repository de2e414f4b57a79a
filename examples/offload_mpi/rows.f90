! SPDX-License-Identifier: Apache-2.0
! What both Fortran programs have in common: rows of numbers that a step relaxes.
module rows_of_numbers
  use, intrinsic :: iso_c_binding
  implicit none
  integer, parameter :: row_length = 5000, steps = 8
contains
  ! Rank 0 has three times as many rows as the others.
  function first_rows(rank) result(rows)
    integer, intent(in) :: rank
    real(c_double), allocatable :: rows(:, :)
    integer :: row, i
    allocate (rows(row_length, merge(60, 20, rank == 0)))
    do row = 1, size(rows, 2)
      rows(:, row) = [(real(mod(i * 7919 + row, 1000), c_double), i = 1, row_length)]
    end do
  end function

  subroutine relax(row)
    real(c_double), intent(inout) :: row(row_length)
    integer :: sweep, i
    do sweep = 1, 30
      do i = 2, row_length - 1
        row(i) = (row(i - 1) + row(i) + row(i + 1)) / 3
      end do
    end do
  end subroutine
end module
