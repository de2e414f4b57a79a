# SPDX-License-Identifier: Apache-2.0
# cmake -D program=<path> -D "arguments=<a> <b>" -P expect_one_line.cmake: the program must refuse them in one line.
string(REPLACE " " ";" arguments "${arguments}")
execute_process(COMMAND "${program}" ${arguments} RESULT_VARIABLE status ERROR_VARIABLE words OUTPUT_VARIABLE output)
if(NOT status EQUAL 2 OR NOT words MATCHES "^[^\n]+\n$" OR NOT output STREQUAL "")
  message(FATAL_ERROR "status ${status} instead of 2 for ${arguments}; it said: ${words}${output}")
endif()
