#include "bindings/bind.hpp"

namespace parkbench {

void bind_build_info(py::module_& module) {
  module.attr("__version__") = PARKBENCH_VERSION;
  module.def(
      "build_info",
      [] {
        AnyDict info;
        info["version"] = PARKBENCH_VERSION;
        info["compiler"] = PARKBENCH_COMPILER;
        info["flags"] = PARKBENCH_FLAGS;
        info["build_type"] = PARKBENCH_BUILD_TYPE;
        info["sanitizer"] = PARKBENCH_SANITIZER_NAME;
        info["libpq"] = PARKBENCH_LIBPQ_VERSION;
        info["libpq_tls"] = false;
#ifdef NDEBUG
        info["assertions"] = false;
#else
        info["assertions"] = true;
#endif
        return info;
      },
      "How the core was built: version, compiler, flags, build_type, sanitizer, libpq, libpq_tls, assertions.");
}

}  // namespace parkbench
