// Outputs come out as they went in; bytes that do not fit are refused.
#include "schema/outputs.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "schema/messages.h"

namespace transformeter {
namespace {

const Outputs kTwo{3, {5, 1LL << 59}, {1, 2}, {0.5F, -1, 2, 3, 4, 5, 6, 7, 8}};

TEST(Outputs, SurviveTheTripBesideSeries) {
  const Evaluated sent{{scalar_series("correct", 3)}, kTwo};
  const auto received = from_message<Evaluated>(to_message(sent));
  EXPECT_EQ(received.outputs, kTwo);
  EXPECT_EQ(received.series.at(0).value.at(0), 3);
  EXPECT_FALSE(from_message<Evaluated>(to_message(Evaluated{})).outputs);
}

TEST(Outputs, TheRequestNamesInputsAndLimits) {
  EvaluateRequest request;
  EXPECT_FALSE(from_message<EvaluateRequest>(to_message(request)).outputs);
  request.outputs = OutputRequest{{7, 1LL << 59}, false, true, 1, 2, 3, 4, 5};
  const auto received = from_message<EvaluateRequest>(to_message(request)).outputs;
  ASSERT_TRUE(received);
  EXPECT_EQ(received->inputs, request.outputs->inputs);
  EXPECT_FALSE(received->attention_mask);
  EXPECT_TRUE(received->plain);
  EXPECT_EQ(received->fewest_inputs, 1);
  EXPECT_EQ(received->most_inputs, 2);
  EXPECT_EQ(received->most_tokens, 3);
  EXPECT_EQ(received->most_values, 4);
  EXPECT_EQ(received->limit_tokens, 5);
}

void expect_refused(Json directory, const std::string& bytes) {
  std::string_view blob = bytes;
  EXPECT_THROW(decode_outputs(directory, blob), Error) << directory.dump();
}

TEST(Outputs, RefuseWhatDoesNotAddUp) {
  std::string blob;
  const Json directory = encode_outputs(kTwo, blob);
  expect_refused(directory, blob.substr(1));
  Json other = directory;
  other["width"] = 4;  // 9 values are no rows of 4
  expect_refused(other, blob);
  other["width"] = 1;  // nor are 3 rows all of 9
  expect_refused(other, blob);
  other["width"] = -3;
  expect_refused(other, blob);
  other = directory;
  other["inputs"] = std::uint64_t{1} << 62;
  expect_refused(other, blob);
  Outputs more_rows = kTwo;
  more_rows.rows = {1LL << 62, 1LL << 62};
  std::string bytes;
  const Json claim = encode_outputs(more_rows, bytes);
  expect_refused(claim, bytes);
}

}  // namespace
}  // namespace transformeter
