# transformeter_layer(GROUP/NAME [DEPENDS layer...] [LINK library...] [SEPARATE pattern...])
# A static library transformeter_NAME from src/GROUP/NAME/*.cpp. DEPENDS are the layers it may include; scripts/check_layers
# holds them to the table in docs/architecture.md. What a layer includes is sought in its group and in shared/ alone, and
# only the group worker sees LibTorch. SEPARATE names sources that share a name in an unnamed namespace with a neighbour,
# as *_command.cpp do, and so cannot be compiled together with it.
option(TRANSFORMETER_UNITY "Compile several sources of a layer together: half the time of a build from nothing" ON)
# So many sources at a time: more gain little, and touching one of them compiles them all (docs/decisions.md).
set(TRANSFORMETER_UNITY_SIZE 8)

add_library(transformeter_pch_target OBJECT ${CMAKE_SOURCE_DIR}/cmake/pch.cpp)
transformeter_precompile(transformeter_pch_target ${CMAKE_SOURCE_DIR}/cmake/pch.h)
target_include_directories(transformeter_pch_target PRIVATE ${CMAKE_SOURCE_DIR}/src/shared)
target_link_libraries(transformeter_pch_target PRIVATE fmt::fmt nlohmann_json::nlohmann_json)

# What every target with LibTorch is compiled with, so that they can share one precompiled header.
function(transformeter_torch_target target)
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR}/src/shared ${CMAKE_SOURCE_DIR}/src/worker)
  target_link_libraries(${target} PUBLIC torch_cpu fmt::fmt nlohmann_json::nlohmann_json)
  # at::parallel_for is a template that runs on one thread, and says nothing, where it is compiled without OpenMP. The
  # library is LibTorch's own at run time, found beside it by the same name. clang, which only checks these layers, has
  # another.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fopenmp)
    target_link_libraries(${target} PUBLIC gomp)
  endif()
endfunction()

function(transformeter_layer path)
  cmake_parse_arguments(LAYER "" "" "DEPENDS;LINK;SEPARATE" ${ARGN})
  get_filename_component(group ${path} DIRECTORY)
  get_filename_component(name ${path} NAME)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${path}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  if(NOT sources)
    return()
  endif()
  add_library(transformeter_${name} STATIC ${sources})
  target_include_directories(transformeter_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src/shared ${CMAKE_SOURCE_DIR}/src/${group})
  set_target_properties(transformeter_${name} PROPERTIES UNITY_BUILD ${TRANSFORMETER_UNITY}
    UNITY_BUILD_BATCH_SIZE ${TRANSFORMETER_UNITY_SIZE})
  if(TRANSFORMETER_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # A class of a source file may hold one from its unnamed namespace; g++ takes any included file for a header.
    target_compile_options(transformeter_${name} PRIVATE -Wno-subobject-linkage)
  endif()
  list(TRANSFORM LAYER_SEPARATE PREPEND ${CMAKE_SOURCE_DIR}/src/${path}/)
  file(GLOB separate ${LAYER_SEPARATE})
  set_source_files_properties(${separate} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  foreach(dependency ${LAYER_DEPENDS})
    if(TARGET transformeter_${dependency})
      target_link_libraries(transformeter_${name} PUBLIC transformeter_${dependency})
    endif()
  endforeach()
  target_link_libraries(transformeter_${name} PUBLIC ${LAYER_LINK})
  if(group STREQUAL "worker")
    transformeter_torch_target(transformeter_${name})
    if(NOT TARGET transformeter_torch_pch)
      add_library(transformeter_torch_pch OBJECT ${CMAKE_SOURCE_DIR}/cmake/pch.cpp)
      transformeter_torch_target(transformeter_torch_pch)
      transformeter_precompile(transformeter_torch_pch ${CMAKE_SOURCE_DIR}/cmake/torch_pch.h)
    endif()
    target_precompile_headers(transformeter_${name} REUSE_FROM transformeter_torch_pch)
  else()
    target_precompile_headers(transformeter_${name} REUSE_FROM transformeter_pch_target)
  endif()
endfunction()
