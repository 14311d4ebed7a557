// What a unit of the scenario offline holds.
#include <gtest/gtest.h>

#include <memory>
#include <numeric>

#include "measure/measurement.h"
#include "support/source_tree.h"

namespace transformeter {
namespace {

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

class OfflineUnits : public testing::Test {
 protected:
  // What a case of eight texts in batches of three answers, warm-up included.
  std::vector<Series> measure(const char* scenario, const char* batching, std::int64_t units) const {
    const Json settings{{"model", "bert-test"},
                        {"task", "sequence_classification"},
                        {"scenario", scenario},
                        {"data", "bundled"},
                        {"batch_size", 3},
                        {"sequence_length", "natural"},
                        {"limit", 8},
                        {"seed", 0},
                        {"precision", "fp32"},
                        {"attention", "sdpa"},
                        {"attention_mask", "on"},
                        {"device", "cpu"},
                        {"bucket_window", "all"},
                        {"batching", batching}};
    const PrepareRequest request{settings, 0, std::nullopt, {}};
    const std::unique_ptr<Measurement> measurement =
        prepare_measurement(worker_case_from(settings), request, context_, parts_);
    std::vector<Series> all;
    const auto keep = [&](const std::vector<Series>& block) {
      for (const Series& one : block) {
        Series* const old = all.empty() || one.name != all.front().name ? nullptr : &all.front();
        old == nullptr ? all.push_back(one) : old->append(one);
      }
    };
    keep(measurement->warm({std::nullopt}).series);
    std::erase_if(all, [](const Series& one) { return one.name != "latency"; });
    MeasureRequest window;
    window.exactly = units;
    Measured measured = measurement->measure(window, keep);
    all.insert(all.end(), measured.series.begin(), measured.series.end());
    EXPECT_EQ(measured.effective.at("cycle_batches"), 3);
    return all;
  }

  SystemClock clock_;
  Context context_{clock_, [](LogLevel, std::string_view) {}, {}, source_directory() / "share"};
  WorkerParts parts_ = builtin_parts();
};

TEST_F(OfflineUnits, HoldAllExamplesOfTheCycle) {
  for (const char* const batching : {"padded", "bucketed", "packed"}) {
    SCOPED_TRACE(batching);
    const std::vector<Series> series = measure("offline", batching, 4);
    const Series& latency = series.front();
    ASSERT_EQ(latency.value.size(), 5U) << "the first pass over a batch, and four units";
    EXPECT_EQ(latency.flags.front(), std::uint32_t{kSampleWarmup | kSampleFirst});
    for (std::size_t i = 1; i < latency.value.size(); ++i) {
      EXPECT_EQ(latency.flags[i], 0U);
      EXPECT_EQ(latency.examples[i], 8);
      EXPECT_EQ(latency.index[i], 0) << "units are alike";
      EXPECT_GE(latency.processed_tokens[i], latency.useful_tokens[i]);
    }
  }
}

TEST_F(OfflineUnits, DoTheWorkOfAllBatches) {
  const std::vector<Series> batches = measure("batch", "padded", 3);
  const std::vector<Series> units = measure("offline", "padded", 3);
  for (const char* const name : {"useful_flops", "processed_flops", "padded_flops"}) {
    const Series* of_batches = find_series(batches, name);
    const Series* of_unit = find_series(units, name);
    ASSERT_TRUE(of_batches != nullptr && of_unit != nullptr) << name;
    EXPECT_EQ(of_batches->value.size(), 3U);
    EXPECT_EQ(of_unit->value, std::vector<double>{sum(of_batches->value)}) << name;
  }
  EXPECT_EQ(find_series(units, "weight_bytes_read")->value.front(),
            3 * find_series(batches, "weight_bytes_read")->value.front())
      << "each batch reads the weights once";
}

}  // namespace
}  // namespace transformeter
