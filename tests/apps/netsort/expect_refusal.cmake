# SPDX-License-Identifier: Apache-2.0
# cmake -D program=<path> -D "arguments=<a> <b>" -P expect_refusal.cmake: the program must refuse them.
string(REPLACE " " ";" arguments "${arguments}")
execute_process(COMMAND "${program}" ${arguments} RESULT_VARIABLE status ERROR_VARIABLE words)
if(NOT status EQUAL 2 OR words STREQUAL "")
  message(FATAL_ERROR "status ${status} instead of 2 for ${arguments}; it said: ${words}")
endif()
