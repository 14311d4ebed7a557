# Apache Arrow and its Parquet library from the Python package pyarrow in .deps/, for the plug-in that reads Parquet
# alone: defined where they are installed.
set(TRANSFORMETER_PYARROW_VERSION 26.0.1 CACHE STRING "Version of the package pyarrow in .deps/")
set(PYARROW_DIR ${CMAKE_SOURCE_DIR}/.deps/pyarrow-${TRANSFORMETER_PYARROW_VERSION}/pyarrow)
file(GLOB arrow_libraries RELATIVE ${PYARROW_DIR} ${PYARROW_DIR}/libarrow.so.* ${PYARROW_DIR}/libparquet.so.*)
list(LENGTH arrow_libraries count)
if(NOT count EQUAL 2)
  message(STATUS "No Parquet files: scripts/setup --data installs the package that reads them")
  return()
endif()
list(TRANSFORM arrow_libraries PREPEND "-l:")
add_library(arrow_parquet INTERFACE IMPORTED)
set_target_properties(arrow_parquet PROPERTIES
  INTERFACE_COMPILE_OPTIONS "SHELL:-idirafter ${PYARROW_DIR}/include"
  INTERFACE_LINK_OPTIONS "-L${PYARROW_DIR};-Wl,-rpath,${PYARROW_DIR}"
  INTERFACE_LINK_LIBRARIES "${arrow_libraries}")
