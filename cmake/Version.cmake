# The commit, read when CMake configures and again after each new commit; src/base/version.cpp alone sees it, so that a
# commit recompiles one file.
find_package(Git QUIET)
set(TRANSFORMETER_GIT_COMMIT "")
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${CMAKE_SOURCE_DIR} describe --always --abbrev=12 --exclude=* --dirty
                  OUTPUT_VARIABLE TRANSFORMETER_GIT_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${CMAKE_SOURCE_DIR} rev-parse --path-format=absolute --git-path logs/HEAD
                  OUTPUT_VARIABLE head_log OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(head_log AND EXISTS ${head_log})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${head_log})
  endif()
endif()
set_source_files_properties(base/version.cpp PROPERTIES
  SKIP_PRECOMPILE_HEADERS ON
  COMPILE_DEFINITIONS
    "TRANSFORMETER_VERSION=\"${PROJECT_VERSION}\";TRANSFORMETER_GIT_COMMIT=\"${TRANSFORMETER_GIT_COMMIT}\"")
