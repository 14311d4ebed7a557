# The commit, read when CMake configures and again after each new commit; src/shared/base/version.cpp alone sees it, so
# that a commit recompiles one file.
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
set(build_type "${CMAKE_BUILD_TYPE}")
if(TRANSFORMETER_SANITIZE)
  string(APPEND build_type " with sanitizers")
endif()
# utf8proc's pkg-config file is not kept up to date by every distribution; its header is.
set(utf8proc_version "")
file(STRINGS ${UTF8PROC_INCLUDEDIR}/utf8proc.h lines REGEX "define UTF8PROC_VERSION_(MAJOR|MINOR|PATCH) ")
foreach(line ${lines})
  string(REGEX MATCH "[0-9]+$" number "${line}")
  list(APPEND utf8proc_version ${number})
endforeach()
string(JOIN "." utf8proc_version ${utf8proc_version})
# "NAME VERSION" by commas; a version is empty where the package does not say.
string(JOIN "," libraries "Boost ${Boost_VERSION_STRING}" "CLI11 ${CLI11_VERSION}" "fmt ${fmt_VERSION}" "hwloc ${HWLOC_VERSION}" "libcurl ${CURL_VERSION_STRING}"
  "nlohmann-json ${nlohmann_json_VERSION}" "OpenSSL ${OPENSSL_VERSION}" "PCRE2 ${PCRE2_VERSION}"
  "sentencepiece ${SENTENCEPIECE_VERSION}" "SQLite ${SQLite3_VERSION}" "utf8proc ${utf8proc_version}"
  "yaml-cpp ${yaml-cpp_VERSION}" "zlib ${ZLIB_VERSION_STRING}")
set_source_files_properties(shared/base/version.cpp PROPERTIES
  SKIP_PRECOMPILE_HEADERS ON
  COMPILE_DEFINITIONS
    "TRANSFORMETER_VERSION=\"${PROJECT_VERSION}\";TRANSFORMETER_GIT_COMMIT=\"${TRANSFORMETER_GIT_COMMIT}\";\
TRANSFORMETER_COMPILER=\"${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}\";\
TRANSFORMETER_BUILD_TYPE=\"${build_type}\";TRANSFORMETER_LIBRARIES=\"${libraries}\"")
