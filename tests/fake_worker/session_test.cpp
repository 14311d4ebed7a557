// A whole session in one process: verbs, series, counts and limits in fake time.
#include "fake_worker/session.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <thread>

#include "fake_worker/session_client.h"
#include "schema/metric_names.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using nlohmann::literals::operator""_json;
using testing::ElementsAre;

// A session in a thread of its own, greeted.
class FakeSession {
 public:
  explicit FakeSession(const Json& behaviour) : FakeSession(make_channel_pair(), behaviour) {}
  ~FakeSession() {
    client_.reset();
    thread_.join();
  }
  SessionClient* operator->() { return &*client_; }

 private:
  FakeSession(ChannelPair pair, const Json& behaviour)
      : client_(std::in_place, std::move(pair.here)), thread_([there = pair.there, behaviour] {
          try {
            serve_fake_session(Channel(there), behaviour);
          } catch (const Error&) {  // a test that leaves early breaks the session off
          }
        }) {
    client_->expect(verb::kHello);
  }

  std::optional<SessionClient> client_;
  std::thread thread_;
};

MeasureRequest exactly(std::int64_t count) {
  MeasureRequest request;
  request.exactly = count;
  return request;
}

// Those of the replies; latency, and for requests its parts, come in warm and as samples.
std::multiset<std::string> reported_series(const Json& settings) {
  FakeSession session(Json::object());
  std::vector<Series> all = session->prepare(settings).series;
  const auto add = [&](const std::vector<Series>& series) { all.insert(all.end(), series.begin(), series.end()); };
  add(session->warm().series);
  add(session->measure(exactly(5)).measured.series);
  add(session->evaluate().series);
  session->ask(bare_message(verb::kTeardown), verb::kTornDown);
  std::multiset<std::string> names;
  for (const Series& one : all) names.insert(one.name);
  return names;
}

const Json kRequests{{"scenario", "generate"}, {"prompt_length", 20}, {"new_tokens", 4}};

TEST(FakeSession, ReportsEveryDeclaredSeriesOnce) {
  const std::set<std::string> of_requests{"time_to_first_token", "decode_step", "cache_bytes"};
  const std::set<std::string> of_batches{"useful_flops", "processed_flops", "padded_flops", "weight_bytes_read",
                                         "audio_seconds"};
  // What the command computes itself from the outputs, and knows of slices.
  const std::set<std::string> compared{"divergence",    "divergence_max", "compared_inputs",
                                       "compared_rows", "agreed_rows",    "slice_first_sample",
                                       "slice_start",   "slice_round",    "independent_slices"};
  // What a machine without a GPU and without energy counters does not give.
  const std::set<std::string> of_meters{
      "peak_reserved", "device_process_memory", "memory_clock_after", "idle_power",   "device_time",
      "launch_time",   "host_to_device",        "device_to_host",     "back_to_back", "sample_cpu_time"};
  const auto is_of_meters = [&](const std::string& name) {
    return name.starts_with("gpu_") || name.starts_with("sm_clock_") || name.starts_with("energy_") ||
           of_meters.count(name) > 0;
  };
  const auto batch = reported_series({{"batch_size", 8}, {"sequence_length", 128}});
  const auto requests = reported_series(kRequests);
  for (const MetricTerm& term : series_terms()) {
    const std::string name(term.name);
    const bool is_reported = compared.count(name) == 0 && !is_of_meters(name);
    EXPECT_EQ(requests.count(name), is_reported && of_batches.count(name) == 0 ? 1u : 0u) << name;
    EXPECT_EQ(batch.count(name), is_reported && of_requests.count(name) == 0 ? 1u : 0u) << name;
  }
}

TEST(FakeSession, RequestsHaveAFirstTokenAndSteps) {
  FakeSession session(R"({"latency": {"mean_s": 0.05}, "step": {"mean_s": 0.002}})"_json);
  session->prepare(kRequests);
  session->warm(2);
  const auto measured = session->measure(exactly(3));
  ASSERT_EQ(measured.all.size(), 3u);
  for (const double seconds : measured.latency.value) EXPECT_NEAR(seconds, 0.05 + 3 * 0.002, 1e-12);
  EXPECT_THAT(measured.all[1].value, ElementsAre(0.05, 0.05, 0.05));
  EXPECT_THAT(measured.all[2].index, ElementsAre(1, 2, 3, 1, 2, 3, 1, 2, 3));
  EXPECT_NEAR(measured.all[2].start_s[3], 0.056 + 0.05, 1e-12) << "after the second request's first token";
  EXPECT_THAT(measured.latency.index, ElementsAre(2, 3, 4)) << "two prompts were taken in the warm-up";
}

TEST(FakeSession, CountsTheCpuTimeOfSamplesWhereItIsToldTo) {
  for (const Json& settings : {Json{{"batch_size", 8}, {"sequence_length", 128}}, kRequests}) {
    FakeSession session(R"({"cpu_time_s": 0.009})"_json);
    session->prepare(settings);
    EXPECT_EQ(find_series(session->warm(2).series, "sample_cpu_time")->value, (std::vector{0.009, 0.009}));
    EXPECT_EQ(find_series(session->measure(exactly(3)).all, "sample_cpu_time")->value, std::vector<double>(3, 0.009));
  }
}

TEST(FakeSession, AnswersAsItsCountsSay) {
  FakeSession session(R"({"scalars": {"correct": 3, "evaluated": 5}})"_json);
  session->prepare({{"batch_size", 8}, {"sequence_length", 128}});
  const auto all = session->evaluate().series;
  EXPECT_THAT(find_series(all, "true_class")->value, ElementsAre(0, 1, 0, 1, 0));
  EXPECT_THAT(find_series(all, "predicted_class")->value, ElementsAre(0, 1, 0, 0, 1));
}

TEST(FakeSession, GivesTheOutputsItIsToldTo) {
  FakeSession session(R"({"outputs": {"inputs": 4, "error": 0.5}})"_json);
  session->prepare({{"batch_size", 8}, {"sequence_length", 128}});
  const auto ask = [&](OutputRequest outputs) {
    EvaluateRequest request;
    request.outputs = std::move(outputs);
    return session->evaluate(request).outputs.value();
  };
  OutputRequest first;
  first.most_inputs = 2;
  EXPECT_EQ(ask(first), (Outputs{2, {0, 1}, {1, 1}, {1.5F, -0.5F, -0.5F, 1.5F}}));
  OutputRequest named;
  named.inputs = {3, 9};
  EXPECT_EQ(ask(named), (Outputs{2, {3}, {1}, {-0.5F, 1.5F}}));
}

TEST(FakeSession, RunsOneBatchForAFixedLengthAndFourForNatural) {
  FakeSession fixed(Json::object());
  fixed->prepare({{"batch_size", 2}, {"sequence_length", 128}});
  EXPECT_EQ(fixed->warm().cycle_batches, 1);
  const Series one = fixed->measure(exactly(3)).latency;
  EXPECT_THAT(one.index, ElementsAre(0, 0, 0));
  EXPECT_THAT(one.processed_tokens, ElementsAre(256, 256, 256));
  EXPECT_THAT(one.useful_tokens, ElementsAre(240, 240, 240)) << "128, and 128 - 128/8";

  FakeSession natural(R"({"latency": {"mean_s": 0.01}})"_json);
  natural->prepare({{"batch_size", 1}, {"sequence_length", "natural"}});
  const Warmed warmed = natural->warm(4);
  EXPECT_EQ(warmed.cycle_batches, 4);
  EXPECT_DOUBLE_EQ(warmed.cycle_forecast_s, 0.04);
  const Series four = natural->measure(exactly(5)).latency;
  EXPECT_THAT(four.index, ElementsAre(0, 1, 2, 3, 0));
  EXPECT_THAT(four.processed_tokens, ElementsAre(16, 24, 32, 40, 16));
  EXPECT_EQ(four.useful_tokens, four.processed_tokens) << "one text is never padded";
  EXPECT_NEAR(four.value[0] / four.value[3], 16.0 / 40, 1e-12) << "time follows the tokens";
}

TEST(FakeSession, KeepsItsClockInTheSamples) {
  FakeSession session(R"({"latency": {"mean_s": 0.25, "warmup_samples": 2, "warmup_factor": 3}})"_json);
  session->prepare({{"sequence_length", 8}});
  const Warmed warmed = session->warm();
  const Series* warm = find_series(warmed.series, "latency");
  ASSERT_NE(warm, nullptr);
  EXPECT_THAT(warm->value, ElementsAre(0.75, 0.5, 0.25));
  EXPECT_THAT(warm->start_s, ElementsAre(-1.5, -0.75, -0.25));
  EXPECT_THAT(warm->flags, ElementsAre(kSampleWarmup | kSampleFirst, kSampleWarmup, kSampleWarmup));
  EXPECT_EQ(find_series(warmed.series, "first_forward")->value[0], 0.75);

  const auto measurement = session->measure(exactly(3));
  EXPECT_THAT(measurement.latency.start_s, ElementsAre(0, 0.25, 0.5));
  EXPECT_EQ(measurement.measured.stop_reason, "count_reached");
  EXPECT_EQ(find_series(measurement.measured.series, "window")->value[0], 0.75);
}

TEST(FakeSession, MeasuresSlicesAfterAShortWarmUpEach) {
  FakeSession session(R"({"latency": {"mean_s": 1}, "samples": 20})"_json);
  session->prepare({{"sequence_length", 8}});
  const Warmed first = session->warm();
  EXPECT_NE(find_series(first.series, "first_forward"), nullptr);
  MeasureRequest slice;
  slice.slices = 3;
  slice.limit_s = 0.5;
  std::vector<std::size_t> counts;
  for (slice.slice = 0; slice.slice < 3; ++slice.slice) {
    if (slice.slice > 0) {
      const Warmed again = session->warm();
      ASSERT_EQ(again.series.size(), 1u) << "the samples alone";
      EXPECT_EQ(again.series[0].flags, std::vector<std::uint32_t>{kSampleWarmup});
      EXPECT_LT(again.series[0].start_s.front(), 0);
    }
    const auto result = session->measure(slice);
    EXPECT_EQ(result.measured.stop_reason, "slice_done");
    counts.push_back(result.latency.value.size());
  }
  EXPECT_EQ(counts, (std::vector<std::size_t>{6, 7, 7})) << "20 in all";
}

TEST(FakeSession, StopsAtItsCountTheLimitOrWholeCycles) {
  FakeSession session(R"({"latency": {"mean_s": 1}, "samples": 21, "block": 10})"_json);
  session->prepare({{"sequence_length", 8}});
  auto result = session->measure(MeasureRequest{});
  EXPECT_EQ(result.measured.stop_reason, "target_met");
  EXPECT_EQ(result.latency.value.size(), 21u);
  EXPECT_EQ(result.blocks, 3);

  MeasureRequest limited;
  limited.limit_s = 3;
  result = session->measure(limited);
  EXPECT_EQ(result.measured.stop_reason, "limit_reached");
  EXPECT_EQ(result.latency.value.size(), 10u) << "a soft limit stretches to 10 samples";
  limited.limit_is_hard = true;
  EXPECT_EQ(session->measure(limited).latency.value.size(), 3u);

  FakeSession natural(R"({"samples": 21})"_json);
  natural->prepare({{"sequence_length", "natural"}});
  EXPECT_EQ(natural->measure(MeasureRequest{}).latency.value.size(), 24u) << "whole cycles of 4";
  MeasureRequest cut;
  cut.cycle_batches = 2;
  result = natural->measure(cut);
  EXPECT_EQ(result.latency.value.size(), 22u);
  EXPECT_EQ(*std::max_element(result.latency.index.begin(), result.latency.index.end()), 1);
}

std::vector<double> drawn(const Json& behaviour, std::int64_t spawned_at_ns, const Json& settings) {
  FakeSession session(behaviour);
  session->prepare(settings, spawned_at_ns);
  return session->measure(exactly(5)).latency.value;
}

TEST(FakeSession, DrawsTheSameAgainUnlessToldToVary) {
  Json behaviour = {{"latency", {{"kind", "normal"}, {"sd_s", 0.001}}}};
  const Json settings = {{"sequence_length", 8}};
  EXPECT_EQ(drawn(behaviour, 1, settings), drawn(behaviour, 2, settings));
  EXPECT_NE(drawn(behaviour, 1, settings), drawn(behaviour, 1, {{"sequence_length", 16}}));
  behaviour["vary"] = true;
  EXPECT_NE(drawn(behaviour, 1, settings), drawn(behaviour, 2, settings));
}

TEST(FakeSession, CountsTheWorkersOfACaseAndDrawsForEach) {
  const TemporaryFolder folder;
  const Json behaviour = {{"latency", {{"kind", "normal"}, {"sd_s", 0.001}}},
                          {"replicate_folder", (folder.path() / "first").string()},
                          {"faults", {{{"kind", "close"}, {"at", "measure"}, {"replicates", {1}}}}}};
  const Json settings = {{"sequence_length", 8}};
  const std::vector<double> zero = drawn(behaviour, 1, settings);
  {
    FakeSession struck(behaviour);
    struck->prepare(settings);
    struck->send(to_message(exactly(5)));
    Message message;
    EXPECT_EQ(struck->receive(message), Channel::Outcome::kClosed) << "only replicate 1 has the fault";
  }
  const std::vector<double> two = drawn(behaviour, 1, settings);
  EXPECT_NE(zero, two);
  EXPECT_NE(drawn(behaviour, 1, {{"sequence_length", 16}}), zero) << "another case counts for itself";
  Json again = behaviour;
  again["replicate_folder"] = (folder.path() / "second").string();
  EXPECT_EQ(drawn(again, 1, settings), zero) << "a new folder begins anew";
}

TEST(FakeSession, StopsByTheRuleInFakeTime) {
  FakeSession session(R"({"rule": true, "latency": {"mean_s": 0.3}})"_json);
  session->prepare({{"sequence_length", 8}});
  auto result = session->measure(MeasureRequest{});
  EXPECT_EQ(result.measured.stop_reason, "target_met");
  EXPECT_GE(result.latency.value.size(), 10u);
  EXPECT_EQ(session->measure(exactly(4)).measured.stop_reason, "count_reached");

  FakeSession noisy(R"({"rule": true, "latency": {"kind": "lognormal", "mean_s": 0.3, "sd_s": 0.6}})"_json);
  noisy->prepare({{"sequence_length", 8}});
  MeasureRequest limited;
  limited.limit_s = 1;
  limited.limit_is_hard = true;
  result = noisy->measure(limited);
  EXPECT_EQ(result.measured.stop_reason, "limit_reached");
  const auto& seconds = result.latency.value;
  const double total = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  EXPECT_GE(total, 1);
  EXPECT_LT(total - seconds.back(), 1);
}

TEST(FakeSession, DescribesWhatItIsToldTo) {
  FakeSession session(R"({"capabilities": {"values": {"precision": ["int4"]}, "native": {}, "reasons": {}}})"_json);
  const auto described = from_message<Described>(session->ask(bare_message(verb::kDescribe), verb::kDescribed));
  EXPECT_EQ(described.capabilities.why_not("precision", "int4"), std::nullopt);
  EXPECT_NE(described.capabilities.why_not("precision", "fp32"), std::nullopt);
}

TEST(FakeSession, ReadsBackWhatAutoBecame) {
  FakeSession session(R"({"effective": {"threads": 4}})"_json);
  const Json effective = session->prepare({{"precision", "auto"}, {"threads", "auto"}, {"batch_size", 8}}).effective;
  EXPECT_EQ(effective["precision"], "fp32");
  EXPECT_EQ(effective["threads"], 4);
  EXPECT_EQ(effective["batch_size"], 8);
}

TEST(FakeSession, FailsWithTheStatusAskedForAndEnds) {
  FakeSession session(R"({"faults": [{"kind": "failed", "at": "prepare", "status": "unsupported_shape",
                                  "reason": "too long"}]})"_json);
  PrepareRequest request;
  const auto failed = from_message<Failed>(session->ask(to_message(request), verb::kFailed));
  EXPECT_EQ(failed.status, Status::kUnsupportedShape);
  EXPECT_EQ(failed.reason, "too long");
  Message message;
  EXPECT_EQ(session->receive(message), Channel::Outcome::kClosed);
}

TEST(FakeSession, BreaksTheProtocolInEachWayAskedFor) {
  const auto provoke = [](const char* kind) {
    FakeSession session(Json{{"faults", Json::array({{{"kind", kind}, {"at", "describe"}}})}});
    session->send(bare_message(verb::kDescribe));
    Message message;
    try {
      return session->receive(message) == Channel::Outcome::kClosed ? std::string("closed") : std::string("a message");
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  EXPECT_THAT(provoke("garbage"), testing::HasSubstr("not a message"));
  EXPECT_THAT(provoke("other_version"), testing::HasSubstr(fmt::format("speaks protocol version {}, this one {}",
                                                                       kProtocolVersion + 98, kProtocolVersion)));
  EXPECT_THAT(provoke("malformed"), testing::HasSubstr("no JSON header"));
  EXPECT_EQ(provoke("close"), "closed");
}

TEST(FakeSession, StrikesInTheMiddleOfMeasuring) {
  FakeSession session(R"({"faults": [{"kind": "close", "at": "measure", "after_samples": 3}]})"_json);
  session->prepare({{"sequence_length", 8}});
  session->send(to_message(exactly(10)));
  const auto block = from_message<std::vector<Series>>(session->expect(verb::kSamples));
  EXPECT_EQ(block[0].value.size(), 3u);
  Message message;
  EXPECT_EQ(session->receive(message), Channel::Outcome::kClosed);
}

}  // namespace
}  // namespace transformeter
