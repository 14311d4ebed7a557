// Places as the launch writes them, others, and what a library that starts threads sees.
#include "engine/pinned_processors.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <thread>
#include <vector>

#include "base/error.h"
#include "machine/cpu_list.h"

namespace transformeter {
namespace {

class PinnedProcessors : public testing::Test {
 protected:
  void TearDown() override { ::unsetenv("OMP_PLACES"); }
};

TEST_F(PinnedProcessors, AreTheFirstPlacesOfTheLaunch) {
  ::setenv("OMP_PLACES", "{4},{0},{12}", 1);
  EXPECT_EQ(pinned_processors(3), (std::vector<int>{4, 0, 12}));
  EXPECT_EQ(pinned_processors(1), (std::vector<int>{4}));
}

TEST_F(PinnedProcessors, RefuseTooFewAndOtherPlaces) {
  for (const char* places : {"", "cores", "{0}", "{0},{1:2}", "{0},{-1}", "{0},{9999999}", "0,1"}) {
    SCOPED_TRACE(places);
    ::setenv("OMP_PLACES", places, 1);
    EXPECT_THROW(pinned_processors(2), Error);
  }
  ::unsetenv("OMP_PLACES");
  EXPECT_THROW(pinned_processors(1), Error);
}

TEST_F(PinnedProcessors, AreOpenedForALibraryAndClosedAfterwards) {
  const std::vector<int> all = allowed_cpus().value();
  if (all.size() < 2) GTEST_SKIP() << "one processor";
  const std::vector<int> one{all.back()};
  const AllProcessors pinned(one);
  ASSERT_EQ(allowed_cpus(), one);
  {
    const AllProcessors open(all);
    EXPECT_EQ(allowed_cpus(), all);
    std::optional<std::vector<int>> inherited;
    std::thread([&] { inherited = allowed_cpus(); }).join();
    EXPECT_EQ(inherited, all);
  }
  EXPECT_EQ(allowed_cpus(), one);
  const AllProcessors nothing({});
  EXPECT_EQ(allowed_cpus(), one);
}

}  // namespace
}  // namespace transformeter
