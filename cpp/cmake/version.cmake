# The version stands in python/parkbench/_version.py and nowhere else.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/../../python/parkbench/_version.py PARKBENCH_VERSION REGEX "__version__")
string(REGEX REPLACE ".*\"([^\"]+)\".*" "\\1" PARKBENCH_VERSION "${PARKBENCH_VERSION}")
