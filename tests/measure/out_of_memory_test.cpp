// What libraries say when memory does not suffice, and what only sounds like it.
#include "measure/out_of_memory.h"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

#include "base/error.h"

namespace transformeter {
namespace {

bool is_of_memory(const char* text) {
  return is_out_of_memory(std::runtime_error(text));
}

TEST(OutOfMemory, IsToldByTypeOrWords) {
  EXPECT_TRUE(is_out_of_memory(std::bad_alloc()));
  EXPECT_TRUE(is_out_of_memory(Error(ErrorKind::kOutOfMemory, "no room")));
  EXPECT_TRUE(is_of_memory("DefaultCPUAllocator: can't allocate memory"));
  EXPECT_TRUE(is_of_memory("could not create a memory object"));
  EXPECT_TRUE(is_of_memory("could not create a primitive"));
  EXPECT_TRUE(is_of_memory("could not create a primitive\nat a place of the library"));
}

TEST(OutOfMemory, IsNoOtherError) {
  EXPECT_FALSE(is_out_of_memory(Error(ErrorKind::kBadInput, "could not create a primitive")));
  EXPECT_FALSE(is_of_memory("could not create a primitive descriptor for a matmul primitive"));
  EXPECT_FALSE(is_of_memory("mat1 and mat2 shapes cannot be multiplied"));
}

}  // namespace
}  // namespace transformeter
