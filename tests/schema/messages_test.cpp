// Messages come out as they went in; what lacks a field or has another type is refused by name.
#include "schema/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace transformeter {
namespace {

TEST(Messages, SurviveTheTrip) {
  PrepareRequest prepare;
  prepare.settings = {{"batch_size", 8}};
  prepare.spawned_at_ns = std::int64_t{1} << 62;
  prepare.own_pids = {1, 2};
  const auto prepared = from_message<PrepareRequest>(to_message(prepare));
  EXPECT_EQ(prepared.settings, prepare.settings);
  EXPECT_EQ(prepared.spawned_at_ns, prepare.spawned_at_ns);
  EXPECT_EQ(prepared.memory_limit_bytes, std::nullopt);
  EXPECT_EQ(prepared.own_pids, prepare.own_pids);

  MeasureRequest measure;
  measure.exactly = 12;
  measure.limit_is_hard = true;
  measure.slice = 3;
  measure.slices = 8;
  const auto measured = from_message<MeasureRequest>(to_message(measure));
  EXPECT_EQ(measured.exactly, 12);
  EXPECT_EQ(measured.cycle_batches, std::nullopt);
  EXPECT_TRUE(measured.limit_is_hard);
  EXPECT_EQ(measured.slice, 3);
  EXPECT_EQ(measured.slices, 8);

  const auto failed = from_message<Failed>(to_message(Failed{Status::kOutOfMemory, "12 GiB asked for"}));
  EXPECT_EQ(failed.status, Status::kOutOfMemory);
  EXPECT_EQ(failed.reason, "12 GiB asked for");

  Warmed warmed;
  warmed.series = {scalar_series("cold_start", 1.5)};
  warmed.cycle_batches = 4;
  EXPECT_EQ(from_message<Warmed>(to_message(warmed)).series[0].value[0], 1.5);
}

TEST(Messages, CarryPeaksWithEveryPoint) {
  const Json settings = {{"model", "bert-mini"}};
  EXPECT_EQ(from_message<ForecastRequest>(to_message(ForecastRequest{settings})).settings, settings);
  const Json memory = {{"peak_bytes", 4096.0}};
  EXPECT_EQ(from_message<Forecasted>(to_message(Forecasted{memory})).memory, memory);
  const auto asked = from_message<MeasurePeakRequest>(to_message(MeasurePeakRequest{"gemm_bf16", "cpu", {3, 4}}));
  EXPECT_EQ(asked.quantity, "gemm_bf16");
  EXPECT_EQ(asked.device, "cpu");
  EXPECT_EQ(asked.own_pids, (std::vector<int>{3, 4}));

  PeakMeasured measured;
  measured.peak.quantity = "gemm_bf16";
  measured.peak.rate = Estimate{2e12, Interval{1.9e12, 2.1e12}, 28};
  measured.peak.best = PeakPoint{"linear_prepacked", {128, 768, 3072}, 2.05e12};
  measured.peak.points = {*measured.peak.best, {"linear", {1, 2, 3}, 1e9}};
  measured.peak.notes = {"larger shapes were skipped"};
  measured.peak.foreign_load = 0.5;
  EXPECT_EQ(to_json(from_message<PeakMeasured>(to_message(measured)).peak), to_json(measured.peak));
  PeakMeasured none;
  none.peak.reason = "no such kernel";
  const Peak back = from_message<PeakMeasured>(to_message(none)).peak;
  EXPECT_FALSE(back.rate || back.best || back.foreign_load);
  EXPECT_EQ(back.reason, "no such kernel");
}

TEST(Messages, CarryInputsAndAnswersInOrder) {
  PredictRequest request;
  request.inputs = {{"Ann ran", {}, {{0, 3}, {4, 7}}}, {"who?", "\xC3\x84nn", {}}};
  request.options.top_k = 3;
  const auto asked = from_message<PredictRequest>(to_message(request));
  ASSERT_EQ(asked.inputs.size(), 2U);
  EXPECT_EQ(asked.inputs[0].words, request.inputs[0].words);
  EXPECT_EQ(asked.inputs[1].text_pair, "\xC3\x84nn");
  EXPECT_EQ(asked.options.top_k, 3);

  Predicted predicted;
  predicted.predictions = {{EmbeddingPrediction{{0.1F}}, true}, {AnswerPrediction{"Ann", {0, 3}, 0.5, {}}, false}};
  predicted.refused = RefusedInput{2, "no"};
  const auto answered = from_message<Predicted>(to_message(predicted));
  ASSERT_EQ(answered.predictions.size(), 2U);
  EXPECT_EQ(std::get<EmbeddingPrediction>(answered.predictions[0].value).embedding, std::vector<float>{0.1F});
  EXPECT_TRUE(answered.predictions[0].truncated);
  EXPECT_EQ(std::get<AnswerPrediction>(answered.predictions[1].value).answer, "Ann");
  EXPECT_EQ(answered.refused->index, 2U);
  EXPECT_EQ(answered.refused->reason, "no");
  EXPECT_FALSE(from_message<Predicted>(to_message(Predicted{})).refused);
}

TEST(Messages, RefuseAnAnswerThatIsNone) {
  Message message = to_message(Predicted{{{EmbeddingPrediction{{1}}, false}}, {}});
  message.header["predictions"][0]["embedding"][0] = nullptr;  // what JSON makes of a number that is none
  EXPECT_THROW(from_message<Predicted>(message), Error);
  message.header["predictions"][0] = 5;
  EXPECT_THROW(from_message<Predicted>(message), Error);
}

// Every field of every message, taken away or given another type, is an Error and nothing else. `later`: a field that
// workers of an earlier version do not send.
template <typename T>
void expect_strict(const Message& message, std::string_view later = "") {
  EXPECT_NO_THROW(from_message<T>(message));
  for (const auto& [field, value] : message.header.items()) {
    if (field == "type") continue;
    Message without = message;
    without.header.erase(field);
    try {
      from_message<T>(without);
      if (field == later) continue;
      ADD_FAILURE() << message.type() << " without " << field;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kProtocol);
      EXPECT_THAT(error.what(), testing::HasSubstr(message.type()));
    }
    if (value.is_object()) continue;  // free-form documents
    Message other = message;
    other.header[field] = Json::array({Json::object({{"odd", true}})});
    EXPECT_THROW(from_message<T>(other), Error) << message.type() << "." << field;
  }
}

TEST(Messages, RefuseMissingAndWrongFields) {
  Measured measured;
  measured.series = {scalar_series("window", 1)};
  expect_strict<Hello>(to_message(Hello{"worker", "1", 7}));
  expect_strict<Described>(to_message(Described{}), "gives_forecasts");
  expect_strict<ForecastRequest>(to_message(ForecastRequest{}));
  expect_strict<Forecasted>(to_message(Forecasted{}));
  expect_strict<PrepareRequest>(to_message(PrepareRequest{}));
  expect_strict<Prepared>(to_message(Prepared{}));
  expect_strict<WarmRequest>(to_message(WarmRequest{}));
  expect_strict<Warmed>(to_message(Warmed{}));
  expect_strict<MeasureRequest>(to_message(MeasureRequest{}));
  expect_strict<Measured>(to_message(measured));
  expect_strict<EvaluateRequest>(to_message(EvaluateRequest{}));
  expect_strict<Evaluating>(to_message(Evaluating{}));
  expect_strict<Evaluated>(to_message(Evaluated{}));
  PredictRequest request;
  request.inputs = {{"a", "b", {{0, 1}}}};
  expect_strict<PredictRequest>(to_message(request));
  expect_strict<Predicted>(to_message(Predicted{{{EmbeddingPrediction{{1}}, false}}, RefusedInput{1, "no"}}));
  expect_strict<ProfileRequest>(to_message(ProfileRequest{}));
  expect_strict<Profiling>(to_message(Profiling{}));
  Profile profile;
  profile.nodes = {{.kind = ProfileNodeKind::kPass, .name = "forward pass"}};
  profile.passes = profile.batches = 1;
  profile.unprofiled_s = profile.profiled_s = {1};
  expect_strict<Profiled>(to_message(Profiled{profile}));
  expect_strict<Failed>(to_message(Failed{}));
}

TEST(Messages, AFailureKeepsTheKindOfItsError) {
  for (const ErrorKind kind :
       {ErrorKind::kBadInput, ErrorKind::kEnvironment, ErrorKind::kDiverged, ErrorKind::kInternal}) {
    EXPECT_EQ(from_message<Failed>(to_message(Failed{Status::kFailed, "why", kind})).kind, kind);
  }
  EXPECT_EQ(from_message<Failed>(to_message(Failed{})).kind, std::nullopt);
  Message failed = to_message(Failed{});
  failed.header["kind"] = "sad";
  EXPECT_THROW(from_message<Failed>(failed), Error);
}

TEST(Messages, RefuseAStatusOrASeriesThatIsNone) {
  Message failed = to_message(Failed{});
  failed.header["status"] = "fine";
  EXPECT_THROW(from_message<Failed>(failed), Error);
  Message block = samples_message({scalar_series("window", 1)});
  block.blob.pop_back();
  EXPECT_THROW(from_message<std::vector<Series>>(block), Error);
}

}  // namespace
}  // namespace transformeter
