// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

#include "hook.hpp"

namespace roam::offload::pmpi {

using Fint = MPI_Fint;

/// The next function of this name in the search order, after ours. Fortran passes addresses only.
class Next {
 public:
  explicit Next(const char* name) : function_(dlsym(RTLD_NEXT, name)) {}
  template <class... Arguments>
  void operator()(Arguments*... arguments) const {
    reinterpret_cast<void (*)(Arguments * ...)>(function_)(arguments...);
  }

 private:
  void* const function_;
};

}  // namespace roam::offload::pmpi

/// Defines a function under both of its names; `next` in the body is the library's function.
#define ROAM_FORTRAN(NAME, PARAMETERS, BODY)                    \
  void NAME##_ PARAMETERS {                                     \
    static const roam::offload::pmpi::Next next(#NAME "_");     \
    BODY;                                                       \
  }                                                             \
  void NAME##_f08_ PARAMETERS {                                 \
    static const roam::offload::pmpi::Next next(#NAME "_f08_"); \
    BODY;                                                       \
  }
/// Defines a function that does not need the library's.
#define ROAM_FORTRAN_ALONE(NAME, PARAMETERS, BODY) \
  void NAME##_ PARAMETERS { BODY; }                \
  void NAME##_f08_ PARAMETERS { BODY; }
