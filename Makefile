# SPDX-License-Identifier: Apache-2.0
# Shorthands; the work is done by CMake (see CMakePresets.json) and the scripts.

JOBS ?= $(shell nproc)
# More options for the configure step, e.g. make test CONFIGURE=-DROAM_WITH_MPI=OFF
CONFIGURE ?=
DEMO_TARGETS ?= mesh_refine
# A run of some seconds each: make bench-am QUICK=1
QUICK ?=
# Another part for the demo, e.g. make demo PART=~/part.stl
PART ?=

configure = cmake --preset $(1) $(CONFIGURE) --log-level=WARNING >/dev/null
build = cmake --build --preset $(1) -j $(JOBS)
run_tests = ctest --preset $(1) -j $(JOBS)

.DEFAULT_GOAL := help
.PHONY: help demo demo-seismic test build check fuzz soak mutants format asan tsan clang mpich bench bench-am build_cost docs clean bootstrap

help: ## List these targets
	@echo "Roam. Targets:"
	@awk -F ':.*## ' '/^[a-z_-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: bootstrap ## Refine a real part's mesh, balancing off and on, and compare (installs what is missing)
	@$(call configure,release)
	@$(call build,release) --target $(DEMO_TARGETS)
	@scripts/demo $(PART)

demo-seismic: bootstrap ## Waves of a benchmark's source (LOH.1) beside the reference; a page with pictures
	@scripts/bootstrap bench
	@$(call configure,release)
	@$(call build,release) --target seismic
	@scripts/demo_seismic

test: build ## Install what is missing, build, run all tests
	@$(call run_tests,release)

build: bootstrap ## Build everything into build/release
	@$(call configure,release)
	@$(call build,release)

check: ## Check formatting, layers, sizes, licence lines; the protocol's model; lint and fuzz
	@scripts/bootstrap check
	@scripts/check_format
	@scripts/check_layers
	@scripts/check_sizes
	@scripts/check_spdx
	@scripts/check_protocol
	@scripts/check_lint
	@scripts/fuzz 7

fuzz: ## Fuzz messages, configuration and recorded loads, about 40 s (needs Clang with libFuzzer)
	@scripts/bootstrap check
	@scripts/fuzz 7

soak: bootstrap ## Ten minutes of simulated schedules on all cores; then flood two ranks
	@$(call configure,release)
	@$(call build,release) --target soak_flood soak_schedules
	@build/release/bin/soak_schedules 600
	@for burst in 1000 0; do \
	  build/release/bin/soak_flood 10000000 64 $$burst --roam-ranks=2 --roam-workers=1 && \
	  if command -v mpirun > /dev/null; then \
	    mpirun -n 2 build/release/bin/soak_flood 10000000 64 $$burst --roam-workers=1; \
	  fi || exit 1; \
	done

mutants: bootstrap ## Put deliberate faults into the protocol; the exploration of schedules must find each
	@scripts/check_mutants --threads $(JOBS)

format: ## Format all C++ files in place, add missing licence lines
	@scripts/bootstrap check
	@scripts/check_spdx --fix
	@scripts/check_format --fix

asan: bootstrap ## Tests under the address and undefined-behaviour sanitizers
	@$(call configure,asan)
	@$(call build,asan)
	@$(call run_tests,asan)

tsan: bootstrap ## Tests under the thread sanitizer
	@$(call configure,tsan)
	@$(call build,tsan)
	@$(call run_tests,tsan)

clang: bootstrap ## Build with Clang and run the tests that depend on the compiler
	@scripts/bootstrap check
	@$(call configure,clang)
	@$(call build,clang)
	@$(call run_tests,clang)

mpich: bootstrap ## Build with MPICH instead of Open MPI and run the tests that use it
	@$(call configure,mpich)
	@$(call build,mpich) --target mpi_tests
	@$(call run_tests,mpich) -L '^mpi$$'

bench: bootstrap ## Build and run the benchmarks
	@$(call configure,release)
	@$(call build,release) --target bench

bench-am: bootstrap ## Measure active messages against raw MPI and their targets; table and plot
	@scripts/bootstrap bench
	@$(call configure,release)
	@$(call build,release) --target benchmarks
	@bench/bench-am $(if $(QUICK),--quick)

build_cost: bootstrap ## Build the library from nothing, without cache, and print what it costs
	@rm -rf build/cost
	@cmake --preset release -B build/cost -DCMAKE_CXX_COMPILER_LAUNCHER= --log-level=WARNING >/dev/null
	@bash -c 'time cmake --build build/cost -j $(JOBS) --target library'

docs: ## Make the reference of the public headers in build/docs/html (Doxygen)
	@scripts/bootstrap docs
	@scripts/api_reference html build/docs

clean: ## Remove all build directories
	rm -rf build

bootstrap:
	@scripts/bootstrap
