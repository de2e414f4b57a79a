// SPDX-License-Identifier: Apache-2.0
// Empty: it stands for the headers that benchmarks share (cmake/roam_programs.cmake).
