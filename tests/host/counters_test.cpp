// Energy domains from a fixture tree; the processor's counters as this machine has them.
#include "host/counters.h"

#include <gtest/gtest.h>

#include "host/fixture_tree.h"
#include "host/quiet.h"

namespace transformeter {
namespace {

TEST(EnergyDomains, ListsPackagesFirstAndSkipsWhatHasNoCounter) {
  FixtureTree tree;
  tree.write("sys/class/powercap/intel-rapl/enabled", "1\n")
      .write("sys/class/powercap/intel-rapl:0:0/name", "dram\n")
      .write("sys/class/powercap/intel-rapl:0:0/energy_uj", "")  // as unreadable as the kernel's file to others
      .write("sys/class/powercap/intel-rapl:1/name", "package-1\n")
      .write("sys/class/powercap/intel-rapl:1/energy_uj", "123\n");
  const std::vector<EnergyDomain> domains = find_energy_domains(tree.files());
  ASSERT_EQ(domains.size(), 2u);
  EXPECT_EQ(domains[0].name, "package-1");
  EXPECT_TRUE(domains[0].readable);
  EXPECT_EQ(domains[1].name, "dram");
  EXPECT_FALSE(domains[1].readable);
  EXPECT_TRUE(find_energy_domains(FixtureTree().files()).empty());
}

TEST(PerfEvents, EitherOpenOrSayWhyNot) {
  FixtureTree tree;
  tree.write("proc/sys/kernel/perf_event_paranoid", "4\n");
  const PerfAccess access = probe_perf_events(tree.files());
  EXPECT_EQ(access.hardware, access.error == 0);
  EXPECT_EQ(access.paranoid, 4);
}

// Jumps once.
class JumpingClock final : public Clock {
 public:
  TimePoint now() const override {
    ++calls_;
    return TimePoint(std::chrono::microseconds(calls_) + (calls_ > 100 ? std::chrono::milliseconds(7) : zero_));
  }
  double wall_s() const override { return 0; }

 private:
  static constexpr std::chrono::milliseconds zero_{0};
  mutable int calls_ = 0;
};

TEST(WatchQuiet, SeesTheLongestGap) {
  const JumpingClock clock;
  const QuietReport report = watch_quiet(clock, Seconds(0.01), FixtureTree().files());
  EXPECT_NEAR(report.longest_gap.count(), 0.007, 1e-5);
  EXPECT_NEAR(report.held_up.count(), 0.007, 1e-5) << "steps of a microsecond are no gap";
  EXPECT_FALSE(report.noise.foreign_cpu_s);
}

}  // namespace
}  // namespace transformeter
