# Warnings, sanitizers, compiler cache, linker and the precompiled header.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual)
# g++ 12 sees uninitialised values inside std::optional that are none (GCC bug 80635).
add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
if(DEFINED ENV{CI} OR TRANSFORMETER_WERROR)
  add_compile_options(-Werror)
endif()

if(TRANSFORMETER_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=address,undefined)
  add_compile_definitions(TRANSFORMETER_SANITIZED)
endif()

if(TRANSFORMETER_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "TRANSFORMETER_FUZZ needs clang: configure with -DCMAKE_CXX_COMPILER=clang++")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # A precompiled header is only cached when ccache may ignore its time stamps; paths below the root are made relative,
  # so that another checkout finds the same objects.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE_PROGRAM})
  set(pch_preprocess $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
  add_compile_options(${pch_preprocess})
endif()

# transformeter_precompile(TARGET HEADER): TARGET compiles HEADER, an absolute path, for all that reuse it from there.
function(transformeter_precompile target header)
  # The generated file includes it by name, not by path: then another checkout finds the same objects in the cache.
  get_filename_component(folder ${header} DIRECTORY)
  get_filename_component(name ${header} NAME)
  target_include_directories(${target} PRIVATE ${folder})
  target_precompile_headers(${target} PRIVATE <${name}>)
  # With -fpch-preprocess ccache would not see the headers but the precompiled file of the build before, and could answer
  # with one made from older headers.
  get_target_property(options ${target} COMPILE_OPTIONS)
  list(REMOVE_ITEM options "${pch_preprocess}")
  set_property(TARGET ${target} PROPERTY COMPILE_OPTIONS ${options})
endfunction()
