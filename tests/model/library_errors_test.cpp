// Errors of other libraries, recognized by their words.
#include "model/library_errors.h"

#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

namespace transformeter {
namespace {

TEST(LibraryErrors, TellOfMemoryInTheWordsOfEachLibrary) {
  for (const char* words : {"std::bad_alloc", "Failed to allocate memory for requested buffer of size 1000",
                            "Check 'ptr' failed: can't alloc 1000 bytes", "mmap: Cannot allocate memory",
                            "pthread_create failed: Resource temporarily unavailable"}) {
    EXPECT_TRUE(tells_of_memory(words)) << words;
  }
  EXPECT_FALSE(tells_of_memory("Invalid rank for input: input_ids"));
}

TEST(LibraryErrors, SayWhichShapeAFileTakes) {
  const Error error = other_shape("input_ids", "[1,128]", at::zeros({2, 64}));
  EXPECT_EQ(error.kind(), ErrorKind::kUnsupportedShape);
  EXPECT_STREQ(error.what(), "input 'input_ids' has the shape [1,128] in the file, and [2,64] here");
}

}  // namespace
}  // namespace transformeter
