// Kernels whose times a clock is told.
#include "engine/kernel_trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ATen/TensorOperators.h>
#include <ATen/ops/ones.h>

#include <chrono>
#include <stdexcept>
#include <vector>

namespace transformeter {
namespace {

using std::chrono::microseconds;
using testing::HasSubstr;

class KernelTrials : public testing::Test {
 protected:
  // Takes so long at each call, and gives ones times `value`.
  KernelCandidate candidate(std::string_view name, microseconds time, double value = 1) {
    return {name, [this, time, value] {
              return [this, time, value] {
                clock_.advance(time);
                ++calls_;
                return at::ones({4}) * value;
              };
            }};
  }
  KernelChoice choose(const std::vector<KernelCandidate>& candidates, std::size_t usual = 1) {
    return choose_kernel(candidates, usual, 1e-4, meters_);
  }
  // Each call but every `rested`-th waits for a processor for `wait` of its time.
  KernelCandidate waiting(std::string_view name, microseconds time, microseconds wait, int rested) {
    return {name, [this, time, wait, rested] {
              return [this, time, wait, rested, call = 0]() mutable {
                const bool waits = rested == 0 || call % rested != 0;
                ++call;
                clock_.advance(waits ? time : time - wait);
                if (waits) waits_["7"] += std::chrono::duration<double>(wait).count();
                return at::ones({4});
              };
            }};
  }

  FakeClock clock_;
  ThreadWaits waits_{{"7", 0.5}, {"8", 3}};
  const TrialMeters meters_{clock_, [this] { return waits_; }};
  int calls_ = 0;
};

TEST_F(KernelTrials, ChooseTheFastest) {
  EXPECT_EQ(
      choose({candidate("a", microseconds(30)), candidate("b", microseconds(20)), candidate("c", microseconds(10))})
          .index,
      2U);
  const KernelChoice choice = choose({candidate("a", microseconds(10)), candidate("b", microseconds(20))});
  EXPECT_EQ(choice.index, 0U);
  EXPECT_DOUBLE_EQ(choice.trials[0].seconds, 10e-6);
  EXPECT_EQ(choice.trials[1].name, "b");
}

TEST_F(KernelTrials, KeepTheUsualOneAmongEquals) {
  EXPECT_EQ(choose({candidate("a", microseconds(980)), candidate("b", microseconds(1000))}).index, 1U);
  EXPECT_EQ(choose({candidate("a", microseconds(960)), candidate("b", microseconds(1000))}).index, 0U);
}

TEST_F(KernelTrials, TakeTheShortestOfAKernelsTimes) {
  int call = 0;
  const KernelCandidate unsteady{"b", [&] {
                                   return [&] {
                                     clock_.advance(microseconds(++call % 3 == 0 ? 10 : 14));
                                     return at::ones({4});
                                   };
                                 }};
  EXPECT_DOUBLE_EQ(choose({candidate("a", microseconds(13)), unsteady}).trials[1].seconds, 10e-6);
}

TEST_F(KernelTrials, DoNotGiveUpAKernelForOneDisturbedCall) {
  int call = 0;
  const KernelCandidate disturbed{"b", [&] {
                                    return [&] {
                                      clock_.advance(microseconds(++call == 2 ? 3000 : 1000));
                                      return at::ones({4});
                                    };
                                  }};
  const KernelChoice choice = choose({candidate("a", microseconds(1100)), disturbed});
  EXPECT_EQ(choice.index, 1U);
  EXPECT_TRUE(choice.is_steady);
}

// A time that never comes again says nothing: the machine was busy.
TEST_F(KernelTrials, SayWhereTimesAreUnsteady) {
  EXPECT_TRUE(choose({candidate("a", microseconds(13)), candidate("b", microseconds(10))}).is_steady);
  int call = 0;
  const KernelCandidate slowing{"b", [&] {
                                  return [&] {
                                    clock_.advance(microseconds(1000 * ++call));
                                    return at::ones({4});
                                  };
                                }};
  const KernelChoice choice = choose({candidate("a", microseconds(2100)), slowing});
  EXPECT_FALSE(choice.is_steady);
  EXPECT_DOUBLE_EQ(choice.trials[1].seconds, 2e-3) << "the first call is not timed";
  EXPECT_GT(call, 6) << "tried longer";
}

// As where another process has the processors: every call takes a slice of the scheduler, whatever the kernel.
TEST_F(KernelTrials, DoNotTakeWaitsForAProcessorForSteadyTimes) {
  const std::vector<KernelCandidate> slices{waiting("a", microseconds(8000), microseconds(7900), 0),
                                            waiting("b", microseconds(8010), microseconds(7000), 0)};
  EXPECT_FALSE(choose(slices).is_steady);
  waits_.clear();
  EXPECT_TRUE(choose({candidate("a", microseconds(8000)), candidate("b", microseconds(8010))}).is_steady)
      << "where none are counted";
}

TEST_F(KernelTrials, AreSteadyWhereSomeCallsDidNotWait) {
  const KernelChoice choice = choose({waiting("a", microseconds(9000), microseconds(8000), 3),
                                      waiting("b", microseconds(9000), microseconds(8500), 3)});
  EXPECT_EQ(choice.index, 1U);
  EXPECT_TRUE(choice.is_steady);
  EXPECT_DOUBLE_EQ(choice.trials[0].seconds, 1e-3);
}

// Threads that slept between calls are woken.
TEST_F(KernelTrials, AllowForWakingThreads) {
  EXPECT_TRUE(
      choose({candidate("a", microseconds(300)), waiting("b", microseconds(200), microseconds(40), 0)}).is_steady);
  EXPECT_FALSE(
      choose({candidate("a", microseconds(900)), waiting("b", microseconds(800), microseconds(700), 0)}).is_steady);
  for (const int wait : {440, 460}) {  // 5 % of 8 ms, and 0.05 ms
    const std::vector<KernelCandidate> kernels{candidate("a", microseconds(9000)),
                                               waiting("b", microseconds(8000), microseconds(wait), 0)};
    EXPECT_EQ(choose(kernels).is_steady, wait == 440);
  }
}

TEST_F(KernelTrials, LeaveOutWhatIsWrongOrFails) {
  const KernelCandidate failing{"c",
                                []() -> std::function<at::Tensor()> { throw std::runtime_error("no such kernel"); }};
  const KernelChoice choice =
      choose({candidate("a", microseconds(30)), candidate("b", microseconds(10), 1.01), failing});
  EXPECT_EQ(choice.index, 0U);
  EXPECT_THAT(choice.trials[1].refusal, HasSubstr("differ by 0.01"));
  EXPECT_THAT(choice.trials[2].refusal, HasSubstr("no such kernel"));
  EXPECT_FALSE(choice.is_steady) << "the next process may find it well";
  EXPECT_TRUE(choose({candidate("a", microseconds(30)), candidate("b", microseconds(10), 1.01)}).is_steady);
}

TEST_F(KernelTrials, LeaveOutWhatGivesNoNumbers) {
  EXPECT_EQ(choose({candidate("a", microseconds(30)), candidate("b", microseconds(10), std::nan(""))}).index, 0U);
}

TEST_F(KernelTrials, OfAProductSayWhatWasTriedAndWhen) {
  const ProductSize size{64, 48, true, false, 2, {{10, ""}}};
  const std::string now = format_utc(clock_.wall_s());
  const ProductChoice choice =
      try_product(size, {candidate("a", microseconds(30)), candidate("b", microseconds(10))}, 0, meters_);
  EXPECT_EQ(choice.size, size);
  EXPECT_EQ(choice.kernel, "b");
  ASSERT_EQ(choice.trials.size(), 2U);
  EXPECT_DOUBLE_EQ(choice.trials[0].seconds, 30e-6);
  EXPECT_TRUE(choice.is_steady);
  EXPECT_EQ(choice.tried_at, now) << "when the trial began";
  EXPECT_EQ(
      try_product(size, {candidate("a", microseconds(30)), candidate("b", microseconds(10), 1.01)}, 0, meters_).kernel,
      "a")
      << "the other is wrong";
}

TEST_F(KernelTrials, CallSlowKernelsSeldom) {
  choose({candidate("a", std::chrono::seconds(3)), candidate("b", std::chrono::seconds(1))});
  EXPECT_EQ(calls_, 2 + 3 + 3) << "each once before, and three times";
}

// As LibTorch's product in bf16 where the processor has no instructions for it.
TEST_F(KernelTrials, CallAKernelThatIsFarBehindTwice) {
  int call = 0;
  const KernelCandidate slow{"a", [&] {
                               return [&] {
                                 clock_.advance(std::chrono::seconds(++call == 1 ? 9 : 5));
                                 return at::ones({4});
                               };
                             }};
  const KernelChoice choice = choose({slow, candidate("b", std::chrono::seconds(1))}, 0);
  EXPECT_EQ(call, 2);
  EXPECT_EQ(calls_, 1 + 3);
  EXPECT_EQ(choice.index, 1U);
  EXPECT_TRUE(choice.is_steady) << "however much its own times differ";
  EXPECT_DOUBLE_EQ(choice.trials[0].seconds, 5);
  EXPECT_FALSE(choose({waiting("a", std::chrono::seconds(5), microseconds(4'950'000), 0),
                       candidate("b", std::chrono::seconds(1))},
                      0)
                   .is_steady)
      << "it may have waited for all that it is behind";
}

// Weights that are read from a file at the first call, and a machine that is busy at another.
TEST_F(KernelTrials, DoNotGiveUpAKernelForOneLongCall) {
  for (const int long_call : {1, 2}) {
    SCOPED_TRACE(long_call);
    int call = 0;
    const KernelCandidate disturbed{"a", [&] {
                                      return [&] {
                                        clock_.advance(std::chrono::milliseconds(++call == long_call ? 9000 : 800));
                                        return at::ones({4});
                                      };
                                    }};
    const KernelChoice choice = choose({disturbed, candidate("b", std::chrono::seconds(1))});
    EXPECT_EQ(choice.index, 0U);
    EXPECT_TRUE(choice.is_steady);
  }
}

}  // namespace
}  // namespace transformeter
