// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

#include "hook.hpp"

namespace roam::offload::pmpi {

using Fint = MPI_Fint;

/// The function of this name that stands behind ours. Fortran passes addresses alone.
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

/// A function under both its names; `next` in the body is the library's.
#define ROAM_FORTRAN(NAME, PARAMETERS, BODY)                    \
  void NAME##_ PARAMETERS {                                     \
    static const roam::offload::pmpi::Next next(#NAME "_");     \
    BODY;                                                       \
  }                                                             \
  void NAME##_f08_ PARAMETERS {                                 \
    static const roam::offload::pmpi::Next next(#NAME "_f08_"); \
    BODY;                                                       \
  }
/// One that does not need the library's.
#define ROAM_FORTRAN_ALONE(NAME, PARAMETERS, BODY) \
  void NAME##_ PARAMETERS { BODY; }                \
  void NAME##_f08_ PARAMETERS { BODY; }
