# ONNX Runtime from its Python package in .deps/, for the plug-in of engine onnxruntime alone: defined where it is
# installed. The package has no headers; those of its C interface, which later releases keep compatible, come from
# another package beside it.
set(TRANSFORMETER_ONNXRUNTIME_VERSION 1.31.1 CACHE STRING "Version of the package onnxruntime in .deps/")
set(ONNXRUNTIME_DIR ${CMAKE_SOURCE_DIR}/.deps/onnxruntime-${TRANSFORMETER_ONNXRUNTIME_VERSION})
set(library ${ONNXRUNTIME_DIR}/onnxruntime/capi/libonnxruntime.so.1)
file(GLOB headers ${ONNXRUNTIME_DIR}/quark/onnx/operators/custom_ops/include/onnxruntime-*/onnxruntime/core/session)
find_path(PROTOZERO_INCLUDE_DIR protozero/pbf_writer.hpp)
if(NOT EXISTS ${library} OR NOT headers OR NOT PROTOZERO_INCLUDE_DIR)
  message(STATUS "No engine onnxruntime: scripts/setup --engines installs what it needs")
  return()
endif()
add_library(onnxruntime SHARED IMPORTED)
set_target_properties(onnxruntime PROPERTIES IMPORTED_LOCATION ${library}
  INTERFACE_INCLUDE_DIRECTORIES "${headers};${PROTOZERO_INCLUDE_DIR}")
