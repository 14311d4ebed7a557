# CUDA's side of LibTorch, for the plug-in alone: defined where the package has it and the headers are there. What
# libtorch_cuda itself needs (cuBLAS, cuDNN, ...) is found when the plug-in is opened, on a machine with a GPU.
set(CUDA_DIR ${CMAKE_SOURCE_DIR}/.deps/torch-${TRANSFORMETER_TORCH_VERSION}/nvidia/cu13)
set(CUDA_CRT_VERSION 13.2.86 CACHE STRING "Version of the package nvidia-cuda-crt in .deps/")
set(CUDA_CRT_DIR ${CMAKE_SOURCE_DIR}/.deps/nvidia-cuda-crt-${CUDA_CRT_VERSION}/nvidia/cu13/include)
if(NOT EXISTS ${TORCH_DIR}/lib/libtorch_cuda.so OR NOT EXISTS ${CUDA_DIR}/include/cuda_runtime_api.h
   OR NOT EXISTS ${CUDA_CRT_DIR}/crt/host_defines.h)
  message(STATUS "No CUDA plug-in: libtorch_cuda.so or CUDA's headers are not in .deps/")
  return()
endif()

foreach(library c10_cuda torch_cuda)
  add_library(${library} SHARED IMPORTED)
  set_target_properties(${library} PROPERTIES IMPORTED_LOCATION ${TORCH_DIR}/lib/lib${library}.so)
endforeach()
add_library(cudart SHARED IMPORTED)
set_target_properties(cudart PROPERTIES IMPORTED_LOCATION ${CUDA_DIR}/lib/libcudart.so.13)
set_target_properties(torch_cuda PROPERTIES
  INTERFACE_COMPILE_OPTIONS "SHELL:-idirafter ${CUDA_DIR}/include -idirafter ${CUDA_CRT_DIR}"
  INTERFACE_LINK_LIBRARIES "c10_cuda;cudart;torch_cpu")
