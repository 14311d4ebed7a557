// Memory of a process: from a fixture, and on the real machine by touching memory.
#include "machine/process_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "machine/fixture_tree.h"

namespace transformeter {
namespace {

constexpr long long kMebibyte = 1LL << 20;
constexpr long long kBlockBytes = 64 * kMebibyte;
constexpr long long kSlackBytes = 16 * kMebibyte;  // lazily summed counters, and whatever else runs in the process

// Memory that goes back to the system at once when released, unlike a heap block.
class TouchedBlock {
 public:
  TouchedBlock() : address_(::mmap(nullptr, kBlockBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (address_ == MAP_FAILED) throw std::bad_alloc();
    std::memset(address_, 1, kBlockBytes);
  }
  ~TouchedBlock() { ::munmap(address_, kBlockBytes); }
  TouchedBlock(const TouchedBlock&) = delete;
  TouchedBlock& operator=(const TouchedBlock&) = delete;

 private:
  void* address_;
};

TEST(ProcessMemory, ReadsStatusAndSmapsRollupOfAnyPid) {
  FixtureTree tree;
  tree.write("proc/77/status",
             "Name:\tw\nVmHWM:\t    2000 kB\nVmRSS:\t    1500 kB\nRssAnon:\t     900 kB\nRssFile:\t 600 kB\n")
      .write("proc/77/smaps_rollup", "0-1 ---p 0 00:00 0 [rollup]\nRss:  1500 kB\nPss:   700 kB\nPss_Anon: 3 kB\n");
  const ProcessMemory memory = read_process_memory(77, tree.files());
  EXPECT_EQ(memory.rss_bytes, 1500 * 1024);
  EXPECT_EQ(memory.peak_rss_bytes, 2000 * 1024);
  EXPECT_EQ(memory.anonymous_bytes, 900 * 1024);
  EXPECT_EQ(memory.file_bytes, 600 * 1024);
  EXPECT_EQ(read_pss_bytes(77, tree.files()), 700 * 1024);
}

TEST(ProcessMemory, AProcessThatIsGoneHasNone) {
  const FixtureTree tree;
  const ProcessMemory memory = read_process_memory(77, tree.files());
  EXPECT_EQ(memory.rss_bytes, std::nullopt);
  EXPECT_EQ(memory.peak_rss_bytes, std::nullopt);
  EXPECT_EQ(read_pss_bytes(77, tree.files()), std::nullopt);
  EXPECT_FALSE(reset_peak_rss(77, tree.files()));
  EXPECT_FALSE(tree.files().exists("proc/77/clear_refs")) << "a refused reset leaves no file behind";
}

TEST(ProcessMemory, ThePeakRisesWithTouchedMemoryAndAResetLowersIt) {
  const auto before = read_process_memory(0).rss_bytes;
  ASSERT_TRUE(before.has_value());
  { const TouchedBlock block; }
  const auto peak = read_process_memory(0).peak_rss_bytes;
  ASSERT_TRUE(peak.has_value());
  EXPECT_GE(*peak, *before + kBlockBytes - kSlackBytes);
  if (!reset_peak_rss(0)) GTEST_SKIP() << "the kernel refuses clear_refs here";
  const ProcessMemory after = read_process_memory(0);
  ASSERT_TRUE(after.peak_rss_bytes.has_value());
  EXPECT_LE(*after.peak_rss_bytes, *peak - kBlockBytes + kSlackBytes);
}

TEST(ProcessMemory, AnonymousMemoryAndPssContainATouchedBlock) {
  const TouchedBlock block;
  EXPECT_GE(read_process_memory(::getpid()).anonymous_bytes, kBlockBytes - kSlackBytes);
  const auto pss = read_pss_bytes(0);
  if (!pss) GTEST_SKIP() << "no smaps_rollup here";
  EXPECT_GE(*pss, kBlockBytes);
}

TEST(AvailableMemory, IsKnownOnThisMachine) {
  EXPECT_GT(available_memory_bytes(), kMebibyte);
}

}  // namespace
}  // namespace transformeter
