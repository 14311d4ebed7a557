// The wording of errors about values.
#include "base/error.h"

#include <gtest/gtest.h>

namespace transformeter {
namespace {

TEST(Errors, SayWhatWasExpectedInsteadOfABadValue) {
  const Error error = bad_value("--count", "many", "a whole number", "Omit it for all.");
  EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
  EXPECT_STREQ(error.what(), "--count 'many' is not valid; expected a whole number. Omit it for all.");
  EXPECT_STREQ(bad_value("--count", "", "a whole number").what(), "--count '' is not valid; expected a whole number.");
}

TEST(Errors, SayWhyAValueIsRefused) {
  const Error error = refused_value("tokenizer", "x", "no such file or folder", "Look elsewhere.");
  EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
  EXPECT_STREQ(error.what(), "tokenizer 'x' is not valid: no such file or folder. Look elsewhere.");
}

}  // namespace
}  // namespace transformeter
