# transformeter_custom_worker(NAME source...): a worker of one's own, from the public headers in include/.
function(transformeter_custom_worker name)
  add_executable(${name} ${ARGN})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/include)
  target_link_libraries(${name} PRIVATE transformeter_session)
  # So that at::parallel_for of its models takes all threads, as in the layers.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${name} PRIVATE -fopenmp)
  endif()
endfunction()
