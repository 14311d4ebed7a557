// Warm-up of a cycle of natural lengths, by a clock on which every pass is slow.
#include "measure/measurement.h"

#include <gtest/gtest.h>

#include <memory>

#include "support/source_tree.h"

namespace transformeter {
namespace {

// A second goes by with each look at it.
class SlowClock final : public Clock {
 public:
  TimePoint now() const override { return now_ += std::chrono::seconds(1); }
  double wall_s() const override { return 0; }

 private:
  mutable TimePoint now_{};
};

class WarmCycle : public testing::Test {
 protected:
  // How many samples of a cycle of eight batches are flagged as warm-up, before and after measuring began.
  struct Warmups {
    std::size_t before = 0;
    std::size_t after = 0;
  };

  Warmups measure(std::optional<std::int64_t> count) {
    const Json settings{{"model", "bert-test"},
                        {"task", "sequence_classification"},
                        {"data", "bundled"},
                        {"batch_size", 1},
                        {"sequence_length", "natural"},
                        {"limit", 8},
                        {"seed", 0},
                        {"precision", "fp32"},
                        {"attention", "sdpa"},
                        {"attention_mask", "on"},
                        {"device", "cpu"}};
    const PrepareRequest request{settings, 0, std::nullopt, {}};
    const std::unique_ptr<Measurement> measurement =
        prepare_measurement(worker_case_from(settings), request, context_, parts_);
    Warmups warmups;
    warmups.before = find_series(measurement->warm({count}).series, "latency")->value.size();
    MeasureRequest window;
    window.exactly = 8;
    measurement->measure(window, [&](const std::vector<Series>& block) {
      const std::vector<std::uint32_t>& flags = find_series(block, "latency")->flags;
      for (const std::uint32_t flag : flags) warmups.after += (flag & kSampleWarmup) != 0 ? 1 : 0;
    });
    return warmups;
  }

  SlowClock clock_;
  Context context_{clock_, [](LogLevel, std::string_view) {}, {}, source_directory() / "share"};
  WorkerParts parts_ = builtin_parts();
};

TEST_F(WarmCycle, IsWholeBeforeTheWindowBegins) {
  const Warmups warmups = measure(std::nullopt);
  EXPECT_EQ(warmups.before, 3U) << "three seconds are longer than the automatic warm-up";
  EXPECT_EQ(warmups.after, 5U) << "the other batches of the eight, once each";
}

TEST_F(WarmCycle, IsAsShortAsTheUserFixedIt) {
  const Warmups warmups = measure(2);
  EXPECT_EQ(warmups.before, 2U);
  EXPECT_EQ(warmups.after, 0U);
}

}  // namespace
}  // namespace transformeter
