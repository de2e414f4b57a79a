// SPDX-License-Identifier: Apache-2.0
// Empty: it stands for the headers that tests share (cmake/roam_tests.cmake).
