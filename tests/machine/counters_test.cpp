// Energy domains from a fixture tree; the processor's counters as this machine has them.
#include "machine/counters.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <string>

#include "machine/fake_perf_events.h"
#include "machine/fixture_tree.h"
#include "machine/quiet.h"

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
  KernelPerfEvents events;
  const PerfAccess access = probe_perf_events(events, tree.files());
  EXPECT_EQ(access.hardware, access.error == 0);
  EXPECT_EQ(access.paranoid, 4);
}

TEST(PerfEvents, OfTheKernelMayBeThereWithoutTheProcessors) {
  FakePerfEvents events;
  events.errors = {{"instructions", ENOENT}};
  const PerfAccess guest = probe_perf_events(events, FixtureTree().files());
  EXPECT_FALSE(guest.hardware);
  EXPECT_EQ(guest.error, ENOENT);
  EXPECT_TRUE(guest.software);
  events.errors["task_clock_s"] = EACCES;
  EXPECT_FALSE(probe_perf_events(events, FixtureTree().files()).software);
  EXPECT_EQ(events.open_count(), 0U);
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

// Two CPUs, of which others keep `busy` busy in the seconds before `quiet_at`, and none afterwards.
class BusyMachine {
 public:
  explicit BusyMachine(double quiet_at) : quiet_at_(quiet_at) { write(); }

  QuietWait wait_of(Seconds longest) {
    QuietWait wait;
    wait.longest = longest;
    wait.most_busy = 0.05;
    wait.sleep = [this](Seconds time) {
      const double before = seconds_;
      seconds_ += time.count();
      busy_s_ += std::max(0.0, std::min(seconds_, quiet_at_) - before);
      clock_.advance(std::chrono::duration_cast<std::chrono::nanoseconds>(time));
      write();
    };
    return wait;
  }
  bool wait(Seconds longest) { return wait_until_quiet(clock_, wait_of(longest), tree_.files()); }
  double seconds() const { return seconds_; }
  FakeClock& clock() { return clock_; }
  SystemFiles files() const { return tree_.files(); }

 private:
  void write() {
    const std::string ticks =
        std::to_string(static_cast<long long>(busy_s_ * static_cast<double>(::sysconf(_SC_CLK_TCK))));
    tree_.write("proc/stat",
                "cpu 9 0 0 0 0 0 0 0 0 0\ncpu0 " + ticks + " 0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0 0 0\n");
    tree_.write("proc/self/stat", "1 (t) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 100 0 0\n");
  }

  FixtureTree tree_;
  FakeClock clock_;
  double quiet_at_;
  double seconds_ = 0;
  double busy_s_ = 0;
};

TEST(WaitUntilQuiet, EndsWithTheFirstQuietSecond) {
  BusyMachine machine(3);
  EXPECT_TRUE(machine.wait(Seconds(20)));
  EXPECT_EQ(machine.seconds(), 4);
}

TEST(WaitUntilQuiet, GivesUpInTimeOnAMachineThatStaysBusy) {
  BusyMachine machine(1000);
  EXPECT_FALSE(machine.wait(Seconds(5)));
  EXPECT_EQ(machine.seconds(), 5);
  EXPECT_FALSE(machine.wait(Seconds(0))) << "no time is left";
  EXPECT_EQ(machine.seconds(), 5);
}

TEST(WaitUntilQuiet, GivesUpWhenTheUserAsksToStop) {
  BusyMachine machine(1000);
  const std::atomic<bool> interrupt{true};
  QuietWait wait = machine.wait_of(Seconds(5));
  wait.interrupt = &interrupt;
  EXPECT_FALSE(wait_until_quiet(machine.clock(), wait, machine.files()));
  EXPECT_EQ(machine.seconds(), 0);
}

TEST(WaitUntilQuiet, AMachineThatCannotBeReadCountsAsQuiet) {
  FakeClock clock;
  QuietWait wait;
  wait.sleep = [&](Seconds) { clock.advance(std::chrono::seconds(1)); };
  EXPECT_TRUE(wait_until_quiet(clock, wait, FixtureTree().files()));
}

}  // namespace
}  // namespace transformeter
