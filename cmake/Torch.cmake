# LibTorch from the Python package in .deps/, as imported targets. Only libtorch_cpu and libc10 are linked: the
# package's own CMake files would drag CUDA in.
set(TRANSFORMETER_TORCH_VERSION 2.15.0 CACHE STRING "Version of the torch package in .deps/")
set(TORCH_DIR ${CMAKE_SOURCE_DIR}/.deps/torch-${TRANSFORMETER_TORCH_VERSION}/torch)
if(NOT EXISTS ${TORCH_DIR}/lib/libtorch_cpu.so)
  message(FATAL_ERROR "LibTorch is not in ${TORCH_DIR}: run scripts/setup, or configure with -DTRANSFORMETER_WORKER=OFF")
endif()

add_library(c10 SHARED IMPORTED)
set_target_properties(c10 PROPERTIES IMPORTED_LOCATION ${TORCH_DIR}/lib/libc10.so)
add_library(torch_cpu SHARED IMPORTED)
# The package carries headers of other libraries (fmt, nlohmann, gtest) in newer versions than the system's libraries
# we link. -idirafter searches it last, so that headers and libraries stay of one version.
set_target_properties(torch_cpu PROPERTIES
  IMPORTED_LOCATION ${TORCH_DIR}/lib/libtorch_cpu.so
  INTERFACE_COMPILE_OPTIONS "SHELL:-idirafter ${TORCH_DIR}/include"
  INTERFACE_LINK_LIBRARIES c10)
