// Counters of a made-up powercap folder and of a fake GPU; nothing here sleeps.
#include "machine/energy_meter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machine/fake_environment.h"
#include "machine/fixture_tree.h"

namespace transformeter {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kRange = "262143328850";  // of most Intel processors, in microjoules

void write_zone(FixtureTree& tree, const std::string& zone, const std::string& name, const std::string& microjoules) {
  const std::string folder = "sys/class/powercap/" + zone;
  tree.write(folder + "/name", name + "\n")
      .write(folder + "/energy_uj", microjoules.empty() ? "" : microjoules + "\n")
      .write(folder + "/max_energy_range_uj", std::string(kRange) + "\n");
}

TEST(Rapl, CountsPackagesAndTheirMemoryOnceEach) {
  FixtureTree tree;
  write_zone(tree, "intel-rapl:0", "package-0", "1000000");
  write_zone(tree, "intel-rapl:0:0", "core", "500000");    // inside the package
  write_zone(tree, "intel-rapl:0:1", "uncore", "100000");  // likewise
  write_zone(tree, "intel-rapl:0:2", "dram", "300000");    // not
  write_zone(tree, "intel-rapl:1", "package-1", "2000000");
  write_zone(tree, "intel-rapl:1:0", "dram", "400000");
  write_zone(tree, "intel-rapl:2", "psys", "9000000");            // all of the above
  write_zone(tree, "intel-rapl-mmio:0", "package-0", "1000007");  // package-0 again
  std::string why_not;
  const auto meter = open_rapl(why_not, tree.files());
  ASSERT_NE(meter, nullptr) << why_not;
  EXPECT_EQ(meter->counter(), "rapl");
  EXPECT_THAT(meter->domains(), ElementsAre("package-0", "package-1", "dram", "dram"));

  FakeClock clock;
  const auto before = meter->read(clock);
  write_zone(tree, "intel-rapl:0", "package-0", "4000000");
  write_zone(tree, "intel-rapl-mmio:0", "package-0", "4000007");
  write_zone(tree, "intel-rapl:0:0", "core", "2500000");
  write_zone(tree, "intel-rapl:1:0", "dram", "900000");
  clock.advance(milliseconds(100));
  EXPECT_DOUBLE_EQ(meter->between(before.value(), meter->read(clock).value()).joules.value(), 3.5);
}

TEST(Rapl, MakesOneWrapGoodAndNoMore) {
  FixtureTree tree;
  write_zone(tree, "intel-rapl:0", "package-0", "262143000000");
  std::string why_not;
  const auto meter = open_rapl(why_not, tree.files());
  ASSERT_NE(meter, nullptr) << why_not;
  FakeClock clock;
  const auto before = meter->read(clock).value();
  write_zone(tree, "intel-rapl:0", "package-0", "671150");
  clock.advance(std::chrono::seconds(10));
  EXPECT_DOUBLE_EQ(meter->between(before, meter->read(clock).value()).joules.value(), 1.0);
  clock.advance(std::chrono::seconds(260));
  const EnergyTaken taken = meter->between(before, meter->read(clock).value());
  EXPECT_FALSE(taken.joules);
  EXPECT_THAT(taken.why_none, HasSubstr("every 262143 J, possibly twice within 270 s"));
}

TEST(Rapl, SaysWhatIsMissing) {
  std::string why_not;
  EXPECT_EQ(open_rapl(why_not, FixtureTree().files()), nullptr);
  EXPECT_THAT(why_not, HasSubstr("no CPU energy counter"));
  FixtureTree tree;
  write_zone(tree, "intel-rapl:0", "package-0", "");
  EXPECT_EQ(open_rapl(why_not, tree.files()), nullptr);
  EXPECT_THAT(why_not, HasSubstr("only root may read /sys/class/powercap/intel-rapl:0/energy_uj"));
}

TEST(Rapl, AReadingThatIsNotWholeIsNone) {
  FixtureTree tree;
  write_zone(tree, "intel-rapl:0", "package-0", "1");
  std::string why_not;
  const auto meter = open_rapl(why_not, tree.files());
  ASSERT_NE(meter, nullptr) << why_not;
  write_zone(tree, "intel-rapl:0", "package-0", "");
  EXPECT_FALSE(meter->read(FakeClock()));
}

TEST(GpuEnergy, IsOfOneWholeGpu) {
  const GpuLibraries fakes{TRANSFORMETER_FAKE_CUDA, TRANSFORMETER_FAKE_NVML};
  std::string why_not;
  const auto meter = open_gpu_energy(0, why_not, fakes);
  ASSERT_NE(meter, nullptr) << why_not;
  EXPECT_EQ(meter->counter(), "nvml");
  EXPECT_FALSE(meter->period());
  EXPECT_THAT(meter->read(FakeClock()).value().microjoules, ElementsAre(12'345'678'000));
  {
    const FakeEnvironment cut("FAKE_MIG", "1");
    EXPECT_EQ(open_gpu_energy(0, why_not, fakes), nullptr);
    EXPECT_THAT(why_not, HasSubstr("MIG"));
  }
  const FakeEnvironment old("FAKE_NVML", "old");
  EXPECT_EQ(open_gpu_energy(0, why_not, fakes), nullptr);
  EXPECT_THAT(why_not, HasSubstr("has no energy counter"));
}

TEST(EnergyOfADevice, NamesADeviceWithoutACounter) {
  std::string why_not;
  EXPECT_EQ(open_energy_meter("mps", why_not), nullptr);
  EXPECT_THAT(why_not, HasSubstr("device mps"));
}

// 50 W, counted every `step` of the clock.
EnergyMeter meter_of(const FakeClock& clock, milliseconds step, std::optional<Seconds> period) {
  const auto microjoules = [&clock, step] {
    const auto steps = clock.now().time_since_epoch() / step;
    return std::optional<std::int64_t>(steps * step / std::chrono::microseconds(1) * 50);
  };
  return EnergyMeter("test", {{"all", microjoules, std::nullopt}}, period);
}

TEST(IdlePower, OfAKnownPeriodIsThatOfTheWholeTime) {
  FakeClock clock;
  int waits = 0;
  const auto idle = measure_idle(meter_of(clock, milliseconds(1), Seconds(1e-3)), clock, Seconds(1), [&](Seconds time) {
    ++waits;
    clock.advance(std::chrono::duration_cast<std::chrono::nanoseconds>(time));
  });
  ASSERT_TRUE(idle);
  EXPECT_DOUBLE_EQ(idle->power_w, 50);
  EXPECT_DOUBLE_EQ(idle->counter_period.count(), 1e-3);
  EXPECT_EQ(waits, 1) << "looking again and again would wake the processor";
}

TEST(IdlePower, FindsAPeriodThatIsNotKnown) {
  FakeClock clock;
  clock.advance(milliseconds(130));
  const auto wait = [&](Seconds time) { clock.advance(std::chrono::duration_cast<std::chrono::nanoseconds>(time)); };
  const auto idle = measure_idle(meter_of(clock, milliseconds(100), std::nullopt), clock, Seconds(1), wait);
  ASSERT_TRUE(idle);
  EXPECT_NEAR(idle->counter_period.count(), 0.1, 1e-9);
  EXPECT_NEAR(idle->power_w, 50, 1e-6) << "from step to step, not from a time within one";
  EXPECT_FALSE(measure_idle(meter_of(clock, milliseconds(500), std::nullopt), clock, Seconds(1), wait))
      << "two steps show one period";
}

}  // namespace
}  // namespace transformeter
