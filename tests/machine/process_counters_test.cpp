// Counts of a process, on machines that a test describes and on this one.
#include "machine/process_counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "machine/fake_perf_events.h"
#include "machine/fixture_tree.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Threads 7 and 8.
class ProcessCountersTest : public testing::Test {
 protected:
  ProcessCountersTest() {
    tree_.write("proc/self/task/7/stat", "7\n")
        .write("proc/self/task/8/stat", "8\n")
        .write("proc/sys/kernel/perf_event_paranoid", "3\n");
  }

  EventCount counted_event(std::string_view name, std::int64_t passes = 1) {
    ProcessCounters counters(events_, tree_.files());
    for (const EventCount& event : counters.mean_counts(passes)) {
      if (event.name == name) return event;
    }
    ADD_FAILURE() << "no event " << name;
    return {};
  }

  FakePerfEvents events_;
  FixtureTree tree_;
};

TEST_F(ProcessCountersTest, AddUpThreadsAndGiveTheMeanOfAPass) {
  events_.readings[{"instructions", 7}] = {900, 50, 50};
  events_.readings[{"instructions", 8}] = {300, 10, 10};
  const EventCount instructions = counted_event(event_name::kInstructions, 4);
  EXPECT_EQ(instructions.value, 300) << "(900 + 300) ÷ 4";
  EXPECT_EQ(instructions.scaled_share, 0);
  EXPECT_EQ(instructions.reason, "");
}

TEST_F(ProcessCountersTest, ScaleUpWhatTookTurns) {
  // Counted for 40 + 20 of 100 + 20 ns: half of the time.
  events_.readings[{"cycles", 7}] = {600, 100, 40};
  events_.readings[{"cycles", 8}] = {200, 20, 20};
  const EventCount cycles = counted_event(event_name::kCycles, 2);
  EXPECT_DOUBLE_EQ(cycles.value.value_or(0), 800) << "(600 + 200) · 2 ÷ 2 passes";
  EXPECT_DOUBLE_EQ(cycles.scaled_share, 0.5);
}

TEST_F(ProcessCountersTest, GiveNanosecondsAsSeconds) {
  events_.readings[{"task_clock_s", 7}] = {30'000'000, 30'000'000, 30'000'000};
  events_.readings[{"task_clock_s", 8}] = {10'000'000, 10'000'000, 10'000'000};
  EXPECT_DOUBLE_EQ(counted_event(event_name::kTaskClock, 2).value.value_or(0), 0.02);
}

TEST_F(ProcessCountersTest, CountNothingOfAnEventThatNeverRan) {
  events_.readings[{"branches", 7}] = events_.readings[{"branches", 8}] = {0, 100, 0};
  const EventCount branches = counted_event(event_name::kBranches);
  EXPECT_EQ(branches.value, std::nullopt) << "not 0";
  EXPECT_THAT(branches.reason, HasSubstr("no counter free"));
  events_.readings[{"cycles", 7}] = events_.readings[{"cycles", 8}] = {0, 0, 0};
  EXPECT_THAT(counted_event(event_name::kCycles).reason, HasSubstr("no thread ran"));
  events_.silent.insert("page_faults");
  EXPECT_THAT(counted_event(event_name::kPageFaults).reason, HasSubstr("did not answer"));
}

TEST_F(ProcessCountersTest, TakeNoStoppedCounterForACount) {
  for (const char* name : {"cycles", "page_faults"}) {
    events_.readings[{name, 7}] = events_.readings[{name, 8}] = {0, 100, 100};
  }
  EXPECT_EQ(counted_event(event_name::kCycles).value, std::nullopt) << "threads ran";
  EXPECT_THAT(counted_event(event_name::kCycles).reason, HasSubstr("stood still"));
  EXPECT_EQ(counted_event(event_name::kPageFaults).value, 0);
}

TEST_F(ProcessCountersTest, SayWhyAnEventCannotBeOpenedAndCountTheOthers) {
  events_.errors = {{"cycles", EACCES},   {"instructions", ENOENT},     {"branches", ENOSYS},
                    {"branch_misses", 7}, {"context_switches", EMFILE}, {"stalled_cycles_backend", EOPNOTSUPP}};
  EXPECT_THAT(counted_event(event_name::kCycles).reason,
              AllOf(HasSubstr("perf_event_paranoid is 3"), HasSubstr("sysctl kernel.perf_event_paranoid=1"),
                    HasSubstr("--cap-add PERFMON")));
  EXPECT_THAT(counted_event(event_name::kInstructions).reason, HasSubstr("virtual machine"));
  EXPECT_THAT(counted_event(event_name::kStalledCyclesBackend).reason, HasSubstr("virtual machine"));
  EXPECT_THAT(counted_event(event_name::kBranches).reason, HasSubstr("seccomp"));
  EXPECT_THAT(counted_event(event_name::kContextSwitches).reason, HasSubstr("ulimit -n"));
  EXPECT_THAT(counted_event(event_name::kBranchMisses).reason, HasSubstr("perf_event_open failed"));
  EXPECT_EQ(counted_event(event_name::kPageFaults).value, 2000) << "1,000 in each thread";
}

TEST_F(ProcessCountersTest, DoNotAdviseASettingThatIsThere) {
  events_.errors = {{"cycles", EPERM}};
  tree_.write("proc/sys/kernel/perf_event_paranoid", "1\n");
  EXPECT_THAT(
      counted_event(event_name::kCycles).reason,
      AllOf(HasSubstr("perf_event_paranoid is 1"), HasSubstr("--cap-add PERFMON"), testing::Not(HasSubstr("sysctl"))));
}

TEST_F(ProcessCountersTest, LeaveOutThreadsThatEndedButNoOthers) {
  events_.thread_errors = {{8, ESRCH}};
  EXPECT_EQ(counted_event(event_name::kInstructions).value, 1000);
  events_.thread_errors = {{8, EMFILE}};
  EXPECT_EQ(counted_event(event_name::kInstructions).value, std::nullopt) << "one thread is not the process";
  EXPECT_EQ(events_.open_count(), 0U);
  events_.thread_errors = {{7, ESRCH}, {8, ESRCH}};
  EXPECT_EQ(counted_event(event_name::kInstructions).value, std::nullopt);
  EXPECT_NE(counted_event(event_name::kInstructions).reason, "");
}

TEST_F(ProcessCountersTest, EstimateReadsFromMissesOfTheLastCache) {
  events_.readings[{"memory_read_bytes", 7}] = {30, 4, 2};
  events_.readings[{"memory_read_bytes", 8}] = {10, 4, 2};
  const EventCount read = counted_event(event_name::kMemoryReadBytes);
  EXPECT_DOUBLE_EQ(read.value.value_or(0), 2 * 40 * 64.0);
  EXPECT_DOUBLE_EQ(read.scaled_share, 0.5);
  events_.errors = {{"memory_read_bytes", ENOENT}};
  EXPECT_EQ(counted_event(event_name::kMemoryReadBytes).value, std::nullopt) << "not from misses of another cache";
  EXPECT_TRUE(counted_event(event_name::kCacheMisses).value);
}

TEST_F(ProcessCountersTest, OpenTheEventsOfTheKernelFirst) {
  events_.most_open = 7;  // three events of the kernel in both threads, and one of the processor in one of them
  ProcessCounters counters(events_, tree_.files());
  for (const EventCount& event : counters.mean_counts(1)) {
    const bool is_software = event.name == event_name::kPageFaults || event.name == event_name::kContextSwitches ||
                             event.name == event_name::kTaskClock;
    EXPECT_EQ(event.value.has_value(), is_software) << event.name;
  }
  EXPECT_EQ(events_.open_count(), 6U);
}

// The calls of one thread in their order, and the threads in theirs.
std::pair<std::vector<std::string>, std::vector<std::string>> calls_of(const std::vector<std::string>& calls,
                                                                       const std::string& thread) {
  std::vector<std::string> events, threads;
  for (const std::string& call : calls) {
    const std::size_t space = call.rfind(' ');
    if (call.substr(space + 1) == thread) events.push_back(call.substr(0, space));
    if (threads.empty() || threads.back() != call.substr(space + 1)) threads.push_back(call.substr(space + 1));
  }
  return {events, threads};
}

TEST_F(ProcessCountersTest, StartThreadByThreadWithCyclesNextToTheClockAndStopInReverse) {
  // The thread that calls, wherever it stands in the list.
  const std::string caller = std::to_string(::gettid());
  tree_.write("proc/self/task/" + caller + "/stat", caller + "\n");
  {
    ProcessCounters counters(events_, tree_.files());
    EXPECT_TRUE(counters.counts_any());
    EXPECT_TRUE(events_.calls.empty());
    counters.start();
    EXPECT_EQ(events_.running.size(), 3 * perf_events().size());
    const std::vector<std::string> starts = events_.calls;
    const auto [of_seven, threads] = calls_of(starts, "7");
    ASSERT_EQ(of_seven.size(), perf_events().size());
    EXPECT_EQ(of_seven[of_seven.size() - 2], "start cycles");
    EXPECT_EQ(of_seven.back(), "start task_clock_s");
    EXPECT_EQ(threads, (std::vector<std::string>{"7", "8", caller})) << "each once, the calling one last";
    events_.calls.clear();
    counters.stop();
    EXPECT_TRUE(events_.running.empty());
    std::vector<std::string> stops;
    for (const std::string& start : starts) stops.insert(stops.begin(), "stop" + start.substr(start.find(' ')));
    EXPECT_EQ(events_.calls, stops);
    EXPECT_GT(events_.open_count(), 0U);
  }
  EXPECT_EQ(events_.open_count(), 0U);
  events_.most_open = 0;
  EXPECT_FALSE(ProcessCounters(events_, tree_.files()).counts_any());
}

double value_of(const std::vector<EventCount>& counts, std::string_view name) {
  const EventCount* event = find_counted(counts, name);
  return event == nullptr ? -1 : event->value.value_or(-1);
}

double thread_cpu_s() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// On a busy machine too.
constexpr double kWorkSeconds = 0.005;
void work() {
  const double begin_s = thread_cpu_s();
  while (thread_cpu_s() < begin_s + kWorkSeconds) {
  }
}

// The CPU time of a thread that was there before and of one that starts afterwards.
TEST(ProcessCountersOfThisMachine, CountThreadsThatAreThereAndThreadsThatStart) {
  KernelPerfEvents events;
  const int descriptor = events.open(perf_event(event_name::kTaskClock), 0);
  if (descriptor < 0) GTEST_SKIP() << "software events: " << why_not_opened(-descriptor, std::nullopt);
  events.close(descriptor);
  std::atomic<int> turn{0};
  std::thread earlier([&] {
    turn.wait(0);
    work();
  });
  ProcessCounters counters(events);
  counters.start();
  turn = 1;
  turn.notify_all();
  earlier.join();
  const double of_earlier_s = value_of(counters.mean_counts(1), event_name::kTaskClock);
  EXPECT_GT(of_earlier_s, 0.9 * kWorkSeconds);
  std::thread(work).join();
  const double of_both_s = value_of(counters.mean_counts(1), event_name::kTaskClock);
  EXPECT_GT(of_both_s, of_earlier_s + 0.9 * kWorkSeconds);
  counters.stop();
  const double stopped_s = value_of(counters.mean_counts(1), event_name::kTaskClock);
  work();
  EXPECT_EQ(value_of(counters.mean_counts(1), event_name::kTaskClock), stopped_s);
  EXPECT_GE(value_of(counters.mean_counts(1), event_name::kPageFaults), 0);
  for (const EventCount& event : counters.mean_counts(1)) {
    EXPECT_NE(event.value.has_value(), !event.reason.empty()) << event.name;
  }
}

rlim_t file_limit() {
  rlimit limit{};
  EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  return limit.rlim_cur;
}

// The soft limit is lowered to the first descriptor that is free, so that no other can be opened below it.
TEST(KernelPerfEventsTest, RaiseTheLimitOfOpenFilesAndRestoreIt) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit low = before;
  {
    KernelPerfEvents events;
    const int probe = events.open(perf_event(event_name::kTaskClock), 0);
    if (probe < 0) GTEST_SKIP() << "software events: " << why_not_opened(-probe, std::nullopt);
    events.close(probe);
    low.rlim_cur = static_cast<rlim_t>(probe);
    if (low.rlim_cur >= before.rlim_max) GTEST_SKIP() << "the hard limit leaves no room";
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
    const int descriptor = events.open(perf_event(event_name::kTaskClock), 0);
    EXPECT_GE(descriptor, 0);
    EXPECT_EQ(file_limit(), before.rlim_max);
    events.close(descriptor);
  }
  EXPECT_EQ(file_limit(), low.rlim_cur);
  EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

}  // namespace
}  // namespace transformeter
