# The target sentencepiece::sentencepiece. Its pkg-config file also names the library for training, which we leave out.
find_path(SENTENCEPIECE_INCLUDE_DIR sentencepiece_processor.h REQUIRED)
find_library(SENTENCEPIECE_LIBRARY sentencepiece REQUIRED)
mark_as_advanced(SENTENCEPIECE_INCLUDE_DIR SENTENCEPIECE_LIBRARY)
# Not pkg_check_modules: on Ubuntu 24.04 sentencepiece.pc requires protobuf-lite, which its package does not install.
execute_process(COMMAND ${PKG_CONFIG_EXECUTABLE} --modversion sentencepiece OUTPUT_VARIABLE SENTENCEPIECE_VERSION
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
add_library(sentencepiece::sentencepiece UNKNOWN IMPORTED)
set_target_properties(sentencepiece::sentencepiece PROPERTIES
  IMPORTED_LOCATION "${SENTENCEPIECE_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${SENTENCEPIECE_INCLUDE_DIR}")
