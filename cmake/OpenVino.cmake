# OpenVINO from its Python package in .deps/, for the plug-in of engine openvino alone: defined where it is installed.
set(TRANSFORMETER_OPENVINO_VERSION 2026.4.1 CACHE STRING "Version of the package openvino in .deps/")
set(OPENVINO_DIR ${CMAKE_SOURCE_DIR}/.deps/openvino-${TRANSFORMETER_OPENVINO_VERSION}/openvino)
file(GLOB library RELATIVE ${OPENVINO_DIR}/libs ${OPENVINO_DIR}/libs/libopenvino.so.*)
if(NOT library)
  message(STATUS "No engine openvino: scripts/setup --engines installs its package")
  return()
endif()
# As of LibTorch's, the package's headers are searched last: it carries other libraries' beside its own. It carries a
# libhwloc too, so its folder is named by hand and last, for the plug-in alone.
add_library(openvino INTERFACE IMPORTED)
set_target_properties(openvino PROPERTIES
  INTERFACE_COMPILE_OPTIONS "SHELL:-idirafter ${OPENVINO_DIR}/include"
  INTERFACE_LINK_OPTIONS "-L${OPENVINO_DIR}/libs;-Wl,-rpath,${OPENVINO_DIR}/libs"
  INTERFACE_LINK_LIBRARIES "-l:${library}")
