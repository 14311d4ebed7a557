// Steps on a clock that only the work moves.
#include "measure/step_sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "device/devices.h"
#include "measure/measuring_loop.h"

namespace transformeter {
namespace {

class StepSamplerTest : public testing::Test {
 protected:
  // One step of `size`.
  std::vector<Series> series_of(const StepSize& size) {
    StepSampler sampler(clock_, *device_,
                        {[] {},
                         [this](const std::function<void(StepPhase)>& on_phase) {
                           clock_.advance(std::chrono::milliseconds(3));
                           on_phase(StepPhase::kForward);
                           on_phase(StepPhase::kBackward);
                           on_phase(StepPhase::kOptimizer);
                           return StepResult{};
                         },
                         [size] { return size; }});
    sampler.take(0);
    return sampler.drain();
  }
  static std::vector<double> values(const std::vector<Series>& series, const std::string& name) {
    const auto found = std::find_if(series.begin(), series.end(), [&](const Series& one) { return one.name == name; });
    return found == series.end() ? std::vector<double>{} : found->value;
  }

  FakeClock clock_;
  std::unique_ptr<Device> device_ = make_device("cpu");
};

TEST_F(StepSamplerTest, OperationsAreThoseOfTheStep) {
  const std::vector<Series> series = series_of({{2, 10, 16}, StepFlops{30, 48, 60}});
  EXPECT_EQ(values(series, "useful_step_flops"), std::vector<double>{30});
  EXPECT_EQ(values(series, "processed_step_flops"), std::vector<double>{48});
  EXPECT_EQ(values(series, "padded_step_flops"), std::vector<double>{60});
  EXPECT_EQ(values(series, "forward_time"), std::vector<double>{0.003});
}

TEST_F(StepSamplerTest, WithoutAFormulaThereAreNoOperations) {
  for (const Series& one : series_of({{2, 10, 16}, {}})) EXPECT_EQ(one.name.find("flops"), std::string::npos);
}

// One slow step in nine, and time between steps, are not what the harness adds to a step.
TEST_F(StepSamplerTest, TheHarnessCostsWhatATypicalStepOfNothingTakes) {
  int steps = 0;
  StepSampler nothing(
      clock_, *device_,
      {[] {},
       [&](const std::function<void(StepPhase)>& on_phase) {
         clock_.advance(++steps == 3 ? std::chrono::milliseconds(50) : std::chrono::milliseconds(2));
         for (const StepPhase phase : {StepPhase::kForward, StepPhase::kBackward, StepPhase::kOptimizer}) {
           on_phase(phase);
         }
         return StepResult{};
       },
       [&] {
         clock_.advance(std::chrono::milliseconds(7));  // after the step
         return StepSize{};
       }});
  EXPECT_DOUBLE_EQ(measure_harness_cost(nothing, clock_, {}, 9), 0.002);
}

}  // namespace
}  // namespace transformeter
